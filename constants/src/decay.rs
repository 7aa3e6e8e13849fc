//! The density at the middle of a narrow straight piece, relative to that at its nearer end.
//!
//! With y the slope of its exponent in the middle, 0 ≤ y ≤ 1, it is e^(−y) but for what does not depend on y, and
//! p(y − ½) with p(x) = c + b x + x² q(x) interpolates e^(−y) at Chebyshev nodes.

use crate::format::Format;
use crate::interpolate::{MARGIN, interpolant, largest_error};
use crate::number::{Real, polynomial, real};

/// The polynomial, rounded.
pub(crate) struct Decay<T> {
    /// c in two words.
    pub(crate) middle: [T; 2],
    /// b.
    pub(crate) slope: T,
    pub(crate) q: Vec<T>,
    /// The largest relative error of p with rounded coefficients.
    pub(crate) error: f64,
}

pub(crate) fn decay<T: Format>(degree: usize) -> Decay<T> {
    let half = real(0.5);
    let end = &half * &real(MARGIN);
    let truth = |x: &Real| (&real(-1.0) * &(x + &half)).exp();
    let exact = interpolant(degree, &end, truth);
    let p: Vec<T> = exact.iter().map(T::nearest).collect();
    let low = T::nearest(&(&exact[0] - &real(p[0].to_f64())));
    let mut words: Vec<Real> = p.iter().map(|c| real(c.to_f64())).collect();
    words[0] += real(low.to_f64());
    let error = largest_error(&end, |x| polynomial(&words, x), truth);
    Decay { middle: [p[0], low], slope: p[1], q: p[2..].to_vec(), error }
}
