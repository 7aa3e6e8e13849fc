//! Exact numbers: rationals of any size.

use num_bigint::BigInt;
use num_traits::{Pow, Zero};

/// A rational number of any size.
pub type Rational = num_rational::BigRational;

/// The rational n/d.
///
/// # Panics
///
/// If `d` is zero.
#[must_use]
pub fn ratio(n: i64, d: i64) -> Rational {
    Rational::new(BigInt::from(n), BigInt::from(d))
}

/// The integer n.
#[must_use]
pub fn integer(n: i64) -> Rational {
    Rational::from_integer(BigInt::from(n))
}

/// n! as a rational.
#[must_use]
pub fn factorial(n: u32) -> Rational {
    Rational::from_integer((1..=n).fold(BigInt::from(1), |product, k| product * k))
}

/// How many bits the larger of numerator and denominator has.
#[must_use]
pub fn bits(value: &Rational) -> u64 {
    value.numer().bits().max(value.denom().bits())
}

/// The exact value of a decimal literal such as `0.01`, `3`, `1e-3` or `2.5E4`.
///
/// `None` if the text is no such literal or its exponent is beyond ±`max_exponent`.
#[must_use]
pub fn decimal(text: &str, max_exponent: u32) -> Option<Rational> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits: BigInt =
        if whole.is_empty() { fraction.parse() } else { format!("{whole}{fraction}").parse() }
            .ok()?;
    if digits.is_zero() {
        return Some(Rational::zero());
    }
    let power = exponent - i64::try_from(fraction.len()).ok()?;
    let size = u32::try_from(power.unsigned_abs()).ok().filter(|p| *p <= max_exponent)?;
    let scale = Pow::pow(BigInt::from(10), size);
    Some(match power {
        0.. => Rational::from_integer(digits * scale),
        _ => Rational::new(digits, scale),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0.01", 400), Some(ratio(1, 100)));
        assert_eq!(decimal("2.5e3", 400), Some(integer(2500)));
        assert_eq!(decimal(".5", 400), Some(ratio(1, 2)));
        assert_eq!(decimal("6.", 400), Some(integer(6)));
        assert_eq!(decimal("1e-3", 400), Some(ratio(1, 1000)));
        assert_eq!(decimal("1e999999999", 400), None);
        assert_eq!(decimal(".", 400), None);
    }
}
