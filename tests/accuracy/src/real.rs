//! Numbers of many bits.

use puremp::{FixedFloat, Float, Int, Rational, RoundingMode::Nearest};

/// A number of as many bits as it was made with; a result has as many as the longer operand.
pub type Real = FixedFloat;

/// The bits of the tables of functions: so many that what should be 0 can be told from what is
/// small.
pub const TABLE: u64 = 1400;

/// 0.
#[must_use]
pub fn zero(bits: u64) -> Real {
    Real::zero(bits, Nearest)
}

/// 1.
#[must_use]
pub fn one(bits: u64) -> Real {
    integer(1, bits)
}

/// A small integer.
///
/// # Panics
///
/// If it is not small.
#[must_use]
pub fn integer(n: usize, bits: u64) -> Real {
    Real::from_int(&Int::from_i64(i64::try_from(n).expect("a small integer")), bits, Nearest)
}

/// The double `x`, exactly, with a precision of `bits` bits.
#[must_use]
pub fn float(x: f64, bits: u64) -> Real {
    Real::from_f64(x, bits, Nearest)
}

/// A rational such as `-1/3` or `0.25`, to [`TABLE`] bits.
///
/// # Panics
///
/// If the text is none.
#[must_use]
pub fn ratio(text: &str) -> Real {
    let rational: Rational = text.parse().expect("a rational");
    Real::from_float(Float::from_rational(&rational, TABLE, Nearest), Nearest)
}

/// A decimal such as `1.25e-30`; 0 below 10⁻⁵⁰⁰⁰.
///
/// # Panics
///
/// If the text is none.
#[must_use]
pub fn decimal(text: &str, bits: u64) -> Real {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits = ratio(digits).with_precision(bits);
    // Some have 100 digits.
    let exponent: f64 = exponent.parse().expect("an exponent");
    if exponent < -5000.0 {
        return zero(bits);
    }
    let mut power = one(bits);
    let mut left = exponent.abs();
    while left > 0.0 {
        power = &power * &integer(10, bits);
        left -= 1.0;
    }
    if exponent < 0.0 { &digits / &power } else { &digits * &power }
}

/// The least e with |x| < 2ᵉ; the least integer for 0.
#[must_use]
pub fn exponent(x: &Real) -> i64 {
    let precision = i64::try_from(x.precision()).unwrap_or(i64::MAX);
    x.as_float().exponent().map_or(i64::MIN, |e| e.saturating_add(precision))
}

/// The nearest number, infinite or 0 beyond the range. (What the library offers overflows for many
/// bits.)
#[must_use]
pub fn to_f64(x: &Real) -> f64 {
    let rounded = x.as_float().round(53, Nearest);
    let (Some(exponent), Some(digits)) =
        (rounded.exponent(), rounded.significand().and_then(|digits| digits.to_u64()))
    else {
        return x.as_float().to_f64();
    };
    let exponent = exponent.clamp(-10_000, 10_000);
    #[allow(clippy::cast_precision_loss, reason = "53 bits")]
    let magnitude = libm::scalbn(digits as f64, i32::try_from(exponent).unwrap_or(0));
    if rounded.is_sign_negative() { -magnitude } else { magnitude }
}

/// The nearest number and what it leaves.
#[must_use]
pub fn to_pair(x: &Real) -> [f64; 2] {
    let high = to_f64(x);
    if !high.is_finite() {
        return [high, 0.0];
    }
    [high, to_f64(&(x - &float(high, x.precision())))]
}
