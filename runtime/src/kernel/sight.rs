//! All knots of an activation seen from the pre-activation, out of line.
//!
//! What a kernel needs of its knots is most of its code and the same for all kernels: one function
//! for each number of knots and tails, compiled once.

use super::tails::tails;
use super::{Deviation, Edge};
use crate::lanes::{Lanes, Work};

/// The knots as edges, and the tails at each.
#[derive(Clone, Copy, Debug)]
pub struct Sight<V, const K: usize, const N: usize> {
    /// The edges.
    pub edges: [Edge<V>; K],
    /// h·R_n(s), n < N, for each.
    pub tails: [[V; N]; K],
}

/// The knots `[hi, lo]` seen from γ.
#[inline(always)]
pub fn sight<V: Lanes, const K: usize, const N: usize>(
    gamma: V,
    knots: [[f64; 2]; K],
    deviation: &Deviation<V>,
) -> Sight<V, K, N> {
    V::outlined(Look { gamma, knots, deviation: *deviation })
}

struct Look<V, const K: usize, const N: usize> {
    gamma: V,
    knots: [[f64; 2]; K],
    deviation: Deviation<V>,
}

impl<V: Lanes, const K: usize, const N: usize> Work for Look<V, K, N> {
    type Output = Sight<V, K, N>;

    #[inline(always)]
    fn run(self) -> Sight<V, K, N> {
        let z = self.gamma;
        let mut sight = Sight { edges: [Edge { z, s: z, h: z }; K], tails: [[z; N]; K] };
        for ((edge, tail), knot) in sight.edges.iter_mut().zip(&mut sight.tails).zip(self.knots) {
            *edge = Edge::at(self.gamma, knot, &self.deviation);
            *tail = tails(edge);
        }
        sight
    }
}
