//! Networks that carry covariances in training and predictions: beside propagation on the host, which is code of its own,
//! beside sampled networks, and their gradients beside finite differences.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor};
use gaussform::activations::{HardTanh, Heaviside, Prelu, Relu, Sqnl};
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, BlueprintError, Covariances, Function, Functions, LayerSpec, LikelihoodKind, Model,
    MomentsError, Network, Nonlinearity, OnnxError, Pass, PosteriorKind, Precision, Random, Scale,
    Signal, Standardizer, TargetScale, WeightUse, bound, joint_moments, method,
};

use crate::support::{
    Plain, Sampled, Sampler, drawn, fixed_noise, matrix, plain, tensor, tensor_on, values, wide,
};

const INPUTS: usize = 3;

fn relu() -> Function {
    Function::new("relu", Relu)
}

fn start(likelihood: LikelihoodKind) -> Blueprint {
    let blueprint = Blueprint::new(&[INPUTS], likelihood).with_covariances(Covariances::Full);
    Blueprint { precision: Precision::Double, gain: 1.5, initial_sd: 0.3, ..blueprint }
}

/// A model whose data has unit scales.
fn model(blueprint: &Blueprint, seed: u64) -> Model {
    let unit = Scale { mean: 0.0, sd: 1.0 };
    let inputs = Standardizer::new(vec![unit; INPUTS]);
    let targets = TargetScale::real(vec![unit; blueprint.likelihood.target_columns()]);
    Model::from_parts(Network::new(blueprint, seed).unwrap(), inputs, targets)
}

/// A loss that uses both results, and of the matrix its two halves differently.
fn loss<A: Nonlinearity>(g: &A, gamma: Tensor<2>, factor: Tensor<3>) -> Tensor<1> {
    let [n, units] = gamma.dims();
    let covariance = factor.clone().matmul(factor.transpose());
    let (mean, matrix) = joint_moments(g, gamma, covariance).unwrap();
    let weights = tensor(&drawn(n * units * units, 3), [n, units, units]);
    (matrix * weights).sum() + (mean.clone() * mean.sin()).sum()
}

fn agrees_with_differences<A: Nonlinearity>(g: &A) {
    const H: f64 = 1e-5;
    let (n, units) = (2, 4);
    let (gamma, factor) = (drawn(n * units, 1), drawn(n * units * units, 2));
    for device in [Device::flex().autodiff(), Device::flex().autodiff().gradient_checkpointing()] {
        let leaf = tensor_on(&gamma, [n, units], &device).require_grad();
        let factors = tensor_on(&factor, [n, units, units], &device).require_grad();
        let gradients = loss(g, leaf.clone(), factors.clone()).backward();
        let exact =
            [values(leaf.grad(&gradients).unwrap()), values(factors.grad(&gradients).unwrap())];
        for (input, exact) in exact.iter().enumerate() {
            for (i, exact) in exact.iter().enumerate() {
                let at = |h: f64| {
                    let mut moved = [gamma.clone(), factor.clone()];
                    moved[input][i] += h;
                    let [gamma, factor] = &moved;
                    let gamma = tensor(gamma, [n, units]);
                    values(loss(g, gamma, tensor(factor, [n, units, units])))[0]
                };
                let numeric = (at(H) - at(-H)) / (2.0 * H);
                let off = (exact - numeric).abs();
                assert!(off < 1e-7 * (1.0 + numeric.abs()), "{input}, {i}: {exact}, {numeric}");
            }
        }
    }
}

#[test]
fn gradients_of_a_layer_agree_with_finite_differences() {
    agrees_with_differences(&Relu);
    agrees_with_differences(&HardTanh);
    agrees_with_differences(&Heaviside);
    agrees_with_differences(&Sqnl);
}

#[test]
fn single_precision_is_double_precision_rounded() {
    let (n, units) = (3, 5);
    let (gamma, factor) = (drawn(n * units, 4), drawn(n * units * units, 5));
    let covariance = tensor(&factor, [n, units, units]);
    let covariance = covariance.clone().matmul(covariance.transpose());
    // Numbers that both precisions have.
    let short = |t: Tensor<3>| t.cast(burn::tensor::DType::F32);
    let (gamma, covariance) =
        (tensor(&gamma, [n, units]).cast(burn::tensor::DType::F32), short(covariance));
    let double = burn::tensor::DType::F64;
    let (mean, matrix) = joint_moments(&HardTanh, gamma.clone(), covariance.clone()).unwrap();
    let wide = joint_moments(&HardTanh, gamma.cast(double), covariance.cast(double)).unwrap();
    let rounded = |v: Vec<f64>| v.iter().map(|x| f64::from(*x as f32)).collect::<Vec<_>>();
    assert_eq!(values(mean), rounded(values(wide.0)));
    assert_eq!(values(matrix), rounded(values(wide.1)));
}

