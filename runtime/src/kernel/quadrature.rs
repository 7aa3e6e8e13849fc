//! Integrals over narrow curved pieces by Gauss–Legendre quadrature.
//!
//! The density inside a narrow piece is φ(z) = φ(edge)·exp(−δ(ζ + δ/2)). The edge is the one
//! nearer to γ, δ is the distance from it in units of ξ, and ζ is its coordinate in the direction in
//! which the piece lies. The factor φ(edge) is multiplied in last.
//!
//! A polynomial is given by its coefficients in the basis xʲ(1 − x)ᵈ⁻ʲ, with x from 0 to 1 over the
//! piece (Bernstein's without its binomials). In this basis a polynomial that keeps its sign mostly has
//! coefficients that keep theirs, so that nothing cancels where monomials would. Products are
//! formed at the nodes, from the values of their factors: (g − m)² is a sum of squares however the
//! coefficients cancel.

use core::hint::black_box;

use super::exponential::density;
use super::strip::{Piece, Strip};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::constants::nodes::Node;
use crate::lanes::Lanes;
use crate::precision::Precision;

/// The largest number of functions in the basis, for degree 20.
const MAX_BASIS: usize = 21;

/// The largest number of pairs of nodes.
const MAX_PAIRS: usize = 16;

/// The nodes on a narrow piece, and the mass at each; without mass in the lanes in which it is not narrow.
#[derive(Clone, Copy, Debug)]
pub struct Nodes<V: Lanes> {
    /// The density times the weight, less that at the nearer edge, at pairs of nodes.
    mass: [[V; 2]; MAX_PAIRS],
    /// The density at the nearer edge, from which x and z count.
    h: V,
    zeta: V,
    omega: V,
    /// The lanes in which the left edge is the nearer one.
    from_left: V::Mask,
    /// Whether there is mass in any lane.
    has_mass: bool,
}

/// The nodes of the rule in pairs, as many as the compiler does not know, which would unroll the loops.
#[inline(always)]
fn table<V: Lanes>() -> &'static [Node<V::Scalar>] {
    black_box(V::Accuracy::NODES)
}

/// x at both nodes of a pair.
#[inline(always)]
fn places<T: Copy>(node: &Node<T>) -> [T; 2] {
    [node.near, node.far]
}

/// The values of the first `count` functions of the basis at the first node of a pair. At the other node they are the
/// same in the other order.
#[inline(always)]
fn basis<T: Float>(node: &Node<T>, count: usize) -> [T; MAX_BASIS] {
    let mut basis = [T::ONE; MAX_BASIS];
    for j in 1..count {
        basis[j] = basis[j - 1] * node.near;
    }
    let mut power = T::ONE;
    for j in (0..count.saturating_sub(1)).rev() {
        power *= node.far;
        basis[j] *= power;
    }
    basis
}

/// A piece as seen from its nearer edge: the density there, the place, and the width in units of ξ.
pub(super) struct Span<V> {
    pub(super) h: V,
    pub(super) zeta: V,
    pub(super) omega: V,
}

impl<V: Lanes> Span<V> {
    #[inline(always)]
    pub(super) fn of(piece: &Piece<'_, V>) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        let Piece { ends: [left, right], width, deviation, from_left, h, .. } = *piece;
        // Where nothing is left of the density, anything finite.
        let inside = zero.lt(h);
        let zeta = V::select(inside, V::select(from_left, left, -right), zero);
        let omega = V::select(inside, deviation.units(width), zero);
        Self { h, zeta, omega }
    }
}

/// The density at x times a weight, less that at the edge from which x counts.
#[inline(always)]
pub(super) fn mass_at<V: Lanes>(zeta: V, omega: V, weight: V, x: V) -> V {
    let delta = omega * x;
    weight * density(delta * (zeta + zeta + delta))
}

