//! Covariances between all units against sampled networks, in cases where they are exact and where they are not.

use gaussform::activations::{HardTanh, Prelu, Relu};
use gaussform_bnn::layer::Rule;
use gaussform_bnn::{
    Blueprint, Function, JointError, JointMoments, LayerSpec, LikelihoodKind, Matrix, Model,
    Network, PosteriorKind, Precision, Random, Scale, Standardizer, TargetScale,
};

use crate::support::{Plain, Sampled, Sampler, drawn, fixed_noise, matrix, plain, wide};

const INPUTS: usize = 3;

fn model(blueprint: &Blueprint, seed: u64) -> Model {
    let network = Network::new(blueprint, seed).unwrap();
    let scales = |n: usize| (0..n).map(|i| Scale { mean: i as f64, sd: 1.0 + i as f64 }).collect();
    let targets = TargetScale::real(scales(blueprint.likelihood.outputs()));
    Model::from_parts(network, Standardizer::new(scales(INPUTS)), targets)
}

fn start(outputs: usize) -> Blueprint {
    let blueprint = Blueprint::new(&[INPUTS], fixed_noise(outputs, 4.0));
    Blueprint { precision: Precision::Double, gain: 2.0, ..blueprint }
}

/// Moments of outputs that are drawn.
struct Drawn {
    mean: Vec<Sampled>,
    products: Vec<Sampled>,
}

impl Drawn {
    /// `draw` gives one sample; products are taken around the means that are to be tested.
    fn new(expected: &JointMoments, count: usize, mut draw: impl FnMut() -> Vec<f64>) -> Self {
        let n = expected.mean.len();
        let mut out =
            Self { mean: vec![Sampled::default(); n], products: vec![Sampled::default(); n * n] };
        for _ in 0..count {
            let y = draw();
            let off: Vec<f64> = y.iter().zip(&expected.mean).map(|(y, m)| y - m).collect();
            for (i, y) in y.iter().enumerate() {
                out.mean[i].add(*y);
                for j in 0..n {
                    out.products[i * n + j].add(off[i] * off[j]);
                }
            }
        }
        out
    }

    fn agrees_with(&self, expected: &JointMoments) {
        let pairs = self.mean.iter().zip(&expected.mean);
        let pairs = pairs.chain(self.products.iter().zip(expected.covariance.values()));
        for (i, (sampled, value)) in pairs.enumerate() {
            assert!(sampled.away(*value) < 4.5, "{i}: {value} but {}", sampled.mean());
        }
    }
}

/// Inputs with noise in the units of the data, as the network sees them.
fn noisy(x: &[f64], variance: &[f64], random: &mut Random) -> Vec<f64> {
    let unit = |i: usize| Scale { mean: i as f64, sd: 1.0 + i as f64 };
    let input = |(i, (x, v)): (usize, (&f64, &f64))| unit(i).apply(x + v.sqrt() * random.normal());
    x.iter().zip(variance).enumerate().map(input).collect()
}

fn in_units(mut y: Vec<f64>) -> Vec<f64> {
    for (i, y) in y.iter_mut().enumerate() {
        *y = Scale { mean: i as f64, sd: 1.0 + i as f64 }.invert(*y);
    }
    y
}

#[test]
fn known_weights_and_noisy_inputs_have_exactly_correlated_units() {
    for (seed, g, f) in [
        (1, Function::new("relu", Relu), (|u: f64| u.max(0.0)) as fn(f64) -> f64),
        (2, Function::new("hard_tanh", HardTanh), |u| u.clamp(-1.0, 1.0)),
        (3, Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap(), |u| {
            if u < 0.0 { 0.25 * u } else { u }
        }),
    ] {
        let blueprint = start(2).with_posterior(PosteriorKind::Point).linear(4).activation(g);
        let blueprint = wide(blueprint.with_posterior(PosteriorKind::MeanField).linear(2));
        let model = model(&blueprint, seed);
        let (x, variance) = (drawn(INPUTS, seed), [0.7, 1.3, 2.0]);
        let rows = [matrix(INPUTS, &x), matrix(INPUTS, &variance)];
        let exact = model.propagate_full(&rows[0], Some(&rows[1])).unwrap().remove(0);
        let sampler = Sampler::new(model.network());
        let mut random = Random::new(seed);
        let sampled = Drawn::new(&exact, 100_000, || {
            let x = noisy(&x, &variance, &mut random);
            in_units(plain(&sampler.draw(&mut random), &x, f))
        });
        sampled.agrees_with(&exact);
        // A prediction carries the noise of inputs with covariances too.
        let predicted = model.predict_noisy(&rows[0], Some(&rows[1])).unwrap().real().unwrap();
        let variance = predicted.epistemic();
        for i in 0..2 {
            assert!(sampled.mean[i].away(predicted.mean.values()[i]) < 4.5);
            assert!(sampled.products[3 * i].away(variance.values()[i]) < 4.5);
        }
    }
}

