//! Counts: y ~ Poisson(e^(c + f)), with a closed expectation for Normal f.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, TensorData};

use super::gamma::log_gamma;
use crate::layer::LinearOutput;
use crate::posterior::Start;

/// y ~ Poisson(e^(c + f)), with a learned constant c that begins with the logarithm of the mean count.
///
/// For f ~ N(m, v) the expectation is closed: E log p(y | f) = y (c + m) − e^(c + m + v/2) − log y!.
#[derive(Module, Debug)]
pub struct Poisson {
    pub(crate) log_rate: Param<Tensor<1>>,
}

impl Poisson {
    pub(crate) fn new(start: &mut Start<'_>) -> Self {
        let zero = Tensor::from_data(TensorData::new(vec![0.0], [1]), (start.device, start.dtype));
        Self { log_rate: Param::from_tensor(zero) }
    }

    /// c, of shape \[1\].
    #[must_use]
    pub fn log_rate(&self) -> Tensor<1> {
        self.log_rate.val()
    }

    /// The likelihood with c for counts of this mean, which half an event keeps above 0.
    pub(crate) fn started(mut self, counts: impl ExactSizeIterator<Item = f64>) -> Self {
        let n = counts.len() as f64;
        let rate = (counts.sum::<f64>() + 0.5) / n.max(1.0);
        self.log_rate = self.log_rate.map(|old| {
            let data = TensorData::new(vec![rate.ln()], [1]);
            Tensor::from_data(data, (&old.device(), old.dtype()))
                .set_require_grad(old.is_require_grad())
        });
        self
    }

    /// E log p(y | f) of each row, of shape \[n, 1\].
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
        let log = f.mean.clone() + self.log_rate().unsqueeze();
        let rate = match f.variance() {
            Some(v) => (log.clone() + v.mul_scalar(0.5)).exp(),
            None => log.clone().exp(),
        };
        y.clone() * log - rate - log_gamma(y.add_scalar(1.0))
    }
}

/// A Poisson distribution whose rate is e^z with z ~ N(`m`, `v`), as a mixture, `(weight, rate)`, weights adding up to 1: the
/// trapezoidal rule over z, in steps that the narrowest of the distributions allows.
pub(crate) fn rate_mixture(m: f64, v: f64) -> Vec<(f64, f64)> {
    const FAR: f64 = 7.5;
    let sd = v.max(0.0).sqrt();
    if sd == 0.0 {
        return vec![(1.0, m.exp())];
    }
    // As a function of log rate, a probability of about the mean count is 1/√rate wide.
    let width = (-0.5 * (m + 2.0 * sd)).exp().min(1.0) / sd;
    let steps = (FAR / (0.5 * width.min(1.0))).clamp(15.0, 2000.0) as i32;
    let node = |i: i32| FAR * f64::from(i) / f64::from(steps);
    let weight = |i: i32| (-0.5 * node(i) * node(i)).exp();
    let total: f64 = (-steps..=steps).map(weight).sum();
    (-steps..=steps).map(|i| (weight(i) / total, (m + sd * node(i)).exp())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance of a Poisson–log-normal number are closed (Aitchison and Ho 1989), its probabilities add up to 1.
    #[test]
    fn the_mixture_has_the_moments_of_a_poisson_log_normal() {
        for (m, v) in [(0.3_f64, 0.0), (0.3, 0.5), (-2.0, 2.0), (5.0, 0.01), (4.0, 1.0)] {
            let mixture = rate_mixture(m, v);
            let mean: f64 = mixture.iter().map(|(w, rate)| w * rate).sum();
            let square: f64 = mixture.iter().map(|(w, rate)| w * rate * (1.0 + rate)).sum();
            let expected = (m + 0.5 * v).exp();
            let variance = expected + expected * expected * v.exp_m1();
            assert!((mean / expected - 1.0).abs() < 1e-6, "{m}, {v}: {mean} for {expected}");
            let found = square - mean * mean;
            assert!((found / variance - 1.0).abs() < 1e-4, "{m}, {v}: {found} for {variance}");
        }
    }
}
