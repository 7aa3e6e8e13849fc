//! The primitives of kernels as functions of numbers alone, for the generator. It runs them over lanes that record
//! each operation, and prints the record in other languages.
//!
//! A number that is a constant in a kernel, a knot or a width, is an input here: one function serves all. Inputs and
//! results are in the order in which the types have their fields.

pub use super::number::words;
pub use crate::accuracy::Accuracy;
pub use crate::lanes::{Named, State, Step, Work};

use super::polynomial as horner;
use super::powers::Powers;
use super::tails::tails;
use super::{Deviation, Edge};
use crate::lanes::Lanes;

/// ξ, 1/ξ and what the root lost, from ξ².
pub fn deviation<V: Lanes>(xi2: V) -> [V; 3] {
    let deviation = Deviation::new(xi2, [0; 2]);
    [deviation.xi, deviation.inverse, deviation.lost]
}

/// A knot of three words seen from γ.
pub fn edge<V: Lanes>(gamma: V, knot: [V; 3], deviation: [V; 3]) -> [V; 6] {
    let edge = Edge::of_words::<false>(gamma, knot, &Deviation::of(deviation));
    [edge.z, edge.s, edge.d, edge.h, edge.h_low, edge.s_low]
}

/// An edge, for a knot that is a constant: words of it that are 0 take no operations.
pub fn edge_at<V: Lanes>(gamma: V, knot: [f64; 3], deviation: [V; 3]) -> [V; 6] {
    let edge = Edge::at(gamma, knot, &Deviation::of(deviation));
    [edge.z, edge.s, edge.d, edge.h, edge.h_low, edge.s_low]
}

fn edge_of<V: Lanes>([z, s, d, h, h_low, s_low]: [V; 6]) -> Edge<V> {
    Edge { z, s, d, h, h_low, s_low }
}

/// The tails at a knot.
pub fn tails_at<V: Lanes, const N: usize>(edge: [V; 6]) -> [V; N] {
    tails(&edge_of(edge))
}

/// The integrals of powers over the straight piece between two knots, their unit, the middle and half the width, from
/// where it is narrow, its width in two words, and ξ, 1/ξ and what the root lost.
pub fn powers<V: Lanes>(
    narrow: V::Mask,
    edges: [[V; 6]; 2],
    width: [V; 2],
    deviation: [V; 3],
) -> [V; 8] {
    let [left, right] = edges.map(edge_of);
    Powers::new(narrow, [&left, &right], width, &Deviation::of(deviation)).numbers()
}

/// The integrals of 1 and τ over a straight piece.
pub fn powers_integrals<V: Lanes>(powers: [V; 8]) -> [V; 2] {
    Powers::of(powers).integrals()
}

/// The integrals of the products of two straight lines.
pub fn powers_products<V: Lanes, const H: usize>(
    powers: [V; 8],
    a: [V; 2],
    b: [V; 2],
    less: V,
) -> [V; H] {
    Powers::of(powers).products(a, b, less)
}

/// A step of Horner's scheme in two words: value · x + coefficient.
pub fn polynomial_step<V: Lanes>(value: [V; 2], x: [V; 2], coefficient: [V; 2]) -> [V; 2] {
    horner::step(value, x, coefficient)
}

/// x − t in two words.
pub fn distance<V: Lanes>(x: V, knot: [V; 2]) -> [V; 2] {
    horner::distance(x, knot)
}
