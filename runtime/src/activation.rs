//! The trait that every declared activation implements, and what its methods return.

use core::fmt;
use core::marker::PhantomData;

use crate::Float;
use crate::batch::{Batch, Pullback};
use crate::kernel::Kernel;
use crate::kernel::single;
use crate::quantities::log::{
    LogMoments, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut, ParameterGradMut,
};
use crate::quantities::{MeanAndVariance, WithDerivatives};
use crate::{logarithm, tabulated};

mod logs;

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
    /// In a precision, each rounded once.
    #[inline]
    pub(crate) fn rounded<T: Float>(self) -> Moments<T> {
        Moments {
            mean: T::from_f64(self.mean),
            second: T::from_f64(self.second),
            variance: T::from_f64(self.variance),
        }
    }
}

impl MomentsGrad<f64> {
    /// In a precision, each rounded once.
    #[inline]
    pub(crate) fn rounded<T: Float>(self) -> MomentsGrad<T> {
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

/// Where [`Activation::moments_grad_into`] writes: one slice for each quantity, all of the
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

/// An activation g with the moments of g(u) for a Normal pre-activation u ~ N(γ, ξ²).
///
/// `gamma` is γ, the mean of the pre-activation, and `xi2` is ξ², its variance (not its
/// standard deviation). With ξ² = 0 the moments are g(γ), g(γ)² and 0, unless g jumps at γ; there they
/// and the derivatives everywhere are limits for ξ → 0⁺, infinite where the limit is. ξ² < 0, or NaN anywhere in the input,
/// gives NaN in every output. Slices of different lengths are a panic that names both lengths.
///
/// The moments are those of Jankowiak, "Closed Form Variational Objectives For Bayesian
/// Neural Networks with a Single Hidden Layer", Eq. 9, with γ and ξ² of Eq. 12.
pub trait Activation<T: Float> {
    /// The names of the declared parameters, in the order of the declaration.
    const PARAMETERS: &'static [&'static str];

    /// g(x).
    fn value(&self, x: T) -> T;

    /// E\[g\], E\[g²\] and Var g.
    fn moments(&self, gamma: T, xi2: T) -> Moments<T>;

    /// The moments and their derivatives in γ and ξ².
    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T>;

    /// Whether g(x) ≥ 0 for every x and every value of the parameters that is declared, so that E\[g\] has a
    /// logarithm. The generator decides it; where it finds no proof, false.
    fn is_nonnegative(&self) -> bool {
        false
    }

    /// ln E\[g\] and ln Var g, which are numbers where the moments underflow; −∞ where they are 0 by themselves.
    fn log_moments(&self, gamma: T, xi2: T) -> LogMoments<T> {
        self.log_moments_grad(gamma, xi2).log_moments()
    }

    /// The logarithms and their derivatives in γ and ξ², limits where the moments are 0.
    ///
    /// An implementation that does not say otherwise takes the logarithms of what
    /// [`moments_grad`](Self::moments_grad) gives, which may have underflowed.
    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        let m = self.moments_grad(gamma, xi2);
        LogMomentsGrad::from_values(
            self.is_nonnegative(),
            [m.mean, m.dmean_dgamma, m.dmean_dxi2],
            [m.variance, m.dvariance_dgamma, m.dvariance_dxi2],
        )
    }

    /// The derivatives of the moments in the declared parameters, one entry of `out` for each
    /// name in [`PARAMETERS`](Self::PARAMETERS).
    ///
    /// # Panics
    ///
    /// If `out` has not as many entries as there are parameters.
    fn parameter_grad(&self, gamma: T, xi2: T, out: &mut [ParameterGrad<T>]);

    /// E\[g\] and Var g for every element of a batch.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        same_length("mean", mean.len(), n);
        same_length("variance", variance.len(), n);
        for i in 0..n {
            let m = self.moments(gamma[i], xi2[i]);
            mean[i] = m.mean;
            variance[i] = m.variance;
        }
    }

    /// E\[g\], Var g and their derivatives in γ and ξ² for every element of a batch.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        out.check_lengths(n);
        for i in 0..n {
            let m = self.moments_grad(gamma[i], xi2[i]);
            out.mean[i] = m.mean;
            out.variance[i] = m.variance;
            out.dmean_dgamma[i] = m.dmean_dgamma;
            out.dmean_dxi2[i] = m.dmean_dxi2;
            out.dvariance_dgamma[i] = m.dvariance_dgamma;
            out.dvariance_dxi2[i] = m.dvariance_dxi2;
        }
    }

    /// ln E\[g\] and ln Var g for every element of a batch: [`moments_into`](Self::moments_into), and one by one
    /// what underflows there.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn log_moments_into(&self, gamma: &[T], xi2: &[T], out: LogMomentsMut<'_, T>) {
        logs::moments(self, gamma, xi2, out);
    }

    /// The same with derivatives in γ and ξ².
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn log_moments_grad_into(&self, gamma: &[T], xi2: &[T], out: LogMomentsGradMut<'_, T>) {
        logs::gradients(self, gamma, xi2, out);
    }

    /// The derivatives in the declared parameters for every element of a batch, one entry of `out` for each name in
    /// [`PARAMETERS`](Self::PARAMETERS).
    ///
    /// # Panics
    ///
    /// If the slices differ in length, or `out` has not as many entries as there are parameters.
    fn parameter_grad_into(&self, gamma: &[T], xi2: &[T], out: &mut [ParameterGradMut<'_, T>]) {
        logs::parameters(self, gamma, xi2, out);
    }

    /// The vector-Jacobian product of (γ, ξ²) ↦ (E\[g\], Var g), element by element: what
    /// reverse-mode differentiation needs. `d_mean` and `d_variance` are the cotangents of the
    /// outputs; `d_gamma` and `d_xi2` are overwritten with those of the inputs.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn vjp_into(
        &self,
        gamma: &[T],
        xi2: &[T],
        d_mean: &[T],
        d_variance: &[T],
        d_gamma: &mut [T],
        d_xi2: &mut [T],
    ) {
        let inputs = [xi2.len(), d_mean.len(), d_variance.len()];
        check_pullback(gamma.len(), inputs, [d_gamma.len(), d_xi2.len()]);
        for i in 0..gamma.len() {
            let m = self.moments_grad(gamma[i], xi2[i]);
            d_gamma[i] = d_mean[i] * m.dmean_dgamma + d_variance[i] * m.dvariance_dgamma;
            d_xi2[i] = d_mean[i] * m.dmean_dxi2 + d_variance[i] * m.dvariance_dxi2;
        }
    }
}

