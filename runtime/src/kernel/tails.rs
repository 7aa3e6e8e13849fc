//! Scaled tails of the Normal distribution.
//!
//! J_n(s) = E\[(z − s)₊ⁿ\]/n! for z ~ N(0, 1) are the repeated integrals of its tail, J₋₁ = φ
//! and R_n = J_n/φ. They obey J_{n−1} = (n+1) J_{n+1} + s J_n. Forwards this recurrence cancels; backwards it has
//! only positive terms. So Y_M = P(s), Y_{M−1} = Q(s) from a rational fit of
//! J_M/J_{M−1} start the backward recurrence, and R_n = Y_n/Y₋₁. The recurrence damps the
//! error of the start, except at s = 0, where the fit is best.
//!
//! Error: `constants/fits.rs` states the largest, 3 to 6 ulp of R_n, as measured by the command that
//! makes the file. The root mean square is 0.6 to 0.9 ulp. One number, whose multiplications are not fused,
//! has up to 2.5 ulp more. Orders beyond 8 are in `high`.

use super::polynomial::horner;
use super::{Edge, high};
use crate::Float;
use crate::accuracy::Accuracy;
use crate::constants::fits::Fit;
use crate::lanes::Lanes;

/// The number of tails that each fit is the start for. For more tails `high` has the recurrence.
pub const FIT_COUNTS: [usize; 4] = [3, 5, 7, 9];

/// h·R_n(s) for n = 0 … N − 1, with R_n = J_n/φ: J_n(s) = E\[(z − s)₊ⁿ\]/n! in the
/// [unit](super::density_unit) of densities.
#[inline(always)]
pub fn tails<V: Lanes, const N: usize>(edge: &Edge<V>) -> [V; N] {
    match fit::<V::Accuracy, N>() {
        Some(fit) => from_fit(fit, edge),
        None => high::tails(edge),
    }
}

/// Where the recurrence for N tails starts, unless in a series.
#[inline(always)]
pub(super) fn fit<A: Accuracy, const N: usize>() -> Option<&'static Fit<A::Scalar>> {
    if N <= FIT_COUNTS[0] {
        Some(&A::FITS[0])
    } else if N <= FIT_COUNTS[1] {
        Some(&A::FITS[1])
    } else if N <= FIT_COUNTS[2] {
        Some(&A::FITS[2])
    } else if N <= FIT_COUNTS[3] {
        Some(&A::FITS[3])
    } else {
        None
    }
}

#[inline(always)]
fn from_fit<V: Lanes, const N: usize>(fit: &Fit<V::Scalar>, edge: &Edge<V>) -> [V; N] {
    let s = edge.s;
    let mut upper = horner(fit.p, s);
    let mut current = horner(fit.q, s);
    let mut y = [V::splat(V::Scalar::ZERO); N];
    // `current` is Y_n, `upper` is Y_{n+1}; a step gives Y_{n−1}. The number of steps is a
    // constant, so that the loop is unrolled.
    for n in (0..fit.start).rev() {
        if n < N {
            y[n] = current;
        }
        let factor = V::splat(V::Scalar::from_f64((n + 1) as f64));
        let lower = s.mul_add(current, factor * upper);
        (upper, current) = (current, lower);
    }
    // `current` is Y₋₁ here, which stands for φ: h over it turns every Y into a tail.
    let scale = edge.h.quotient(current);
    for value in &mut y {
        *value = *value * scale;
    }
    y
}
