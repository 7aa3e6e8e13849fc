//! One number: what a kernel does with a single pre-activation, for every input.

use super::{Lanes, Mask, Work};
use crate::Float;

impl Lanes for f64 {
    type Scalar = f64;
    type Mask = bool;

    const COUNT: usize = 1;
    const FUSED: bool = false;
    const GENERAL: bool = true;

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
        // The exponent with twice its bias, in two halves that make a power each.
        let biased = shifted.to_bits() & 0xFFF;
        let half = biased >> 1;
        let [first, second] = [half, biased - half].map(|bits| f64::from_bits(bits << 52));
        self * first * second
    }
    #[inline(never)]
    fn outlined<W: Work>(work: W) -> W::Output {
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

impl Mask for bool {
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