/// Adds what a node at z with some mass gives to the integrals of A·B and of A·(B − less)·He_k(z), from the values
/// of A and B there.
#[inline(always)]
pub(super) fn add_at<V: Lanes>(z: V, mass: V, [first, second]: [V; 2], less: V, sums: &mut [V]) {
    let weighted = mass * first;
    let Some((sum, rest)) = sums.split_first_mut() else { return };
    *sum = weighted.mul_add(second, *sum);
    if rest.is_empty() {
        return;
    }
    let mut previous = weighted * (second - less);
    let mut hermite = z * previous;
    let mut order = V::Scalar::ONE;
    for sum in rest {
        *sum = *sum + hermite;
        let next = z.mul_add(hermite, -(V::splat(order) * previous));
        (previous, hermite) = (hermite, next);
        order += V::Scalar::ONE;
    }
}

impl<V: Lanes> Nodes<V> {
    /// Coefficients or integrals as counted from the nearer edge, or back.
    #[inline(always)]
    fn reverse(&self, values: &mut [V]) {
        let count = values.len();
        for j in 0..count / 2 {
            let [first, last] = [values[j], values[count - 1 - j]];
            values[j] = V::select(self.from_left, first, last);
            values[count - 1 - j] = V::select(self.from_left, last, first);
        }
    }

    /// Times φ(edge); never −0, as where nothing is left of the density in any lane.
    #[inline(always)]
    fn scale(&self, value: V) -> V {
        self.h.mul_add(value, V::splat(V::Scalar::ZERO))
    }
}

impl<V: Lanes> Strip<V> for Nodes<V> {
    const SMALL: bool = false;

    #[inline(always)]
    fn empty() -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self {
            mass: [[zero; 2]; MAX_PAIRS],
            h: zero,
            zeta: zero,
            omega: zero,
            from_left: zero.equals(zero),
            has_mass: false,
        }
    }

    #[inline(always)]
    fn fill(&mut self, piece: &Piece<'_, V>) {
        let Span { h, zeta, omega } = Span::of(piece);
        self.h = h;
        (self.zeta, self.omega, self.from_left) = (zeta, omega, piece.from_left);
        self.has_mass = true;
        // The density is relative to that at the edge.
        let scale = omega * V::splat(V::Scalar::ROOT_TAU);
        for (node, masses) in table::<V>().iter().zip(&mut self.mass) {
            let weight = scale * V::splat(node.weight);
            for (mass, x) in masses.iter_mut().zip(places(node)) {
                *mass = mass_at(zeta, omega, weight, V::splat(x));
            }
        }
    }

    #[inline(always)]
    fn integrate(&self, sums: &mut [V]) {
        for sum in &mut *sums {
            *sum = V::splat(V::Scalar::ZERO);
        }
        if !self.has_mass {
            return;
        }
        let last = sums.len().saturating_sub(1);
        for (node, [near, far]) in table::<V>().iter().zip(&self.mass) {
            let basis = basis(node, sums.len());
            for (j, sum) in sums.iter_mut().enumerate() {
                let (value, mirrored) = (V::splat(basis[j]), V::splat(basis[last - j]));
                *sum = far.mul_add(mirrored, near.mul_add(value, *sum));
            }
        }
        for sum in &mut *sums {
            *sum = self.scale(*sum);
        }
        self.reverse(sums);
    }

    #[inline(always)]
    fn integrate_product(&self, a: &mut [V], b: &mut [V], less: V, sums: &mut [V]) {
        let zero = V::splat(V::Scalar::ZERO);
        for sum in &mut *sums {
            *sum = zero;
        }
        if !self.has_mass {
            return;
        }
        self.reverse(a);
        self.reverse(b);
        let last = a.len().saturating_sub(1);
        for (node, masses) in table::<V>().iter().zip(&self.mass) {
            let basis = basis(node, a.len());
            for side in 0..2 {
                let (mut first, mut second) = (zero, zero);
                for (j, (a, b)) in a.iter().zip(&*b).enumerate() {
                    let value = V::splat(basis[if side == 0 { j } else { last - j }]);
                    first = a.mul_add(value, first);
                    second = b.mul_add(value, second);
                }
                let z = self.omega.mul_add(V::splat(places(node)[side]), self.zeta);
                add_at(z, masses[side], [first, second], less, sums);
            }
        }
        // z was counted in the direction of the piece.
        let mut h = self.h;
        for sum in sums {
            *sum = h.mul_add(*sum, zero);
            h = V::select(self.from_left, h, -h);
        }
    }
}
