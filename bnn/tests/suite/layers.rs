//! Layers against loops written out, against samples and against finite differences.

use burn::tensor::{DType, Device, Tensor};
use gaussform::activations::{Prelu, Relu as LibraryRelu};
use gaussform_bnn::layer::{Activation, Conv1d, Conv2d, ConvShape, MaxPool, MeanPool, Noise, Rule};
use gaussform_bnn::{
    Blueprint, BlueprintError, Function, LayerSpec, LikelihoodKind, MeanField, Network, Pass,
    PosteriorKind, Prior, Random, Signal, Weight,
};

use crate::activations::Relu;
use crate::support::{Sampled, drawn, tensor, tensor_on, values};

fn near(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "element {i}: {a} against {b}");
    }
}

/// The definition of a convolution with stride, padding and groups, in one loop for each index.
#[test]
fn convolutions_are_sums_over_windows() {
    let (groups, stride, padding) = (2, [2, 1], [1, 2]);
    let (channels, out, height, width, kernel) = (4, 6, 5, 4, [3, 2]);
    let x = drawn(channels * height * width, 1);
    let v: Vec<f64> = drawn(x.len(), 2).iter().map(|v| v * v).collect();
    let m = drawn(out * channels / groups * 6, 3);
    let log_sd: Vec<f64> = drawn(m.len(), 4).iter().map(|l| 0.3 * l - 1.0).collect();
    let (bias, bias_log_sd) = (drawn(out, 5), drawn(out, 6));
    let dims = [out, channels / groups, 3, 2];
    let layer = Conv2d::new(
        Weight::MeanField(MeanField::new(tensor(&m, dims), tensor(&log_sd, dims))),
        Some(Weight::MeanField(MeanField::new(tensor(&bias, [out]), tensor(&bias_log_sd, [out])))),
        ConvShape { stride, padding, groups },
        Prior::default(),
    );
    let shape = [1, channels, height, width];
    let signal = Signal::normal(tensor(&x, shape), tensor(&v, shape));
    let y = layer.forward(signal, &mut Pass::moments());

    let rows = (height + 2 * padding[0] - kernel[0]) / stride[0] + 1;
    let columns = (width + 2 * padding[1] - kernel[1]) / stride[1] + 1;
    let (mut mean, mut variance) = (Vec::new(), Vec::new());
    for o in 0..out {
        for r in 0..rows {
            for c in 0..columns {
                let (mut a, mut b) = (bias[o], (2.0 * bias_log_sd[o]).exp());
                for i in 0..channels / groups {
                    for k in 0..kernel[0] {
                        for l in 0..kernel[1] {
                            let (h, w) = (r * stride[0] + k, c * stride[1] + l);
                            if h < padding[0] || w < padding[1] {
                                continue;
                            }
                            let (h, w) = (h - padding[0], w - padding[1]);
                            if h >= height || w >= width {
                                continue;
                            }
                            let channel = o / (out / groups) * (channels / groups) + i;
                            let at = (channel * height + h) * width + w;
                            let weight = ((o * channels / groups + i) * 3 + k) * 2 + l;
                            let s2 = (2.0 * log_sd[weight]).exp();
                            a += m[weight] * x[at];
                            b += s2 * (x[at].powi(2) + v[at]) + m[weight].powi(2) * v[at];
                        }
                    }
                }
                mean.push(a);
                variance.push(b);
            }
        }
    }
    assert_eq!(y.mean.dims(), [1, out, rows, columns]);
    near(&values(y.mean), &mean, 1e-12);
    near(&values(y.variance.unwrap()), &variance, 1e-12);
}

#[test]
fn a_convolution_along_one_axis_is_one_of_height_one() {
    let (m, l) = (drawn(2 * 3 * 4, 1), drawn(2 * 3 * 4, 2));
    let x = drawn(2 * 3 * 9, 3);
    let one = Conv1d::new(
        Weight::MeanField(MeanField::new(tensor(&m, [2, 3, 4]), tensor(&l, [2, 3, 4]))),
        None,
        ConvShape { stride: [2], padding: [1], groups: 1 },
        Prior::default(),
    );
    let two = Conv2d::new(
        Weight::MeanField(MeanField::new(tensor(&m, [2, 3, 1, 4]), tensor(&l, [2, 3, 1, 4]))),
        None,
        ConvShape { stride: [1, 2], padding: [0, 1], groups: 1 },
        Prior::default(),
    );
    let a = one.forward(Signal::known(tensor(&x, [2, 3, 9])), &mut Pass::moments());
    let b = two.forward(Signal::known(tensor(&x, [2, 3, 1, 9])), &mut Pass::moments());
    near(&values(a.mean), &values(b.mean), 1e-13);
    near(&values(a.variance.unwrap()), &values(b.variance.unwrap()), 1e-13);
}

