//! Which pieces are narrow: so small in units of ξ that tails at their two ends would cancel.
//!
//! A piece beyond the limits is integrated by the tails at its two ends, which then differ enough. There is a limit for
//! straight and one for curved pieces, since a curved polynomial in powers of the distance from one end
//! cancels more than a straight one. How much may cancel depends on the digits that are wanted, so that the
//! limits stand in [`Accuracy`].

use core::fmt::Debug;
use core::marker::PhantomData;

use super::edge::between;
use super::exponential::has_density;
use super::number::pair;
use super::powers::Powers;
use super::quadrature::Nodes;
use super::strip::{Piece, Strip};
use super::{Deviation, Edge};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::accuracy::limits::Limits;
use crate::lanes::{Lanes, Mask, Work};

/// When a piece is narrow, and how it is integrated then.
pub trait Rule {
    /// Where the limits are.
    fn limits<A: Accuracy>() -> Limits;
    /// The density on a narrow piece.
    type Strip<V: Lanes>: Strip<V>;
}

/// The rule for pieces of degree 0 and 1, with the products of two and He_k up to k = 2. Its basis is 1 and τ,
/// with τ from −1 to 1 over the piece: a straight line by its middle and half its rise.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

/// The rule for every degree d. Its basis is xʲ(1 − x)ᵈ⁻ʲ, with x from 0 to 1 over the piece.
#[derive(Clone, Copy, Debug)]
pub struct Curved;

impl Rule for Linear {
    #[inline(always)]
    fn limits<A: Accuracy>() -> Limits {
        A::STRAIGHT
    }
    type Strip<V: Lanes> = Powers<V>;
}

impl Rule for Curved {
    #[inline(always)]
    fn limits<A: Accuracy>() -> Limits {
        A::CURVED
    }
    type Strip<V: Lanes> = Nodes<V>;
}

/// The density on the piece between two edges, into an empty strip: in place, since it may be large, and to move it
/// would take longer than to fill it.
#[inline(always)]
pub fn fill<V: Lanes, R: Rule>(
    strip: &mut R::Strip<V>,
    narrow: V::Mask,
    left: &Edge<V>,
    right: &Edge<V>,
    width: [f64; 2],
    deviation: &Deviation<V>,
) {
    struct Place<'a, V: Lanes, S> {
        narrow: V::Mask,
        edges: [&'a Edge<V>; 2],
        width: [f64; 2],
        deviation: &'a Deviation<V>,
        strip: &'a mut S,
    }
    impl<V: Lanes, S: Strip<V>> Work for Place<'_, V, S> {
        type Output = ();
        #[inline(always)]
        fn run(self) {
            let piece = Piece::new(self.narrow, self.edges, pair(self.width), self.deviation);
            if S::SMALL || has_density(piece.h) {
                self.strip.fill(&piece);
            }
        }
    }
    if narrow.any() {
        let work = Place { narrow, edges: [left, right], width, deviation, strip };
        if R::Strip::<V>::SMALL { work.run() } else { V::outlined(work) }
    }
}

/// The integrals over a piece of the N functions of the basis against the density of u, in the
/// [unit](super::density_unit) of densities; 0 in the lanes in which it is not narrow.
#[inline(always)]
pub fn integrals<V: Lanes, S: Strip<V>, const N: usize>(strip: &S) -> [V; N] {
    struct Integrals<'a, V, S, const N: usize>(&'a S, PhantomData<V>);
    impl<V: Lanes, S: Strip<V>, const N: usize> Work for Integrals<'_, V, S, N> {
        type Output = [V; N];
        #[inline(always)]
        fn run(self) -> [V; N] {
            let mut sums = [V::splat(V::Scalar::ZERO); N];
            self.0.integrate(&mut sums);
            sums
        }
    }
    let work = Integrals(strip, PhantomData);
    if S::SMALL { work.run() } else { V::outlined(work) }
}

/// The integrals over a narrow piece, against the density of u in its unit, of A·B, and of A·(B − less)·He_k(z) with
/// z = (u − γ)/ξ for 0 < k < H. A and B are given by their coefficients in the basis; a number on a straight piece
/// has only one.
#[inline(always)]
pub fn products<V: Lanes, S: Strip<V>, const N: usize, const M: usize, const H: usize>(
    strip: &S,
    a: [V; N],
    b: [V; M],
    less: V,
) -> [V; H] {
    struct Products<'a, V, S, const N: usize, const M: usize, const H: usize> {
        strip: &'a S,
        a: [V; N],
        b: [V; M],
        less: V,
    }
    impl<V: Lanes, S: Strip<V>, const N: usize, const M: usize, const H: usize> Work
        for Products<'_, V, S, N, M, H>
    {
        type Output = [V; H];
        #[inline(always)]
        fn run(mut self) -> [V; H] {
            let mut sums = [V::splat(V::Scalar::ZERO); H];
            self.strip.integrate_product(&mut self.a, &mut self.b, self.less, &mut sums);
            sums
        }
    }
    let work = Products { strip, a, b, less };
    if S::SMALL { work.run() } else { V::outlined(work) }
}

/// The lanes in which the piece between two edges is narrow.
#[inline(always)]
pub fn is_narrow<V: Lanes, R: Rule>(left: &Edge<V>, right: &Edge<V>) -> V::Mask {
    let around = between(Some(left), Some(right));
    is_narrow_between::<V, R>(around, left.z, right.z)
}

/// The lanes in which a piece is narrow, from the places of its ends in units of ξ from γ. `around` says where γ lies
/// on the piece.
#[inline(always)]
pub(super) fn is_narrow_between<V: Lanes, R: Rule>(around: V::Mask, left: V, right: V) -> V::Mask {
    let constant = |value: f64| V::splat(V::Scalar::from_f64(value));
    // Two at the same infinity give NaN here, which no comparison below accepts.
    let omega = right - left;
    let limits = R::limits::<V::Accuracy>();
    let sum = (left + right).abs();
    if limits.are_one() {
        // With γ on the piece, the sum is not larger than the width, otherwise not smaller.
        return (omega * sum.max(omega)).lt(constant(2.0 * limits.exponent));
    }
    let mut thin = omega.lt(constant(limits.width));
    if limits.width < limits.width_at_edge {
        let depth = constant(limits.depth);
        let at_edge = (-left).lt(depth).or(right.lt(depth));
        thin = thin.or(at_edge.and(omega.lt(constant(limits.width_at_edge))));
    }
    let flat = (omega * sum).lt(constant(2.0 * limits.exponent));
    around.and(thin).or(around.not().and(flat))
}
