//! Arbitrary precision, independent of the crate under test, and a source of test points.
#![allow(dead_code, reason = "every test uses a part of it")]

use std::ops::{Add, Div, Mul, Neg, Sub};

use puremp::{Float, RoundingMode::Nearest};

/// Enough for the forward recurrence of 9 tails at s = 64, which loses 12 bits an order.
pub(crate) const BITS: u64 = 320;

/// A real number to [`BITS`] bits, or more where a constructor was given more.
#[derive(Clone, Debug)]
pub(crate) struct Real(Float);

impl Real {
    pub(crate) fn new(value: f64) -> Self {
        Self::with_bits(value, BITS)
    }
    pub(crate) fn with_bits(value: f64, bits: u64) -> Self {
        Self(Float::from_f64(value, bits, Nearest))
    }
    fn bits(&self) -> u64 {
        self.0.precision()
    }
    fn constant(&self, value: f64) -> Self {
        Self::with_bits(value, self.bits())
    }
    pub(crate) fn sqrt(&self) -> Self {
        Self(self.0.sqrt(self.bits(), Nearest))
    }
    pub(crate) fn exp(&self) -> Self {
        Self(self.0.exp(self.bits(), Nearest))
    }
    pub(crate) fn erfc(&self) -> Self {
        Self(self.0.erfc(self.bits(), Nearest))
    }
    pub(crate) fn to_f64(&self) -> f64 {
        self.0.to_f64()
    }
    /// The density of the Normal distribution.
    pub(crate) fn density(&self) -> Self {
        let tau = Self(Float::pi(self.bits(), Nearest)) * self.constant(2.0);
        (-(self.clone() * self.clone()) / self.constant(2.0)).exp() / tau.sqrt()
    }
    /// P(z > self).
    pub(crate) fn tail(&self) -> Self {
        (self.clone() / self.constant(2.0).sqrt()).erfc() / self.constant(2.0)
    }
    /// |value/self − 1|.
    pub(crate) fn relative_error(&self, value: &Real) -> f64 {
        ((value.clone() - self.clone()) / self.clone()).to_f64().abs()
    }
}

macro_rules! operator {
    ($Trait:ident, $method:ident) => {
        impl $Trait for Real {
            type Output = Real;
            fn $method(self, other: Real) -> Real {
                let bits = self.bits().max(other.bits());
                Real(Float::$method(&self.0, &other.0, bits, Nearest))
            }
        }
    };
}
operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Real {
    type Output = Real;
    fn neg(self) -> Real {
        Real(Float::neg(&self.0))
    }
}

/// R_n(s) for n = 0 … orders − 1 by the forward recurrence in enough bits.
pub(crate) fn tails(s: f64, orders: usize) -> Vec<Real> {
    let bits = BITS.max(16 * orders as u64 + 160);
    tails_at(&Real::with_bits(s, bits), orders)
}

/// The tails for an s that need not be a number of f64, relative to the density.
pub(crate) fn tails_at(s: &Real, orders: usize) -> Vec<Real> {
    let density = s.density();
    let (mut before, mut current) = (density.clone(), s.tail());
    let mut out = vec![current.clone() / density.clone()];
    for n in 1..orders {
        let next = (before - s.clone() * current.clone()) / s.constant(n as f64);
        (before, current) = (current, next);
        out.push(current.clone() / density.clone());
    }
    out
}

/// A multiplicative congruential generator: the same points on every machine.
pub(crate) struct Points(u64);

impl Points {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }
    /// In \[0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}
