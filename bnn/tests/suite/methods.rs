//! Whole methods on a network of two hidden layers, against loops over scalars with integrals by the
//! trapezoidal rule: what is between x and the expected log likelihood, nothing of it shared.

use std::f64::consts::TAU;

use burn::tensor::Device;
use gaussform::activations::{HardTanh, Relu};
use gaussform_bnn::layer::GateDivergence;
use gaussform_bnn::{
    Blueprint, Function, Likelihood, LikelihoodKind, Network, Pass, Signal, bound, method,
};

use crate::support::{linears, moments_of, tensor, tensor_on, values, wide};

const X: [[f64; 2]; 3] = [[0.3, -1.2], [1.5, 0.4], [-0.8, 0.9]];
const Y: [f64; 3] = [0.7, -0.4, 1.9];
const SHARPNESS: f64 = 3.0;

/// A map from m and v to the mean and variance of an activation of N(m, v).
type Step = fn(f64, f64) -> [f64; 2];

/// By integrals of max(0, u) and its square.
fn matched(m: f64, v: f64) -> [f64; 2] {
    let (n, sd) = (40_000, v.sqrt());
    let (mut first, mut second) = (0.0, 0.0);
    for i in 0..=n {
        let z = -10.0 + 20.0 * f64::from(i) / f64::from(n);
        let weight = (-0.5 * z * z).exp() / TAU.sqrt() * 20.0 / f64::from(n);
        let g = (m + sd * z).max(0.0);
        first += weight * g;
        second += weight * g * g;
    }
    [first, second - first * first]
}

/// The gate stands open or shut, as the mean is (Haußmann et al., Eq. 9 with C → ∞).
fn linearised(m: f64, v: f64) -> [f64; 2] {
    if m > 0.0 { [m, v] } else { [0.0, 0.0] }
}

/// z·u for a gate z ∈ {0, 1} that is open with probability σ(C m) and independent of u.
fn gated(m: f64, v: f64) -> [f64; 2] {
    let p = 1.0 / (1.0 + (-SHARPNESS * m).exp());
    let second = p * (v + m * m);
    [p * m, second - (p * m).powi(2)]
}

/// Means and variances of the outputs for `x`, and the covariance of the first two.
fn outputs(network: &Network, x: &[f64], step: Step) -> (Vec<[f64; 2]>, f64) {
    let (mut layers, covariance) = all_layers(network, x, step);
    (layers.pop().unwrap(), covariance)
}

/// Means and variances of what enters activations.
fn before_activations(network: &Network, x: &[f64], step: Step) -> Vec<[f64; 2]> {
    let (mut layers, _) = all_layers(network, x, step);
    layers.pop();
    layers.concat()
}

/// Means and variances of what each linear layer gives, and the covariance of the first two outputs.
fn all_layers(network: &Network, x: &[f64], step: Step) -> (Vec<Vec<[f64; 2]>>, f64) {
    let mut all = Vec::new();
    let mut signal: Vec<[f64; 2]> = x.iter().map(|x| [*x, 0.0]).collect();
    let mut covariance = 0.0;
    let layers = linears(network);
    for (i, layer) in layers.iter().enumerate() {
        let (m, s) = moments_of(layer.weight());
        let (b, b_var) = moments_of(layer.bias().unwrap());
        let units = b.len();
        let unit = |j: usize| {
            let (mut mean, mut second, mut squared) = (b[j], b_var[j], 0.0);
            for (k, [x, v]) in signal.iter().enumerate() {
                let (m, s) = (m[k * units + j], s[k * units + j]);
                mean += m * x;
                second += (m * m + s) * (x * x + v);
                squared += m * m * x * x;
            }
            [mean, second - squared]
        };
        let next: Vec<[f64; 2]> = (0..units).map(unit).collect();
        if i + 1 == layers.len() {
            if units > 1 {
                let both = |(k, [_, v]): (usize, &[f64; 2])| m[k * units] * m[k * units + 1] * v;
                covariance = signal.iter().enumerate().map(both).sum();
            }
            all.push(next);
            return (all, covariance);
        }
        all.push(next.clone());
        signal = next.into_iter().map(|[m, v]| step(m, v)).collect();
    }
    (all, covariance)
}