#[test]
fn the_larger_of_two_is_that_of_samples_and_the_mean_of_four_is_a_sum() {
    let (m, v) = ([0.3, -0.2, 1.1, -3.0], [0.5, 2.0, 0.01, 1.0]);
    let signal = || Signal::normal(tensor(&m, [1, 2, 1, 2]), tensor(&v, [1, 2, 1, 2]));
    let pooled = MaxPool::new([1, 2], [1, 2], Rule::Exact).forward(signal()).unwrap();
    let (mean, variance) = (values(pooled.mean), values(pooled.variance.unwrap()));
    let mut random = Random::new(1);
    for pair in 0..2 {
        let mut square = Sampled::default();
        let mut first = Sampled::default();
        for _ in 0..200_000 {
            let draw = |i: usize, z: f64| m[2 * pair + i] + v[2 * pair + i].sqrt() * z;
            let larger = draw(0, random.normal()).max(draw(1, random.normal()));
            first.add(larger);
            square.add((larger - mean[pair]).powi(2));
        }
        assert!(first.away(mean[pair]) < 4.0);
        assert!(square.away(variance[pair]) < 4.0);
    }
    let linear = MaxPool::new([1, 2], [1, 2], Rule::Linearised).forward(signal()).unwrap();
    assert_eq!(
        (values(linear.mean), values(linear.variance.unwrap())),
        (vec![0.3, 1.1], vec![0.5, 0.01])
    );
    let square = signal().reshape([1, 1, 2, 2]);
    let mean_of = MeanPool::new([2, 2], [2, 2]).forward(square);
    near(&values(mean_of.mean), &[m.iter().sum::<f64>() / 4.0], 1e-14);
    near(&values(mean_of.variance.unwrap()), &[v.iter().sum::<f64>() / 16.0], 1e-14);
}

#[test]
fn overlapping_windows_are_those_of_the_plain_pool() {
    let x = drawn(2 * 3 * 5 * 6, 8);
    let pool = MaxPool::new([3, 2], [1, 2], Rule::Exact);
    let ours = pool.forward(Signal::known(tensor(&x, [2, 3, 5, 6]))).unwrap();
    for (i, largest) in values(ours.mean).into_iter().enumerate() {
        let (plane, r, c) = (i / 9, i / 3 % 3, i % 3);
        let window = (0..6).map(|k| x[plane * 30 + (r + k / 2) * 6 + c * 2 + k % 2]);
        assert_eq!(largest, window.fold(f64::MIN, f64::max));
    }
}

/// A loss that uses mean and variance of a learned PReLU by each rule.
fn loss(rule: Rule, known: bool, m: Tensor<1>, v: Tensor<1>, layer: &Activation) -> Tensor<1> {
    let _ = rule;
    let signal = if known { Signal::known(m) } else { Signal::normal(m, v.exp()) };
    let y = layer.forward(signal).unwrap();
    match y.variance {
        Some(variance) => (y.mean.clone().sin() + variance.clone() * y.mean + variance.log()).sum(),
        None => (y.mean.clone().powi_scalar(2) + y.mean).sum(),
    }
}

#[test]
fn every_rule_differentiates_in_inputs_and_learned_parameters() {
    let (m, v) = ([0.4, -0.9, 1.7, -0.2], [-0.3, 0.8, -1.2, 0.1]);
    let prelu = |slope: f64| Function::learned("prelu", &[slope], |p| Prelu::new(p[0])).unwrap();
    for (rule, known) in [(Rule::Exact, false), (Rule::Linearised, false), (Rule::Exact, true)] {
        let tracked = Device::flex().autodiff();
        let layer = Activation::new(prelu(0.35), rule, (&tracked, DType::F64));
        let [a, b] = [&m, &v].map(|x| tensor_on(x, [4], &tracked).require_grad());
        let gradients = loss(rule, known, a.clone(), b.clone(), &layer).backward();
        let slope = values(layer.parameters().unwrap().grad(&gradients).unwrap())[0];
        let da = values(a.grad(&gradients).unwrap());
        let at = |m: &[f64], v: &[f64], slope: f64| {
            let layer = Activation::new(prelu(slope), rule, (&Device::flex(), DType::F64));
            values(loss(rule, known, tensor(m, [4]), tensor(v, [4]), &layer))[0]
        };
        let h = 1e-6;
        let numeric = (at(&m, &v, 0.35 + h) - at(&m, &v, 0.35 - h)) / (2.0 * h);
        near(&[slope], &[numeric], 1e-7);
        for i in 0..4 {
            let moved = |h: f64| {
                let mut m = m;
                m[i] += h;
                at(&m, &v, 0.35)
            };
            near(&[da[i]], &[(moved(h) - moved(-h)) / (2.0 * h)], 1e-7);
            if !known {
                let moved = |h: f64| {
                    let mut v = v;
                    v[i] += h;
                    at(&m, &v, 0.35)
                };
                let db = values(b.grad(&gradients).unwrap())[i];
                near(&[db], &[(moved(h) - moved(-h)) / (2.0 * h)], 1e-7);
            }
        }
    }
}

