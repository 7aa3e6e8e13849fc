//! One number: what a kernel does with a single pre-activation, for every input.

use super::{Lanes, Mask, Work};
use crate::Float;
use crate::precision::Precision;

impl Lanes for f64 {
    type Scalar = f64;
    type Element = f64;
    type Accuracy = f64;
    type Mask = bool;

    const COUNT: usize = 1;
    const GENERAL: bool = true;

    #[inline(always)]
    fn is_fused() -> bool {
        // Fused multiplication is an instruction of some machines only, and one number has the same bits on all.
        false
    }

    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, into: &mut [f64]) {
        into[0] = self;
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Float::sqrt(self)
    }
    #[inline(always)]
    fn scale(self, shifted: Self) -> Self {
        let n = (shifted - f64::SHIFTER) as i32;
        // 2ⁿ alone may be no normal number where the product is one. Only the last of two factors rounds.
        let half = n >> 1;
        self * power(half) * power(n - half)
    }
    #[inline(always)]
    fn raise(self, shifted: Self) -> Self {
        self * power((shifted - f64::SHIFTER) as i32)
    }
    #[inline(never)]
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
        work.run()
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

/// 2ⁿ, or 0 where it is not a normal number.
#[inline(always)]
fn power(n: i32) -> f64 {
    if n < -1022 { 0.0 } else { f64::power_of_two(n) }
}

impl Mask for bool {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        self | other
    }
    #[inline(always)]
    fn not(self) -> Self {
        !self
    }
}
