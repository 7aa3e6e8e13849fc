//! The primitives of kernels as functions of numbers alone, for the generator. It runs them over lanes that record
//! each operation, and prints the record in other languages.
//!
//! A number that is a constant in a kernel, a knot or a width, is an input here: one function serves all. Inputs and
//! results are in the order in which the types have their fields.

pub use super::number::words;
pub use crate::accuracy::Accuracy;
pub use crate::lanes::{Named, State, Step, Work};

use super::narrow::{Linear, Rule, products};
use super::polynomial as horner;
use super::powers::Powers;
use super::precise::precise_tails;
use super::quadrature::{Span, add_at, mass_at};
use super::strip::{Piece, Strip};
use super::tails::tails;
use super::{Deviation, Edge, narrow};
use crate::lanes::Lanes;
use crate::precision::Precision;

/// ξ, 1/ξ and what the root lost, from ξ².
pub fn deviation<V: Lanes>(xi2: V) -> [V; 3] {
    let deviation = Deviation::new(xi2, [0; 2]);
    [deviation.xi, deviation.inverse, deviation.lost]
}

/// 1/ξ in two words.
pub fn inverse_pair<V: Lanes>(deviation: [V; 3]) -> [V; 2] {
    Deviation::of(deviation).inverse_pair().words()
}

/// A knot of three words seen from γ, with low words if it is to be precise.
pub fn edge<V: Lanes, const PRECISE: bool>(gamma: V, knot: [V; 3], deviation: [V; 3]) -> [V; 6] {
    let edge = Edge::of_words::<PRECISE>(gamma, knot, &Deviation::of(deviation));
    [edge.z, edge.s, edge.d, edge.h, edge.h_low, edge.s_low]
}

/// An edge, for a knot that is a constant: words of it that are 0 take no operations.
pub fn edge_at<V: Lanes, const PRECISE: bool>(
    gamma: V,
    knot: [f64; 3],
    deviation: [V; 3],
) -> [V; 6] {
    let deviation = Deviation::of(deviation);
    let edge = match PRECISE {
        true => Edge::precisely_at(gamma, knot, &deviation),
        false => Edge::at(gamma, knot, &deviation),
    };
    [edge.z, edge.s, edge.d, edge.h, edge.h_low, edge.s_low]
}

fn edge_of<V: Lanes>([z, s, d, h, h_low, s_low]: [V; 6]) -> Edge<V> {
    Edge { z, s, d, h, h_low, s_low }
}

/// s with the sign of z, in two words.
pub fn score_pair<V: Lanes>(edge: [V; 6]) -> [V; 2] {
    edge_of(edge).score_pair().words()
}

/// s with the sign of z.
pub fn score<V: Lanes>(edge: [V; 6]) -> V {
    edge_of(edge).score()
}

/// Whether a knot lies to the right of γ.
pub fn is_right<V: Lanes>(edge: [V; 6]) -> V::Mask {
    edge_of(edge).is_right()
}

/// The tails at a knot.
pub fn tails_at<V: Lanes, const N: usize>(edge: [V; 6]) -> [V; N] {
    tails(&edge_of(edge))
}

/// Tails beyond an edge, each as a double word.
pub fn precise_tails_at<V: Lanes, const N: usize>(edge: [V; 6]) -> [[V; 2]; N] {
    precise_tails(&edge_of(edge)).map(|tail| tail.words())
}

/// Whether the piece between two knots is narrow.
pub fn is_narrow<V: Lanes, R: Rule>(left: [V; 6], right: [V; 6]) -> V::Mask {
    narrow::is_narrow::<V, R>(&edge_of(left), &edge_of(right))
}

/// The inputs from which narrow pieces are integrated.
#[derive(Clone, Copy, Debug)]
pub struct Between<V: Lanes> {
    /// Where the piece is narrow.
    pub narrow: V::Mask,
    /// The knots at its ends.
    pub edges: [[V; 6]; 2],
    /// The width in two words.
    pub width: [V; 2],
    /// ξ, 1/ξ and what the root lost.
    pub deviation: [V; 3],
}

impl<V: Lanes> Between<V> {
    fn with<R>(self, work: impl FnOnce(&Piece<'_, V>) -> R) -> R {
        let [left, right] = self.edges.map(edge_of);
        let deviation = Deviation::of(self.deviation);
        work(&Piece::new(self.narrow, [&left, &right], self.width, &deviation))
    }

    /// The integrals of powers over a straight piece, their unit, the middle and half the width.
    pub fn powers(self) -> [V; 8] {
        let mut powers = Powers::empty();
        self.with(|piece| powers.fill(piece));
        powers.numbers()
    }

    /// The density at the nearer edge, its place, and the width in units of ξ; whether it is the left one.
    pub fn span(self) -> ([V; 3], V::Mask) {
        self.with(|piece| {
            let Span { h, zeta, omega } = Span::of(piece);
            ([h, zeta, omega], piece.from_left)
        })
    }
}

/// The integrals of the basis over a straight piece.
pub fn powers_integrals<V: Lanes>(powers: [V; 8]) -> [V; 2] {
    narrow::integrals(&Powers::of(powers))
}

/// The integrals of the products of two straight lines.
pub fn powers_products<V: Lanes, const H: usize>(
    powers: [V; 8],
    a: [V; 2],
    b: [V; 2],
    less: V,
) -> [V; H] {
    products::<V, <Linear as Rule>::Strip<V>, 2, 2, H>(&Powers::of(powers), a, b, less)
}

/// The mass at a node, from the place of the edge, the width, the weight and the place of the node.
pub fn node_mass<V: Lanes>([zeta, omega, weight, x]: [V; 4]) -> V {
    let weight = omega * V::splat(V::Scalar::ROOT_TAU) * weight;
    mass_at(zeta, omega, weight, x)
}

/// The sums with what a node at x adds, from the place of the edge and the width, and the mass and the values of
/// both factors at the node.
pub fn node_products<V: Lanes, const H: usize>(
    [zeta, omega, x, mass]: [V; 4],
    values: [V; 2],
    less: V,
    mut sums: [V; H],
) -> [V; H] {
    add_at(omega.mul_add(x, zeta), mass, values, less, &mut sums);
    sums
}

/// A step of Horner's scheme in two words: value · x + coefficient.
pub fn polynomial_step<V: Lanes>(value: [V; 2], x: [V; 2], coefficient: [V; 2]) -> [V; 2] {
    horner::step(value, x, coefficient)
}

/// x − t in two words.
pub fn distance<V: Lanes>(x: V, knot: [V; 2]) -> [V; 2] {
    horner::distance(x, knot)
}
