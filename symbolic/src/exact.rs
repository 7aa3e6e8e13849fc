//! Exact numbers: rationals of any size.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Pow, ToPrimitive, Zero};

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

/// The greatest common divisor, by Lehmer's method: Euclid's quotients, as many at a time as the leading digits tell.
///
/// Nearly all of the time of exact arithmetic goes into these.
#[must_use]
pub fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    if let (Some(a), Some(b)) = (a.magnitude().to_u64(), b.magnitude().to_u64()) {
        return BigInt::from(a.gcd(&b));
    }
    let (mut a, mut b) = (BigInt::from(a.magnitude().clone()), BigInt::from(b.magnitude().clone()));
    if a < b {
        (a, b) = (b, a);
    }
    while b.bits() > 64 {
        (a, b) = match cofactors(a.magnitude(), b.magnitude()) {
            Some([[p, q], [r, s]]) => (&a * p + &b * q, &a * r + &b * s),
            None => {
                let rest = &a % &b;
                (b, rest)
            }
        };
    }
    // Now b has a word at most, so after one division both numbers have.
    if b.is_zero() {
        return a;
    }
    let rest = &a % &b;
    let [b, rest] = [b, rest].map(|small| small.magnitude().to_u64().unwrap_or_default());
    BigInt::from(b.gcd(&rest))
}

/// The matrix \[\[p, q\], \[r, s\]\] of several steps of Euclid's algorithm: (a, b) becomes (p a + q b, r a + s b).
/// `None` if the leading digits of a ≥ b do not determine one step (Lehmer's algorithm).
fn cofactors(a: &BigUint, b: &BigUint) -> Option<[[i64; 2]; 2]> {
    // So few that no sum of two such numbers overflows.
    const DIGITS: u64 = 61;
    let shift = a.bits().saturating_sub(DIGITS);
    let [mut x, mut y] = [a, b].map(|n| (n >> shift).to_i64().unwrap_or(0));
    let ([mut p, mut q], [mut r, mut s]) = ([1_i64, 0], [0_i64, 1]);
    // A quotient is right if both bounds of the digits that were left out give it.
    while y + r != 0 && y + s != 0 {
        let quotient = (x + p) / (y + r);
        if quotient != (x + q) / (y + s) {
            break;
        }
        let after = |a: i64, b: i64| a.checked_sub(quotient.checked_mul(b)?);
        let Some((next, other)) = after(p, r).zip(after(q, s)) else { break };
        (p, r, q, s) = (r, next, s, other);
        (x, y) = (y, x - quotient * y);
    }
    (q != 0).then_some([[p, q], [r, s]])
}

/// n/d for d > 0, in lowest terms.
pub(crate) fn reduced(numerator: BigInt, denominator: BigInt) -> Rational {
    if denominator.is_one() {
        return Rational::from_integer(numerator);
    }
    let common = gcd(&numerator, &denominator);
    if common.is_one() {
        return Rational::new_raw(numerator, denominator);
    }
    Rational::new_raw(numerator / &common, denominator / common)
}

/// The sum, with greatest common divisors of no more than the denominators and what they share.
pub(crate) fn sum(a: &Rational, b: &Rational) -> Rational {
    let (below, other) = (a.denom(), b.denom());
    if below == other {
        return reduced(a.numer() + b.numer(), below.clone());
    }
    let common = gcd(below, other);
    if common.is_one() {
        return Rational::new_raw(a.numer() * other + b.numer() * below, below * other);
    }
    let (rest, scale) = (other / &common, below / &common);
    let numerator = a.numer() * &rest + b.numer() * &scale;
    // Only a factor that both denominators have can cancel (Knuth).
    let shared = gcd(&numerator, &common);
    Rational::new_raw(numerator / &shared, scale * (other / shared))
}

/// The product, with greatest common divisors crosswise.
pub(crate) fn product(a: &Rational, b: &Rational) -> Rational {
    if a.denom().is_one() && b.denom().is_one() {
        return Rational::from_integer(a.numer() * b.numer());
    }
    // Each is in lowest terms, so only the numerator of one and the denominator of the other
    // cancel.
    let crossed = |above: &BigInt, below: &BigInt| {
        let common = if below.is_one() { BigInt::one() } else { gcd(above, below) };
        match common.is_one() {
            true => (above.clone(), below.clone()),
            false => (above / &common, below / common),
        }
    };
    let (left, other) = crossed(a.numer(), b.denom());
    let (right, below) = crossed(b.numer(), a.denom());
    Rational::new_raw(left * right, below * other)
}

/// The least common multiple of denominators.
pub(crate) fn common_denominator<'a>(values: impl Iterator<Item = &'a Rational>) -> BigInt {
    values.fold(BigInt::one(), |multiple, value| {
        let below = value.denom();
        if below.is_one() || multiple == *below {
            return multiple;
        }
        let shared = gcd(&multiple, below);
        multiple * (below / shared)
    })
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
    // Refused before the power of ten is computed, which could be of any length.
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

    /// A number of so many bits.
    fn random(state: &mut u64, bits: u64) -> BigInt {
        let mut next = || {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            BigInt::from(*state >> 32)
        };
        (0..bits / 32).fold(next(), |n, _| (n << 32) + next())
    }

    #[test]
    fn common_divisors_are_greatest() {
        let mut state = 5;
        for bits in [8, 60, 70, 130, 300, 1_000, 4_000] {
            for other in [8, 64, 128, 500, 4_000] {
                let common = random(&mut state, other / 2);
                let a = random(&mut state, bits) * &common;
                let b = -random(&mut state, other) * &common;
                assert_eq!(gcd(&a, &b), Integer::gcd(&a, &b));
                assert_eq!(gcd(&b, &a), Integer::gcd(&a, &b));
                assert_eq!(gcd(&a, &(&a * &b)), Integer::gcd(&a, &(&a * &b)));
                assert_eq!(gcd(&a, &(&a + 1)), BigInt::one());
                assert_eq!(gcd(&a, &BigInt::zero()), a);
            }
        }
        // Quotients of 1 all along, and a quotient of many digits.
        let numbers = (0..2_000).fold([BigInt::one(), BigInt::one()], |[a, b], _| {
            let sum = &a + &b;
            [b, sum]
        });
        assert_eq!(gcd(&numbers[0], &numbers[1]), BigInt::one());
        let power = BigInt::one() << 3_000;
        assert_eq!(gcd(&power, &(BigInt::from(6) << 70)), BigInt::one() << 71);
    }

    #[test]
    fn sums_and_products_are_in_lowest_terms() {
        let mut state = 11;
        let mut number = |bits: u64| {
            Rational::new(random(&mut state, bits), random(&mut state, bits) + 1)
                - Rational::new(random(&mut state, 16), BigInt::from(36))
        };
        for bits in [4, 40, 90, 400] {
            for _ in 0..50 {
                let (a, b) = (number(bits), number(bits));
                let (sum_of, product_of) = (sum(&a, &b), product(&a, &b));
                assert_eq!(
                    (sum_of.numer(), sum_of.denom()),
                    ((&a + &b).numer(), (&a + &b).denom())
                );
                assert_eq!(
                    (product_of.numer(), product_of.denom()),
                    ((&a * &b).numer(), (&a * &b).denom())
                );
                let nothing = sum(&a, &-&a);
                assert_eq!((nothing.numer(), nothing.denom()), (&BigInt::zero(), &BigInt::one()));
                assert_eq!(product(&a, &a.recip()), Rational::one());
                assert_eq!(product(&a, &Rational::zero()), Rational::zero());
            }
        }
    }

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
