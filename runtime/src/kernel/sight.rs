//! A knot of an activation seen from the pre-activation, out of line.
//!
//! What a kernel needs of its knots is most of its code and the same for all kernels: one function
//! for each number of tails, compiled once.

use super::precise::precise_tails;
use super::tails::tails;
use super::{Deviation, Edge};
use crate::Float;
use crate::lanes::{Lanes, Work};

/// The knot as an edge, and the tails there.
#[derive(Clone, Copy, Debug)]
pub struct Sight<V, const N: usize> {
    /// The edge.
    pub edge: Edge<V>,
    /// h·R_n(s), n < N.
    pub tails: [V; N],
}

/// The knot, a sum of three words, seen from γ, with tails that are [precise](precise_tails) or not.
#[inline(always)]
pub fn sight<V: Lanes, const N: usize, const PRECISE: bool>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> Sight<V, N> {
    V::outlined(Look::<V, N, PRECISE> { gamma, knot, deviation })
}

struct Look<'a, V, const N: usize, const PRECISE: bool> {
    gamma: V,
    knot: [f64; 3],
    deviation: &'a Deviation<V>,
}

impl<V: Lanes, const N: usize, const PRECISE: bool> Work for Look<'_, V, N, PRECISE> {
    type Output = Sight<V, N>;

    #[inline(always)]
    fn run(self) -> Sight<V, N> {
        let edge = Edge::at(self.gamma, self.knot, self.deviation);
        if PRECISE {
            return Sight { edge, tails: precise_tails(&edge) };
        }
        // Low words that nobody reads need not be computed.
        let zero = V::splat(V::Scalar::ZERO);
        Sight { edge: Edge { h_low: zero, s_low: zero, ..edge }, tails: tails(&edge) }
    }
}
