//! Polynomials through the values of a smooth function at Chebyshev nodes.

use crate::number::{BITS, Real, integer, max, pi, real};
use crate::solve::solve;

/// How many times wider than needed the interval is, because what is reduced to it is rounded.
pub(crate) const MARGIN: f64 = 1.001;
/// Steps of the scan for the largest error.
const SCAN: usize = 1000;

/// The polynomial that interpolates a function on \[−end, end\], constant term first.
pub(crate) fn interpolant(degree: usize, end: &Real, f: impl Fn(&Real) -> Real) -> Vec<Real> {
    let count = degree + 1;
    let rows = (0..count).map(|i| {
        let angle = &(&pi(BITS) * &integer(2 * i + 1)) / &integer(2 * count);
        let x = end * &angle.cos();
        let mut row = vec![real(1.0)];
        for j in 1..count {
            row.push(&row[j - 1] * &x);
        }
        row.push(f(&x));
        row
    });
    solve(rows.collect())
}

/// The largest relative error of an approximation on \[−end, end\].
pub(crate) fn largest_error(
    end: &Real,
    value: impl Fn(&Real) -> Real,
    truth: impl Fn(&Real) -> Real,
) -> f64 {
    let errors = (0..=SCAN).map(|i| {
        let x = end * &real(2.0 * i as f64 / SCAN as f64 - 1.0);
        (&(&value(&x) / &truth(&x)) - &real(1.0)).abs()
    });
    errors.fold(real(0.0), max).to_f64()
}
