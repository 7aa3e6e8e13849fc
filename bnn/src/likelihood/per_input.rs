//! Real targets whose noise depends on the input: y ~ N(f, e^ℓ), the log variance ℓ of the noise being an output.
//!
//! With m, v the moments of f, a, w those of ℓ, and c = Cov(f, ℓ) (Wu et al. 2019, Eq. 8)
//!
//! ```text
//! E log p(y) = −½ [log 2π + a + e^(w/2 − a) ((y − m + c)² + v)]
//! ```
//!
//! It is exact for jointly Normal outputs, and its error is that of rounding.

use std::f64::consts::TAU;

use burn::module::Module;
use burn::tensor::Tensor;

use crate::layer::LinearOutput;

/// y ~ N(f, e^ℓ). The outputs are f for all targets, and then ℓ for all targets (Wu et al. 2019).
#[derive(Module, Debug, Default)]
pub struct NormalPerInput;

impl NormalPerInput {
    /// E log p of each row, summed over its targets, in nats and of shape \[n, 1\], for jointly Normal outputs.
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Tensor<2> {
        let [n, k] = y.dims();
        let half = |t: Tensor<2>, i: usize| t.narrow(1, i * k, k);
        let (m, a) = (half(f.mean.clone(), 0), half(f.mean.clone(), 1));
        let mut residual = y - m;
        if let Some(covariance) = &f.covariance {
            let c = (0..k)
                .map(|i| covariance.clone().narrow(1, i, 1).narrow(2, k + i, 1).reshape([n, 1]));
            residual = residual + Tensor::cat(c.collect(), 1);
        }
        let (squares, weight) = match f.variance() {
            Some(v) => (
                residual.powi_scalar(2) + half(v.clone(), 0),
                half(v, 1).mul_scalar(0.5) - a.clone(),
            ),
            None => (residual.powi_scalar(2), a.clone().neg()),
        };
        let row = a + weight.exp() * squares;
        row.sum_dim(1).mul_scalar(-0.5).add_scalar(-0.5 * TAU.ln() * k as f64)
    }
}