#[test]
fn one_hidden_layer_has_the_moments_of_a_prediction() {
    for kind in [PosteriorKind::MeanField, PosteriorKind::Full, PosteriorKind::Point] {
        for rule in [Rule::Exact, Rule::Linearised, Rule::Gated { sharpness: 1.5 }] {
            let blueprint = start(3).with_posterior(kind).with_rule(rule).linear(5);
            let blueprint = blueprint.activation(Function::new("relu", Relu)).linear(3);
            let model = model(&wide(blueprint), 4);
            let x = matrix(INPUTS, &drawn(4 * INPUTS, 5));
            let prediction = model.predict(&x).unwrap().real().unwrap();
            let variance = prediction.epistemic();
            for (i, joint) in model.propagate_full(&x, None).unwrap().iter().enumerate() {
                for j in 0..3 {
                    let (mean, v) =
                        (prediction.mean.values()[3 * i + j], variance.values()[3 * i + j]);
                    let off = joint.mean[j] - mean;
                    assert!(off.abs() < 1e-9 * (1.0 + mean.abs()), "{kind:?} {rule:?}: {off}");
                    let off = joint.covariance.values()[4 * j] - v;
                    assert!(off.abs() < 1e-9 * (1e-3 + v), "{kind:?} {rule:?}: {off}");
                }
            }
        }
    }
}

#[test]
fn residual_sums_know_what_they_began_with() {
    let relu = Function::new("relu", Relu);
    // x + z + g(Vz) with z = Wx: all that enters g is exactly Normal.
    let blueprint = start(2).with_posterior(PosteriorKind::Point).residual(|outer| {
        outer.linear(INPUTS).residual(|inner| inner.linear(INPUTS).activation(relu))
    });
    let model = model(&blueprint.linear(2), 6);
    let (x, variance) = (drawn(INPUTS, 7), [1.0, 0.5, 3.0]);
    let rows = [matrix(INPUTS, &x), matrix(INPUTS, &variance)];
    let exact = model.propagate_full(&rows[0], Some(&rows[1])).unwrap().remove(0);
    let layers = inner_linears(model.network());
    let [w, v, last] = &layers[..] else { panic!("three layers") };
    let mut random = Random::new(8);
    let sampled = Drawn::new(&exact, 100_000, || {
        let x = noisy(&x, &variance, &mut random);
        let z = plain(std::slice::from_ref(w), &x, |u| u);
        let g = plain(std::slice::from_ref(v), &z, |u| u);
        let y: Vec<f64> = (0..INPUTS).map(|i| x[i] + z[i] + g[i].max(0.0)).collect();
        in_units(plain(std::slice::from_ref(last), &y, |u| u))
    });
    sampled.agrees_with(&exact);
}

