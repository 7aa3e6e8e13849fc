//! Counts: y ~ Poisson(e^(c + f)), with a closed expectation for f ~ N(m, v).
//!
//! ```text
//! E log p(y | f) = y (c + m) − e^(c + m + v/2) − log y!
//! ```

use burn::module::{Module, Param};
use burn::tensor::{Tensor, TensorData};

use super::gamma::log_gamma;
use crate::layer::LinearOutput;
use crate::posterior::Start;

/// y ~ Poisson(e^(c + f)), with a learned constant c that begins with the logarithm of the mean count.
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
