//! Narrow pieces by Gauss–Legendre quadrature.
//!
//! The density inside a narrow piece is φ(z) = φ(edge)·exp(−δ(ζ + δ/2)), with the edge that
//! is nearer to γ, δ the distance from it in units of ξ and ζ its coordinate in the direction in
//! which the piece lies. The factor φ(edge) = h² is applied one h at a time, so that it underflows
//! only with the result.
//!
//! Two rules, by the degree of the activation. A piece beyond the limits is integrated by the
//! tails at its two ends, which then differ enough: up to degree 1 that is so from a width of
//! 2 ξ on, or where the density falls by e⁻²; for higher degrees from 6 ξ or e⁻¹² on.

use core::hint::black_box;
use core::marker::PhantomData;

use super::constants::nodes::Node;
use super::exponential::{exp, is_left};
use super::{Deviation, Edge};
use crate::Float;
use crate::lanes::{Lanes, Mask, Work};
use crate::precision::Precision;

/// The largest number of functions in the basis, for degree 20.
const MAX_BASIS: usize = 41;

/// When a piece is narrow, and how it is integrated then.
pub trait Rule {
    /// A piece around γ is narrow if it is narrower than this, in units of ξ.
    const WIDTH: f64;
    /// A piece away from γ is narrow if the exponent of the density changes by less.
    const EXPONENT: f64;
    /// The nodes for a precision.
    fn nodes<T: Precision>() -> &'static [Node<T>];
}

/// The rule for pieces of degree 0 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

/// The rule for every degree.
#[derive(Clone, Copy, Debug)]
pub struct Curved;

impl Rule for Linear {
    const WIDTH: f64 = 2.0;
    const EXPONENT: f64 = 2.0;
    #[inline(always)]
    fn nodes<T: Precision>() -> &'static [Node<T>] {
        T::NODES_LINEAR
    }
}

impl Rule for Curved {
    const WIDTH: f64 = 6.0;
    const EXPONENT: f64 = 12.0;
    #[inline(always)]
    fn nodes<T: Precision>() -> &'static [Node<T>] {
        T::NODES
    }
}

/// The lanes in which the piece between two edges is narrow.
#[inline(always)]
pub fn is_narrow<V: Lanes, R: Rule>(left: &Edge<V>, right: &Edge<V>) -> V::Mask {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    // Two edges at the same infinity give NaN here, which no comparison below accepts.
    let omega = right.z - left.z;
    let around = left.is_right().not().and(right.is_right());
    let thin = omega.lt(constant(R::WIDTH));
    let flat = (omega * (left.z + right.z).abs()).lt(constant(2.0 * R::EXPONENT));
    around.and(thin).or(around.not().and(flat))
}

/// The integrals over a narrow piece against the density of u: for each order k < H of a Hermite
/// polynomial and each j < N the integral of He_k(z) xʲ(1 − x)ᴺ⁻¹⁻ʲ, with x running from 0 to 1 over
/// the piece and z = (u − γ)/ξ.
///
/// In this basis (Bernstein's without its binomials) a polynomial that keeps its sign mostly has
/// coefficients that do so too: where the monomials would cancel, nothing does.
#[inline(always)]
pub fn integrals<V: Lanes, R: Rule, const N: usize, const H: usize>(
    left: &Edge<V>,
    right: &Edge<V>,
    width: f64,
    deviation: &Deviation<V>,
) -> [[V; N]; H] {
    let rule = PhantomData::<R>;
    V::outlined(Integrate::<V, R, N, H> {
        left: *left,
        right: *right,
        width,
        deviation: *deviation,
        rule,
    })
}

struct Integrate<V, R, const N: usize, const H: usize> {
    left: Edge<V>,
    right: Edge<V>,
    width: f64,
    deviation: Deviation<V>,
    rule: PhantomData<R>,
}

impl<V: Lanes, R: Rule, const N: usize, const H: usize> Work for Integrate<V, R, N, H> {
    type Output = [[V; N]; H];

    #[inline(always)]
    fn run(self) -> [[V; N]; H] {
        let mut sums = [[V::splat(V::Scalar::ZERO); N]; H];
        let Self { left, right, width, deviation, .. } = &self;
        integrate::<V, R>(left, right, *width, deviation, N, sums.as_flattened_mut());
        sums
    }
}

/// The same into a slice, which holds `count` integrals for each order.
#[inline(always)]
pub fn integrate<V: Lanes, R: Rule>(
    left: &Edge<V>,
    right: &Edge<V>,
    width: f64,
    deviation: &Deviation<V>,
    count: usize,
    sums: &mut [V],
) {
    let [zero, half] = [V::Scalar::ZERO, V::Scalar::HALF].map(V::splat);
    // By the middle of the piece: far away both ends have the same place.
    let from_left = zero.le(left.z + right.z);
    let h = V::select(from_left, left.h, right.h);
    let zeta = V::select(from_left, left.z, -right.z);
    let omega = V::splat(V::Scalar::from_f64(width)) * deviation.inverse;
    for sum in &mut *sums {
        *sum = zero;
    }
    if !is_left(h) {
        return;
    }
    // Counted from the nearer edge, as are z and x until the end.
    let table = R::nodes::<V::Scalar>();
    // Unknown to the compiler, which would unroll the loop.
    for i in 0..black_box(2 * table.len()) {
        let node = &table[i / 2];
        let [x, rest] =
            if i.is_multiple_of(2) { [node.near, node.far] } else { [node.far, node.near] };
        let delta = omega * V::splat(x);
        let density = exp(-(delta * half.mul_add(delta, zeta)));
        let z = zeta + delta;
        let mut powers = [[node.weight, V::Scalar::ONE]; MAX_BASIS];
        for j in 1..count {
            let [above, below] = powers[j - 1];
            powers[j] = [above * x, below * rest];
        }
        let mass = omega * density;
        let (mut previous, mut hermite) = (zero, mass);
        for (k, row) in sums.chunks_exact_mut(count).enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                let basis = powers[j][0] * powers[count - 1 - j][1];
                *sum = hermite.mul_add(V::splat(basis), *sum);
            }
            let order = V::splat(V::Scalar::from_f64(k as f64));
            let next = z.mul_add(hermite, -(order * previous));
            (previous, hermite) = (hermite, next);
        }
    }
    let mut sign = h;
    for row in sums.chunks_exact_mut(count) {
        for sum in &mut *row {
            // Never −0, as where nothing is left of the density in any lane.
            *sum = h.mul_add(sign * *sum, zero);
        }
        for j in 0..count / 2 {
            let [first, last] = [row[j], row[count - 1 - j]];
            row[j] = V::select(from_left, first, last);
            row[count - 1 - j] = V::select(from_left, last, first);
        }
        sign = V::select(from_left, sign, -sign);
    }
}
