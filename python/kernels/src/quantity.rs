//! The quantities that kernels compute element by element.

/// A quantity of every element of some slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// g(x).
    Value,
    /// E\[g\] and Var g from γ and ξ².
    Moments,
    /// E\[g\] and Var g, then the derivatives of the mean in γ and ξ², then those of the variance.
    Gradients,
    /// ln E\[g\] and ln Var g.
    Logs,
    /// ln E\[g\] and ln Var g with their derivatives, in the order of [`Gradients`](Self::Gradients).
    LogGradients,
    /// The cotangents of γ and ξ² from γ, ξ² and the cotangents of mean and variance.
    Pullback,
    /// For each parameter, the derivatives of mean, second moment and variance.
    Parameters,
}

impl Quantity {
    /// The quantity of this name of Python's interface.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "value" => Self::Value,
            "moments" => Self::Moments,
            "moments_grad" => Self::Gradients,
            "log_moments" => Self::Logs,
            "log_moments_grad" => Self::LogGradients,
            "vjp" => Self::Pullback,
            "parameter_grad" => Self::Parameters,
            _ => return None,
        })
    }

    /// The numbers of slices that it is computed from, and into, for an activation with some parameters.
    #[must_use]
    pub fn counts(self, parameters: usize) -> (usize, usize) {
        match self {
            Self::Value => (1, 1),
            Self::Moments | Self::Logs => (2, 2),
            Self::Gradients | Self::LogGradients => (2, 6),
            Self::Pullback => (4, 2),
            Self::Parameters => (2, 3 * parameters),
        }
    }
}