#[test]
fn inputs_of_a_layer_that_do_not_fit_are_errors() {
    let gamma = tensor(&[0.0; 6], [2, 3]);
    let error = joint_moments(&Relu, gamma.clone(), tensor(&[0.0; 8], [2, 2, 2])).unwrap_err();
    let expected = MomentsError::Covariance { gamma: vec![2, 3], covariance: vec![2, 2, 2] };
    assert_eq!(error, expected);
    let single = tensor(&[0.0; 18], [2, 3, 3]).cast(burn::tensor::DType::F32);
    let error = joint_moments(&Relu, gamma, single).unwrap_err();
    assert!(matches!(error, MomentsError::Precision { .. }), "{error}");
}

/// Networks of every part that carries covariances.
fn networks() -> Vec<Blueprint> {
    let by_input = LikelihoodKind::NormalPerInput { targets: 1 };
    let deep = |blueprint: Blueprint, g: Function| {
        let last = blueprint.likelihood.outputs();
        blueprint.linear(4).activation(g.clone()).linear(3).activation(g).linear(last)
    };
    let hard_tanh = Function::new("hard_tanh", HardTanh);
    let residual = start(by_input)
        .linear(INPUTS)
        .activation(relu())
        .residual(|outer| {
            outer
                .linear(INPUTS)
                .activation(relu())
                .residual(|inner| inner.activation(Function::new("sqnl", Sqnl)).linear(INPUTS))
        })
        .linear(2);
    let noisy = start(by_input).linear(4).layer(LayerSpec::Noise { variance: 0.3 });
    vec![
        deep(start(by_input), relu()),
        deep(start(by_input), hard_tanh.clone()),
        deep(start(by_input).with_posterior(PosteriorKind::Full), relu()),
        // Its derivative has no jumps, as differences need.
        deep(start(by_input).with_rule(Rule::Linearised), Function::new("sqnl", Sqnl)),
        deep(start(by_input).with_rule(Rule::Gated { sharpness: 1.5 }), relu()),
        // Dead units below would leave a ReLU at its kink.
        deep(start(by_input).with_posterior(PosteriorKind::Point), hard_tanh),
        deep(start(LikelihoodKind::normal(2)), relu()),
        noisy.activation(relu()).layer(LayerSpec::Flatten).linear(3).linear(2),
        residual,
    ]
}

/// The other code of the two, in f64 on the host, has no tensors.
#[test]
fn outputs_are_those_of_propagation_on_the_host() {
    let (x, variance) = (drawn(4 * INPUTS, 6), drawn(4 * INPUTS, 7));
    let variance: Vec<f64> = variance.iter().map(|v| v * v).collect();
    for (number, blueprint) in networks().iter().enumerate() {
        for variance in [None, Some(&variance)] {
            let model = model(blueprint, 8);
            let rows = matrix(INPUTS, &x);
            let doubt = variance.map(|v| matrix(INPUTS, v));
            let expected = model.propagate_full(&rows, doubt.as_ref()).unwrap();
            let tensors = [Some(&x), variance].map(|v| v.map(|v| tensor(v, [4, INPUTS])));
            let [Some(mean), variance] = tensors else { panic!("inputs") };
            let signal = Signal { mean, variance };
            let network = model.network().valid();
            let found = network.output(signal, &mut Pass::moments()).unwrap();
            let n = blueprint.likelihood.outputs();
            let variance = values(found.variance().unwrap_or_else(|| found.mean.zeros_like()));
            let near = |a: f64, b: f64, what: &str| {
                let off = (a - b).abs();
                assert!(off < 1e-11 * (1.0 + b.abs()), "network {number}, {what}: {a}, {b}");
            };
            let mean = values(found.mean);
            let matrix = found.covariance.map(values);
            for (row, expected) in expected.iter().enumerate() {
                for i in 0..n {
                    near(mean[row * n + i], expected.mean[i], "mean");
                    let covariance = expected.covariance.values();
                    near(variance[row * n + i], covariance[i * n + i], "variance");
                    for j in (0..n).filter(|j| *j != i) {
                        if let Some(matrix) = &matrix {
                            let found = matrix[(row * n + i) * n + j];
                            near(found, covariance[i * n + j], "covariance");
                        }
                    }
                }
            }
        }
    }
}

