//! Real numbers of a fixed precision.

use puremp::{FixedFloat, Float, RoundingMode::Nearest};

/// A binary floating-point number; an operation keeps the larger precision of its operands.
pub(crate) type Real = FixedFloat;

/// The working precision, 60 digits.
pub(crate) const BITS: u64 = 200;

/// An integer or a fraction of a power of two, to [`BITS`] bits.
pub(crate) fn real(value: f64) -> Real {
    with_bits(value, BITS)
}

/// The number `value`, exactly, with a precision of `bits` bits.
pub(crate) fn with_bits(value: f64, bits: u64) -> Real {
    Real::from_f64(value, bits, Nearest)
}

pub(crate) fn integer(value: usize) -> Real {
    real(value as f64)
}

pub(crate) fn pi(bits: u64) -> Real {
    Real::pi(bits, Nearest)
}

/// The complementary error function.
pub(crate) fn erfc(x: &Real) -> Real {
    Real::from_float(x.as_float().erfc(x.precision(), Nearest), Nearest)
}

pub(crate) fn ln_2() -> Real {
    Real::from_float(Float::ln2(BITS, Nearest), Nearest)
}

/// Σ_j c_j x^j.
pub(crate) fn polynomial(coefficients: &[Real], x: &Real) -> Real {
    coefficients.iter().rev().fold(real(0.0), |sum, c| &(&sum * x) + c)
}

/// The larger one.
pub(crate) fn max(a: Real, b: Real) -> Real {
    if b > a { b } else { a }
}
