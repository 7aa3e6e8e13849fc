//! Real targets with heavy-tailed noise: y = f + t/√β for a Student t of ν degrees of freedom, with a closed bound.
//!
//! The noise is a scale mixture: Normal of precision βw with w ~ Gamma(ν/2, ν/2). With a posterior Gamma(a, b) of w in each
//! row the bound is closed, and best for a = (ν + 1)/2, b = (ν + βR)/2, R = (y − m)² + v:
//!
//! ```text
//! log Γ((ν + 1)/2) − log Γ(ν/2) + ½ log(β/νπ) − ½ (ν + 1) log(1 + βR/ν)
//! ```
//!
//! That is the log density of Student's t at √R. It stays below E log p(y | f), by Jensen. Predictions are a mixture of Normals
//! by the trapezoidal rule in log w, whose density has an error below 1e-9.

use std::f64::consts::PI;

use burn::module::{Module, Param};
use burn::tensor::{Tensor, TensorData};

use super::gamma::log_gamma;
use super::normal::squares;
use crate::layer::{LinearOutput, PassError, read};
use crate::posterior::{Start, shifted};

/// The fewest degrees of freedom: the variance of the noise exists, and is at most five times 1/β.
const FEWEST: f64 = 2.5;
/// The degrees of freedom at the start.
const FIRST: f64 = 10.0;

/// y = f + t/√β for a Student t of ν degrees of freedom; β and ν are learned for each target, ν ≥ 2.5.
#[derive(Module, Debug)]
pub struct StudentT {
    pub(crate) log_precision: Param<Tensor<1>>,
    /// log(ν − 2.5).
    pub(crate) log_excess: Param<Tensor<1>>,
}

impl StudentT {
    pub(crate) fn new(targets: usize, start: &mut Start<'_>) -> Self {
        let param = |first: f64| {
            let data = TensorData::new(vec![first; targets], [targets]);
            Param::from_tensor(Tensor::from_data(data, (start.device, start.dtype)))
        };
        Self { log_precision: param(0.0), log_excess: param((FIRST - FEWEST).ln()) }
    }

    /// The likelihood whose β are divided by these factors.
    pub(super) fn scaled(mut self, factors: &[f64]) -> Self {
        self.log_precision = shifted(self.log_precision, factors.iter().map(|k| -k.ln()).collect());
        self
    }

    /// log β, of shape \[targets\].
    #[must_use]
    pub fn log_precision(&self) -> Tensor<1> {
        self.log_precision.val()
    }

    /// ν > 2.5, of shape \[targets\].
    #[must_use]
    pub fn degrees(&self) -> Tensor<1> {
        self.log_excess.val().exp().add_scalar(FEWEST)
    }

    /// The bound of each row, summed over its targets, of shape \[n, 1\].
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
        let (log_beta, nu) = (self.log_precision(), self.degrees());
        let constant = log_gamma(nu.clone().add_scalar(1.0).mul_scalar(0.5))
            - log_gamma(nu.clone().mul_scalar(0.5))
            + (log_beta.clone() - nu.clone().log().add_scalar(PI.ln())).mul_scalar(0.5);
        let ratio = squares(f, y) * (log_beta - nu.clone().log()).exp().unsqueeze();
        let tail = ratio.add_scalar(1.0).log() * nu.add_scalar(1.0).mul_scalar(0.5).unsqueeze();
        (constant.unsqueeze() - tail).sum_dim(1)
    }

    /// The variances of the noise of each target as a mixture: `(weight, variance)`, weights adding up to 1. For an output
    /// N(m, v) the predictive distribution is the mixture of the Normals N(m, v + variance).
    ///
    /// # Errors
    ///
    /// [`PassError::Read`], if the parameters cannot be read from their device.
    pub fn mixture(&self) -> Result<Vec<Vec<(f64, f64)>>, PassError> {
        let precisions = read(self.log_precision())?;
        let degrees = read(self.degrees())?;
        let of = |(log_beta, nu): (&f64, &f64)| scale_mixture((-log_beta).exp(), *nu);
        Ok(precisions.iter().zip(&degrees).map(of).collect())
    }
}

/// Student's t with the scale² `scale` and `nu` degrees of freedom as a mixture of Normals, `(weight, variance)`.
pub(crate) fn scale_mixture(scale: f64, nu: f64) -> Vec<(f64, f64)> {
    let a = 0.5 * nu;
    let step = 0.4 / a.max(1.0).sqrt();
    // exp(a (t − eᵗ + 1)) is the density of t = log w beside its largest value.
    let rate = |t: f64| a * (t - t.exp() + 1.0);
    let far = |direction: f64| {
        // Beyond, a weight is lost in the rounding of the sum: e⁻³² is 1.3e-14.
        (0..).map(move |i| direction * step * f64::from(i)).take_while(move |t| rate(*t) > -32.0)
    };
    let nodes: Vec<f64> = far(-1.0).chain(far(1.0).skip(1)).collect();
    let total: f64 = nodes.iter().map(|t| rate(*t).exp()).sum();
    nodes.into_iter().map(|t| (rate(t).exp() / total, scale * (-t).exp())).collect()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    #[test]
    fn the_mixture_is_students_t() {
        for nu in [2.5_f64, 4.0, 10.0, 80.0, 1e4] {
            let mixture = scale_mixture(1.7, nu);
            assert!(mixture.len() < 120, "{} components for {nu}", mixture.len());
            for y in [0.0_f64, 0.4, 3.0, 20.0, 400.0] {
                let density = |(w, v): &(f64, f64)| w * (-0.5 * y * y / v).exp() / (TAU * v).sqrt();
                let ours: f64 = mixture.iter().map(density).sum();
                let log = libm::lgamma(0.5 * (nu + 1.0))
                    - libm::lgamma(0.5 * nu)
                    - 0.5 * (nu * PI * 1.7).ln()
                    - 0.5 * (nu + 1.0) * (y * y / (1.7 * nu)).ln_1p();
                assert!((ours - log.exp()).abs() < 1e-9, "{nu}, {y}: {ours} for {}", log.exp());
            }
        }
    }
}