/// What a kernel of gaussform is.
///
/// Single pre-activations are computed in double precision, also for `f32`, and rounded once. The
/// batched methods use AVX-512 or AVX2 where the machine has them, in the precision of the slices;
/// their results agree with the others to within the errors stated for kernels and do not depend
/// on the position in the slice.
impl<T: Float, K: Kernel> Activation<T> for K {
    const PARAMETERS: &'static [&'static str] = <K as Kernel>::PARAMETERS;

    #[inline]
    fn value(&self, x: T) -> T {
        T::from_f64(Kernel::value(self, x.to_f64()))
    }

    #[inline]
    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = if const { K::IS_TABLE } {
            self.with_table(|table| tabulated::moments(table, gamma, xi2))
        } else {
            single::moments(self, gamma, xi2)
        };
        single::with_second(values).rounded()
    }

    #[inline]
    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = if const { K::IS_TABLE } {
            self.with_table(|table| tabulated::gradients(table, gamma, xi2))
        } else {
            single::gradients(self, gamma, xi2)
        };
        single::with_second_and_gradients(values).rounded()
    }

    fn is_nonnegative(&self) -> bool {
        K::NONNEGATIVE
    }

    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = if const { K::IS_TABLE } {
            self.with_table(|table| tabulated::log_gradients(table, K::NONNEGATIVE, gamma, xi2))
        } else {
            logarithm::gradients(self, K::NONNEGATIVE, gamma, xi2)
        };
        values.rounded()
    }

    fn parameter_grad(&self, gamma: T, xi2: T, out: &mut [ParameterGrad<T>]) {
        let parameters = <K as Kernel>::PARAMETERS.len();
        assert!(
            out.len() == parameters,
            "`out` has {} elements but the activation has {parameters} parameters",
            out.len()
        );
        let mut gradients = [[0.0; 3]; MAX_PARAMETERS];
        let gradients = &mut gradients[..parameters];
        single::parameter_gradients(self, gamma.to_f64(), xi2.to_f64(), gradients);
        for (entry, gradient) in out.iter_mut().zip(gradients) {
            let [dmean, dsecond, dvariance] = gradient.map(T::from_f64);
            *entry = ParameterGrad { dmean, dsecond, dvariance };
        }
    }

    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        same_length("mean", mean.len(), n);
        same_length("variance", variance.len(), n);
        let (inputs, outputs) = ([gamma, xi2], [mean, variance]);
        if const { K::IS_TABLE } {
            return self.with_table(|table| T::moments_of(table, inputs, outputs));
        }
        T::dispatch(Batch { kernel: self, step: PhantomData::<MeanAndVariance>, inputs, outputs });
    }

    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        out.check_lengths(n);
        let (inputs, outputs) = ([gamma, xi2], out.into_slices());
        if const { K::IS_TABLE } {
            return self.with_table(|table| T::gradients_of(table, inputs, outputs));
        }
        T::dispatch(Batch { kernel: self, step: PhantomData::<WithDerivatives>, inputs, outputs });
    }

    fn vjp_into(
        &self,
        gamma: &[T],
        xi2: &[T],
        d_mean: &[T],
        d_variance: &[T],
        d_gamma: &mut [T],
        d_xi2: &mut [T],
    ) {
        let inputs = [xi2.len(), d_mean.len(), d_variance.len()];
        check_pullback(gamma.len(), inputs, [d_gamma.len(), d_xi2.len()]);
        let (inputs, outputs) = ([gamma, xi2, d_mean, d_variance], [d_gamma, d_xi2]);
        if const { K::IS_TABLE } {
            return self.with_table(|table| T::pullback_of(table, inputs, outputs));
        }
        T::dispatch(Batch { kernel: self, step: PhantomData::<Pullback>, inputs, outputs });
    }
}

/// The largest number of parameters that a declaration can have.
pub(crate) const MAX_PARAMETERS: usize = 8;

impl<'a, T> MomentsGradMut<'a, T> {
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

/// A parameter's value lies outside the domain that its declaration states, or does not stand in
/// the declared relation to the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainError {
    /// The activation's type.
    pub activation: &'static str,
    /// The parameter's name; of the parameters in a relation, the last.
    pub parameter: &'static str,
    /// The declared domain or relation, as written: `eps in (0, 1)`, `a < b`.
    pub domain: &'static str,
    /// The value given.
    pub value: f64,
}

impl fmt::Display for DomainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: parameter `{}` is declared with `{}`, but its value is {}",
            self.activation, self.parameter, self.domain, self.value
        )
    }
}

impl core::error::Error for DomainError {}
