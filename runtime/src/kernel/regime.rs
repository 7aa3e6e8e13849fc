//! Which part of a kernel an input needs, before anything else is known of it.

use super::narrow::{Linear, Rule, is_narrow_between};
use super::number::number;
use crate::Float;
use crate::accuracy::limits::Limits;
use crate::lanes::{Lanes, Mask};

/// N² + N regimes for N knots in ascending order, each a sum of three words: the piece that γ lies on,
/// and how many pieces are narrow. Rounding may put an input beside a limit into the regime on its other
/// side.
#[inline(always)]
pub fn regime<V: Lanes, R: Rule, const N: usize>(gamma: V, xi2: V, knots: [[f64; 3]; N]) -> V {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    let (zero, one) = (V::splat(V::Scalar::ZERO), V::splat(V::Scalar::ONE));
    let [_, inverse, _] = xi2.roots();
    let mut regime = zero;
    let mut left = None;
    for [knot, ..] in knots {
        let place = (constant(knot) - gamma) * inverse;
        let is_below = place.le(zero);
        regime = regime + V::select(is_below, constant(N as f64), zero);
        if let Some(left) = left {
            let (left, left_is_below): (V, V::Mask) = left;
            let narrow = is_narrow_between::<V, R>(left_is_below.and(is_below.not()), left, place);
            regime = regime + V::select(narrow, one, zero);
        }
        left = Some((place, is_below));
    }
    regime
}

/// The piece between the only two knots of a function with straight pieces. The rule for when it is narrow is
/// [that of a kernel](super::is_narrow) times ξ², so that it takes neither a root nor a quotient; beside γ's piece a
/// little different if the limits are not one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundedPiece {
    width: f64,
    /// Twice the middle.
    sum: f64,
}

impl BoundedPiece {
    #[inline(always)]
    pub(crate) fn new([left, right]: [f64; 2]) -> Self {
        Self { width: right - left, sum: left + right }
    }

    /// Where the piece is narrow.
    #[inline(always)]
    pub(crate) fn is_narrow<V: Lanes>(&self, gamma: V, xi2: V) -> V::Mask {
        // At least the width unless γ lies on the piece.
        self.is_narrow_from((number::<V>(self.sum) - (gamma + gamma)).abs(), xi2)
    }

    /// Where it is narrow for some γ.
    #[inline(always)]
    pub(crate) fn may_be_narrow<V: Lanes>(&self, xi2: V) -> V::Mask {
        self.is_narrow_from(V::splat(V::Scalar::ZERO), xi2)
    }

    /// For a γ as far from the middle as half of `distance`.
    #[inline(always)]
    fn is_narrow_from<V: Lanes>(&self, distance: V, xi2: V) -> V::Mask {
        let Limits { width, exponent, .. } = Linear::limits::<V::Accuracy>();
        let least = number(self.width * (2.0 * exponent / (width * width)));
        (number::<V>(self.width) * distance.max(least)).lt(number::<V>(2.0 * exponent) * xi2)
    }
}
