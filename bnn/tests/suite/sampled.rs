//! The methods that sample, whole, against weights that are drawn without the library's layers: the
//! mean and the spread of the estimates of a pass, and the divergence by sums.

use std::f64::consts::TAU;

use gaussform::activations::Relu;
use gaussform_bnn::{Form, Function, Network, Pass, Random, Signal, bound, method};

use crate::support::{
    Sampled, Sampler, fixed_noise, linears, moments_of, plain, tensor, values, wide,
};

/// Rows so close that weights which they share make their errors nearly the same.
const X: [[f64; 2]; 3] = [[1.5, 0.4], [1.4, 0.5], [1.6, 0.3]];
const Y: [f64; 3] = [0.7, 0.9, 0.6];
const BETA: f64 = 0.8;

/// An estimate of the expected log likelihood of the three rows: its mean, and the mean of a bounded
/// function of it that feels how the rows depend on each other.
#[derive(Clone, Copy, Debug, Default)]
struct Estimate {
    log_likelihood: Sampled,
    all_close: Sampled,
}

impl Estimate {
    fn add(&mut self, log_likelihood: f64) {
        self.log_likelihood.add(log_likelihood);
        // It is 1 where all three errors are 0, and nearly 0 where one is not small.
        let largest = 1.5 * (BETA / TAU).ln();
        self.all_close.add((3.0 * (log_likelihood - largest)).exp());
    }

    /// The larger distance of the two, in standard errors.
    fn away(&self, other: &Self) -> f64 {
        let one =
            |a: &Sampled, b: &Sampled| (a.mean() - b.mean()).abs() / a.error().hypot(b.error());
        let all_close = one(&self.all_close, &other.all_close);
        one(&self.log_likelihood, &other.log_likelihood).max(all_close)
    }
}

/// The estimates of many passes, and of their divergences.
fn ours(network: &Network) -> (Estimate, Sampled, Form) {
    let (mut estimate, mut divergence, mut form) = (Estimate::default(), Sampled::default(), None);
    for i in 0..1500 {
        let mut pass = Pass::new(network.blueprint().weights, 3, i);
        let (x, y) = (Signal::known(tensor(&X.concat(), [3, 2])), tensor(&Y, [3, 1]));
        let bound = bound(network, x, y, 3, &mut pass).unwrap();
        estimate.add(values(bound.expected_log_likelihood)[0]);
        divergence.add(values(bound.divergence.value)[0]);
        form = Some(bound.divergence.form);
    }
    (estimate, divergence, form.unwrap())
}

/// Weights drawn once for all rows, or anew for each.
fn by_hand(network: &Network, shared: bool) -> Estimate {
    let (sampler, mut random) = (Sampler::new(network), Random::new(11));
    let mut estimate = Estimate::default();
    for _ in 0..20_000 {
        let mut weights = sampler.draw(&mut random);
        let mut total = 0.0;
        for (x, y) in X.iter().zip(&Y) {
            let f = plain(&weights, x, |u| u.max(0.0))[0];
            total += 0.5 * (BETA / TAU).ln() - 0.5 * BETA * (y - f).powi(2);
            if !shared {
                weights = sampler.draw(&mut random);
            }
        }
        estimate.add(total);
    }
    estimate
}

/// KL of all weights from a prior of this density, by the trapezoidal rule.
fn divergence(network: &Network, density: impl Fn(f64) -> f64) -> f64 {
    let one = |(m, v): (&f64, &f64)| {
        let (n, mut total) = (1000, 0.0);
        for i in 0..=n {
            let z = -10.0 + 20.0 * f64::from(i) / f64::from(n);
            let q = (-0.5 * z * z).exp() / TAU.sqrt();
            let log_q = -0.5 * (z * z + (TAU * v).ln());
            total += q * 20.0 / f64::from(n) * (log_q - density(m + v.sqrt() * z).ln());
        }
        total
    };
    let mut total = 0.0;
    for layer in linears(network) {
        for (mean, variance) in [moments_of(layer.weight()), moments_of(layer.bias().unwrap())] {
            total += mean.iter().zip(&variance).map(one).sum::<f64>();
        }
    }
    total
}

fn normal(w: f64, sd: f64) -> f64 {
    (-0.5 * (w / sd).powi(2)).exp() / (sd * TAU.sqrt())
}

#[test]
fn local_reparameterisation_draws_weights_anew_for_each_row() {
    let relu = Function::new("relu", Relu);
    let blueprint = wide(method::varout(2, &[4, 3], fixed_noise(1, BETA), &relu));
    let network = Network::new(&blueprint, 1).unwrap();
    let (estimate, kl, form) = ours(&network);
    let anew = by_hand(&network, false);
    assert!(estimate.away(&anew) < 4.0, "{estimate:?}, {anew:?}");
    // Shared weights would be noticed.
    assert!(estimate.away(&by_hand(&network, true)) > 6.0, "{estimate:?}");
    assert_eq!(form, Form::Closed);
    let oracle = divergence(&network, |w| normal(w, 10f64.sqrt().recip()));
    assert!((kl.mean() - oracle).abs() < 1e-6 * oracle, "{} for {oracle}", kl.mean());
}

#[test]
fn bayes_by_backprop_draws_weights_once_for_all_rows() {
    let relu = Function::new("relu", Relu);
    let blueprint = wide(method::bbb(2, &[4, 3], fixed_noise(1, BETA), &relu));
    let network = Network::new(&blueprint, 1).unwrap();
    let (estimate, kl, form) = ours(&network);
    let shared = by_hand(&network, true);
    assert!(estimate.away(&shared) < 4.0, "{estimate:?}, {shared:?}");
    // Weights of each row's own would be noticed.
    assert!(estimate.away(&by_hand(&network, false)) > 6.0, "{estimate:?}");
    assert_eq!(form, Form::Sampled);
    let oracle = divergence(&network, |w| 0.5 * normal(w, 1.0) + 0.5 * normal(w, 0.1));
    assert!(kl.away(oracle) < 4.0, "{kl:?} for {oracle}");
}
