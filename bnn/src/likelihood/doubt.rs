//! Uncertain inputs: the likelihood of a target given what is known of the inputs.
//!
//! Of an input x with a mean and a variance, the outputs f have a variance d that would go if x were known, besides the variance v
//! that the weights bring. The expectation of log p(y | f) over both is a bound that counts every uncertain input as a fault
//! of the weights: with half of a column missing, its weight would shrink to half. What was seen is log E_x p(y | f), so x
//! is integrated out first, and the weights after it:
//!
//! - noise that adds to f has the variance σ² + d for y ~ N(f, σ²), exactly for Normal f. With s = 1/√(1 + d/σ²) that is the
//!   likelihood of σ² for residuals s (y − f), and log s. Student's t and noise by input are treated in this way too.
//! - Φ(f) becomes Φ(κf) with κ = 1/√(1 + d), exactly for Normal f; the softmax is taken with κ = 1/√(1 + πd/8) for each output
//!   (MacKay 1992), which has the same slope at 0 and the right limits.

use std::f64::consts::PI;

use burn::tensor::Tensor;

use super::{Likelihood, NoiseRule};
use crate::layer::{LinearOutput, PassError};
use crate::signal::Pass;

impl Likelihood {
    /// Whether uncertain inputs are integrated out before the weights. Noise in closed form is fitted to the whole variance;
    /// counts and censored targets have no closed form.
    pub(crate) fn integrates_inputs(&self, f: &LinearOutput) -> bool {
        match self {
            Self::Normal(p) => p.rule() != NoiseRule::ClosedForm,
            Self::NormalPerInput(_) | Self::StudentT(_) | Self::Probit(_) => true,
            Self::Categorical(_) | Self::Bernoulli(_) => f.covariance.is_none(),
            Self::Censored(_) | Self::Poisson(_) => false,
        }
    }

    /// E log E_x p(y | f) of each row, of shape \[n, 1\], where `doubt`, of the shape of the outputs, is what the variances of
    /// `f` have of the inputs.
    pub(crate) fn expected_in_doubt(
        &self,
        f: LinearOutput,
        doubt: Tensor<2>,
        y: Tensor<2>,
        pass: &mut Pass,
    ) -> Result<Tensor<2>, PassError> {
        let f = without(f, doubt.clone());
        let by_noise = match self {
            Self::Normal(p) => Some(p.log_precision().unsqueeze()),
            Self::StudentT(p) => Some(p.log_precision().unsqueeze()),
            Self::NormalPerInput(_) => {
                let targets = y.dims()[1];
                // The output is the log variance ℓ; its mean stands for it.
                Some(f.mean.clone().narrow(1, targets, targets).neg())
            }
            Self::Probit(_) => {
                let kappa = doubt.add_scalar(1.0).sqrt().recip();
                return self.expected(&scaled(f, kappa), y, pass);
            }
            _ => None,
        };
        let Some(log_precision) = by_noise else {
            let kappa = doubt.mul_scalar(PI / 8.0).add_scalar(1.0).sqrt().recip();
            return self.expected(&scaled(f, kappa), y, pass);
        };
        // Outputs after those of the targets say how large the noise is.
        let [n, targets] = y.dims();
        let outputs = f.mean.dims()[1];
        let ratio = doubt.narrow(1, 0, targets) * log_precision.exp();
        let s = ratio.add_scalar(1.0).sqrt().recip();
        let log_s = s.clone().log().sum_dim(1);
        let ones = |columns: usize| s.ones_like().narrow(1, 0, 1).expand([n, columns]);
        let all = match outputs - targets {
            0 => s.clone(),
            // Outputs that are the noise have no residual to be scaled.
            more => Tensor::cat(vec![s.clone(), ones(more)], 1),
        };
        // With f ← s f + (1 − s) y the residual y − f is multiplied by s, and y stays as it is.
        let moved = y.clone() - y.clone() * s.clone();
        let moved = match outputs - targets {
            0 => moved,
            more => Tensor::cat(vec![moved, ones(more).zeros_like()], 1),
        };
        let mut f = scaled(f, all);
        f.mean = f.mean + moved;
        Ok(self.expected(&f, y, pass)? + log_s)
    }
}