fn ours(network: &Network) -> f64 {
    let (x, y) = (Signal::known(tensor(&X.concat(), [3, 2])), tensor(&Y, [3, 1]));
    values(bound(network, x, y, 3, &mut Pass::moments()).unwrap().expected_log_likelihood)[0]
}

fn near(ours: f64, by_hand: f64) {
    assert!((ours - by_hand).abs() < 1e-6 * (1.0 + by_hand.abs()), "{ours} for {by_hand}");
}

#[test]
fn nnvi_and_vbp_are_what_their_papers_add_up() {
    let relu = Function::new("relu", Relu);
    let (kind, hidden) = (LikelihoodKind::normal(1), [4, 3]);
    let methods: [(Blueprint, Step); 3] = [
        (method::nnvi(2, &hidden, kind, &relu), matched),
        (method::vbp(2, &hidden, kind, &relu), linearised),
        (method::vbp_gated(2, &hidden, kind, &relu, SHARPNESS), gated),
    ];
    for (i, (blueprint, step)) in methods.into_iter().enumerate() {
        for seed in 0..4 {
            let network = Network::new(&wide(blueprint.clone()), seed).unwrap();
            let Likelihood::Normal(noise) = network.likelihood() else { panic!("real targets") };
            let beta = values(noise.log_precision().inner())[0].exp();
            let row = |(x, y): (&[f64; 2], &f64)| {
                let [mean, variance] = outputs(&network, x, step).0[0];
                0.5 * (beta / TAU).ln() - 0.5 * beta * ((y - mean).powi(2) + variance)
            };
            let by_hand: f64 = X.iter().zip(&Y).map(row).sum();
            near(ours(&network), by_hand);
            // Another method's step would be noticed.
            let other: Step = [gated as Step, matched, linearised][i];
            let [_, wrong] = outputs(&network, &X[1], other).0[0];
            let [_, right] = outputs(&network, &X[1], step).0[0];
            assert!((wrong - right).abs() > 1e-4 * right, "method {i}, seed {seed}");
        }
    }
}

/// E s(u) − s(E u) by an integral, summed over hidden units and rows.
fn gates(network: &Network, step: Step, s: impl Fn(f64) -> f64) -> f64 {
    let one = |m: f64, v: f64| {
        let n = 40_000;
        let mut total = -s(m);
        for i in 0..=n {
            let z = -10.0 + 20.0 * f64::from(i) / f64::from(n);
            let weight = (-0.5 * z * z).exp() / TAU.sqrt() * 20.0 / f64::from(n);
            total += weight * s(m + v.sqrt() * z);
        }
        total
    };
    let inputs = X.iter().flat_map(|x| before_activations(network, x, step));
    inputs.map(|[m, v]| one(m, v)).sum()
}

#[test]
fn the_divergence_of_gates_is_that_of_eq_11() {
    let relu = Function::new("relu", Relu);
    let methods: [(Blueprint, Step); 2] = [
        (method::vbp(2, &[4, 3], LikelihoodKind::normal(1), &relu), linearised),
        (method::vbp_gated(2, &[4, 3], LikelihoodKind::normal(1), &relu, SHARPNESS), gated),
    ];
    for (blueprint, step) in methods {
        let blueprint = wide(blueprint);
        for seed in 0..2 {
            let without = Network::new(&blueprint, seed).unwrap();
            let with =
                Network::new(&blueprint.clone().with_gate_divergence(SHARPNESS), seed).unwrap();
            // Six rows, of which three are seen, have twice their divergence.
            for total in [3, 6] {
                let divergence = |network: &Network| {
                    let (x, y) = (Signal::known(tensor(&X.concat(), [3, 2])), tensor(&Y, [3, 1]));
                    let bound = bound(network, x, y, total, &mut Pass::moments()).unwrap();
                    values(bound.divergence.value)[0]
                };
                let scale = total as f64 / 3.0;
                let ours = (divergence(&with) - divergence(&without)) / scale;
                let eq_11 = gates(&without, step, |u| SHARPNESS * u.max(0.0));
                near(ours, eq_11);
                // What it approximates, Eq. 10, is near: by log 2 for each gate at most.
                let eq_10 = gates(&without, step, |u| (SHARPNESS * u).exp().ln_1p());
                assert!((ours - eq_10).abs() < 21.0 * 2f64.ln(), "{ours} for {eq_10}");
            }
            // The outputs are what they were.
            near(self::ours(&with), self::ours(&without));
        }
    }
}

