//! The moments by name, and the slices that batches of them go into.

use crate::Float;

/// The first two moments of g(u) for u ~ N(γ, ξ²).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments<T> {
    /// E\[g(u)\].
    pub mean: T,
    /// E\[g(u)²\].
    pub second: T,
    /// Var g(u) = E\[g(u)²\] − E\[g(u)\]², computed without that subtraction.
    pub variance: T,
}

/// [`Moments`] with their partial derivatives in γ and ξ².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentsGrad<T> {
    /// E\[g(u)\].
    pub mean: T,
    /// E\[g(u)²\].
    pub second: T,
    /// Var g(u).
    pub variance: T,
    /// ∂E\[g\]/∂γ = E\[g′(u)\].
    pub dmean_dgamma: T,
    /// ∂E\[g\]/∂ξ² = ½ E\[g″(u)\].
    pub dmean_dxi2: T,
    /// ∂Var g/∂γ.
    pub dvariance_dgamma: T,
    /// ∂Var g/∂ξ².
    pub dvariance_dxi2: T,
}

impl Moments<f64> {
    /// The moments in the precision `T`, each rounded once.
    #[inline]
    #[must_use]
    pub fn rounded<T: Float>(self) -> Moments<T> {
        Moments {
            mean: T::from_f64(self.mean),
            second: T::from_f64(self.second),
            variance: T::from_f64(self.variance),
        }
    }
}

impl MomentsGrad<f64> {
    /// The moments and their derivatives in the precision `T`, each rounded once.
    #[inline]
    #[must_use]
    pub fn rounded<T: Float>(self) -> MomentsGrad<T> {
        MomentsGrad {
            mean: T::from_f64(self.mean),
            second: T::from_f64(self.second),
            variance: T::from_f64(self.variance),
            dmean_dgamma: T::from_f64(self.dmean_dgamma),
            dmean_dxi2: T::from_f64(self.dmean_dxi2),
            dvariance_dgamma: T::from_f64(self.dvariance_dgamma),
            dvariance_dxi2: T::from_f64(self.dvariance_dxi2),
        }
    }
}

impl<T: Float> MomentsGrad<T> {
    /// The moments alone.
    #[inline]
    pub fn moments(&self) -> Moments<T> {
        Moments { mean: self.mean, second: self.second, variance: self.variance }
    }

    /// Mean, second moment, variance, ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ, ∂variance/∂ξ².
    #[inline]
    pub fn to_array(&self) -> [T; 7] {
        [
            self.mean,
            self.second,
            self.variance,
            self.dmean_dgamma,
            self.dmean_dxi2,
            self.dvariance_dgamma,
            self.dvariance_dxi2,
        ]
    }

    /// ∂E\[g²\]/∂γ.
    #[inline]
    pub fn dsecond_dgamma(&self) -> T {
        self.dvariance_dgamma + (self.mean + self.mean) * self.dmean_dgamma
    }

    /// ∂E\[g²\]/∂ξ².
    #[inline]
    pub fn dsecond_dxi2(&self) -> T {
        self.dvariance_dxi2 + (self.mean + self.mean) * self.dmean_dxi2
    }
}

/// Where [`moments_grad_into`](crate::Activation::moments_grad_into) writes: one slice for each quantity, all of the
/// length of the input.
#[derive(Debug)]
pub struct MomentsGradMut<'a, T> {
    /// E\[g\].
    pub mean: &'a mut [T],
    /// Var g.
    pub variance: &'a mut [T],
    /// ∂E\[g\]/∂γ.
    pub dmean_dgamma: &'a mut [T],
    /// ∂E\[g\]/∂ξ².
    pub dmean_dxi2: &'a mut [T],
    /// ∂Var g/∂γ.
    pub dvariance_dgamma: &'a mut [T],
    /// ∂Var g/∂ξ².
    pub dvariance_dxi2: &'a mut [T],
}

impl<'a, T> MomentsGradMut<'a, T> {
    /// The slices in the order of the fields.
    #[must_use]
    pub fn new(slices: [&'a mut [T]; 6]) -> Self {
        let [mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2] = slices;
        Self { mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2 }
    }

    /// The slices in the order of the fields.
    #[inline]
    pub(crate) fn into_slices(self) -> [&'a mut [T]; 6] {
        let Self { mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2 } =
            self;
        [mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2]
    }

    #[track_caller]
    pub(crate) fn check_lengths(&self, n: usize) {
        same_length("mean", self.mean.len(), n);
        same_length("variance", self.variance.len(), n);
        same_length("dmean_dgamma", self.dmean_dgamma.len(), n);
        same_length("dmean_dxi2", self.dmean_dxi2.len(), n);
        same_length("dvariance_dgamma", self.dvariance_dgamma.len(), n);
        same_length("dvariance_dxi2", self.dvariance_dxi2.len(), n);
    }
}

/// The partial derivatives of the moments in one declared parameter θ of the activation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ParameterGrad<T> {
    /// ∂E\[g\]/∂θ.
    pub dmean: T,
    /// ∂E\[g²\]/∂θ.
    pub dsecond: T,
    /// ∂Var g/∂θ.
    pub dvariance: T,
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

/// The second moment with the other two.
pub(crate) fn with_second([mean, variance]: [f64; 2]) -> Moments<f64> {
    Moments { mean, second: variance + mean * mean, variance }
}

/// The second moment with everything else.
pub(crate) fn with_second_and_gradients(values: [f64; 6]) -> MomentsGrad<f64> {
    let [mean, variance, dmean_dgamma, dmean_dxi2, dvariance_dgamma, dvariance_dxi2] = values;
    let second = variance + mean * mean;
    MomentsGrad {
        mean,
        second,
        variance,
        dmean_dgamma,
        dmean_dxi2,
        dvariance_dgamma,
        dvariance_dxi2,
    }
}

#[track_caller]
pub(crate) fn check_moments<T>(gamma: &[T], xi2: &[T], mean: &[T], variance: &[T]) {
    for (name, slice) in [("xi2", xi2), ("mean", mean), ("variance", variance)] {
        same_length(name, slice.len(), gamma.len());
    }
}

#[track_caller]
pub(crate) fn check_pullback(n: usize, inputs: [usize; 3], outputs: [usize; 2]) {
    for (name, length) in ["xi2", "d_mean", "d_variance"].into_iter().zip(inputs) {
        same_length(name, length, n);
    }
    for (name, length) in ["d_gamma", "d_xi2"].into_iter().zip(outputs) {
        same_length(name, length, n);
    }
}

#[track_caller]
pub(crate) fn same_length(name: &str, length: usize, gamma: usize) {
    assert!(
        length == gamma,
        "`{name}` has {length} elements but `gamma` has {gamma}; the slices must have the same length"
    );
}
