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
        // 2ⁿ alone may be no normal number where the product is one. Only the last of two factors rounds. Both have their bias
        // in `biased`, and what stands above their exponents is shifted out.
        let biased = at_least(shifted, NOTHING).to_bits().wrapping_add(2 * BIAS);
        let half = biased >> 1;
        let [first, rest] = [half, biased - half].map(|exponent| f64::from_bits(exponent << 52));
        self * first * rest
    }
    #[inline(always)]
    fn raise(self, shifted: Self) -> Self {
        // An exponent of all zeros is the number 0.
        let biased = at_least(shifted, -1023.0).to_bits().wrapping_add(BIAS);
        self * f64::from_bits(biased << 52)
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

/// The bias of exponents.
const BIAS: u64 = 1023;

/// An n with 2ⁿ so small that its product with a density is 0, although each of two halves is a normal number.
const NOTHING: f64 = -2000.0;

/// n plus the constant that rounds to an integer, for the larger n of two.
#[inline(always)]
fn at_least(shifted: f64, least: f64) -> f64 {
    Lanes::max(shifted, f64::SHIFTER + least)
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
