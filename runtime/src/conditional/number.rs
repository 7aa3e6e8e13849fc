//! The numbers that conditional moments are computed with: double precision, also with wide exponents.

use crate::kernel::single::Far;
use crate::lanes::Lanes;

/// One number.
pub(super) trait Number: Lanes<Scalar = f64, Mask = bool> {
    /// The nearest `f64`.
    fn to_f64(self) -> f64;
    /// The natural logarithm.
    fn ln(self) -> f64;
}

impl Number for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn ln(self) -> f64 {
        Far::splat(self).ln()
    }
}

impl Number for Far {
    fn to_f64(self) -> f64 {
        Self::to_f64(self)
    }
    fn ln(self) -> f64 {
        Self::ln(self)
    }
}
