//! One number with a wide exponent: what a kernel does with inputs whose powers overflow or
//! underflow, or whose variance is subnormal.
//!
//! A significand of double precision with an exponent of its own: every operation rounds as that
//! of `f64` does, and none overflows. It is slow, and for a few inputs only.

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, Work};
use crate::Float;
use crate::precision::Precision;

/// significand · 2^exponent with 1 ≤ |significand| < 2, or a significand that is 0, infinite or NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    significand: f64,
    exponent: i32,
}

/// The bits of the exponent of an `f64`.
const EXPONENT: u64 = 0x7FF << 52;
const BIAS: i32 = 1023;

/// 2ⁿ as an `f64`, for n from −1022 to 1023.
fn power(n: i32) -> f64 {
    f64::power_of_two(n)
}

impl Wide {
    /// significand · 2^exponent for any significand.
    fn new(significand: f64, exponent: i32) -> Self {
        if significand == 0.0 || !significand.is_finite() {
            return Self { significand, exponent: 0 };
        }
        let bits = significand.to_bits();
        let own = ((bits & EXPONENT) >> 52) as i32;
        if own == 0 {
            return Self::new(significand * power(64), exponent - 64);
        }
        let significand = f64::from_bits((bits & !EXPONENT) | ((BIAS as u64) << 52));
        Self { significand, exponent: exponent + own - BIAS }
    }

    /// 2ⁿ
    pub(crate) fn power_of_two(n: i32) -> Self {
        Self { significand: 1.0, exponent: n }
    }

    /// The nearest `f64`.
    pub(crate) fn to_f64(self) -> f64 {
        if self.exponent > 1100 {
            return self.significand * f64::INFINITY;
        }
        if self.exponent < -1200 {
            return self.significand * 0.0;
        }
        // In two steps, of which only the second rounds.
        let half = self.exponent / 2;
        self.significand * power(half) * power(self.exponent - half)
    }

    fn is_zero(self) -> bool {
        self.significand == 0.0
    }
}

impl Add for Wide {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() || self.exponent < other.exponent {
            if other.is_zero() {
                return if self.is_zero() {
                    Self::new(self.significand + other.significand, 0)
                } else {
                    self
                };
            }
            return if self.is_zero() { other } else { other + self };
        }
        let distance = self.exponent - other.exponent;
        if distance > 200 && other.significand.is_finite() {
            return self;
        }
        let lower = other.significand * power(-distance.min(200));
        Self::new(self.significand + lower, self.exponent)
    }
}

impl Sub for Wide {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        Self::new(self.significand * other.significand, self.exponent + other.exponent)
    }
}

impl Div for Wide {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        Self::new(self.significand / other.significand, self.exponent - other.exponent)
    }
}

impl Neg for Wide {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { significand: -self.significand, ..self }
    }
}

impl Lanes for Wide {
    type Scalar = f64;
    type Element = f64;
    type Accuracy = f64;
    type Mask = bool;

    const COUNT: usize = 1;
    const FUSED: bool = false;
    const GENERAL: bool = true;

    #[inline(never)]
    fn splat(value: f64) -> Self {
        Self::new(value, 0)
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        Self::splat(from[0])
    }
    #[inline(always)]
    fn store(self, into: &mut [f64]) {
        into[0] = self.to_f64();
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self { significand: f64::abs(self.significand), ..self }
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        let odd = self.exponent & 1;
        Self::new(Float::sqrt(self.significand * power(odd)), (self.exponent - odd) / 2)
    }
    #[inline(never)]
    fn scale(self, shifted: Self) -> Self {
        let n = shifted.to_f64() - f64::SHIFTER;
        if n.is_finite() { Self::new(self.significand, self.exponent + n as i32) } else { self }
    }
    #[inline(never)]
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
        work.run()
    }
    #[inline(never)]
    fn lt(self, other: Self) -> bool {
        (self - other).significand < 0.0
    }
    #[inline(never)]
    fn le(self, other: Self) -> bool {
        (self - other).significand <= 0.0
    }
    #[inline(never)]
    fn equals(self, other: Self) -> bool {
        (self - other).significand == 0.0
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}
