//! Which part of a kernel an input needs, before anything else is known of it.

use super::narrow::{Rule, is_narrow_between};
use crate::Float;
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
        let is_left = place.le(zero);
        regime = regime + V::select(is_left, constant(N as f64), zero);
        if let Some(left) = left {
            let (left, left_is_left): (V, V::Mask) = left;
            let narrow = is_narrow_between::<V, R>(left_is_left.and(is_left.not()), left, place);
            regime = regime + V::select(narrow, one, zero);
        }
        left = Some((place, is_left));
    }
    regime
}
