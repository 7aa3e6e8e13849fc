//! The divergence of the gates of a layer, a term of the bound (Haußmann et al., Eq. 10 and 11).
//!
//! A gate is open with probability σ(C·u) under the prior, and σ(C·E\[u\]) under the posterior. The expected divergence is
//! E\[s(C·u)\] − s(C·E\[u\]) with the softplus s (Eq. 10). With C·max(0, u) in the place of s(C·u) it is
//!
//! ```text
//! C (E[max(0, u)] − max(0, E[u]))
//! ```
//!
//! (Eq. 11), which is wrong by log 2 at most. The difference is even in E\[u\] and is taken below 0, where its second term is 0:
//! it has the digits of the kernel.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::Tensor;
use gaussform_generated::Relu;

use super::PassError;
use crate::operation::{MomentRule, MomentsError, pair};
use crate::signal::{Pass, Signal};

/// Leaves its signal as it is, and adds the divergence of the gates of the activation after it to the
/// bound (Haußmann et al., Eq. 11).
#[derive(Module, Debug)]
pub struct GateDivergence {
    #[module(skip)]
    sharpness: f64,
}

impl GateDivergence {
    /// Gates of this sharpness C > 0.
    #[must_use]
    pub fn new(sharpness: f64) -> Self {
        Self { sharpness }
    }

    /// C (E\[max(0, u)\] − max(0, E\[u\])), summed over all elements of a signal of any shape, in nats and
    /// of shape \[1\]; none if the signal is known.
    ///
    /// # Errors
    ///
    /// [`MomentsError`], if the moments cannot be taken.
    pub fn divergence<const D: usize>(
        &self,
        u: &Signal<D>,
    ) -> Result<Option<Tensor<1>>, MomentsError> {
        let Some(variance) = u.variance.clone() else { return Ok(None) };
        let below = u.mean.clone().abs().neg();
        let (mean, _) = pair(Arc::new(Relu), MomentRule::Moments, below, variance, None)?;
        Ok(Some(mean.sum().mul_scalar(self.sharpness)))
    }

    /// A signal of any shape to the same, with its divergence told to the pass, if that wants it.
    pub(crate) fn forward<const D: usize>(
        &self,
        u: Signal<D>,
        pass: &mut Pass,
    ) -> Result<Signal<D>, PassError> {
        if pass.wants_latent()
            && let Some(term) = self.divergence(&u)?
        {
            pass.add_latent(term);
        }
        Ok(u)
    }
}