/// The linear layers, from within residual sums too, as numbers.
fn inner_linears(network: &Network) -> Vec<Plain> {
    fn add(chain: &gaussform_bnn::Chain, out: &mut Vec<Plain>) {
        for step in chain.layers() {
            match step {
                gaussform_bnn::ChainLayer::Linear(layer) => {
                    let of = |t: burn::tensor::Tensor<1>| crate::support::values(t.inner());
                    let weight = crate::support::values(layer.weight().mean().inner());
                    out.push(Plain { weight, bias: of(layer.bias().unwrap().mean()) });
                }
                gaussform_bnn::ChainLayer::Residual(chain) => add(chain, out),
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    add(network.chain(), &mut out);
    out
}

#[test]
fn deep_networks_are_nearer_to_sampled_ones_than_without_covariances() {
    let relu = Function::new("relu", Relu);
    let mut blueprint = Blueprint::new(&[INPUTS], fixed_noise(1, 4.0));
    for _ in 0..4 {
        blueprint = blueprint.linear(20).activation(relu.clone());
    }
    let blueprint = Blueprint {
        precision: Precision::Double,
        gain: 2f64.sqrt(),
        initial_sd: 0.1,
        ..blueprint.linear(1)
    };
    let network = Network::new(&blueprint, 9).unwrap();
    let unit = Scale { mean: 0.0, sd: 1.0 };
    let model = Model::from_parts(
        network,
        Standardizer::new(vec![unit; INPUTS]),
        TargetScale::real(vec![unit]),
    );
    let sampler = Sampler::new(model.network());
    let mut random = Random::new(10);
    let mut worst = [0.0_f64; 2];
    for row in 0..4 {
        let x = drawn(INPUTS, 20 + row);
        let rows = matrix(INPUTS, &x);
        let joint = model.propagate_full(&rows, None).unwrap().remove(0);
        let apart = model.predict(&rows).unwrap().real().unwrap().epistemic().values()[0];
        let mut sampled = Sampled::default();
        for _ in 0..4000 {
            sampled.add(plain(&sampler.draw(&mut random), &x, |u| u.max(0.0))[0]);
        }
        let truth = sampled.variance().sqrt();
        assert!((joint.mean[0] - sampled.mean()).abs() < 0.1 * truth);
        for (worst, v) in worst.iter_mut().zip([joint.covariance.values()[0], apart]) {
            *worst = worst.max((v.sqrt() / truth).ln().abs());
        }
    }
    // Sampling alone makes 0.01 to 0.02.
    assert!(worst[0] < 0.05 && worst[1] > 2.0 * worst[0], "{worst:?}");
}

#[test]
fn what_covariances_cannot_go_through_is_named() {
    let refused = |blueprint: Blueprint, x: &Matrix| {
        let network = Network::new(&blueprint, 0).unwrap();
        let unit = Scale { mean: 0.0, sd: 1.0 };
        let inputs = Standardizer::new(vec![unit; blueprint.columns()]);
        let targets = TargetScale::real(vec![unit]);
        Model::from_parts(network, inputs, targets).propagate_full(x, None).unwrap_err()
    };
    let one = || LikelihoodKind::normal(1);
    let x = matrix(INPUTS, &drawn(INPUTS, 1));
    let sampled = Blueprint::new(&[INPUTS], one())
        .residual(|inner| inner.linear(INPUTS).layer(LayerSpec::Sample));
    let error = refused(sampled.linear(1), &x).to_string();
    assert!(error.starts_with("layer 0, layer 1 is a sample, and covariances go"), "{error}");
    let image = Blueprint::new(&[1, INPUTS], one()).convolution(1, &[2], &[1]);
    let error = refused(image.layer(LayerSpec::Flatten).linear(1), &x);
    let place = "layer 0".to_owned();
    assert_eq!(error, JointError::Layer { place, kind: "a convolution" });
    let pooled = Blueprint::new(&[1, INPUTS], one()).mean_pool(&[2]).layer(LayerSpec::Flatten);
    assert!(refused(pooled.linear(1), &x).to_string().starts_with("layer 0 is a pool"));
    let error = refused(Blueprint::new(&[2], one()).linear(1), &x);
    assert!(matches!(error, JointError::Model(_)), "{error}");
    let model = model(&start(1).linear(1), 0);
    let negative = matrix(INPUTS, &[1.0, -1.0, 1.0]);
    let error = model.propagate_full(&x, Some(&negative)).unwrap_err().to_string();
    assert!(error.ends_with("holds -1; a variance is not negative"), "{error}");
    assert_eq!(model.predict_noisy(&x, Some(&negative)).unwrap_err().to_string(), error);
}
