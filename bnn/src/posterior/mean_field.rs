//! Independent Normal weights, the mean-field posterior.

use burn::module::{Module, Param};
use burn::tensor::Tensor;

/// Weights w ~ N(m, s²), each with a mean m and a standard deviation s = eᵖ of its own, in a tensor
/// of any rank (Jankowiak, Eq. 3, with diagonal covariances).
#[derive(Module, Debug)]
pub struct MeanField<const D: usize> {
    pub(crate) mean: Param<Tensor<D>>,
    pub(crate) log_sd: Param<Tensor<D>>,
}

impl<const D: usize> MeanField<D> {
    /// The posterior with these means and these logarithms of standard deviations, of one shape.
    #[must_use]
    pub fn new(mean: Tensor<D>, log_sd: Tensor<D>) -> Self {
        Self { mean: Param::from_tensor(mean), log_sd: Param::from_tensor(log_sd) }
    }

    /// m.
    #[must_use]
    pub fn mean(&self) -> Tensor<D> {
        self.mean.val()
    }

    /// s² > 0.
    #[must_use]
    pub fn variance(&self) -> Tensor<D> {
        self.log_sd.val().mul_scalar(2.0).exp()
    }

    /// log s.
    #[must_use]
    pub fn log_sd(&self) -> Tensor<D> {
        self.log_sd.val()
    }
}
