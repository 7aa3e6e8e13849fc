//! The importance-weighted estimate of log p(x), a lower bound (Burda et al. 2016):
//!
//! ```text
//! E log 1/K Σ_k p(x | z_k, W_k) p(z_k)/q(z_k | x)        z_k ~ q(z | x), W_k ~ q(W)
//! ```

use std::f64::consts::TAU;

use burn::module::Module;
use burn::tensor::Tensor;
use gaussform_bnn::layer::Sample;
use gaussform_bnn::{Likelihood, Matrix, Pass, Signal, TrainError, WeightUse};
use indicatif::ProgressBar;

use super::VaePlan;
use super::network::Vae;
use crate::tensor::numbers;

/// The estimate of log p(x) for each row of `x`, in nats: the mean over trials of log 1/K Σ p(x | z, W) p(z)/q(z |
/// x). z ~ q(z | x) and the weights W of the decoder are drawn anew for each of the K samples. The estimate rises
/// with K.
pub(super) fn log_likelihoods(
    vae: &Vae,
    x: &Matrix,
    plan: &VaePlan,
    seed: u64,
    bar: &ProgressBar,
) -> Result<Vec<f64>, TrainError> {
    let vae = vae.valid();
    let x = vae.encoder.tensor(x);
    let [mean, variance] = vae.posterior(x.clone())?;
    let mut total = vec![0.0; x.dims()[0]];
    for trial in 0..plan.trials {
        let mut sums = vec![LogSum::default(); total.len()];
        for k in 0..plan.inner {
            let index = (trial * plan.inner + k) as u64;
            let mut pass = Pass::new(WeightUse::Drawn, seed, index);
            let z = Sample.forward(Signal::normal(mean.clone(), variance.clone()), &mut pass).mean;
            let output = vae.decoder.output(Signal::known(z.clone()), &mut pass)?.mean;
            let log_precision = match vae.decoder.likelihood() {
                Likelihood::Normal(p) => p.log_precision(),
                _ => return Err(TrainError::Settings("the decoder has no Normal likelihood")),
            };
            let noise = log_precision.neg().exp().unsqueeze::<2>();
            let prior = log_normal(z.clone(), z.zeros_like(), z.ones_like());
            let posterior = log_normal(z, mean.clone(), variance.clone());
            let weight = log_normal(x.clone(), output, noise) + prior - posterior;
            for (sum, weight) in sums.iter_mut().zip(numbers(weight)?) {
                sum.add(weight);
            }
        }
        for (total, sum) in total.iter_mut().zip(&sums) {
            *total += (sum.value() - (plan.inner as f64).ln()) / plan.trials as f64;
        }
        bar.inc(1);
    }
    Ok(total)
}

/// log N(x; mean, variance) of each row, of shape \[n, 1\].
fn log_normal(x: Tensor<2>, mean: Tensor<2>, variance: Tensor<2>) -> Tensor<2> {
    let squares = (x - mean).powi_scalar(2) / variance.clone();
    (squares + variance.log().add_scalar(TAU.ln())).sum_dim(1).mul_scalar(-0.5)
}

/// log Σ eᵃ, updated number by number.
#[derive(Clone, Copy)]
struct LogSum {
    most: f64,
    sum: f64,
}

impl Default for LogSum {
    fn default() -> Self {
        Self { most: f64::NEG_INFINITY, sum: 0.0 }
    }
}

impl LogSum {
    fn add(&mut self, a: f64) {
        if a > self.most {
            self.sum = self.sum * (self.most - a).exp() + 1.0;
            self.most = a;
        } else if a.is_finite() {
            // −∞ comes to neither branch: as the first number it would leave −∞ − (−∞).
            self.sum += (a - self.most).exp();
        }
    }

    fn value(&self) -> f64 {
        self.most + self.sum.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_powers_far_from_one() {
        let mut sum = LogSum::default();
        for a in [-1001.0, -1000.0, f64::NEG_INFINITY, -1002.0] {
            sum.add(a);
        }
        let expected = -1000.0 + (1.0 + (-1f64).exp() + (-2f64).exp()).ln();
        assert!((sum.value() - expected).abs() < 1e-12, "{}", sum.value());
    }
}
