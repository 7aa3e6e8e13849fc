//! Whole methods on a network of two hidden layers, against loops over scalars with integrals by the
//! trapezoidal rule: what is between x and the expected log likelihood, nothing of it shared.

use std::f64::consts::TAU;

use gaussform::activations::Relu;
use gaussform_bnn::{
    Blueprint, Function, Likelihood, LikelihoodKind, Network, Pass, Signal, bound, method,
};

use crate::support::{linears, moments_of, tensor, values, wide};

const X: [[f64; 2]; 3] = [[0.3, -1.2], [1.5, 0.4], [-0.8, 0.9]];
const Y: [f64; 3] = [0.7, -0.4, 1.9];
const SHARPNESS: f64 = 3.0;

/// What an activation makes of N(m, v).
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
            return (next, covariance);
        }
        signal = next.into_iter().map(|[m, v]| step(m, v)).collect();
    }
    (signal, covariance)
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
