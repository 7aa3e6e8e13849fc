//! A knot of an activation seen from the pre-activation, out of line.
//!
//! What a kernel needs of its knots is most of its code and the same for all kernels: one function
//! for each number of tails, compiled once.

use super::tails::tails;
use super::{Deviation, Edge};
use crate::lanes::{Lanes, Work};

/// The knot as an edge, and the tails there.
#[derive(Clone, Copy, Debug)]
pub struct Sight<V, const N: usize> {
    /// The edge.
    pub edge: Edge<V>,
    /// h·R_n(s), n < N.
    pub tails: [V; N],
}

/// The knot, a sum of three words, seen from γ.
#[inline(always)]
pub fn sight<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> Sight<V, N> {
    V::outlined(Look { gamma, knot, deviation })
}

struct Look<'a, V, const N: usize> {
    gamma: V,
    knot: [f64; 3],
    deviation: &'a Deviation<V>,
}

impl<V: Lanes, const N: usize> Work for Look<'_, V, N> {
    type Output = Sight<V, N>;

    #[inline(always)]
    fn run(self) -> Sight<V, N> {
        let edge = Edge::at(self.gamma, self.knot, self.deviation);
        Sight { edge, tails: tails(&edge) }
    }
}
