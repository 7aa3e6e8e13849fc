//! Real targets with Normal noise: E log N(y; f, 1/β) = −½ β \[(y − m)² + v\] + ½ log β − ½ log 2π, exactly, with one
//! precision β for each target.

use std::f64::consts::TAU;

use burn::module::{Module, Param};
use burn::tensor::{Tensor, TensorData};
use serde::{Deserialize, Serialize};

use crate::layer::LinearOutput;
use crate::posterior::{Start, shifted};

/// The rule by which the precision β of the noise is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseRule {
    /// β is learned by gradient, with the weights.
    Gradient,
    /// After each epoch β = N / Σ \[(y − m)² + v\], which maximises the bound (Haußmann et al., Eq. 12).
    ClosedForm,
    /// The precision stays at the given number.
    Fixed {
        /// The precision β > 0 in standardised units of the target.
        precision: f64,
    },
}

/// y ~ N(f, 1/β), with one precision β for each target.
#[derive(Module, Debug)]
pub struct Normal {
    pub(crate) log_precision: Param<Tensor<1>>,
    #[module(skip)]
    rule: NoiseRule,
}

impl Normal {
    pub(crate) fn new(targets: usize, rule: NoiseRule, start: &mut Start<'_>) -> Self {
        let first = match rule {
            NoiseRule::Fixed { precision } => precision.ln(),
            NoiseRule::Gradient | NoiseRule::ClosedForm => 0.0,
        };
        let data = TensorData::new(vec![first; targets], [targets]);
        let value = Tensor::from_data(data, (start.device, start.dtype));
        // A precision that is found otherwise must not move by an optimiser's steps.
        let learned = rule == NoiseRule::Gradient;
        Self { log_precision: Param::from_tensor(value).set_require_grad(learned), rule }
    }

    /// log β, of shape \[targets\].
    #[must_use]
    pub fn log_precision(&self) -> Tensor<1> {
        self.log_precision.val()
    }

    /// The rule by which β is found.
    #[must_use]
    pub fn rule(&self) -> NoiseRule {
        self.rule
    }

    /// E log p of each row, summed over its targets, in nats and of shape \[n, 1\]: −½ β \[(y − m)² + v\] + ½ log β −
    /// ½ log 2π (Jankowiak, Eq. 7; Roth and Pernkopf, Eq. 12). It is exact for any distribution of f with mean m and
    /// variance v.
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
        let log_beta = self.log_precision();
        let weighted = (squares(f, y) * log_beta.clone().exp().unsqueeze()).sum_dim(1);
        (weighted - (log_beta - TAU.ln()).sum().unsqueeze()).mul_scalar(-0.5)
    }

    /// The likelihood with the β that maximises the bound for these outputs. Each row counts as often as its weight
    /// says.
    #[must_use]
    pub(crate) fn refitted(
        mut self,
        f: &LinearOutput,
        y: Tensor<2>,
        weights: Option<Tensor<2>>,
    ) -> Self {
        let weights = weights.unwrap_or_else(|| y.clone().narrow(1, 0, 1).ones_like());
        let total = weights.clone().sum_dim(0);
        let mean = ((squares(f, y) * weights).sum_dim(0) / total).flatten::<1>(0, 1);
        // Residuals that are all 0 would make β infinite.
        let fitted = mean.clamp_min(1e-12).log().neg().to_data();
        self.log_precision = self.log_precision.map(|old| {
            let (device, dtype) = (old.device(), old.dtype());
            Tensor::from_data(fitted, (&device, dtype)).set_require_grad(old.is_require_grad())
        });
        self
    }

    /// The likelihood whose β are divided by these factors.
    pub(super) fn scaled(mut self, factors: &[f64]) -> Self {
        self.log_precision = shifted(self.log_precision, factors.iter().map(|k| -k.ln()).collect());
        self
    }
}

/// (y − m)² + v, of the shape of `y`.
pub(super) fn squares(f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
    let squares = (y - f.mean.clone()).powi_scalar(2);
    match f.variance() {
        Some(v) => squares + v,
        None => squares,
    }
}
