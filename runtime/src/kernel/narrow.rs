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
    is_narrow_between(between(Some(left), Some(right)), left.z, right.z)
}

/// The lanes in which a piece is narrow, from the places of its ends in units of ξ from γ. `around` says where γ lies
/// on the piece.
#[inline(always)]
pub(super) fn is_narrow_between<V: Lanes>(around: V::Mask, left: V, right: V) -> V::Mask {
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
