//! Kernels of activations on a card against those of the runtime in double precision, and draws on a card.
//!
//! Errors are measured as the promise of kernels does: the mean against √E\[g²\], its derivatives against √Var/ξ and √Var/ξ²,
//! those of the variance against Var/ξ and Var/ξ².

use burn::tensor::{Device, Tensor, TensorData};
use gaussform::activations::{
    Abs, Clip, HardSigmoidAffine, HardSwish, HardTanh, Hat, Heaviside, Identity, Prelu, Relu,
    Relu3, SignOf, SparsePlus, Sqnl, Square,
};
use gaussform_bnn::layer::{Activation as Layer, Linear, LinearOutput, Rule, Sample};
use gaussform_bnn::{
    Categorical, CategoricalForm, Function, MeanField, Nonlinearity, Pass, Prior, Random, Signal,
    Weight, WeightUse, moments,
};
use gaussform_runtime::Activation;

use crate::devices::graphics::device;
use crate::support::values;

/// Six jumps.
#[gaussform::activation]
fn stairs(x: f64) -> f64 {
    if x < -2.5 {
        0.0
    } else if x < -1.25 {
        1.0
    } else if x < -0.5 {
        3.0
    } else if x < 0.5 {
        2.0
    } else if x < 1.5 {
        4.0
    } else if x < 2.75 {
        5.0
    } else {
        6.0
    }
}

/// A kink at each integer from −15 to 15.
#[gaussform::activation]
fn folds(x: f64) -> f64 {
    ((((x.abs() - 8.0).abs() - 4.0).abs() - 2.0).abs() - 1.0).abs()
}

/// A cubic spline, and a parabola behind it.
#[gaussform::activation]
fn waves(x: f64) -> f64 {
    let up = (x + 2.0).max(0.0).powi(3) - 4.0 * (x + 1.0).max(0.0).powi(3);
    let down = 6.0 * x.max(0.0).powi(3) - 4.0 * (x - 1.0).max(0.0).powi(3);
    (up + down + (x - 2.0).max(0.0).powi(3)) / 6.0 + (x - 3.0).max(0.0).powi(2) / 8.0
}

/// In roundings: of straight functions, of their variance's derivatives, and of functions that are curved or have more than five
/// knots.
const PROMISE: [f64; 3] = [8.0, 16.0, 64.0];

/// Second moments above this are infinite on a card.
const LARGEST: f64 = 4e18;

fn leaf(values: &[f64], device: &Device) -> Tensor<1> {
    let data = TensorData::new(values.to_vec(), [values.len()]);
    Tensor::from_data(data, (device, burn::tensor::DType::F32)).require_grad()
}

/// Mean, variance and their derivatives by backward passes.
fn on_card<A: Nonlinearity>(g: &A, inputs: [&[f64]; 2], device: &Device) -> [Vec<f64>; 6] {
    let device = device.clone().autodiff();
    let mut out = [const { Vec::new() }; 6];
    for result in 0..2 {
        let [gamma, xi2] = inputs.map(|values| leaf(values, &device));
        let both = moments(g, gamma.clone(), xi2.clone()).unwrap();
        let of = if result == 0 { both.0 } else { both.1 };
        out[result] = values(of.clone().inner());
        let gradients = of.sum().backward();
        out[2 + 2 * result] = values(gamma.grad(&gradients).unwrap());
        out[3 + 2 * result] = values(xi2.grad(&gradients).unwrap());
    }
    out
}

/// Numbers around knots at all scales, as pairs of γ and ξ².
fn points(knots: &[f64]) -> [Vec<f64>; 2] {
    let mut random = Random::new(1);
    let mut out = [const { Vec::new() }; 2];
    for _ in 0..1000 {
        let sd = 10f64.powf(1.5 * random.normal());
        let knot = knots.get((random.normal().abs() * 3.0) as usize % knots.len().max(1));
        let at = knot.copied().unwrap_or(0.0) + 3.0 * random.normal() * sd;
        out[0].push(f64::from(at as f32));
        out[1].push(f64::from((sd * sd) as f32));
    }
    out
}

