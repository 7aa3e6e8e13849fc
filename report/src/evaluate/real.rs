//! Arithmetic in double precision and in any other.

use gaussform_symbolic::exact::Rational;
use num_traits::ToPrimitive;
use puremp::{FixedFloat, Float, Int, RoundingMode::Nearest};

/// Numbers that formulas can be evaluated in.
pub trait Real: Clone {
    /// The nearest number, of so many bits where that can be chosen.
    fn from_rational(value: &Rational, bits: u64) -> Self;
    /// The same number, of so many bits where that can be chosen.
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
    /// exp x
    fn exp(&self) -> Self;
    /// erf x
    fn erf(&self) -> Self;
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

    fn exp(&self) -> Self {
        libm::exp(*self)
    }

    fn erf(&self) -> Self {
        libm::erf(*self)
    }

    fn pi(_: u64) -> Self {
        std::f64::consts::PI
    }
}

/// Bits of what is small beside 1, whose own digits count: exp(−s²) and 1 − |erf s|.
pub(super) const FINE: u64 = 256;

trait IntoFixed {
    fn into_fixed(self, bits: u64) -> FixedFloat;
}

impl IntoFixed for Float {
    fn into_fixed(self, bits: u64) -> FixedFloat {
        FixedFloat::from_float(self, Nearest).with_precision(bits)
    }
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

    fn exp(&self) -> Self {
        self.as_float().exp(FINE, Nearest).into_fixed(self.precision())
    }

    fn erf(&self) -> Self {
        let one = Self::from_int(&Int::from_i64(1), self.precision(), Nearest);
        let rest = self.abs().as_float().erfc(FINE, Nearest).into_fixed(self.precision());
        let size = &one - &rest;
        if self.as_float().is_sign_negative() { size.neg() } else { size }
    }

    fn pi(bits: u64) -> Self {
        Self::pi(bits, Nearest)
    }
}
