//! Exact results for one hidden layer against sampled weights: Jankowiak's bound and predictive moments, with each of
//! their terms left out in turn.

use std::f64::consts::TAU;

use burn::optim::{GradientsParams, SgdConfig};
use burn::tensor::Tensor;
use gaussform_bnn::layer::Linear;
use gaussform_bnn::{
    Blueprint, FullCovariance, Function, Model, Network, Pass, Prior, Random, Signal, Standardizer,
    TargetScale, Weight, bound, method,
};
use gaussform_runtime::Activation;

use crate::activations::Relu;
use crate::support::{
    Sampled, Sampler, drawn, fixed_noise, linears, matrix, moments_of, plain, tensor, values, wide,
};

const X: [[f64; 2]; 4] = [[0.3, -1.2], [1.5, 0.4], [-0.8, 0.9], [0.1, 2.0]];
const Y: [f64; 4] = [0.7, -0.4, 1.9, 0.2];
const HIDDEN: usize = 3;
const BETA: f64 = 1.7;

fn blueprint() -> Blueprint {
    let cf = method::cf(2, HIDDEN, 1, &Function::new("relu", Relu));
    Blueprint { likelihood: fixed_noise(1, BETA), ..wide(cf) }
}

fn network() -> Network {
    Network::new(&blueprint(), 4).unwrap()
}

fn inputs() -> Signal<2> {
    Signal::known(tensor(&X.concat(), [4, 2]))
}

fn targets() -> Tensor<2> {
    tensor(&Y, [4, 1])
}

/// Which term of Eq. 8 to leave out, to see that its absence would be noticed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Omit {
    Nothing,
    SquaredMeanTimesHiddenVariance,
    OutputVarianceTimesHiddenVariance,
    OutputVarianceTimesSquaredMean,
    HiddenBiasVariance,
    BiasVariance,
    LogBeta,
}

/// Eq. 7 and 8 on scalars, written independently of the tensors.
fn by_hand(network: &Network, omit: Omit) -> f64 {
    let layers = linears(network);
    let [(a0, a_var), (b0, b_var)] = [0, 1].map(|i| moments_of(layers[i].weight()));
    let [(a_bias, a_bias_var), (b_bias, b_bias_var)] =
        [0, 1].map(|i| moments_of(layers[i].bias().unwrap()));
    let unless = |term: Omit, value: f64| if term == omit { 0.0 } else { value };
    let mut total = 0.0;
    for (x, y) in X.iter().zip(Y) {
        let mut mean = b_bias[0];
        let mut variance = unless(Omit::BiasVariance, b_bias_var[0]);
        for h in 0..HIDDEN {
            let sum = |w: &[f64], x: &dyn Fn(usize) -> f64| x(0) * w[h] + x(1) * w[HIDDEN + h];
            let gamma = sum(&a0, &|d| x[d]) + a_bias[h];
            let xi2 =
                sum(&a_var, &|d| x[d] * x[d]) + unless(Omit::HiddenBiasVariance, a_bias_var[h]);
            let m = Relu.moments(gamma, xi2);
            mean += b0[h] * m.mean;
            variance += unless(Omit::SquaredMeanTimesHiddenVariance, b0[h] * b0[h] * m.variance);
            variance += unless(Omit::OutputVarianceTimesHiddenVariance, b_var[h] * m.variance);
            variance += unless(Omit::OutputVarianceTimesSquaredMean, b_var[h] * m.mean * m.mean);
        }
        total -= 0.5 * BETA * ((y - mean).powi(2) + variance);
        total += 0.5 * (unless(Omit::LogBeta, BETA.ln()) - TAU.ln());
    }
    total
}

#[test]
fn the_bound_of_one_hidden_layer_is_that_of_sampled_weights() {
    let network = network();
    let bound = bound(&network, inputs(), targets(), 4, &mut Pass::moments()).unwrap();
    let closed = values(bound.expected_log_likelihood.inner())[0];
    assert!((closed - by_hand(&network, Omit::Nothing)).abs() < 1e-12);

    let (sampler, mut random) = (Sampler::new(&network), Random::new(11));
    let mut sampled = Sampled::default();
    for _ in 0..200_000 {
        let layers = sampler.draw(&mut random);
        let row = |(x, y): (&[f64; 2], f64)| {
            let output = plain(&layers, x, |u| u.max(0.0))[0];
            -0.5 * (BETA * (y - output).powi(2) - BETA.ln() + TAU.ln())
        };
        sampled.add(X.iter().zip(Y).map(row).sum());
    }
    assert!(sampled.away(closed) < 4.0, "{closed} against {sampled:?}");

    // Sharp enough to see the absence of any one term.
    for omit in [
        Omit::SquaredMeanTimesHiddenVariance,
        Omit::OutputVarianceTimesHiddenVariance,
        Omit::OutputVarianceTimesSquaredMean,
        Omit::HiddenBiasVariance,
        Omit::BiasVariance,
        Omit::LogBeta,
    ] {
        let distance = sampled.away(by_hand(&network, omit));
        assert!(distance > 10.0, "{omit:?}: {distance} standard errors away");
    }
}

