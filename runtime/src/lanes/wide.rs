//! One number with a wide exponent, for inputs whose powers overflow or underflow, or whose variance is subnormal.
//!
//! The number is a significand of double precision with an exponent of its own. Every operation rounds as the operation
//! of `f64` does, and none overflows. With `FAR` densities are numbers up to 2³⁰ deviations away. Without `FAR` they are 0
//! beyond the deviations that a result can show. The arithmetic is slow, and for a few inputs only.

use core::f64::consts::SQRT_2;
use core::ops::{Add, Div, Mul, Neg, Sub};

use super::double::two_product;
use super::{Lanes, Work};
use crate::Float;
use crate::precision::Precision;

/// significand · 2^exponent with 1 ≤ |significand| < 2, or a significand that is 0, infinite or NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<const FAR: bool = false> {
    significand: f64,
    exponent: i64,
}

/// The bits of the exponent of an `f64`.
const EXPONENT: u64 = 0x7FF << 52;
const BIAS: i32 = 1023;
/// ln 2 in two words.
const LN_2: [f64; 2] = [core::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// 2ⁿ as an `f64`, for n from −1022 to 1023.
fn power(n: i32) -> f64 {
    f64::power_of_two(n)
}

impl<const FAR: bool> Wide<FAR> {
    /// significand · 2^exponent for any significand.
    fn new(significand: f64, exponent: i64) -> Self {
        if significand == 0.0 || !significand.is_finite() {
            return Self { significand, exponent: 0 };
        }
        let bits = significand.to_bits();
        let own = ((bits & EXPONENT) >> 52) as i32;
        // The bits of a subnormal number do not say its exponent.
        if own == 0 {
            return Self::new(significand * power(64), exponent - 64);
        }
        let significand = f64::from_bits((bits & !EXPONENT) | ((BIAS as u64) << 52));
        Self { significand, exponent: exponent + i64::from(own - BIAS) }
    }

    /// 2ⁿ
    pub(crate) fn power_of_two(n: i32) -> Self {
        Self { significand: 1.0, exponent: i64::from(n) }
    }

    /// The nearest `f64`.
    pub(crate) fn to_f64(self) -> f64 {
        // So far out there is no number, and half of the exponent might be none of `power`.
        if self.exponent > 1100 {
            return self.significand * f64::INFINITY;
        }
        if self.exponent < -1200 {
            return self.significand * 0.0;
        }
        // In two steps, of which only the second rounds.
        let exponent = self.exponent as i32;
        let half = exponent / 2;
        self.significand * power(half) * power(exponent - half)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.significand == 0.0
    }

    /// ln self, rounded once but for the error of the logarithm of the significand.
    pub(crate) fn ln(self) -> f64 {
        if self.is_zero() {
            return f64::NEG_INFINITY;
        }
        let Self { mut significand, mut exponent } = self;
        // Around 1, so that the two terms do not cancel.
        if significand > SQRT_2 {
            significand *= 0.5;
            exponent += 1;
        }
        let whole = exponent as f64;
        let rest = (exponent - whole as i64) as f64;
        let [high, error] = two_product(whole, LN_2[0]);
        high + (error + (whole * LN_2[1] + (rest * LN_2[0] + libm::log(significand))))
    }
}

impl<const FAR: bool> Add for Wide<FAR> {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        if self.is_zero() || other.is_zero() || self.exponent < other.exponent {
            if other.is_zero() {
                return if self.is_zero() {
                    // Of two zeros the sum has the sign that `f64` gives it.
                    Self::new(self.significand + other.significand, 0)
                } else {
                    self
                };
            }
            return if self.is_zero() { other } else { other + self };
        }
        let distance = self.exponent - other.exponent;
        // Nothing so small changes a digit, but an infinite term or NaN does.
        if distance > 200 && other.significand.is_finite() {
            return self;
        }
        let lower = other.significand * power(-(distance.min(200) as i32));
        Self::new(self.significand + lower, self.exponent)
    }
}

impl<const FAR: bool> Sub for Wide<FAR> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const FAR: bool> Mul for Wide<FAR> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        Self::new(self.significand * other.significand, self.exponent + other.exponent)
    }
}

impl<const FAR: bool> Div for Wide<FAR> {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        Self::new(self.significand / other.significand, self.exponent - other.exponent)
    }
}

impl<const FAR: bool> Neg for Wide<FAR> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { significand: -self.significand, ..self }
    }
}

impl<const FAR: bool> Lanes for Wide<FAR> {
    type Scalar = f64;
    type Element = f64;
    type Accuracy = f64;
    type Mask = bool;

    const COUNT: usize = 1;
    const GENERAL: bool = true;
    const UNBOUNDED: bool = FAR;

    #[inline(always)]
    fn is_fused() -> bool {
        false
    }

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
        // Half of an even exponent is an integer.
        let odd = self.exponent & 1;
        Self::new(Float::sqrt(self.significand * power(odd as i32)), (self.exponent - odd) / 2)
    }
    #[inline(never)]
    fn scale(self, shifted: Self) -> Self {
        let n = shifted.to_f64() - f64::SHIFTER;
        if n.is_finite() { Self::new(self.significand, self.exponent + n as i64) } else { self }
    }
    #[inline(never)]
    fn two_to(self) -> Self {
        // All bits of the significand as an integer, of which those below the point are shifted out.
        let whole = (self.significand * power(52)) as i64;
        let shift = self.exponent - 52;
        let n = if shift < 0 { whole >> (-shift).min(63) } else { whole << shift.min(10) };
        Self { significand: 1.0, exponent: n }
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
