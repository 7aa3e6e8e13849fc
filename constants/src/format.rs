//! The precisions that constants are rounded to.

use std::fmt::{Debug, LowerExp};
use std::ops::{Div, Mul};

use crate::number::Real;

/// f64 or f32.
pub(crate) trait Format:
    Copy + Debug + LowerExp + Mul<Output = Self> + Div<Output = Self>
{
    const NAME: &'static str;
    /// The distance in units of ξ up to which fits are measured; beyond, the start of a recurrence is damped
    /// to nothing.
    const FARTHEST: f64;
    /// The number of bits that a constant may have to be multiplied exactly by the exponents of
    /// results: what they leave of the significand.
    const SPLIT: u32;

    /// The nearest one; the number must not be subnormal or too large.
    fn nearest(value: &Real) -> Self;
    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// self · a + b, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The distance to the next larger number.
    fn ulp(self) -> f64;
}

macro_rules! format_of {
    ($type:ident, $farthest:expr, $split:expr) => {
        impl Format for $type {
            const NAME: &'static str = stringify!($type);
            const FARTHEST: f64 = $farthest;
            const SPLIT: u32 = $split;

            fn nearest(value: &Real) -> Self {
                value.with_precision(Self::MANTISSA_DIGITS.into()).to_f64() as Self
            }
            fn from_f64(value: f64) -> Self {
                value as Self
            }
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn mul_add(self, a: Self, b: Self) -> Self {
                self.mul_add(a, b)
            }
            fn ulp(self) -> f64 {
                (self.next_up() - self).into()
            }
        }
    };
}
format_of!(f64, 64.0, 39);
format_of!(f32, 24.0, 13);