/// With known weights below, all that enters the activations is exactly Normal.
#[test]
fn predictions_of_noisy_inputs_are_those_of_sampled_ones() {
    let blueprint = start(fixed_noise(1, 4.0)).with_posterior(PosteriorKind::Point).linear(4);
    let blueprint = blueprint.activation(relu()).with_posterior(PosteriorKind::MeanField);
    let model = model(&wide(blueprint.linear(1)), 9);
    let (x, variance) = (drawn(INPUTS, 10), [0.7, 1.3, 2.0]);
    let prediction = model
        .predict_noisy(&matrix(INPUTS, &x), Some(&matrix(INPUTS, &variance)))
        .unwrap()
        .real()
        .unwrap();
    let (mean, variance_of_mean) =
        (prediction.mean.values()[0], prediction.epistemic().values()[0]);
    let sampler = Sampler::new(model.network());
    let mut random = Random::new(11);
    let (mut of_mean, mut of_variance) = (Sampled::default(), Sampled::default());
    for _ in 0..100_000 {
        let noisy: Vec<f64> =
            x.iter().zip(variance).map(|(x, v)| x + v.sqrt() * random.normal()).collect();
        let y = plain(&sampler.draw(&mut random), &noisy, |u| u.max(0.0))[0];
        of_mean.add(y);
        of_variance.add((y - mean).powi(2));
    }
    assert!(of_mean.away(mean) < 4.5 && of_variance.away(variance_of_mean) < 4.5);
}

/// The remaining error of full covariances is that sums of activations are not quite Normal.
#[test]
fn predictions_of_deep_networks_are_nearer_to_sampled_ones_than_independent_units() {
    let mut blueprint = start(fixed_noise(1, 4.0));
    for _ in 0..4 {
        blueprint = blueprint.linear(20).activation(relu());
    }
    let blueprint = Blueprint { initial_sd: 0.1, gain: 2f64.sqrt(), ..blueprint.linear(1) };
    let full = model(&blueprint, 9);
    let apart = model(&blueprint.with_covariances(Covariances::Independent), 9);
    let sampler = Sampler::new(full.network());
    let mut random = Random::new(10);
    let mut worst = [0.0_f64; 2];
    for row in 0..4 {
        let x = drawn(INPUTS, 20 + row);
        let mut sampled = Sampled::default();
        for _ in 0..4000 {
            let layers: Vec<Plain> = sampler.draw(&mut random);
            sampled.add(plain(&layers, &x, |u| u.max(0.0))[0]);
        }
        for (worst, model) in worst.iter_mut().zip([&full, &apart]) {
            let prediction = model.predict(&matrix(INPUTS, &x)).unwrap().real().unwrap();
            let ratio = prediction.epistemic().values()[0] / sampled.variance();
            *worst = worst.max((0.5 * ratio.ln()).abs());
        }
    }
    // Sampling alone makes 0.01 to 0.02.
    assert!(worst[0] < 0.05 && worst[1] > 2.0 * worst[0], "{worst:?}");
}

#[test]
fn with_one_hidden_layer_and_known_inputs_covariances_change_nothing() {
    let (x, y) = (drawn(5 * INPUTS, 14), drawn(5, 15));
    let of = |blueprint: Blueprint| {
        let network = Network::new(&wide(blueprint), 16).unwrap();
        let x = Signal::known(tensor(&x, [5, INPUTS]));
        let bound = bound(&network, x, tensor(&y, [5, 1]), 50, &mut Pass::moments()).unwrap();
        values(bound.elbo().inner())[0]
    };
    let full = of(method::dvi_full(INPUTS, &[6], 1, &relu()));
    let apart = of(method::dvi(INPUTS, &[6], 1, &relu()));
    assert!((full - apart).abs() < 1e-12 * apart.abs(), "{full} {apart}");
    let deep = |method: fn(usize, &[usize], usize, &Function) -> Blueprint| {
        of(method(INPUTS, &[6, 6], 1, &relu()))
    };
    assert!((deep(method::dvi_full) - deep(method::dvi)).abs() > 1e-3);
}

/// Weights that move by `step` times numbers drawn from `random`.
struct Moved {
    random: Random,
    step: f64,
}

impl ModuleMapper for Moved {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let dims = param.dims();
        let count: usize = dims.iter().product();
        let by: Vec<f64> = (0..count).map(|_| self.step * self.random.normal()).collect();
        param.map(|old| old.inner() + tensor(&by, dims))
    }
}

/// The derivative along the direction of [`Moved`].
struct Along {
    gradients: GradientsParams,
    random: Random,
    sum: f64,
}

impl ModuleVisitor for Along {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let count: usize = param.dims().iter().product();
        let direction: Vec<f64> = (0..count).map(|_| self.random.normal()).collect();
        if let Some(gradient) = self.gradients.remove::<D>(param.id) {
            let gradient = values(gradient);
            self.sum += gradient.iter().zip(direction).map(|(g, d)| g * d).sum::<f64>();
        }
    }
}

