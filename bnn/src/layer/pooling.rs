//! Pooling over windows of an image.
//!
//! ```text
//! mean      1/n Σ m,  1/n² Σ v
//! largest   max(a, b) = b + relu(a − b), by pairs; exact for two independent Normal numbers (Clark 1961)
//! ```

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::module::avg_pool2d;
use burn::tensor::ops::AvgPoolOptions;
use burn::tensor::{Int, Tensor};
use gaussform_generated::Relu;

use super::{PassError, Rule};
use crate::operation::{MomentRule, pair};
use crate::signal::Signal;

/// The largest element of each window, for images of shape \[n, channels, height, width\].
///
/// The moments are exact for two independent Normal numbers (Clark 1961). More are taken by pairs, as if each maximum
/// were Normal. Linearised, the element with the largest mean is taken (Haußmann et al., Proposition 3).
#[derive(Module, Debug)]
pub struct MaxPool {
    #[module(skip)]
    size: [usize; 2],
    #[module(skip)]
    stride: [usize; 2],
    #[module(skip)]
    rule: Rule,
}

/// The mean of each window, for images of shape \[n, channels, height, width\].
#[derive(Module, Debug)]
pub struct MeanPool {
    #[module(skip)]
    size: [usize; 2],
    #[module(skip)]
    stride: [usize; 2],
}

impl MaxPool {
    /// Windows of this height and width, which move by `stride`.
    #[must_use]
    pub fn new(size: [usize; 2], stride: [usize; 2], rule: Rule) -> Self {
        Self { size, stride, rule }
    }

    /// The signal of the largest elements, of smaller height and width.
    ///
    /// # Errors
    ///
    /// [`PassError`], if the moments cannot be taken.
    pub fn forward(&self, x: Signal<4>) -> Result<Signal<4>, PassError> {
        let mut elements = Vec::new();
        for i in 0..self.size[0] {
            for j in 0..self.size[1] {
                elements.push(x.clone().map(|t| self.element(t, i, j)));
            }
        }
        // A balanced tree, so that no element passes through more rounds than another.
        while elements.len() > 1 {
            let mut next = Vec::with_capacity(elements.len().div_ceil(2));
            let mut rest = elements.into_iter();
            while let Some(a) = rest.next() {
                next.push(match rest.next() {
                    Some(b) => self.larger(a, b)?,
                    None => a,
                });
            }
            elements = next;
        }
        Ok(elements.pop().unwrap_or(x))
    }

    /// The element at (i, j) of every window.
    fn element(&self, x: Tensor<4>, i: usize, j: usize) -> Tensor<4> {
        let [_, _, height, width] = x.dims();
        let device = x.device();
        let indices = |size: usize, window: usize, stride: usize, offset: usize| {
            let count = (size - window) / stride + 1;
            let indices: Vec<i64> = (0..count).map(|k| (k * stride + offset) as i64).collect();
            Tensor::<1, Int>::from_data(indices.as_slice(), &device)
        };
        let rows = indices(height, self.size[0], self.stride[0], i);
        let columns = indices(width, self.size[1], self.stride[1], j);
        x.select(2, rows).select(3, columns)
    }

    fn larger(&self, a: Signal<4>, b: Signal<4>) -> Result<Signal<4>, PassError> {
        let (Some(va), Some(vb)) = (a.variance, b.variance) else {
            return Ok(Signal::known(a.mean.max_pair(b.mean)));
        };
        if self.rule == Rule::Exact {
            return Ok(larger_of_two(a.mean, va, b.mean, vb)?);
        }
        let second = a.mean.clone().lower(b.mean.clone());
        let mean = a.mean.mask_where(second.clone(), b.mean);
        Ok(Signal::normal(mean, va.mask_where(second, vb)))
    }
}

/// max(a, b) = b + relu(d) with d = a − b ~ N(δ, V). Given d, b has the mean b₀ − w(d − δ) with
/// w = v_b/V and the variance v_a v_b/V, so the variance is that plus the variance of
/// relu(d) − w d = (1 − w) relu(d) + w relu(−d), whose two parts are never both above 0.
fn larger_of_two(
    a: Tensor<4>,
    va: Tensor<4>,
    b: Tensor<4>,
    vb: Tensor<4>,
) -> Result<Signal<4>, crate::operation::MomentsError> {
    let difference = a - b.clone();
    // Two known numbers have no V; the smallest one leaves their maximum.
    let total = (va.clone() + vb.clone()).clamp_min(1e-30);
    let relu = |d: Tensor<4>| pair(Arc::new(Relu), MomentRule::Moments, d, total.clone(), None);
    let (above, above_variance) = relu(difference.clone())?;
    let (under, under_variance) = relu(difference.neg())?;
    let w = vb.clone() / total.clone();
    let rest = w.clone().neg().add_scalar(1.0);
    let variance = va * w.clone()
        + rest.clone().powi_scalar(2) * above_variance
        + w.clone().powi_scalar(2) * under_variance
        - (w * rest).mul_scalar(2.0) * above.clone() * under;
    Ok(Signal::normal(b + above, variance.clamp_min(0.0)))
}

impl MeanPool {
    /// Windows of this height and width, which move by `stride`.
    #[must_use]
    pub fn new(size: [usize; 2], stride: [usize; 2]) -> Self {
        Self { size, stride }
    }

    /// The signal of the means, of smaller height and width. Elements of a window are taken to be independent.
    #[must_use]
    pub fn forward(&self, x: Signal<4>) -> Signal<4> {
        let pool = |t| {
            let (kernel_size, stride, padding) = (self.size, self.stride, [(0, 0); 2]);
            let (count_include_pad, ceil_mode) = (true, false);
            let options =
                AvgPoolOptions { kernel_size, stride, padding, count_include_pad, ceil_mode };
            avg_pool2d(t, options)
        };
        let count = (self.size[0] * self.size[1]) as f64;
        let variance = x.variance.map(|v| pool(v).div_scalar(count));
        Signal { mean: pool(x.mean), variance }
    }
}
