//! What the exponential of the runtime is made of.
//!
//! eˣ = 2ⁿ eʳ with |r| ≤ ½ ln 2 and eʳ = 1 + r + r² q(r): q interpolates (eʳ − 1 − r)/r² at
//! Chebyshev nodes of an interval one thousandth wider, since n is found from a rounded quotient.
//! ln 2 and ¼ ln 2π are split in two words, the first one a multiple of 2^−40 (2^−14 in f32), so that
//! the products with n and their sum are exact.

use crate::number::{BITS, Real, integer, ln_2, max, pi, polynomial, real};
use crate::solve::solve;
use crate::word::Word;

/// How many times wider the interval is.
const MARGIN: f64 = 1.001;
/// Steps of the scan for the largest error.
const SCAN: usize = 1000;

/// The constants, rounded.
pub(crate) struct Exponential<T> {
    pub(crate) ln_2: [T; 2],
    pub(crate) log2_e: T,
    pub(crate) quarter_ln_tau: [T; 2],
    pub(crate) q: Vec<T>,
    /// The largest relative error that the polynomial with rounded coefficients makes in eʳ.
    pub(crate) error: f64,
}

pub(crate) fn exponential<T: Word>(degree: usize) -> Exponential<T> {
    let end = &(&ln_2() * &real(0.5)) * &real(MARGIN);
    let q: Vec<T> = interpolant(degree, &end).iter().map(T::nearest).collect();
    let rounded: Vec<_> = q.iter().map(|&c| real(c.to_f64())).collect();
    let error = (0..=SCAN)
        .map(|i| {
            let r = &end * &real(2.0 * i as f64 / SCAN as f64 - 1.0);
            let value = &(&real(1.0) + &r) + &(&(&r * &r) * &polynomial(&rounded, &r));
            (&(&value / &r.exp()) - &real(1.0)).abs()
        })
        .fold(real(0.0), max);
    let tau = &real(2.0) * &pi(BITS);
    Exponential {
        ln_2: split(&ln_2()),
        log2_e: T::nearest(&(&real(1.0) / &ln_2())),
        quarter_ln_tau: split(&(&tau.ln() * &real(0.25))),
        q,
        error: error.to_f64(),
    }
}

/// The polynomial that interpolates (eʳ − 1 − r)/r² on \[−end, end\].
fn interpolant(degree: usize, end: &Real) -> Vec<Real> {
    let count = degree + 1;
    let rows = (0..count).map(|i| {
        let angle = &(&pi(BITS) * &integer(2 * i + 1)) / &integer(2 * count);
        let r = end * &angle.cos();
        let mut row = vec![real(1.0)];
        for j in 1..count {
            row.push(&row[j - 1] * &r);
        }
        row.push(quotient(&r));
        row
    });
    solve(rows.collect())
}

/// (eʳ − 1 − r)/r² = Σ rᵏ/(k + 2)!, by its series: the quotient cancels for small r, and an even
/// degree puts a node at 0.
fn quotient(r: &Real) -> Real {
    let (mut term, mut sum, mut k) = (real(0.5), real(0.0), 3);
    while term.abs() > real(f64::MIN_POSITIVE) {
        sum += term.clone();
        term = &(&term * r) / &integer(k);
        k += 1;
    }
    sum
}

/// A positive number as a multiple of 2^−[`Word::SPLIT`] below it and the rest.
fn split<T: Word>(value: &Real) -> [T; 2] {
    let unit = real(2.0_f64.powi(T::SPLIT as i32));
    let scaled = value * &unit;
    let whole = scaled.as_float().floor().expect("the number is finite");
    let high = &Real::from_int(&whole, BITS, scaled.rounding_mode()) / &unit;
    [T::nearest(&high), T::nearest(&(value - &high))]
}
