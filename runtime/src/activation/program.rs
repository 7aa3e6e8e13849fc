//! Moments of one pre-activation by a program, with the bits of the compiled formulas.

use crate::kernel::quantities::log::LogMomentsGrad;
use crate::kernel::quantities::moments::{MomentsGrad, with_second_and_gradients};
use crate::kernel::{Kernel, logarithm, single};
use crate::program::{Formulas, Program};

impl Program {
    fn kernel(&self) -> Formulas<'_> {
        Formulas(self)
    }

    /// g(x).
    #[must_use]
    pub fn value(&self, x: f64) -> f64 {
        Kernel::value(&self.kernel(), x)
    }

    /// The moments and their derivatives in γ and ξ².
    #[must_use]
    pub fn moments_grad(&self, gamma: f64, xi2: f64) -> MomentsGrad<f64> {
        with_second_and_gradients(single::gradients(&self.kernel(), gamma, xi2))
    }

    /// The logarithms of mean and variance, and their derivatives in γ and ξ².
    #[must_use]
    pub fn log_moments_grad(&self, gamma: f64, xi2: f64) -> LogMomentsGrad<f64> {
        logarithm::log_gradients(&self.kernel(), self.is_nonnegative, gamma, xi2)
    }

    /// The derivatives in the parameters whose values the numbers of the program were computed from, as many as
    /// `out` has places.
    pub fn parameter_gradients(&self, gamma: f64, xi2: f64, out: &mut [[f64; 3]]) {
        single::parameter_gradients(&self.kernel(), gamma, xi2, out);
    }
}