#[test]
fn the_predictive_variance_has_three_parts_in_the_units_of_the_data() {
    let network = network();
    let x = matrix(2, &X.concat());
    let output = network.output(inputs(), &mut Pass::moments()).unwrap();
    let [below, last] = [output.below.unwrap(), output.own.unwrap()].map(|t| values(t.inner()));
    let mean = values(output.mean.inner());
    let none = Standardizer::fit_by(&x, gaussform_bnn::Scaling::None);
    let scale = gaussform_bnn::Scale { mean: 40.0, sd: 10.0 };
    let model = Model::from_parts(network, none, TargetScale::real(vec![scale]));
    let prediction = model.predict(&x).unwrap().real().unwrap();
    for i in 0..4 {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-10, "{a} against {b}");
        near(prediction.mean.values()[i], 40.0 + 10.0 * mean[i]);
        near(prediction.from_below.values()[i], 100.0 * below[i]);
        near(prediction.from_last.values()[i], 100.0 * last[i]);
        near(prediction.noise.values()[i], 100.0 / BETA);
        let sum = 100.0 * (below[i] + last[i] + 1.0 / BETA);
        near(prediction.variance().values()[i], sum);
        near(prediction.epistemic().values()[i], 100.0 * (below[i] + last[i]));
        let upper = prediction.quantile(0.975).values()[i];
        near(upper, prediction.mean.values()[i] + 1.959_963_984_540_054 * sum.sqrt());
    }
}

/// Full covariances, in both layers, known inputs and noisy ones: Eq. 3 and 8.
#[test]
fn full_covariances_are_those_of_sampled_weights() {
    let full = |inputs: usize, units: usize, seed: u64| {
        let mean = drawn(inputs * units, seed);
        let factor: Vec<f64> =
            drawn(units * inputs * inputs, seed + 1).iter().map(|v| 0.4 * v - 0.5).collect();
        let posterior = FullCovariance::new(
            tensor(&mean, [inputs, units]),
            tensor(&factor, [units, inputs, inputs]),
        );
        (mean, factor, Linear::new(Weight::Full(posterior), None, Prior::default()))
    };
    let (am, af, a) = full(3, 2, 1);
    let (bm, bf, b) = full(3, 1, 5);
    let x = [0.7, -1.1];
    let relu = gaussform_bnn::layer::Activation::new(
        Function::new("relu", Relu),
        gaussform_bnn::layer::Rule::Exact,
        (&burn::tensor::Device::flex(), burn::tensor::DType::F64),
    );
    for noise in [0.0, 0.3] {
        let mut signal = Signal::known(tensor(&x, [1, 2]));
        if noise > 0.0 {
            signal.variance = Some(tensor(&[noise, 2.0 * noise], [1, 2]));
        }
        let mut pass = Pass::moments();
        let hidden = a.forward(signal, &mut pass);
        let hidden_moments =
            (values(hidden.mean.clone()), values(hidden.variance.clone().unwrap()));
        let out = b.forward(relu.forward(hidden).unwrap(), &mut pass);

        // w = m + L ε with the factor's own reading: its lower triangle, e to its diagonal.
        let mut random = Random::new(3);
        let draw = |mean: &[f64], factor: &[f64], units: usize, random: &mut Random, off: bool| {
            let epsilon: Vec<f64> = (0..3 * units).map(|_| random.normal()).collect();
            let mut w = mean.to_vec();
            for unit in 0..units {
                for i in 0..3 {
                    for j in 0..=i {
                        let l = factor[unit * 9 + i * 3 + j];
                        let l = if i == j { l.exp() } else { l };
                        if i == j || off {
                            w[i * units + unit] += l * epsilon[unit * 3 + j];
                        }
                    }
                }
            }
            w
        };
        for off in [true, false] {
            let mut first = [Sampled::default(); 2];
            let (mut output, mut square) = (Sampled::default(), Sampled::default());
            for _ in 0..60_000 {
                let a = draw(&am, &af, 2, &mut random, off);
                let b = draw(&bm, &bf, 1, &mut random, off);
                let x = [
                    x[0] + noise.sqrt() * random.normal(),
                    x[1] + (2.0 * noise).sqrt() * random.normal(),
                    1.0,
                ];
                let u = [0, 1].map(|h| (0..3).map(|i| x[i] * a[i * 2 + h]).sum::<f64>());
                for (h, first) in first.iter_mut().enumerate() {
                    first.add((u[h] - hidden_moments.0[h]).powi(2));
                }
                let y = b[2] + b[0] * u[0].max(0.0) + b[1] * u[1].max(0.0);
                output.add(y);
                square.add((y - values(out.mean.clone())[0]).powi(2));
            }
            let variance = values(out.variance.clone().unwrap())[0];
            if off {
                for (h, first) in first.iter().enumerate() {
                    assert!(first.away(hidden_moments.1[h]) < 4.5, "unit {h}, noise {noise}");
                }
                // Noisy inputs make the hidden units depend on each other, which nothing here knows.
                if noise == 0.0 {
                    assert!(output.away(values(out.mean.clone())[0]) < 4.5);
                    assert!(square.away(variance) < 4.5, "{variance} against {square:?}");
                }
            } else if noise == 0.0 {
                // Without what stands off the diagonal the variance is another.
                assert!(square.away(variance) > 20.0);
            }
        }
    }
}

