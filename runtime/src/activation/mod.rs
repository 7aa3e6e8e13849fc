//! The trait that every declared activation implements, and its implementation for every kernel.
//!
//! One pre-activation is computed in double precision and rounded once. Slices are computed in vectors
//! ([`batch`](crate::batch)); a table goes through the code that this crate has for tables
//! ([`tabulated`]).

use core::fmt;
use core::marker::PhantomData;

use crate::Float;
use crate::batch::Pullback;
use crate::kernel::quantities::log::{
    LogMoments, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut,
};
use crate::kernel::quantities::moments::{
    Moments, MomentsGrad, MomentsGradMut, ParameterGrad, ParameterGradMut, check_moments,
    check_pullback, same_length, with_second, with_second_and_gradients,
};
use crate::kernel::quantities::{MeanAndVariance, WithDerivatives};
use crate::kernel::{
    Kernel, MAX_PARAMETERS, has_parameters, is_compiled_table, is_table, logarithm, single,
};
use crate::slices::{of_table, run_batch};
use crate::tabulated;

mod logs;
mod parameters;

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

    /// E\[g\], E\[g²\] and Var g, for a finite mean γ and a variance ξ² ≥ 0. At ξ² = 0 they are the limits; all else gives NaN.
    fn moments(&self, gamma: T, xi2: T) -> Moments<T>;

    /// The [moments](Self::moments) and their derivatives in γ and ξ².
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

    /// E\[g\] and Var g for every element of a batch, as [`moments`](Self::moments) has them for one.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        check_moments(gamma, xi2, mean, variance);
        for i in 0..gamma.len() {
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

    /// ln E\[g\] and ln Var g with their derivatives in γ and ξ², for every element of a batch:
    /// [`moments_grad_into`](Self::moments_grad_into), and [`log_moments_grad`](Self::log_moments_grad) where few
    /// digits are left.
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
        parameters::one_by_one(self, gamma, xi2, out);
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

/// Every [`Kernel`] is an [`Activation`] in both precisions.
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
        let values = if const { is_table::<K>() } {
            self.with_table(|table| tabulated::moments(table, gamma, xi2))
        } else {
            single::moments(self, gamma, xi2)
        };
        with_second(values).rounded()
    }

    #[inline]
    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = if const { is_table::<K>() } {
            self.with_table(|table| tabulated::gradients(table, gamma, xi2))
        } else {
            single::gradients(self, gamma, xi2)
        };
        with_second_and_gradients(values).rounded()
    }

    fn is_nonnegative(&self) -> bool {
        K::NONNEGATIVE
    }

    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = if const { is_table::<K>() } {
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
        if const { has_parameters::<K>() } {
            let mut gradients = [[0.0; 3]; MAX_PARAMETERS];
            let gradients = &mut gradients[..parameters];
            single::parameter_gradients(self, gamma.to_f64(), xi2.to_f64(), gradients);
            for (entry, gradient) in out.iter_mut().zip(gradients) {
                let [dmean, dsecond, dvariance] = gradient.map(T::from_f64);
                *entry = ParameterGrad { dmean, dsecond, dvariance };
            }
        }
    }

    fn parameter_grad_into(&self, gamma: &[T], xi2: &[T], out: &mut [ParameterGradMut<'_, T>]) {
        parameters::by_table(self, gamma, xi2, out);
    }

    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        check_moments(gamma, xi2, mean, variance);
        let (step, slices) = (PhantomData::<MeanAndVariance>, ([gamma, xi2], [mean, variance]));
        if const { is_compiled_table::<K>() } {
            return self.with_table(|table| of_table((table, table.degree), step, slices));
        }
        run_batch(self, step, slices);
    }

    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        out.check_lengths(n);
        let (step, slices) = (PhantomData::<WithDerivatives>, ([gamma, xi2], out.into_slices()));
        if const { is_compiled_table::<K>() } {
            return self.with_table(|table| of_table((table, table.degree), step, slices));
        }
        run_batch(self, step, slices);
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
        let slices = ([gamma, xi2, d_mean, d_variance], [d_gamma, d_xi2]);
        let step = PhantomData::<Pullback>;
        if const { is_compiled_table::<K>() } {
            return self.with_table(|table| of_table((table, table.degree), step, slices));
        }
        run_batch(self, step, slices);
    }
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
