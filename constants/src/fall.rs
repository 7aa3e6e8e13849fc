//! By how much the density on a narrow straight piece falls from its nearer to its farther end.
//!
//! With y the slope of its exponent in the middle, 0 ≤ y ≤ 1, it falls from 1 to e^(−2y) = 1 − y p(y − ½), and
//! p(x) = c + b x + x² q(x) interpolates (1 − e^(−2y))/y at Chebyshev nodes.

use crate::interpolate::{MARGIN, interpolant, largest_error, quotient};
use crate::number::{Real, polynomial, real};
use crate::word::Word;

/// The polynomial, rounded.
pub(crate) struct Fall<T> {
    /// c in two words.
    pub(crate) middle: [T; 2],
    /// b.
    pub(crate) slope: T,
    pub(crate) q: Vec<T>,
    /// The largest relative error of p with rounded coefficients.
    pub(crate) error: f64,
}

pub(crate) fn fall<T: Word>(degree: usize) -> Fall<T> {
    let half = real(0.5);
    let end = &half * &real(MARGIN);
    let truth = |x: &Real| {
        let exponent = &(x + &half) * &real(-2.0);
        &(&real(1.0) + &(&exponent * &quotient(&exponent))) * &real(2.0)
    };
    let exact = interpolant(degree, &end, truth);
    let p: Vec<T> = exact.iter().map(T::nearest).collect();
    let low = T::nearest(&(&exact[0] - &real(p[0].to_f64())));
    let mut words: Vec<Real> = p.iter().map(|c| real(c.to_f64())).collect();
    words[0] += real(low.to_f64());
    let error = largest_error(&end, |x| polynomial(&words, x), truth);
    Fall { middle: [p[0], low], slope: p[1], q: p[2..].to_vec(), error }
}
