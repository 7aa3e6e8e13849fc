//! Floats of one high precision.

use std::f64::consts;

use gaussform_symbolic::exact::Rational;
use num_bigint::{BigInt, Sign as BigSign};
pub(crate) use puremp::FixedFloat as Real;
use puremp::RoundingMode::Nearest;
use puremp::{Int, Sign};

/// Bits of a `Real`: 96 digits. Up to some 30 of them cancel, in closed forms as in sums of
/// powers of z.
pub(crate) const PRECISION: u64 = 320;

pub(crate) fn real(value: &Rational) -> Real {
    let numerator = big(value.numer());
    if value.is_integer() { numerator } else { &numerator / &big(value.denom()) }
}

fn big(value: &BigInt) -> Real {
    let sign = match value.sign() {
        BigSign::Minus => Sign::Negative,
        BigSign::NoSign => Sign::Zero,
        BigSign::Plus => Sign::Positive,
    };
    let limbs: Vec<u64> = value.iter_u64_digits().collect();
    Real::from_int(&Int::from_limbs(sign, &limbs), PRECISION, Nearest)
}

pub(crate) fn whole(value: i64) -> Real {
    Real::from_int(&value.into(), PRECISION, Nearest)
}

pub(crate) fn rounded(value: f64) -> Real {
    Real::from_f64(value, PRECISION, Nearest)
}

pub(crate) fn pi() -> Real {
    Real::pi(PRECISION, Nearest)
}

pub(crate) fn erf(x: &Real) -> Real {
    Real::from_float(x.as_float().erf(PRECISION, Nearest), Nearest)
}

/// e^{−z²/2}
pub(crate) fn bell(z: &Real) -> Real {
    (&(z * z) * &rounded(-0.5)).exp()
}

/// The nodes and weights of Gauss–Legendre on (−1, 1): roots of the Legendre polynomial by
/// Newton's method.
pub(crate) fn nodes(count: usize) -> Vec<(Real, Real)> {
    let legendre = |x: &Real| {
        let (mut before, mut value) = (whole(0), whole(1));
        for k in 0..count as i64 {
            let next = &(&(&whole(2 * k + 1) * x) * &value) - &(&whole(k) * &before);
            (before, value) = (value, &next / &whole(k + 1));
        }
        let slope = &(&(x * &value) - &before) * &whole(count as i64);
        (value.clone(), &slope / &(&(x * x) - &whole(1)))
    };
    let node = |i: usize| {
        let angle = consts::PI * (i as f64 + 0.75) / (count as f64 + 0.5);
        let mut x = rounded(angle.cos());
        for _ in 0..6 {
            let (value, slope) = legendre(&x);
            x = &x - &(&value / &slope);
        }
        let slope = legendre(&x).1;
        let below = &(&whole(1) - &(&x * &x)) * &(&slope * &slope);
        (x, &whole(2) / &below)
    };
    (0..count).map(node).collect()
}
