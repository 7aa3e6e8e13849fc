//! The knots of an activation seen from the pre-activation.
//!
//! The edges and tails of knots are most of the code of a kernel, and the same for all kernels: one function
//! for each number of tails. Small kernels have it in line, and two knots step by step side by side, because a knot is a
//! long chain of operations, each of which waits for the one before.

use super::precise::precise_tails;
use super::tails::tails;
use super::{Deviation, Edge, Pair};
use crate::Float;
use crate::lanes::twice::Twice;
use crate::lanes::{Lanes, Work};

/// The knot as an edge, and the tails there, numbers or [pairs](super::Pair).
#[derive(Clone, Copy, Debug)]
pub struct Sight<V, T, const N: usize> {
    /// The edge.
    pub edge: Edge<V>,
    /// h·R_n(s), n < N.
    pub tails: [T; N],
}

/// The knot, a sum of three words, seen from γ.
#[inline(always)]
pub fn sight<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> Sight<V, V, N> {
    V::outlined(Look::<V, N> { gamma, knot, deviation })
}

/// The edge of a knot with its [precise](precise_tails) tails, as double words.
#[inline(always)]
pub fn precise_sight<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> Sight<V, Pair<V>, N> {
    V::outlined(LookClosely::<V, N>(Look { gamma, knot, deviation }))
}

/// The knot seen from γ, in line.
#[inline(always)]
pub fn sight_in_line<V: Lanes, const N: usize>(
    gamma: V,
    knot: [f64; 3],
    deviation: &Deviation<V>,
) -> Sight<V, V, N> {
    Look::<V, N> { gamma, knot, deviation }.run()
}

/// Two knots seen from γ, in line.
#[inline(always)]
pub fn both_sights<V: Lanes, const N: usize>(
    gamma: V,
    knots: [[f64; 3]; 2],
    deviation: &Deviation<V>,
) -> [Sight<V, V, N>; 2] {
    let edge = Edge::at_both(gamma, knots, deviation);
    let both = tails::<Twice<V>, N>(&edge);
    let mut apart = [[V::splat(V::Scalar::ZERO); N]; 2];
    let [left, right] = &mut apart;
    for ((left, right), tail) in left.iter_mut().zip(right).zip(both) {
        (*left, *right) = (tail.0, tail.1);
    }
    let ([left, right], [left_tails, right_tails]) = (edge.apart(), apart);
    [Sight { edge: left, tails: left_tails }, Sight { edge: right, tails: right_tails }]
}

struct Look<'a, V, const N: usize> {
    gamma: V,
    knot: [f64; 3],
    deviation: &'a Deviation<V>,
}

impl<V: Lanes, const N: usize> Work for Look<'_, V, N> {
    type Output = Sight<V, V, N>;

    #[inline(always)]
    fn run(self) -> Sight<V, V, N> {
        let edge = Edge::at(self.gamma, self.knot, self.deviation);
        Sight { edge, tails: tails(&edge) }
    }
}

struct LookClosely<'a, V, const N: usize>(Look<'a, V, N>);

impl<V: Lanes, const N: usize> Work for LookClosely<'_, V, N> {
    type Output = Sight<V, Pair<V>, N>;

    #[inline(always)]
    fn run(self) -> Sight<V, Pair<V>, N> {
        let edge = Edge::precisely_at(self.0.gamma, self.0.knot, self.0.deviation);
        Sight { edge, tails: precise_tails(&edge) }
    }
}
