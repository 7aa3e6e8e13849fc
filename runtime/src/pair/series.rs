//! Weakly correlated pairs: Σ ρᵏ/k! f_k g_k, in proportion to c.
//!
//! f_k and g_k are features of one function each: those of a layer are computed once for each unit, and many pairs at a time (`layer::series`).

use crate::kernel::{Lanes, Mask, number};

/// Up to which |ρ| and |ρ|(α + 1)(β + 1) the series is used, and how many of its terms.
pub(super) const WEAK: f64 = 0.3;
pub(super) const WEAK_PRODUCT: f64 = 1.5;
pub(super) const TERMS: usize = 32;

/// Whether a pair of knots is in reach of the series.
pub(super) fn is_weak(r: f64, a: f64, b: f64) -> bool {
    r.abs() <= WEAK && r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0) <= WEAK_PRODUCT
}

/// Σ rᵏ/k! of the products f_k g_k, from k = 1 on, small terms first, for features of knots or points at the distances a and b.
pub(super) fn series(r: f64, [a, b]: [f64; 2], product: impl Fn(usize) -> f64) -> f64 {
    // More where functions are differentiated: their terms fall later.
    let terms = terms(2.0 * r.abs() * (a.abs() + 1.0) * (b.abs() + 1.0), true);
    (1..=terms).rev().fold(0.0, |sum, k| r / k as f64 * (product(k) + sum))
}

/// How many terms hold all digits where they are wanted: those of |ρ|(α + 1)(β + 1), with whose powers they fall.
#[inline(always)]
pub(super) fn terms<V: Lanes>(strength: V, wanted: V::Mask) -> usize {
    let ignored = wanted.not();
    let [least, less, more] = [0.01, 0.05, 0.15];
    if !ignored.or(strength.le(number(more))).all() {
        return TERMS;
    }
    match (
        ignored.or(strength.le(number(least))).all(),
        ignored.or(strength.le(number(less))).all(),
    ) {
        (true, _) => 8,
        (_, true) => 12,
        _ => 20,
    }
}
