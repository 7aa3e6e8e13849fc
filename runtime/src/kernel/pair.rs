//! Double words in lanes, for sums that cancel.
//!
//! A pair is high + low, where low is the rounding error of high, an ulp or two. Operations on pairs have nearly
//! twice the precision: a sum in pairs is rounded once, at the end. The low word
//! of a result is no better than the low words of the operands.
//!
//! Relative error of a product and of a sum of terms of one sign: some u², with u = 2⁻⁵³ (2⁻²⁴). The error of a sum that
//! cancels is some u² of its terms. Where nothing is to be compensated, low words are 0 and not computed with.
//!
//! Without optimization an operation in line takes room on the stack for itself, which made megabytes for a
//! large kernel. So operations are calls then.

use core::ops::{Add, Mul, Neg, Sub};

use super::number;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::Lanes;
use crate::lanes::double::{fast_two_sum, two_product, two_sum};

/// high + low in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Pair<V> {
    high: V,
    low: V,
}

/// A constant of two words, the same in all lanes.
#[inline(always)]
pub(crate) fn pair<V: Lanes>(value: [f64; 2]) -> Pair<V> {
    let [high, low] = number::pair(value);
    if V::Accuracy::COMPENSATED { Pair { high, low } } else { Pair::exact(high) }
}

impl<V: Lanes> Pair<V> {
    /// high + low, for a low word that is what rounding took from the high one.
    #[inline(always)]
    pub fn new(high: V, low: V) -> Self {
        Self { high, low }
    }

    /// A number of one word.
    #[inline(always)]
    pub fn exact(value: V) -> Self {
        Self { high: value, low: V::splat(V::Scalar::ZERO) }
    }

    /// high + low, for |high| ≥ |low|.
    #[inline(always)]
    pub(crate) fn normal(high: V, low: V) -> Self {
        let [high, low] = fast_two_sum(high, low);
        Self { high, low }
    }

    /// high and low.
    #[inline(always)]
    pub fn words(self) -> [V; 2] {
        [self.high, self.low]
    }

    /// The nearest number of the precision.
    #[inline(always)]
    pub fn round(self) -> V {
        if V::Accuracy::COMPENSATED { self.high + self.low } else { self.high }
    }

    /// The double word `yes` in the lanes of `mask`, `no` elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        let high = V::select(mask, yes.high, no.high);
        if !V::Accuracy::COMPENSATED {
            return Self::exact(high);
        }
        Self { high, low: V::select(mask, yes.low, no.low) }
    }
}

impl<V: Lanes> Add for Pair<V> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add(self, other: Self) -> Self {
        if !V::Accuracy::COMPENSATED {
            return Self::exact(self.high + other.high);
        }
        if V::COUNT == 1 { add_one(self, other) } else { sum(self, other) }
    }
}

impl<V: Lanes> Sub for Pair<V> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<V: Lanes> Mul for Pair<V> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mul(self, other: Self) -> Self {
        if !V::Accuracy::COMPENSATED {
            return Self::exact(self.high * other.high);
        }
        if V::COUNT == 1 { multiply_one(self, other) } else { product(self, other) }
    }
}

impl<V: Lanes> Neg for Pair<V> {
    type Output = Self;
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn neg(self) -> Self {
        if !V::Accuracy::COMPENSATED {
            return Self::exact(-self.high);
        }
        Self { high: -self.high, low: -self.low }
    }
}

#[inline(always)]
fn sum<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    // Not normalised: the low word may become some ulps of the high one, and `round` adds all of it.
    let [high, error] = two_sum(a.high, b.high);
    Pair { high, low: error + (a.low + b.low) }
}

#[inline(always)]
fn product<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    // low · low is less than the error of the other terms.
    let [high, error] = two_product(a.high, b.high);
    Pair { high, low: a.high.mul_add(b.low, a.low.mul_add(b.high, error)) }
}

/// Sum of two double words, out of line for one number: many kernels are large, and a product is 20 operations.
#[inline(never)]
fn add_one<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    sum(a, b)
}

/// Product of two double words, out of line for one number.
#[inline(never)]
fn multiply_one<V: Lanes>(a: Pair<V>, b: Pair<V>) -> Pair<V> {
    product(a, b)
}
