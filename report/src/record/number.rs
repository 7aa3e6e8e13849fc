//! Exact numbers as text.

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::Rational;
use num_bigint::BigInt;
use num_traits::{Pow, Signed, Zero};

use super::ReadError;

/// Digits of a decimal behind the point.
const DIGITS: u32 = 20;
/// Longer numbers do not come from a derivation.
const LENGTH: usize = 100_000;

/// `3`, `-1/2`.
pub(super) fn write(value: &Rational) -> String {
    value.to_string()
}

pub(super) fn read(text: &str) -> Result<Rational, ReadError> {
    let wrong = || ReadError::Number(text.chars().take(40).collect());
    if text.len() > LENGTH {
        return Err(wrong());
    }
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let parse = |digits: &str| digits.parse::<BigInt>().map_err(|_| wrong());
    let (above, below) = (parse(above)?, parse(below)?);
    if below.is_zero() { Err(wrong()) } else { Ok(Rational::new(above, below)) }
}

/// The decimals of a place that is a number, cut off.
pub(crate) fn decimal(knot: &Knot) -> Option<String> {
    let (lower, _) = knot.enclosure(4 * DIGITS + 8)?;
    let scale: BigInt = Pow::pow(BigInt::from(10), DIGITS);
    let digits = (lower.abs() * Rational::from(scale)).to_integer().to_string();
    let digits = format!("{digits:0>width$}", width = DIGITS as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - DIGITS as usize);
    let fraction = fraction.trim_end_matches('0');
    let sign = if lower.is_negative() { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}
