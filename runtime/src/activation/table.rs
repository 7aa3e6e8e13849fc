//! A table as an activation: mean, variance and derivatives by the sum over its pieces, compiled with this crate.

use super::Activation;
use crate::Float;
use crate::kernel::pieces::Table;
use crate::kernel::quantities::log::LogMomentsGrad;
use crate::kernel::quantities::moments::{
    Moments, MomentsGrad, MomentsGradMut, ParameterGrad, check_moments, check_pullback,
    same_length, with_second, with_second_and_gradients,
};
use crate::slices::{gradients_of, moments_of, pullback_of};
use crate::tabulated;

/// A piecewise polynomial without parameters, with any number of knots.
impl<T: Float> Activation<T> for Table<'_> {
    const PARAMETERS: &'static [&'static str] = &[];

    fn value(&self, x: T) -> T {
        T::from_f64(Table::value(self, x.to_f64()))
    }

    fn moments(&self, gamma: T, xi2: T) -> Moments<T> {
        with_second(tabulated::moments(self, gamma.to_f64(), xi2.to_f64())).rounded()
    }

    fn moments_grad(&self, gamma: T, xi2: T) -> MomentsGrad<T> {
        let values = tabulated::gradients(self, gamma.to_f64(), xi2.to_f64());
        with_second_and_gradients(values).rounded()
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
        check_moments(gamma, xi2, mean, variance);
        moments_of(self, ([gamma, xi2], [mean, variance]));
    }

    fn moments_grad_into(&self, gamma: &[T], xi2: &[T], out: MomentsGradMut<'_, T>) {
        same_length("xi2", xi2.len(), gamma.len());
        out.check_lengths(gamma.len());
        gradients_of(self, ([gamma, xi2], out.into_slices()));
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
        pullback_of(self, ([gamma, xi2, d_mean, d_variance], [d_gamma, d_xi2]));
    }
}
