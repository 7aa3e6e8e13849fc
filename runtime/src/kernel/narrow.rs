//! Narrow pieces by Gauss–Legendre quadrature.
//!
//! The density inside a narrow piece is φ(z) = φ(edge)·exp(−δ(ζ + δ/2)), with the edge that
//! is nearer to γ, δ the distance from it in units of ξ and ζ its coordinate in the direction in
//! which the piece lies; the exponential stays between e⁻⁸ and e². The factor φ(edge) = h² is
//! applied one h at a time, so that it underflows only with the result. The argument of the
//! polynomials is counted from the left edge, so that nothing cancels.
//!
//! Error: 18 nodes in f64 and 10 in f32 leave up to 5 ulp of E\[|f| 1_piece\] for P of
//! degree d ≤ 4 and k ≤ d + 2, and of E\[P² |He_k| 1_piece\] for k ≤ 2. Orders beyond that are
//! as good on thin pieces only.

use super::exponential::exp;
use super::{Deviation, Edge};
use crate::Float;

/// E\[f(u) 1_piece\] for the N functions that `integrand` returns, given w = u − t_left and
/// z = (u − γ)/ξ.
#[inline]
pub fn narrow<T: Float, const N: usize>(
    left: &Edge<T>,
    right: &Edge<T>,
    width: T,
    deviation: &Deviation<T>,
    mut integrand: impl FnMut(T, T) -> [T; N],
) -> [T; N] {
    let mut sums = [T::ZERO; N];
    let h = quadrature(left, right, width, deviation, |w, z, mass| {
        for (sum, value) in sums.iter_mut().zip(integrand(w, z)) {
            *sum += mass * value;
        }
    });
    sums.map(|sum| h * (h * sum))
}

/// Calls `add(w, z, mass)` at every node of a narrow piece. What is summed wants a factor
/// h², and h is returned.
#[inline]
pub fn quadrature<T: Float>(
    left: &Edge<T>,
    right: &Edge<T>,
    width: T,
    deviation: &Deviation<T>,
    mut add: impl FnMut(T, T, T),
) -> T {
    let from_left = left.s <= right.s;
    let (h, zeta) = if from_left { (left.h, left.z) } else { (right.h, -right.z) };
    if h == T::ZERO {
        return h;
    }
    let omega = width * deviation.inverse;
    let mut node = |x: T, mirrored: T, weight: T| {
        let delta = omega * if from_left { x } else { mirrored };
        let z = zeta + delta;
        let density = exp(-(delta * (zeta + T::HALF * delta)), T::ZERO);
        add(width * x, if from_left { z } else { -z }, omega * weight * density);
    };
    for pair in T::NODES {
        node(pair.near, pair.far, pair.weight);
        node(pair.far, pair.near, pair.weight);
    }
    h
}
