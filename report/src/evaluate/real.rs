//! Arithmetic in double precision and in a precision of any size, and exact numbers in both.

use gaussform_symbolic::Knot;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use num_traits::ToPrimitive;
use puremp::{FixedFloat, Float, Int, RoundingMode::Nearest};

/// Numbers that formulas can be evaluated in.
pub trait Real: Clone + PartialOrd {
    /// The nearest number, with that many bits where the precision can be chosen.
    fn from_rational(value: &Rational, bits: u64) -> Self;
    /// The number as it is, with that many bits where the precision can be chosen.
    fn from_f64(value: f64, bits: u64) -> Self;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// The quotient.
    fn over(&self, other: &Self) -> Self;
    /// √x
    fn sqrt(&self) -> Self;
    /// exp x, with `fine` bits right relative to itself.
    fn exp(&self, fine: u64) -> Self;
    /// erf x, where 1 − |erf x| has `fine` bits right relative to itself.
    fn erf(&self, fine: u64) -> Self;
    /// π
    fn pi(bits: u64) -> Self;
}

impl Real for f64 {
    fn from_rational(value: &Rational, _: u64) -> Self {
        value.to_f64().unwrap_or(Self::NAN)
    }

    fn from_f64(value: f64, _: u64) -> Self {
        value
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn over(&self, other: &Self) -> Self {
        self / other
    }

    fn sqrt(&self) -> Self {
        libm::sqrt(*self)
    }

    fn exp(&self, _: u64) -> Self {
        libm::exp(*self)
    }

    fn erf(&self, _: u64) -> Self {
        libm::erf(*self)
    }

    fn pi(_: u64) -> Self {
        std::f64::consts::PI
    }
}

trait IntoFixed {
    fn into_fixed(self, bits: u64) -> FixedFloat;
}

impl IntoFixed for Float {
    fn into_fixed(self, bits: u64) -> FixedFloat {
        FixedFloat::from_float(self, Nearest).with_precision(bits)
    }
}

/// Where exp(−x²) is 0 for all that is computed here; the library would take its time over it.
const BEYOND: f64 = 400.0;

/// A number below `-limit` or above `limit`.
fn exceeds(value: &FixedFloat, limit: f64) -> bool {
    value.abs() > <FixedFloat as Real>::from_f64(limit, 53)
}

impl Real for FixedFloat {
    fn from_rational(value: &Rational, bits: u64) -> Self {
        let integer = |digits: &num_bigint::BigInt| {
            let digits: Int = digits.to_string().parse().expect("digits");
            Self::from_int(&digits, bits, Nearest)
        };
        &integer(value.numer()) / &integer(value.denom())
    }

    fn from_f64(value: f64, bits: u64) -> Self {
        Self::from_f64(value, bits, Nearest)
    }

    fn plus(&self, other: &Self) -> Self {
        self + other
    }

    fn minus(&self, other: &Self) -> Self {
        self - other
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn over(&self, other: &Self) -> Self {
        self / other
    }

    fn sqrt(&self) -> Self {
        self.sqrt()
    }

    fn exp(&self, fine: u64) -> Self {
        if self.as_float().is_sign_negative() && exceeds(self, BEYOND * BEYOND) {
            return <Self as Real>::from_f64(0.0, self.precision());
        }
        self.as_float().exp(fine, Nearest).into_fixed(self.precision())
    }

    fn erf(&self, fine: u64) -> Self {
        let one = Self::from_int(&Int::from_i64(1), self.precision(), Nearest);
        if exceeds(self, BEYOND) {
            return if self.as_float().is_sign_negative() { one.neg() } else { one };
        }
        // By erfc, whose bits are right relative to itself.
        let rest = self.abs().as_float().erfc(fine, Nearest).into_fixed(self.precision());
        let size = &one - &rest;
        if self.as_float().is_sign_negative() { size.neg() } else { size }
    }

    fn pi(bits: u64) -> Self {
        Self::pi(bits, Nearest)
    }
}

/// Bits in which a polynomial in knots is computed before it is rounded.
const BITS: u64 = 128;

/// A place that is a number.
pub(crate) fn place<T: Real>(knot: &Knot, bits: u64) -> Option<T> {
    let (lower, _) = knot.enclosure(u32::try_from(bits + 64).ok()?)?;
    Some(T::from_rational(&lower, bits))
}

/// A polynomial in irrational knots as a number.
pub(crate) fn constant(polynomial: &Polynomial) -> Option<f64> {
    let mut sum = <FixedFloat as Real>::from_f64(0.0, BITS);
    for (monomial, coefficient) in polynomial.terms() {
        let mut term = FixedFloat::from_rational(coefficient, BITS);
        for (symbol, exponent) in monomial.powers() {
            let Symbol::Root(root) = symbol else { return None };
            let root = place(&Knot::Algebraic(root.clone()), BITS)?;
            term = (0..*exponent).fold(term, |term, _| &term * &root);
        }
        sum = &sum + &term;
    }
    Some(sum.with_precision(53).to_f64())
}