#[test]
fn gradients_of_the_bound_agree_with_finite_differences() {
    const H: f64 = 1e-5;
    let (x, variance) = (drawn(3 * INPUTS, 17), drawn(3 * INPUTS, 18));
    let variance: Vec<f64> = variance.iter().map(|v| v * v).collect();
    for (number, blueprint) in networks().iter().enumerate() {
        for is_noisy in [false, true] {
            let y = drawn(3 * blueprint.likelihood.target_columns(), 19);
            let elbo = |network: &Network| {
                let mean = tensor(&x, [3, INPUTS]);
                let variance = is_noisy.then(|| tensor(&variance, [3, INPUTS]));
                let y = tensor(&y, [3, blueprint.likelihood.target_columns()]);
                let x = Signal { mean, variance };
                bound(network, x, y, 30, &mut Pass::moments()).unwrap().elbo()
            };
            let network = Network::new(blueprint, 20).unwrap();
            let gradients = elbo(&network).backward();
            let gradients = GradientsParams::from_grads(gradients, &network);
            let mut along = Along { gradients, random: Random::new(21), sum: 0.0 };
            network.visit(&mut along);
            let at = |step: f64| {
                let moved = network.clone().map(&mut Moved { random: Random::new(21), step });
                values(elbo(&moved))[0]
            };
            let numeric = (at(H) - at(-H)) / (2.0 * H);
            let off = (along.sum - numeric).abs();
            let sum = along.sum;
            assert!(off < 1e-6 * (1.0 + numeric.abs()), "network {number}: {sum}, {numeric}");
        }
    }
}

#[test]
fn a_file_says_whether_covariances_are_carried() {
    let blueprint = method::dvi_full(INPUTS, &[5, 4], 1, &relu());
    let full = model(&blueprint, 22);
    let bytes = full.to_bytes(&Default::default()).unwrap();
    let (read, _) = Model::from_bytes(&bytes, &Functions::library()).unwrap();
    assert_eq!(read.network().blueprint(), &blueprint);
    let x = matrix(INPUTS, &drawn(6 * INPUTS, 23));
    assert_eq!(read.predict(&x).unwrap(), full.predict(&x).unwrap());
    let apart = model(&blueprint.with_covariances(Covariances::Independent), 22);
    assert_ne!(apart.predict(&x).unwrap(), full.predict(&x).unwrap());
    // Files of independent units are what they were before there was a choice.
    let text = String::from_utf8_lossy(&apart.to_bytes(&Default::default()).unwrap()).into_owned();
    assert!(!text.contains("covariances"));
}

#[test]
fn a_drawn_network_is_the_same_function_with_covariances() {
    let blueprint = method::dvi_full(INPUTS, &[5, 4], 1, &relu());
    let drawn_by = |blueprint: &Blueprint, weights| {
        let network = Network::new(blueprint, 24).unwrap().valid();
        let x = Signal::known(tensor(&drawn(4 * INPUTS, 25), [4, INPUTS]));
        let output = network.output(x, &mut Pass::new(weights, 26, 0)).unwrap();
        assert!(output.variance().is_none());
        values(output.mean)
    };
    let blueprint = wide(blueprint);
    let apart = blueprint.clone().with_covariances(Covariances::Independent);
    for weights in [WeightUse::Drawn, WeightUse::Means] {
        assert_eq!(drawn_by(&blueprint, weights), drawn_by(&apart, weights));
    }
}

#[test]
fn layers_that_carry_no_covariances_are_named() {
    let refused = |blueprint: Blueprint| {
        let blueprint = blueprint.with_covariances(Covariances::Full);
        let error = Network::new(&blueprint, 0).unwrap_err();
        assert!(matches!(error, BlueprintError::Parts { .. }));
        error.to_string()
    };
    let one = LikelihoodKind::normal(1);
    let sampled = method::varout(INPUTS, &[4], one, &relu());
    assert!(refused(sampled).starts_with("layer 1: a sample with full covariances; use"));
    let image = Blueprint::new(&[1, INPUTS], one).convolution(1, &[2], &[1]);
    let image = image.layer(LayerSpec::Flatten).linear(1);
    assert!(refused(image).starts_with("layer 0: a convolution with"));
    let prelu = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap();
    let inner = Blueprint::new(&[INPUTS], one).residual(|inner| inner.activation(prelu)).linear(1);
    let error = refused(inner);
    assert!(error.starts_with("layer 0, layer 0: an activation that learns"), "{error}");
    let full = model(&method::dvi_full(INPUTS, &[4], 1, &relu()), 0);
    let error = gaussform_bnn::Ensemble::new(vec![full]).unwrap().to_onnx().unwrap_err();
    assert_eq!(error, OnnxError::Covariances);
}