/// Outputs without a part of the variance that comes from below.
fn without(f: LinearOutput, doubt: Tensor<2>) -> LinearOutput {
    let below = f.below.map(|below| (below - doubt).clamp_min(0.0));
    LinearOutput { below, ..f }
}

/// Each output times a factor, of the shape of the outputs.
fn scaled(f: LinearOutput, by: Tensor<2>) -> LinearOutput {
    let square = by.clone().powi_scalar(2);
    let [n, outputs] = by.dims();
    let covariance = f
        .covariance
        .map(|c| c * by.clone().reshape([n, outputs, 1]) * by.clone().reshape([n, 1, outputs]));
    LinearOutput {
        mean: f.mean * by,
        below: f.below.map(|v| v * square.clone()),
        own: f.own.map(|v| v * square),
        covariance,
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{DType, Device, TensorData};

    use super::*;
    use crate::likelihood::{LikelihoodKind, Probit};
    use crate::posterior::Start;
    use crate::random::Random;

    fn tensor(values: &[f64]) -> Tensor<2> {
        let data = TensorData::new(values.to_vec(), [values.len(), 1]);
        Tensor::from_data(data, (&Device::flex(), DType::F64))
    }

    fn output(m: &[f64], v: &[f64]) -> LinearOutput {
        LinearOutput { mean: tensor(m), below: Some(tensor(v)), own: None, covariance: None }
    }

    /// With known weights it is log ∫ p(y | f) N(f; m, d) df, by a plain sum.
    #[test]
    fn inputs_are_integrated_out() {
        let (m, d): ([f64; 3], [f64; 3]) = ([0.3, -1.0, 2.0], [0.5, 2.0, 7.0]);
        let truth = |density: &dyn Fn(f64) -> f64, i: usize| {
            let (sd, steps) = (d[i].sqrt(), 4000);
            let at = |k: i32| 9.0 * f64::from(k) / f64::from(steps);
            let (mut sum, mut whole) = (0.0, 0.0);
            for k in -steps..=steps {
                let weight = (-0.5 * at(k).powi(2)).exp();
                sum += weight * density(m[i] + sd * at(k));
                whole += weight;
            }
            (sum / whole).ln()
        };
        let mut pass = Pass::moments();
        let device = Device::flex();
        let mut random = Random::new(0);
        let mut start = Start { device: &device, dtype: DType::F64, random: &mut random };
        let normal =
            LikelihoodKind::Normal { targets: 1, noise: NoiseRule::Fixed { precision: 4.0 } };
        let normal = normal.build(&mut start);
        let y = [0.9, 0.0, -1.5];
        let found = normal.expected_in_doubt(output(&m, &d), tensor(&d), tensor(&y), &mut pass);
        let found: Vec<f64> = found.unwrap().into_data().try_to_vec().unwrap();
        for i in 0..3 {
            let density =
                |f: f64| (4.0 / std::f64::consts::TAU).sqrt() * (-2.0 * (y[i] - f).powi(2)).exp();
            let truth = truth(&density, i);
            assert!((found[i] - truth).abs() < 1e-9, "{} for {truth}", found[i]);
        }
        let y = [1.0, 0.0, 0.0];
        let probit = Likelihood::Probit(Probit);
        let found = probit.expected_in_doubt(output(&m, &d), tensor(&d), tensor(&y), &mut pass);
        let found: Vec<f64> = found.unwrap().into_data().try_to_vec().unwrap();
        let softmax = Likelihood::Bernoulli(crate::likelihood::Categorical::new(
            crate::likelihood::CategoricalForm::Delta,
            true,
        ));
        let logistic = softmax.expected_in_doubt(output(&m, &d), tensor(&d), tensor(&y), &mut pass);
        let logistic: Vec<f64> = logistic.unwrap().into_data().try_to_vec().unwrap();
        for i in 0..3 {
            let sign = 2.0 * y[i] - 1.0;
            let exact = truth(&|f| 0.5 * libm::erfc(-sign * f / std::f64::consts::SQRT_2), i);
            assert!((found[i] - exact).abs() < 1e-9, "{} for {exact}", found[i]);
            let exact = truth(&|f| 1.0 / (1.0 + (-sign * f).exp()), i);
            assert!((logistic[i] - exact).abs() < 0.04, "{} for {exact}", logistic[i]);
        }
    }
}