#[test]
fn batches_estimate_the_bound_without_bias() {
    let network = network();
    let at = |rows: &[usize]| {
        let x: Vec<f64> = rows.iter().flat_map(|&i| X[i]).collect();
        let y: Vec<f64> = rows.iter().map(|&i| Y[i]).collect();
        let x = Signal::known(tensor(&x, [rows.len(), 2]));
        let y = tensor(&y, [rows.len(), 1]);
        let bound = bound(&network, x, y, Y.len(), &mut Pass::moments()).unwrap();
        values(bound.elbo().inner())[0]
    };
    let halves = 0.5 * (at(&[2, 0]) + at(&[1, 3]));
    assert!((halves - at(&[0, 1, 2, 3])).abs() < 1e-12);
}

/// The partly analytic bound samples the first layer: the mean of many is the exact bound of what a
/// single sample of the first layer leaves, averaged.
#[test]
fn sampled_layers_and_drawn_weights_have_the_mean_of_sampled_weights() {
    let relu = Function::new("relu", Relu);
    let likelihood = fixed_noise(1, BETA);
    let x = [0.3, -1.2];
    let blueprints = [
        method::varout(2, &[3], likelihood, &relu),
        method::bbb(2, &[3], likelihood, &relu),
        method::cf_partly(2, [3, 2], likelihood, &relu),
    ];
    for (i, blueprint) in blueprints.into_iter().enumerate() {
        let blueprint = wide(blueprint);
        let network = Network::new(&blueprint, 7).unwrap();
        let sampler = Sampler::new(&network);
        let mut random = Random::new(2);
        let (mut truth, mut ours) = (Sampled::default(), Sampled::default());
        let log = |f: f64, v: f64| -0.5 * BETA * ((Y[0] - f).powi(2) + v);
        for pass in 0..4000 {
            for _ in 0..10 {
                truth.add(log(plain(&sampler.draw(&mut random), &x, |u| u.max(0.0))[0], 0.0));
            }
            let mut pass = Pass::new(blueprint.weights, 1, pass);
            let output = network.output(Signal::known(tensor(&x, [1, 2])), &mut pass).unwrap();
            let variance = output.variance().map_or(0.0, |v| values(v.inner())[0]);
            ours.add(log(values(output.mean.inner())[0], variance));
        }
        let error = (truth.error().powi(2) + ours.error().powi(2)).sqrt();
        let distance = (truth.mean() - ours.mean()).abs() / error;
        assert!(distance < 4.5, "blueprint {i}: {distance} standard errors");
    }
}

#[test]
fn a_drawn_network_is_one_function() {
    let network = network();
    let at = |x: &[[f64; 2]], seed| {
        let x = Signal::known(tensor(&x.concat(), [x.len(), 2]));
        values(network.output(x, &mut Pass::drawn(seed)).unwrap().mean.inner())
    };
    let all = at(&X, 5);
    for (i, row) in X.iter().enumerate() {
        assert!((at(&[*row], 5)[0] - all[i]).abs() < 1e-12);
    }
    assert_ne!(at(&X, 6), all);
}

#[test]
fn a_pass_holds_the_weights_for_one_bound_alone() {
    let network = network();
    let mut pass = Pass::moments();
    let elbo = |network: &Network, pass: &mut Pass| {
        bound(network, inputs(), targets(), 4, pass).unwrap().elbo()
    };
    // The bound's gradient is that of its parts, each of which computes the variances anew.
    let output = network.output(inputs(), &mut Pass::moments()).unwrap();
    let fit = network.likelihood().expected(&output, targets(), &mut Pass::moments());
    let fit = fit.unwrap().sum();
    let divergence = network.chain().divergence(&mut Pass::moments()).unwrap().unwrap().value;
    let stepped = |elbo: Tensor<1>| {
        let gradients = GradientsParams::from_grads(elbo.neg().backward(), &network);
        SgdConfig::new().init().step(0.01, network.clone(), gradients)
    };
    let moved = stepped(elbo(&network, &mut pass));
    let expected = stepped(fit - divergence);
    for (a, b) in linears(&moved).into_iter().zip(linears(&expected)) {
        let [a, b] = [a, b].map(|layer| {
            let (weight, bias) = (moments_of(layer.weight()), moments_of(layer.bias().unwrap()));
            [weight.0, weight.1, bias.0, bias.1].concat()
        });
        for (a, b) in a.iter().zip(&b) {
            assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
        }
    }
    // After the step the same pass finds other variances.
    let again = values(elbo(&moved, &mut pass).inner());
    assert_eq!(again, values(elbo(&moved, &mut Pass::moments()).inner()));
}
