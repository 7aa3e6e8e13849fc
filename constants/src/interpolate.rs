//! Linear equations, and polynomials through the values of a smooth function at Chebyshev nodes.

use crate::number::{BITS, Real, integer, max, pi, real};

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

/// x with A x = b, for a regular matrix given as its rows, each with the entry of b at its end.
pub(crate) fn solve(mut rows: Vec<Vec<Real>>) -> Vec<Real> {
    let n = rows.len();
    for column in 0..n {
        let pivot = (column + 1..n).fold(column, |best, row| {
            if rows[row][column].abs() > rows[best][column].abs() { row } else { best }
        });
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        for row in below {
            let factor = &row[column] / &pivot[column];
            for (entry, upper) in row[column..].iter_mut().zip(&pivot[column..]) {
                *entry -= &factor * upper;
            }
        }
    }
    let mut x = vec![real(0.0); n];
    for (i, row) in rows.iter().enumerate().rev() {
        let known = (i + 1..n).fold(row[n].clone(), |sum, j| &sum - &(&row[j] * &x[j]));
        x[i] = &known / &row[i];
    }
    x
}
