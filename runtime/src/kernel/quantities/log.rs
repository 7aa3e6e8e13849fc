//! The logarithms of the moments by name, and the slices that batches of them go into.

/// The logarithms of mean and variance of g(u) for u ~ N(γ, ξ²).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogMoments<T> {
    /// ln E\[g(u)\]; NaN unless the function is [nowhere negative](crate::Activation::is_nonnegative).
    pub log_mean: T,
    /// ln Var g(u).
    pub log_variance: T,
}

/// [`LogMoments`] with their partial derivatives in γ and ξ².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogMomentsGrad<T> {
    /// ln E\[g(u)\]; NaN, like its derivatives, unless the function is
    /// [nowhere negative](crate::Activation::is_nonnegative).
    pub log_mean: T,
    /// ln Var g(u).
    pub log_variance: T,
    /// ∂ ln E\[g\]/∂γ.
    pub dlog_mean_dgamma: T,
    /// ∂ ln E\[g\]/∂ξ².
    pub dlog_mean_dxi2: T,
    /// ∂ ln Var g/∂γ.
    pub dlog_variance_dgamma: T,
    /// ∂ ln Var g/∂ξ².
    pub dlog_variance_dxi2: T,
}

impl<T: Copy> LogMomentsGrad<T> {
    /// The numbers in the order of the fields.
    #[must_use]
    pub fn to_array(&self) -> [T; 6] {
        [
            self.log_mean,
            self.log_variance,
            self.dlog_mean_dgamma,
            self.dlog_mean_dxi2,
            self.dlog_variance_dgamma,
            self.dlog_variance_dxi2,
        ]
    }
}

/// Where [`log_moments_into`](crate::Activation::log_moments_into) writes: slices of the length of the input.
#[derive(Debug)]
pub struct LogMomentsMut<'a, T> {
    /// ln E\[g\].
    pub log_mean: &'a mut [T],
    /// ln Var g.
    pub log_variance: &'a mut [T],
}

/// Where [`log_moments_grad_into`](crate::Activation::log_moments_grad_into) writes: slices of the length of the
/// input.
#[derive(Debug)]
pub struct LogMomentsGradMut<'a, T> {
    /// ln E\[g\].
    pub log_mean: &'a mut [T],
    /// ln Var g.
    pub log_variance: &'a mut [T],
    /// ∂ ln E\[g\]/∂γ.
    pub dlog_mean_dgamma: &'a mut [T],
    /// ∂ ln E\[g\]/∂ξ².
    pub dlog_mean_dxi2: &'a mut [T],
    /// ∂ ln Var g/∂γ.
    pub dlog_variance_dgamma: &'a mut [T],
    /// ∂ ln Var g/∂ξ².
    pub dlog_variance_dxi2: &'a mut [T],
}

impl<'a, T> LogMomentsGradMut<'a, T> {
    /// The slices in the order of the fields.
    #[must_use]
    pub fn new(slices: [&'a mut [T]; 6]) -> Self {
        let [mean, variance, mean_gamma, mean_xi2, variance_gamma, variance_xi2] = slices;
        Self {
            log_mean: mean,
            log_variance: variance,
            dlog_mean_dgamma: mean_gamma,
            dlog_mean_dxi2: mean_xi2,
            dlog_variance_dgamma: variance_gamma,
            dlog_variance_dxi2: variance_xi2,
        }
    }
}
