//! A matrix of independent Normal weights: the mean-field form of q(A) and q(B) in Eq. 3.

use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Tensor, TensorData};

use crate::random::Random;

/// Weights w ~ N(m, s²), each with a mean m and a standard deviation s = eᵖ of its own.
#[derive(Module, Debug)]
pub struct NormalWeights {
    mean: Param<Tensor<2>>,
    log_sd: Param<Tensor<2>>,
}

impl NormalWeights {
    /// Weights of shape \[`rows`, `columns`\] whose means are drawn from N(0, `spread`²) and
    /// whose standard deviations are all `sd` > 0.
    ///
    /// The last row belongs to the bias; its means start at 0.
    pub(crate) fn new(
        [rows, columns]: [usize; 2],
        spread: f64,
        sd: f64,
        random: &mut Random,
        (device, dtype): (&Device, DType),
    ) -> Self {
        let drawn = (rows - 1) * columns;
        let mean: Vec<f64> = (0..rows * columns)
            .map(|i| if i < drawn { spread * random.normal() } else { 0.0 })
            .collect();
        let log_sd = vec![sd.ln(); rows * columns];
        let parameter = |values| {
            let data = TensorData::new(values, [rows, columns]);
            Param::from_tensor(Tensor::from_data(data, (device, dtype)))
        };
        Self { mean: parameter(mean), log_sd: parameter(log_sd) }
    }

    /// m, of shape \[rows, columns\].
    #[must_use]
    pub fn mean(&self) -> Tensor<2> {
        self.mean.val()
    }

    /// s² > 0, of the same shape.
    #[must_use]
    pub fn variance(&self) -> Tensor<2> {
        self.log_sd.val().mul_scalar(2.0).exp()
    }

    /// KL(q ‖ p) in nats for the prior p = N(0, 1/`precision`) on every weight (Eq. 4):
    /// Σ ½ \[α (m² + s²) − 1 − log α\] − log s.
    #[must_use]
    pub fn kl(&self, precision: f64) -> Tensor<1> {
        let (mean, log_sd) = (self.mean(), self.log_sd.val());
        let count = mean.dims().iter().product::<usize>() as f64;
        let second = mean.powi_scalar(2) + self.variance();
        second.sum().mul_scalar(0.5 * precision)
            - log_sd.sum()
            - 0.5 * count * (1.0 + precision.ln())
    }
}