/// The gate of a finite C is a coin that does not depend on u; for C → ∞ it is the linearised rule.
#[test]
fn the_gate_is_that_of_samples_and_tends_to_the_linearised_rule() {
    let place = &Device::flex();
    let layer =
        |rule| Activation::new(Function::new("relu", LibraryRelu), rule, (place, DType::F64));
    let at = |rule, m: f64, v: f64| {
        let y = layer(rule).forward(Signal::normal(tensor(&[m], [1]), tensor(&[v], [1]))).unwrap();
        (values(y.mean)[0], values(y.variance.unwrap())[0])
    };
    let (m, v, c) = (0.3, 0.7, 4.0);
    let (mean, variance) = at(Rule::Gated { sharpness: c }, m, v);
    let mut random = Random::new(3);
    let (mut first, mut square) = (Sampled::default(), Sampled::default());
    for _ in 0..200_000 {
        let open = random.uniform() < 1.0 / (1.0 + (-c * m).exp());
        let y = if open { m + v.sqrt() * random.normal() } else { 0.0 };
        first.add(y);
        square.add((y - mean).powi(2));
    }
    assert!(first.away(mean) < 4.0 && square.away(variance) < 4.0);
    let (a, b) = (at(Rule::Gated { sharpness: 1e4 }, m, v), at(Rule::Linearised, m, v));
    near(&[a.0, a.1], &[b.0, b.1], 1e-12);
    assert_eq!(b, (m, v));
}

#[test]
fn noise_and_residual_sums_add_variances() {
    let noisy = Noise::new(0.5).forward(Signal::known(tensor(&[1.0, 2.0], [1, 2])));
    assert_eq!(values(noisy.variance.clone().unwrap()), [0.5, 0.5]);
    let blueprint = Blueprint::new(&[2], LikelihoodKind::normal(2))
        .layer(LayerSpec::Noise { variance: 0.5 })
        .residual(|b| b.activation(Function::new("relu", Relu)));
    let blueprint = crate::support::wide(blueprint);
    let network = Network::new(&blueprint, 0).unwrap();
    let x = Signal::known(tensor(&[1.0, -2.0], [1, 2]));
    let y = network.chain().forward(x, &mut Pass::moments()).unwrap();
    let relu = [1.0, -2.0].map(|m| gaussform_runtime::Activation::moments(&Relu, m, 0.5));
    near(&values(y.mean), &[1.0 + relu[0].mean, -2.0 + relu[1].mean], 1e-12);
    near(&values(y.variance.unwrap()), &[0.5 + relu[0].variance, 0.5 + relu[1].variance], 1e-12);
}

#[test]
fn parts_that_do_not_fit_are_named_with_their_layer() {
    let relu = || Function::new("relu", Relu);
    let error = |b: Blueprint| Network::new(&b, 0).unwrap_err().to_string();
    let image = || Blueprint::new(&[3, 8, 8], LikelihoodKind::categorical(4));
    assert_eq!(
        error(image().linear(4)),
        "layer 0: it takes rows of numbers, but is given [3, 8, 8]; put `Flatten` before it"
    );
    let wide = image().convolution(4, &[9, 2], &[1, 1]);
    assert!(error(wide).starts_with("layer 0: it takes axes of at least [9, 2] with its padding"));
    let ends = Blueprint::new(&[5], LikelihoodKind::categorical(4)).linear(3);
    assert_eq!(
        error(ends),
        "the likelihood: it takes 4 outputs, but is given [3]; \
         end with a linear layer of as many outputs"
    );
    let prior = Blueprint::new(&[5], LikelihoodKind::normal(1))
        .with_prior(Prior::Laplace { scale: -1.0 })
        .linear(1);
    assert_eq!(error(prior), "layer 0: `prior.scale` must be a finite number above 0, but is -1");
    let tanh = Function::new("hard_tanh", gaussform::activations::HardTanh);
    let gated = Blueprint::new(&[5], LikelihoodKind::normal(5))
        .with_rule(Rule::Gated { sharpness: 10.0 })
        .activation(tanh);
    assert!(error(gated).starts_with("layer 0: the gate of VBP with `hard_tanh`; it is for"));
    let full = image().with_posterior(PosteriorKind::Full).convolution(4, &[2, 2], &[1, 1]);
    assert!(error(full).contains("a convolution with full covariances"));
    let residual = Blueprint::new(&[5], LikelihoodKind::normal(5))
        .linear(5)
        .residual(|b| b.linear(4).activation(relu()));
    assert!(error(residual).starts_with("layer 1: it takes layers that give [5] back"));
    let nested = Blueprint::new(&[5], LikelihoodKind::normal(5)).residual(|b| b.linear(0));
    assert!(matches!(
        Network::new(&nested, 0),
        Err(BlueprintError::Field { place, field: "outputs", .. }) if place == "layer 0, layer 0"
    ));
}
