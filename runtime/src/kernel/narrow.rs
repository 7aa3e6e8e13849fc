//! Which pieces are narrow: so small in units of ξ that tails at their two ends would cancel.
//!
//! A piece beyond the limit is integrated by the tails at its two ends, which then differ enough. How much may cancel
//! depends on the digits that are wanted, so that the limit stands in [`Accuracy`].

use super::Edge;
use super::edge::between;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::{Lanes, Mask};

/// The lanes in which the piece between two edges is narrow.
#[inline(always)]
pub fn is_narrow<V: Lanes>(left: &Edge<V>, right: &Edge<V>) -> V::Mask {
    let around = between(Some(left), Some(right));
    let (left, right) = (left.z, right.z);
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    // Two at the same infinity give NaN here, which no comparison below accepts.
    let omega = right - left;
    let limit = V::Accuracy::STRAIGHT;
    let sum = (left + right).abs();
    if limit == 2.0 {
        // With γ on the piece, the sum is not larger than the width, otherwise not smaller.
        return (omega * sum.max(omega)).lt(constant(2.0 * limit));
    }
    let thin = omega.lt(constant(limit));
    let flat = (omega * sum).lt(constant(2.0 * limit));
    around.and(thin).or(around.not().and(flat))
}
