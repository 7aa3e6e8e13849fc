//! Constants of the runtime's Normal density: a reduction of the argument and a polynomial.
//!
//! φ(√y) = e^(−y/2)/√2π = 2⁻ⁿ φ(√r) with r = y − n ln 4, |r| ≤ ln 2, and φ(√r) = c + b r + r² q(r) with
//! b = −c/2: q interpolates the rest at Chebyshev nodes of an interval one thousandth wider, since n is
//! found from a rounded quotient. ln 4 is split in two words, the first one a multiple of 2^−39 (2^−13
//! in f32), so that its product with n is exact.

use crate::format::Format;
use crate::interpolate::{MARGIN, interpolant, largest_error};
use crate::number::{BITS, Real, integer, ln_2, pi, polynomial, real};

/// The constants, rounded.
pub(crate) struct Exponential<T> {
    pub(crate) ln_4: [T; 2],
    pub(crate) log4_e: T,
    /// c in two words.
    pub(crate) peak: [T; 2],
    /// b.
    pub(crate) slope: T,
    pub(crate) q: Vec<T>,
    /// The largest relative error that the polynomial with rounded coefficients makes in φ(√r).
    pub(crate) error: f64,
}

pub(crate) fn exponential<T: Format>(degree: usize) -> Exponential<T> {
    let end = &ln_2() * &real(MARGIN);
    let peak = &real(1.0) / &(&real(2.0) * &pi(BITS)).sqrt();
    let high = T::nearest(&peak);
    let low = T::nearest(&(&peak - &real(high.to_f64())));
    let slope = T::nearest(&(&peak * &real(-0.5)));
    let rest = |r: &Real| &(&peak * &real(0.25)) * &quotient(&(r * &real(-0.5)));
    let q: Vec<T> = interpolant(degree, &end, rest).iter().map(T::nearest).collect();
    let words = |words: &[T]| words.iter().map(|c| real(c.to_f64())).collect::<Vec<_>>();
    let (start, rest) = (words(&[high, slope]), words(&q));
    let value = |r: &Real| {
        let value = &polynomial(&start, r) + &(&(r * r) * &polynomial(&rest, r));
        &value + &real(low.to_f64())
    };
    let error = largest_error(&end, value, |r| &peak * &(r * &real(-0.5)).exp());
    let ln_4 = &ln_2() * &real(2.0);
    Exponential {
        ln_4: split(&ln_4),
        log4_e: T::nearest(&(&real(1.0) / &ln_4)),
        peak: [high, low],
        slope,
        q,
        error,
    }
}

/// A positive number as a multiple of 2^−[`Format::SPLIT`] below it and the rest.
fn split<T: Format>(value: &Real) -> [T; 2] {
    let unit = real(2.0_f64.powi(T::SPLIT as i32));
    let scaled = value * &unit;
    let whole = scaled.as_float().floor().expect("the number is finite");
    let high = &Real::from_int(&whole, BITS, scaled.rounding_mode()) / &unit;
    [T::nearest(&high), T::nearest(&(value - &high))]
}

/// (eˣ − 1 − x)/x² = Σ xᵏ/(k + 2)!, by its series: the quotient cancels for small x, and an even
/// degree puts a node at 0.
fn quotient(x: &Real) -> Real {
    let (mut term, mut sum, mut k) = (real(0.5), real(0.0), 3);
    while term.abs() > real(f64::MIN_POSITIVE) {
        sum += term.clone();
        term = &(&term * x) / &integer(k);
        k += 1;
    }
    sum
}