/// The largest error of each result, in roundings.
fn errors<A: Nonlinearity>(g: &A, knots: &[f64], device: &Device) -> [f64; 6] {
    let [gamma, xi2] = points(knots);
    let found = on_card(g, [&gamma, &xi2], device);
    let mut worst = [0.0_f64; 6];
    for i in 0..gamma.len() {
        let truth = Activation::<f64>::moments_grad(g, gamma[i], xi2[i]);
        if truth.mean * truth.mean + truth.variance > LARGEST {
            continue;
        }
        let (variance, xi) = (truth.variance, xi2[i].sqrt());
        let size = (truth.mean * truth.mean + variance).sqrt();
        let truths = [
            (truth.mean, size),
            (variance, variance),
            (truth.dmean_dgamma, variance.sqrt() / xi),
            (truth.dmean_dxi2, variance.sqrt() / xi2[i]),
            (truth.dvariance_dgamma, variance / xi),
            (truth.dvariance_dxi2, variance / xi2[i]),
        ];
        for (r, (exact, scale)) in truths.into_iter().enumerate() {
            let error = (found[r][i] - exact).abs();
            // A card may have nothing below the smallest normal number, nor in what is multiplied by it.
            let measure = error / (f64::from(f32::EPSILON) * scale.max(exact.abs()) + 1e-30);
            worst[r] = worst[r].max(if measure.is_nan() { f64::INFINITY } else { measure });
        }
    }
    worst
}

