//! The methods of an activation that is given by a [`Table`], compiled once, in this crate: a program with any number
//! of such activations has their numbers and no code of its own for them.

pub(crate) mod slices;

use crate::activation::{check_pullback, same_length};
use crate::kernel::pieces::Table;
use crate::kernel::{pieces, single};
use crate::logarithm;
use crate::{
    Activation, Float, LogMomentsGrad, Moments, MomentsGrad, MomentsGradMut, ParameterGrad,
};

/// Mean and variance of one pre-activation.
pub(crate) fn moments(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 2] {
    single::moments(&pieces::Sum(*table), gamma, xi2)
}

/// The same with derivatives.
pub(crate) fn gradients(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
    single::gradients(&pieces::Sum(*table), gamma, xi2)
}

/// The logarithms with derivatives.
pub(crate) fn log_gradients(
    table: &Table<'_>,
    is_nonnegative: bool,
    gamma: f64,
    xi2: f64,
) -> LogMomentsGrad<f64> {
    logarithm::gradients(&pieces::Sum(*table), is_nonnegative, gamma, xi2)
}

impl Table<'_> {
    /// The logarithms with derivatives, of a function that is known to be nowhere negative or not to be.
    pub fn log_moments_grad_if<T: Float>(
        &self,
        is_nonnegative: bool,
        gamma: T,
        xi2: T,
    ) -> LogMomentsGrad<T> {
        log_gradients(self, is_nonnegative, gamma.to_f64(), xi2.to_f64()).rounded()
    }
}

/// A piecewise polynomial without parameters, with any number of knots.
impl<T: Float> Activation<T> for Table<'_> {
    const PARAMETERS: &'static [&'static str] = &[];

    fn value(&self, x: T) -> T {
        T::from_f64(Table::value(self, x.to_f64()))
    }

    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        single::with_second(moments(self, gamma.to_f64(), xi2.to_f64())).rounded()
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let values = gradients(self, gamma.to_f64(), xi2.to_f64());
        single::with_second_and_gradients(values).rounded()
    }

    fn log_moments_grad(&self, gamma: T, xi2: T) -> LogMomentsGrad<T> {
        self.log_moments_grad_if(Activation::<T>::is_nonnegative(self), gamma, xi2)
    }

    fn parameter_grad(&self, _: T, _: T, out: &mut [ParameterGrad<T>]) {
        assert!(
            out.is_empty(),
            "`out` has {} elements but the activation has 0 parameters",
            out.len()
        );
    }

    fn moments_into(&self, gamma: &[T], xi2: &[T], mean: &mut [T], variance: &mut [T]) {
        let n = gamma.len();
        same_length("xi2", xi2.len(), n);
        same_length("mean", mean.len(), n);
        same_length("variance", variance.len(), n);
        T::moments_of(self, [gamma, xi2], [mean, variance]);
    }

    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        same_length("xi2", xi2.len(), gamma.len());
        out.check_lengths(gamma.len());
        T::gradients_of(self, [gamma, xi2], out.into_slices());
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
        T::pullback_of(self, [gamma, xi2, d_mean, d_variance], [d_gamma, d_xi2]);
    }
}
