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

/// Where [`parameter_grad_into`](crate::Activation::parameter_grad_into) writes for one parameter θ: slices of the
/// length of the input.
#[derive(Debug)]
pub struct ParameterGradMut<'a, T> {
    /// ∂E\[g\]/∂θ.
    pub dmean: &'a mut [T],
    /// ∂E\[g²\]/∂θ.
    pub dsecond: &'a mut [T],
    /// ∂Var g/∂θ.
    pub dvariance: &'a mut [T],
}