#[test]
fn kernels_keep_their_promise() {
    let Some(device) = device() else { return };
    let none: [f64; 0] = [];
    let folded: Vec<f64> = (-15..=15).map(f64::from).collect();
    let clip = Clip::new(-0.3, 1.7).unwrap();
    // Knots that no number is.
    let affine = HardSigmoidAffine::new(0.3, 0.1).unwrap();
    let prelu = Prelu::new(0.2).unwrap();
    macro_rules! check {
        ($is_loose:literal: $($g:expr, $knots:expr);* $(;)?) => {
            $({
                let worst = errors(&$g, &$knots, &device);
                println!("{:?}: {worst:.1?}", $g);
                for (r, worst) in worst.into_iter().enumerate() {
                    let most = PROMISE[if $is_loose { 2 } else { usize::from(r > 3) }];
                    assert!(worst <= most, "{:?}, result {r}: {worst} roundings", $g);
                }
            })*
        };
    }
    check![false:
        Relu, [0.0]; Abs, [0.0]; Identity, none; Heaviside, [0.0]; SignOf, [0.0]; prelu, [0.0];
        HardTanh, [-1.0, 1.0]; clip, [-0.3, 1.7]; Hat, [-1.0, 0.0, 1.0]; affine, [-1.0 / 3.0, 3.0];
    ];
    check![true:
        Square, none; Relu3, [0.0]; HardSwish, [-3.0, 3.0]; Sqnl, [-2.0, 0.0, 2.0];
        SparsePlus, [-1.0, 1.0]; Stairs, [-2.5, -1.25, -0.5, 0.5, 1.5, 2.75]; Folds, folded;
        Waves, [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
    ];
}

/// Outputs of a layer and their gradients, for shapes of every kernel of products, most of which no tile divides.
#[test]
fn products_are_those_of_the_processor() {
    let Some(device) = device() else { return };
    let shapes =
        [[1, 1, 1], [3, 7, 5], [130, 33, 70], [1, 50, 3], [700, 41, 523], [2048, 900, 601]];
    for [rows, inputs, outputs] in shapes {
        let [here, there] = [&Device::flex(), &device].map(|device| {
            let device = device.clone().autodiff();
            let mut random = Random::new(3);
            let mut matrix = |rows: usize, columns: usize| -> Tensor<2> {
                let numbers: Vec<f64> = (0..rows * columns).map(|_| random.normal()).collect();
                let data = TensorData::new(numbers, [rows, columns]);
                Tensor::from_data(data, (&device, burn::tensor::DType::F32))
            };
            let [x, v, weights] = [(rows, inputs), (rows, inputs), (outputs, rows)]
                .map(|(rows, columns)| matrix(rows, columns).require_grad());
            let log_sd = matrix(inputs, outputs).sub_scalar(1.0);
            let posterior = MeanField::new(matrix(inputs, outputs), log_sd);
            let layer = Linear::new(Weight::MeanField(posterior), None, Prior::default());
            let signal = Signal { mean: x.clone(), variance: Some(v.clone().powi_scalar(2)) };
            let Signal { mean, variance } = layer.forward(signal, &mut Pass::moments());
            let variance = variance.expect("the weights have variances");
            let weighted = (mean.clone() + variance.clone()) * weights.transpose();
            let gradients = weighted.sum().backward();
            let Weight::MeanField(posterior) = layer.weight() else { unreachable!() };
            let of = [x, v, posterior.mean(), posterior.log_sd()]
                .map(|leaf| values(leaf.grad(&gradients).expect("a leaf of the graph")));
            let [of_x, of_v, of_mean, of_sd] = of;
            [values(mean.inner()), values(variance.inner()), of_x, of_v, of_mean, of_sd]
        });
        for (here, there) in here.iter().zip(&there) {
            let size = here.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            for (a, b) in here.iter().zip(there) {
                let shape = format!("{rows} × {inputs} × {outputs}");
                assert!((a - b).abs() <= 4e-6 * size, "{shape}: {a} and {b} of {size}");
            }
        }
    }
}

/// Where the tensors of a card are cut out of others, and for a batch that no group of invocations divides.
#[test]
fn tensors_of_any_layout_are_read() {
    let Some(device) = device() else { return };
    let [gamma, xi2] = points(&[-1.0, 1.0]);
    let of = |values: &[f64], device: &Device| -> Tensor<2> {
        let data = TensorData::new(values[..999].to_vec(), [27, 37]);
        let whole: Tensor<2> = Tensor::from_data(data, (device, burn::tensor::DType::F32));
        whole.transpose().slice([3..36, 2..23])
    };
    let [here, there] = [&Device::flex(), &device].map(|device| {
        let (mean, variance) = moments(&HardTanh, of(&gamma, device), of(&xi2, device)).unwrap();
        [values(mean), values(variance)].concat()
    });
    for (a, b) in here.iter().zip(there) {
        // The error of a mean is relative to the largest value of the function.
        assert!((a - b).abs() <= 2e-6, "{a} and {b}");
    }
}

#[test]
fn what_is_no_distribution_is_nan() {
    let Some(device) = device() else { return };
    let gamma = [f64::NAN, 0.0, 0.0, f64::INFINITY, 0.0, 1.0, 0.0];
    let xi2 = [1.0, f64::NAN, -1.0, 1.0, f64::INFINITY, 0.0, 0.0];
    let found = on_card(&HardTanh, [&gamma, &xi2], &device);
    for result in &found {
        assert!(result[..5].iter().all(|value| value.is_nan()), "{result:?}");
        assert!(result[5..].iter().all(|value| value.is_finite()), "{result:?}");
    }
    // Zero variance, on the knot 1: the limit of the slope is the mean of both sides.
    assert_eq!([found[0][5], found[1][5], found[2][5]], [1.0, 0.0, 0.5]);
    // In a loop over the knots, too. The slopes on both sides of 1 are −1 and 1, and those of 0 are 1 and −1.
    let found = on_card(&Folds, [&gamma, &xi2], &device);
    assert!(found.iter().all(|result| result[..5].iter().all(|value| value.is_nan())), "{found:?}");
    assert_eq!([found[0][5], found[1][5], found[2][5]], [0.0, 0.0, 0.0]);
    assert_eq!([found[0][6], found[1][6], found[2][6]], [1.0, 0.0, 0.0]);
}

/// The other rules of a layer, and its values at known numbers, with their gradients.
#[test]
fn every_rule_is_that_of_the_processor() {
    let Some(card) = device() else { return };
    let [gamma, xi2] = points(&[-3.0, 3.0]);
    let functions = [
        Function::new("hard_swish", HardSwish),
        Function::new("hard_tanh", HardTanh),
        Function::new("stairs", Stairs),
        Function::new("folds", Folds),
        Function::new("waves", Waves),
    ];
    for g in functions {
        for is_known in [false, true] {
            let [here, there] = [&Device::flex(), &card].map(|device| {
                let device = device.clone().autodiff();
                let single = burn::tensor::DType::F32;
                let layer = Layer::new(g.clone(), Rule::Linearised, (&device, single));
                let [m, v] = [&gamma, &xi2].map(|values| leaf(values, &device));
                let variance = (!is_known).then(|| v.clone());
                let out = layer.forward(Signal { mean: m.clone(), variance }).unwrap();
                let sum = match &out.variance {
                    Some(variance) => out.mean.clone() + variance.clone(),
                    None => out.mean.clone(),
                };
                let gradients = sum.sum().backward();
                let mut all = values(out.mean.inner());
                all.extend(out.variance.map(|v| values(v.inner())).unwrap_or_default());
                all.extend(values(m.grad(&gradients).unwrap()));
                all.extend(v.grad(&gradients).map(values).unwrap_or_default());
                all
            });
            assert_eq!(here.len(), there.len());
            for (a, b) in here.iter().zip(there) {
                assert!((a - b).abs() <= 2e-6 * a.abs().max(1e-3), "{g:?}: {a} and {b}");
            }
        }
    }
}

#[test]
fn draws_are_standard_normal_and_reproducible() {
    let Some(device) = device() else { return };
    let count = 100_003;
    let drawn = |seed: u64| {
        let of =
            |value: f64| Tensor::<1>::full([count], value, (&device, burn::tensor::DType::F32));
        let mut pass = Pass::new(WeightUse::Moments, seed, 0);
        let mut draw = || values(Sample.forward(Signal::normal(of(0.0), of(1.0)), &mut pass).mean);
        [draw(), draw()]
    };
    let [first, second] = drawn(1);
    assert_eq!(first, drawn(1)[0], "a seed gives the same numbers");
    assert!(first != second && first != drawn(2)[0], "each draw is its own");
    let mean = |f: &dyn Fn(usize) -> f64| (0..count).map(f).sum::<f64>() / count as f64;
    // Within five standard deviations of each mean.
    let within = |found: f64, exact: f64, sd: f64| {
        assert!((found - exact).abs() < 5.0 * sd / (count as f64).sqrt(), "{found} for {exact}");
    };
    for x in [&first, &second] {
        within(mean(&|i| x[i]), 0.0, 1.0);
        within(mean(&|i| x[i] * x[i]), 1.0, 2f64.sqrt());
        within(mean(&|i| x[i].powi(3)), 0.0, 15f64.sqrt());
        within(mean(&|i| x[i].powi(4)), 3.0, 96f64.sqrt());
        within(mean(&|i| f64::from(u8::from(x[i].abs() > 3.0))), 0.002_699_8, 0.051_9);
        // Neighbours, within a group of four and beyond it.
        for lag in [1, 2, 3, 4, 64] {
            within(mean(&|i| x[i] * x[(i + lag) % count]), 0.0, 1.0);
            within(mean(&|i| (x[i] * x[(i + lag) % count]).powi(2)), 1.0, 8f64.sqrt());
        }
    }
    within(mean(&|i| first[i] * second[i]), 0.0, 1.0);
}

/// E log p and its derivatives in means and variances, by a backward pass on a device.
fn class_likelihood([m, v, y]: [&[f64]; 3], classes: usize, device: &Device) -> [Vec<f64>; 3] {
    let device = device.clone().autodiff();
    let rows = |values: &[f64]| -> Tensor<2> {
        let data = TensorData::new(values.to_vec(), [values.len() / classes, classes]);
        Tensor::from_data(data, (&device, burn::tensor::DType::F32))
    };
    let [m, v] = [m, v].map(|values| rows(values).require_grad());
    let output =
        LinearOutput { mean: m.clone(), below: Some(v.clone()), own: None, covariance: None };
    let likelihood = Categorical::new(CategoricalForm::Exact, false);
    let value = likelihood.expected(&output, rows(y), &mut Pass::moments()).unwrap();
    let gradients = value.clone().sum().backward();
    [
        values(value.inner()),
        values(m.grad(&gradients).unwrap()),
        values(v.grad(&gradients).unwrap()),
    ]
}

#[test]
#[expect(clippy::print_stdout, reason = "one wants to know the errors on a device")]
fn the_likelihood_of_classes_is_that_of_the_processor() {
    let Some(device) = device() else { return };
    let mut random = Random::new(3);
    // Mesa's software devices end the loops of an invocation after 65 536 rounds.
    let is_software = format!("{:?}", device.identity()).contains("llvmpipe");
    let counts: &[usize] = if is_software { &[2, 3, 10] } else { &[2, 3, 10, 64] };
    for &classes in counts {
        let rows = 200;
        let mut inputs = [const { Vec::new() }; 3];
        for row in 0..rows {
            let size = 10f64.powf(0.8 * random.normal());
            let class = row % classes;
            for k in 0..classes {
                let sd = size * 10f64.powf(0.5 * random.normal());
                inputs[0].push(f64::from((size * random.normal()) as f32));
                inputs[1].push(f64::from((sd * sd) as f32));
                inputs[2].push(if k == class { 1.0 } else { 0.0 });
            }
        }
        // Known numbers, and some of which one is known.
        inputs[1][..classes].fill(0.0);
        inputs[1][classes] = 0.0;
        let all = inputs.each_ref().map(Vec::as_slice);
        let [here, there] =
            [&Device::flex(), &device].map(|device| class_likelihood(all, classes, device));
        let mut worst = [0.0_f64; 3];
        for (r, (here, there)) in here.iter().zip(&there).enumerate() {
            for (a, b) in here.iter().zip(there) {
                // Values are of the size of the logits, whose last digits count.
                let scale = if r == 0 { a.abs().max(1.0) } else { 1.0 };
                let error = (a - b).abs() / scale;
                worst[r] = worst[r].max(if error.is_nan() { f64::INFINITY } else { error });
            }
        }
        println!("{classes} classes: {worst:.8?}");
        assert!(worst.iter().all(|worst| *worst < 1e-5), "{classes} classes: {worst:?}");
    }
    let nan = class_likelihood([&[0.0, f64::NAN], &[1.0, 1.0], &[1.0, 0.0]], 2, &device);
    assert!(nan.iter().flatten().all(|value| value.is_nan()));
}
