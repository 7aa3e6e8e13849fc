//! The two floating-point types that kernels are generated for.

use core::fmt::{Debug, Display};
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::accuracy::Accuracy;
use crate::precision::Precision;
use crate::typed::Typed;

/// A floating-point type that kernels are generated for: `f32` or `f64`.
///
/// The trait is sealed; it holds just what generic code over [`Activation`](crate::Activation)
/// needs.
pub trait Float:
    Precision
    + Typed
    + Accuracy<Scalar = Self>
    + Copy
    + Debug
    + Display
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The number 0.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// Not a number.
    const NAN: Self;
    /// Positive infinity.
    const INFINITY: Self;

    /// The nearest value of this type.
    fn from_f64(value: f64) -> Self;
    /// The value in double precision, exactly.
    fn to_f64(self) -> f64;
    /// |x|.
    fn abs(self) -> Self;
    /// √x, correctly rounded; NaN for x < 0.
    fn sqrt(self) -> Self;
    /// The larger one; the other where one is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller one; the other where one is NaN.
    fn min(self, other: Self) -> Self;
    /// The nearest number from `low` to `high`.
    ///
    /// # Panics
    ///
    /// If `low` > `high` or one of them is NaN.
    fn clamp(self, low: Self, high: Self) -> Self;
    /// Whether the value is neither infinite nor NaN.
    fn is_finite(self) -> bool;
}

macro_rules! float {
    ($T:ident, $sqrt:path) => {
        impl Float for $T {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const NAN: Self = $T::NAN;
            const INFINITY: Self = $T::INFINITY;

            #[inline]
            fn from_f64(value: f64) -> Self {
                value as $T
            }
            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline]
            fn abs(self) -> Self {
                $T::abs(self)
            }
            #[inline]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline]
            fn max(self, other: Self) -> Self {
                $T::max(self, other)
            }
            #[inline]
            fn min(self, other: Self) -> Self {
                $T::min(self, other)
            }
            #[inline]
            fn clamp(self, low: Self, high: Self) -> Self {
                $T::clamp(self, low, high)
            }
            #[inline]
            fn is_finite(self) -> bool {
                $T::is_finite(self)
            }
        }
    };
}

float!(f32, libm::sqrtf);
float!(f64, libm::sqrt);
