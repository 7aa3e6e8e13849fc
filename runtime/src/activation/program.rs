//! A program as an activation, compiled with this crate.

use core::marker::PhantomData;

use super::Activation;
use crate::Float;
use crate::batch::{Batch, Pullback};
use crate::kernel::{Kernel, logarithm, single};
use crate::lanes::dispatch::Vectors;
use crate::program::{Formulas, Program};
use crate::quantities::log::LogMomentsGrad;
use crate::quantities::moments::{
    Moments, MomentsGrad, MomentsGradMut, ParameterGrad, check_pullback, same_length, with_second,
    with_second_and_gradients,
};
use crate::quantities::{MeanAndVariance, WithDerivatives};

impl Program {
    /// One number: the same whatever vectors do.
    fn kernel(&self) -> Formulas<'_, false> {
        Formulas(self)
    }

    /// The derivatives in the parameters whose values the numbers of the program were computed from, as many as
    /// `out` has places.
    pub fn parameter_gradients(&self, gamma: f64, xi2: f64, out: &mut [[f64; 3]]) {
        single::parameter_gradients(&self.kernel(), gamma, xi2, out);
    }
}

/// Does a step over slices with the kernel that fits.
macro_rules! dispatch {
    ($T:ident, $program:ident, $step:ident, $inputs:expr, $outputs:expr) => {{
        let (step, inputs, outputs) = (PhantomData::<$step>, $inputs, $outputs);
        if $program.is_own {
            let kernel = &Formulas::<true>($program);
            $T::dispatch(Batch { kernel, step, inputs, outputs });
        } else {
            let kernel = &Formulas::<false>($program);
            $T::dispatch(Batch { kernel, step, inputs, outputs });
        }
    }};
}

macro_rules! activation {
    ($T:ident) => {
        /// Slices need a program that [has vectors](Program::has_vectors).
        impl Activation<$T> for Program {
            const PARAMETERS: &'static [&'static str] = &[];

            fn value(&self, x: $T) -> $T {
                $T::from_f64(Kernel::value(&self.kernel(), x.to_f64()))
            }

            fn moments(&self, gamma: $T, xi2: $T) -> Moments<$T> {
                let values = single::moments(&self.kernel(), gamma.to_f64(), xi2.to_f64());
                with_second(values).rounded()
            }

            fn moments_grad(&self, gamma: $T, xi2: $T) -> MomentsGrad<$T> {
                let values = single::gradients(&self.kernel(), gamma.to_f64(), xi2.to_f64());
                with_second_and_gradients(values).rounded()
            }

            fn is_nonnegative(&self) -> bool {
                self.is_nonnegative
            }

            fn log_moments_grad(&self, gamma: $T, xi2: $T) -> LogMomentsGrad<$T> {
                logarithm::log_gradients(&self.kernel(), self.is_nonnegative, gamma, xi2)
            }

            fn parameter_grad(&self, _: $T, _: $T, out: &mut [ParameterGrad<$T>]) {
                assert!(
                    out.is_empty(),
                    "`out` has {} elements but the activation has 0 parameters",
                    out.len()
                );
            }

            fn moments_into(&self, gamma: &[$T], xi2: &[$T], mean: &mut [$T], variance: &mut [$T]) {
                let n = gamma.len();
                same_length("xi2", xi2.len(), n);
                same_length("mean", mean.len(), n);
                same_length("variance", variance.len(), n);
                dispatch!($T, self, MeanAndVariance, [gamma, xi2], [mean, variance]);
            }

            fn moments_grad_into(&self, gamma: &[$T], xi2: &[$T], out: MomentsGradMut<'_, $T>) {
                same_length("xi2", xi2.len(), gamma.len());
                out.check_lengths(gamma.len());
                dispatch!($T, self, WithDerivatives, [gamma, xi2], out.into_slices());
            }

            fn vjp_into(
                &self,
                gamma: &[$T],
                xi2: &[$T],
                d_mean: &[$T],
                d_variance: &[$T],
                d_gamma: &mut [$T],
                d_xi2: &mut [$T],
            ) {
                let inputs = [xi2.len(), d_mean.len(), d_variance.len()];
                check_pullback(gamma.len(), inputs, [d_gamma.len(), d_xi2.len()]);
                let inputs = [gamma, xi2, d_mean, d_variance];
                dispatch!($T, self, Pullback, inputs, [d_gamma, d_xi2]);
            }
        }
    };
}
activation!(f64);
activation!(f32);
