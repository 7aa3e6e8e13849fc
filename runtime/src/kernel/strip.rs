//! The density on a narrow piece, against which a rule integrates polynomials.

use core::fmt::Debug;

use super::{Deviation, Edge};
use crate::Float;
use crate::lanes::Lanes;

/// The density on a narrow piece; none in the lanes in which it is not narrow.
///
/// A polynomial is given by its coefficients in the basis of the rule.
pub trait Strip<V: Lanes>: Copy + Debug {
    /// Whether integrating is little code, and to ask for any density first takes longer.
    const SMALL: bool;

    /// A density that is 0 in all lanes.
    fn empty() -> Self;

    /// Sets the density to that on a piece.
    fn fill(&mut self, piece: &Piece<'_, V>);

    /// The integrals of the basis, of as many functions as `sums` has places.
    fn integrate(&self, sums: &mut [V]);

    /// The integrals of A·B, and of A·(B − less)·He_k(z) for k = 1, 2, …, as many as `sums` has places,
    /// with A and B given by their coefficients, which are overwritten.
    fn integrate_product(&self, a: &mut [V], b: &mut [V], less: V, sums: &mut [V]);
}

/// A bounded piece, narrow in some lane.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a, V: Lanes> {
    /// The places of its ends, in units of ξ from γ.
    pub ends: [V; 2],
    /// The width in two words.
    pub width: [V; 2],
    /// ξ and 1/ξ.
    pub deviation: &'a Deviation<V>,
    /// The lanes in which the left end is nearer to γ.
    pub from_left: V::Mask,
    /// The density at the nearer end in its unit, 0 in the lanes in which the piece is not narrow.
    pub h: V,
    /// The lanes in which the piece is narrow.
    pub narrow: V::Mask,
}

impl<'a, V: Lanes> Piece<'a, V> {
    #[inline(always)]
    pub(super) fn new(
        narrow: V::Mask,
        [left, right]: [&Edge<V>; 2],
        width: [V; 2],
        deviation: &'a Deviation<V>,
    ) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        // By the middle of the piece: far away both ends have the same place.
        let from_left = zero.le(left.z + right.z);
        let h = V::select(narrow, V::select(from_left, left.h, right.h), zero);
        Self { ends: [left.z, right.z], width, deviation, from_left, h, narrow }
    }
}
