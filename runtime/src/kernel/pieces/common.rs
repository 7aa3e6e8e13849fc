//! The covariance of two functions on a part of the line, and how two parts are joined.
//!
//! The covariance is joined as the variance of one function is ([`contribution`](super::contribution)): the product around both means on
//! each part, and the product of the differences of means. Terms of either sign are as large as their sizes let them be, so
//! that the error is small beside the product of both standard deviations.

use crate::Float;
use crate::kernel::{Lanes, Pair};

/// Integrals over a part of the line, against the density in its unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Common<V> {
    /// The integral of 1.
    pub(super) mass: V,
    /// The means of both functions on the part.
    pub(super) means: [Pair<V>; 2],
    /// The integral of the product of both functions, each less its mean.
    pub(super) product: V,
}

impl<V: Lanes> Common<V> {
    /// The integrals over no part.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn nothing() -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self { mass: zero, means: [Pair::exact(zero); 2], product: zero }
    }

    /// The integrals `yes` in the lanes of `mask`, `no` elsewhere.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn select(mask: V::Mask, yes: Self, no: Self) -> Self {
        let mean = |f: usize| Pair::select(mask, yes.means[f], no.means[f]);
        Self {
            mass: V::select(mask, yes.mass, no.mass),
            means: [mean(0), mean(1)],
            product: V::select(mask, yes.product, no.product),
        }
    }

    /// The integrals over two parts together.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn join(self, other: Self) -> Self {
        let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
        let total = self.mass + other.mass;
        // Two empty parts have no mass. Their common mean does not count, but has to be a number.
        let inverse = one.quotient(V::select(zero.lt(total), total, one));
        let [mine, others] = [self.mass * inverse, other.mass * inverse];
        let is_larger = other.mass.le(self.mass);
        // By the part that is far from underflow.
        let between = V::select(is_larger, other.mass * mine, self.mass * others);
        let (mut means, mut apart) = (self.means, [zero; 2]);
        for f in 0..2 {
            apart[f] = (other.means[f] - self.means[f]).round();
            let step = V::select(is_larger, apart[f] * others, -(apart[f] * mine));
            let nearer = Pair::select(is_larger, self.means[f], other.means[f]);
            means[f] = nearer + Pair::exact(step);
        }
        let product = (self.product + other.product) + apart[0] * (apart[1] * between);
        Self { mass: total, means, product }
    }
}
