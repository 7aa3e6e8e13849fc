//! Which pieces are narrow: small enough in units of ξ to be integrated by quadrature.
//!
//! A piece beyond the limits is integrated by the tails at its two ends, which then differ enough.
//! Two rules, by the degree of the activation. Up to degree 1 tails are good from a width of 2 ξ on,
//! or where the density falls by e⁻². A curved polynomial in powers of the distance from one end
//! cancels as long as the piece is not much wider than the density: there the limits are 16 ξ and
//! e⁻¹¹⁰. Only where γ lies more than ξ deep in a piece that is 4 ξ wide are the moments of the whole
//! polynomial, less its tails, the better sum.

use core::fmt::Debug;

use super::Edge;
use super::constants::nodes::Node;
use crate::Float;
use crate::lanes::{Lanes, Mask};
use crate::precision::Precision;

/// When a piece is narrow, and how it is integrated then.
pub trait Rule {
    /// A piece around γ is narrow if it is narrower than this, in units of ξ.
    const WIDTH: f64;
    /// Or narrower than this, and γ nearer to one of its ends than [`DEPTH`](Self::DEPTH).
    const WIDTH_AT_EDGE: f64;
    /// How far from its ends, in units of ξ, γ lies deep in a piece.
    const DEPTH: f64;
    /// A piece away from γ is narrow if the exponent of the density changes by less.
    const EXPONENT: f64;
    /// A number for each node of the rule with the most nodes, in pairs.
    type Pairs<V: Lanes>: AsRef<[[V; 2]]> + AsMut<[[V; 2]]> + Copy + Debug;

    /// The nodes for a precision.
    fn nodes<T: Precision>() -> &'static [Node<T>];

    /// The same number for each node.
    fn pairs<V: Lanes>(value: V) -> Self::Pairs<V>;
}

/// The rule for pieces of degree 0 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

/// The rule for every degree.
#[derive(Clone, Copy, Debug)]
pub struct Curved;

impl Rule for Linear {
    const WIDTH: f64 = 2.0;
    const WIDTH_AT_EDGE: f64 = 2.0;
    const DEPTH: f64 = 0.0;
    const EXPONENT: f64 = 2.0;
    type Pairs<V: Lanes> = [[V; 2]; 6];
    #[inline(always)]
    fn nodes<T: Precision>() -> &'static [Node<T>] {
        T::NODES_LINEAR
    }
    #[inline(always)]
    fn pairs<V: Lanes>(value: V) -> Self::Pairs<V> {
        [[value; 2]; 6]
    }
}

impl Rule for Curved {
    const WIDTH: f64 = 4.0;
    const WIDTH_AT_EDGE: f64 = 16.0;
    const DEPTH: f64 = 1.0;
    const EXPONENT: f64 = 110.0;
    type Pairs<V: Lanes> = [[V; 2]; 20];
    #[inline(always)]
    fn nodes<T: Precision>() -> &'static [Node<T>] {
        T::NODES
    }
    #[inline(always)]
    fn pairs<V: Lanes>(value: V) -> Self::Pairs<V> {
        [[value; 2]; 20]
    }
}

/// The lanes in which the piece between two edges is narrow.
#[inline(always)]
pub fn is_narrow<V: Lanes, R: Rule>(left: &Edge<V>, right: &Edge<V>) -> V::Mask {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    // Two edges at the same infinity give NaN here, which no comparison below accepts.
    let omega = right.z - left.z;
    let around = left.is_right().not().and(right.is_right());
    let mut thin = omega.lt(constant(R::WIDTH));
    if R::WIDTH < R::WIDTH_AT_EDGE {
        let depth = constant(R::DEPTH);
        let at_edge = (-left.z).lt(depth).or(right.z.lt(depth));
        thin = thin.or(at_edge.and(omega.lt(constant(R::WIDTH_AT_EDGE))));
    }
    let flat = (omega * (left.z + right.z).abs()).lt(constant(2.0 * R::EXPONENT));
    around.and(thin).or(around.not().and(flat))
}
