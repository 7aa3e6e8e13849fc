//! Two registers as one.
//!
//! A kernel is one long chain of operations, each of which waits for the one before. Two
//! independent chains side by side keep the machine busy where one would leave it waiting.

use core::ops::{Add, Div, Mul, Neg, Sub};

use super::{Lanes, Mask, Work};
use crate::safe_range::SafeRange;

/// The lanes of two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Twice<V>(pub(crate) V, pub(crate) V);

/// The truth values of two registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Both<V: Lanes>(V::Mask, V::Mask);

macro_rules! operators {
    ($($Trait:ident $operator:ident),*) => {
        $(impl<V: Lanes> $Trait for Twice<V> {
            type Output = Self;
            #[inline(always)]
            fn $operator(self, other: Self) -> Self {
                Self(self.0.$operator(other.0), self.1.$operator(other.1))
            }
        })*
    };
}

operators!(Add add, Sub sub, Mul mul, Div div);

impl<V: Lanes> Neg for Twice<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl<V: Lanes> Lanes for Twice<V> {
    type Scalar = V::Scalar;
    type Element = V::Element;
    type Accuracy = V::Accuracy;
    type Mask = Both<V>;

    const COUNT: usize = 2 * V::COUNT;
    const GENERAL: bool = V::GENERAL;

    #[inline(always)]
    fn is_fused() -> bool {
        V::is_fused()
    }

    #[inline(always)]
    fn splat(value: V::Scalar) -> Self {
        Self(V::splat(value), V::splat(value))
    }
    #[inline(always)]
    fn load(from: &[V::Element]) -> Self {
        let from = &from[..Self::COUNT];
        Self(V::load(&from[..V::COUNT]), V::load(&from[V::COUNT..]))
    }
    #[inline(always)]
    fn store(self, into: &mut [V::Element]) {
        let into = &mut into[..Self::COUNT];
        self.0.store(&mut into[..V::COUNT]);
        self.1.store(&mut into[V::COUNT..]);
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_add(factor.0, term.0), self.1.mul_add(factor.1, term.1))
    }
    #[inline(always)]
    fn mul_sub(self, factor: Self, term: Self) -> Self {
        Self(self.0.mul_sub(factor.0, term.0), self.1.mul_sub(factor.1, term.1))
    }
    #[inline(always)]
    fn neg_mul_add(self, factor: Self, term: Self) -> Self {
        Self(self.0.neg_mul_add(factor.0, term.0), self.1.neg_mul_add(factor.1, term.1))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs(), self.1.abs())
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt(), self.1.sqrt())
    }
    #[inline(always)]
    fn scale(self, shifted: Self) -> Self {
        Self(self.0.scale(shifted.0), self.1.scale(shifted.1))
    }
    #[inline(always)]
    fn raise(self, shifted: Self) -> Self {
        Self(self.0.raise(shifted.0), self.1.raise(shifted.1))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0), self.1.max(other.1))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.min(other.1))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Both<V> {
        Both(self.0.lt(other.0), self.1.lt(other.1))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Both<V> {
        Both(self.0.le(other.0), self.1.le(other.1))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Both<V> {
        Both(self.0.equals(other.0), self.1.equals(other.1))
    }
    #[inline(always)]
    fn select(mask: Both<V>, yes: Self, no: Self) -> Self {
        Self(V::select(mask.0, yes.0, no.0), V::select(mask.1, yes.1, no.1))
    }
    #[inline(always)]
    fn are_within(self, variance: Self, limits: SafeRange) -> Both<V> {
        Both(self.0.are_within(variance.0, limits), self.1.are_within(variance.1, limits))
    }
    #[inline(always)]
    fn outlined<W: Work>(work: W) -> W::Output {
        V::outlined(work)
    }
    #[inline(always)]
    fn outlined_in<Unit, W: Work>(work: W) -> W::Output {
        V::outlined_in::<Unit, W>(work)
    }
    #[inline(always)]
    fn roots(self) -> [Self; 3] {
        let [root, inverse, half] = self.0.roots();
        let [other, other_inverse, other_half] = self.1.roots();
        [Self(root, other), Self(inverse, other_inverse), Self(half, other_half)]
    }
    #[inline(always)]
    fn quotient(self, divisor: Self) -> Self {
        Self(self.0.quotient(divisor.0), self.1.quotient(divisor.1))
    }
}

impl<V: Lanes> Mask for Both<V> {
    #[inline(always)]
    fn bits(self) -> u64 {
        self.0.bits() | self.1.bits() << V::COUNT
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0.or(self.1).any()
    }
    #[inline(always)]
    fn all(self) -> bool {
        self.0.and(self.1).all()
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0.not(), self.1.not())
    }
}
