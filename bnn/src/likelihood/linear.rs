//! Numbers that the host computed, as tensors that a backend can differentiate.
//!
//! ```text
//! y(x) = y₀ + Σ ∂y/∂x (x − detach(x))        the value y₀, and the derivatives ∂y/∂x in reverse mode
//! ```

use burn::tensor::{DType, Device, Tensor, TensorData};

/// A number for each of `n` rows, with its derivatives in some tensors. The graph is linear in these tensors. It has
/// the right value and the right first derivatives at their present values, and none of the host's computation.
pub(super) struct Linear {
    sum: Tensor<2>,
    device: Device,
    dtype: DType,
}

impl Linear {
    /// Values of shape \[n, 1\], on the device of `like`.
    pub(super) fn new(values: Vec<f64>, like: &Tensor<2>) -> Self {
        let (device, dtype) = (like.device(), like.dtype());
        let n = values.len();
        let sum = Tensor::from_data(TensorData::new(values, [n, 1]), (&device, dtype));
        Self { sum, device, dtype }
    }

    /// Values of shape \[n, 1\] that a device has computed.
    #[cfg(feature = "wgpu")]
    pub(super) fn on_device(sum: Tensor<2>) -> Self {
        let (device, dtype) = (sum.device(), sum.dtype());
        Self { sum, device, dtype }
    }

    /// Adds the derivatives in `x`, of shape \[n, k\], or \[1, k\] for what all rows share.
    pub(super) fn with(self, x: Tensor<2>, derivatives: Vec<f64>, columns: usize) -> Self {
        let rows = derivatives.len() / columns.max(1);
        let data = TensorData::new(derivatives, [rows, columns]);
        let slope = Tensor::<2>::from_data(data, (&self.device, self.dtype));
        self.with_slope(x, slope)
    }

    /// Adds the derivatives in `x` that a device has computed, of shape \[n, k\].
    pub(super) fn with_slope(mut self, x: Tensor<2>, slope: Tensor<2>) -> Self {
        let step = x.clone() - x.detach();
        self.sum = self.sum + (slope * step).sum_dim(1);
        self
    }

    pub(super) fn finish(self) -> Tensor<2> {
        self.sum
    }
}
