//! The regime of an input of formulas with one bounded piece: the part of the kernel that the input needs.

use super::narrow::is_narrow_between;
use super::number::number;
use crate::lanes::{Lanes, Mask};

/// The number of regimes of a function with one bounded piece.
pub(crate) const REGIMES: usize = 6;

/// The regime: on which of three pieces γ lies, and whether the bounded piece is narrow. Rounding
/// may put an input near a limit into the regime on the other side.
#[inline(always)]
pub(crate) fn regime<V: Lanes>(gamma: V, xi2: V, ends: [[f64; 3]; 2]) -> V {
    let (zero, one, two) = (number(0.0), number(1.0), number(2.0));
    let [_, inverse, _] = xi2.roots();
    let [left, right] = ends.map(|[knot, ..]| (number::<V>(knot) - gamma) * inverse);
    let [is_left_below, is_right_below] = [left.le(zero), right.le(zero)];
    let is_narrow = is_narrow_between(is_left_below.and(is_right_below.not()), left, right);
    let piece = V::select(is_left_below, two, zero) + V::select(is_right_below, two, zero);
    piece + V::select(is_narrow, one, zero)
}
