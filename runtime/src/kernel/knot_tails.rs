//! Edges and tails at the knots of an activation.
//!
//! The edges and tails of knots are most of the code of a kernel, and the same for all kernels: one function
//! for each number of tails. Small kernels have it in line, and two knots step by step side by side, because a knot is a
//! long chain of operations, each of which waits for the one before.

use super::tails::tails;
use super::{Deviation, Edge};
use crate::Float;
use crate::lanes::twice::Twice;
use crate::lanes::{Lanes, Work};

/// A knot as an edge, and the tails there.
#[derive(Clone, Copy, Debug)]
pub struct KnotTails<V, const N: usize> {
    /// The edge.
    pub edge: Edge<V>,
    /// h·R_n(s), n < N.
    pub tails: [V; N],
}

/// Edge and tails of a knot, which is a sum of three words, as a function of its own.
#[inline(always)]
pub fn knot_tails<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> KnotTails<V, N> {
    V::outlined(AtKnot::<V, N> { gamma, knot, deviation })
}

/// Edge and tails of a knot, in line.
#[inline(always)]
pub fn knot_tails_in_line<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> KnotTails<V, N> {
    AtKnot::<V, N> { gamma, knot, deviation }.run()
}

/// Edges and tails of two knots, step by step side by side, in line.
#[inline(always)]
pub fn both_knot_tails<V: Lanes, const N: usize>(
    gamma: V,
    knots: [[f64; 3]; 2],
    deviation: &Deviation<V>,
) -> [KnotTails<V, N>; 2] {
    let edge = Edge::at_both(gamma, knots, deviation);
    let both = tails::<Twice<V>, N>(&edge);
    let mut apart = [[V::splat(V::Scalar::ZERO); N]; 2];
    let [left, right] = &mut apart;
    for ((left, right), tail) in left.iter_mut().zip(right).zip(both) {
        (*left, *right) = (tail.0, tail.1);
    }
    let ([left, right], [left_tails, right_tails]) = (edge.apart(), apart);
    [KnotTails { edge: left, tails: left_tails }, KnotTails { edge: right, tails: right_tails }]
}

struct AtKnot<'a, V, const N: usize> {
    gamma: V,
    knot: [f64; 3],
    deviation: &'a Deviation<V>,
}

impl<V: Lanes, const N: usize> Work for AtKnot<'_, V, N> {
    type Output = KnotTails<V, N>;

    #[inline(always)]
    fn run(self) -> KnotTails<V, N> {
        let edge = Edge::at(self.gamma, self.knot, self.deviation);
        KnotTails { edge, tails: tails(&edge) }
    }
}