#[test]
fn the_divergence_of_gates_has_the_gradient_of_eq_11() {
    // Φ is an integral of the density φ; of 0 the mean of both sides is taken.
    let density = |z: f64| (-0.5 * z * z).exp() / TAU.sqrt();
    let (means, variances) = ([0.4, -0.7, 2.5, 0.0], [0.5, 0.1, 2.0, 0.3]);
    let device = Device::flex().autodiff();
    let [m, v] = [means, variances].map(|values| tensor_on(&values, [2, 2], &device));
    let (m, v) = (m.require_grad(), v.require_grad());
    let gates = GateDivergence::new(SHARPNESS);
    let value = gates.divergence(&Signal::normal(m.clone(), v.clone())).unwrap().unwrap();
    let gradients = value.backward();
    let [by_mean, by_variance] = [&m, &v].map(|t| values(t.grad(&gradients).unwrap()));
    for i in 0..4 {
        let (z, sd) = (means[i] / variances[i].sqrt(), variances[i].sqrt());
        let n = 20_000;
        let step = (z + 10.0) / f64::from(n);
        let points = (0..n).map(|k| density(-10.0 + step * (f64::from(k) + 0.5)));
        let open = if z > 0.0 {
            1.0
        } else if z < 0.0 {
            0.0
        } else {
            0.5
        };
        near(by_mean[i], SHARPNESS * (points.sum::<f64>() * step - open));
        near(by_variance[i], SHARPNESS * density(z) / (2.0 * sd));
    }
    assert!(gates.divergence(&Signal::known(m)).unwrap().is_none());
}

#[test]
fn a_divergence_of_gates_wants_gates() {
    let tanh = Function::new("hard_tanh", HardTanh);
    let blueprint = method::vbp(2, &[4], LikelihoodKind::normal(1), &tanh);
    let refusal = |blueprint| Network::new(&blueprint, 0).unwrap_err().to_string();
    let message = refusal(blueprint.with_gate_divergence(1.0));
    assert!(message.starts_with("layer 1: the divergence of gates that no layer has"), "{message}");
    let relu = Function::new("relu", Relu);
    let blueprint = method::vbp(2, &[4], LikelihoodKind::normal(1), &relu);
    let message = refusal(blueprint.with_gate_divergence(-1.0));
    assert!(message.contains("`sharpness` must be a finite number above 0"), "{message}");
}

#[test]
fn dvi_is_what_its_paper_adds_up() {
    let blueprint = wide(method::dvi(2, &[4, 3], 1, &Function::new("relu", Relu)));
    for seed in 0..4 {
        let network = Network::new(&blueprint, seed).unwrap();
        let row = |(x, y): (&[f64; 2], &f64)| {
            let (f, c) = outputs(&network, x, matched);
            let ([m, v], [a, w]) = (f[0], f[1]);
            // E of log N(y; f, e^ℓ) by integrals over ℓ, f given ℓ being Normal.
            let n = 20_000;
            let mut total = 0.0;
            for i in 0..=n {
                let z = -10.0 + 20.0 * f64::from(i) / f64::from(n);
                let weight = (-0.5 * z * z).exp() / TAU.sqrt() * 20.0 / f64::from(n);
                let l = a + w.sqrt() * z;
                let (mean, variance) = (m + c / w.sqrt() * z, v - c * c / w);
                let square = (y - mean).powi(2) + variance;
                total -= 0.5 * weight * (TAU.ln() + l + square * (-l).exp());
            }
            total
        };
        let by_hand: f64 = X.iter().zip(&Y).map(row).sum();
        near(ours(&network), by_hand);
    }
}
