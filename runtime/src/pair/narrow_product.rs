//! E of two narrow pieces over which the conditional densities are smooth, as a product of moments.
//!
//! With s₀ and t₀ the distances of two ends, s = s₀ + x, t = t₀ + y and r = √(1 − ρ²),
//!
//! ```text
//! φ₂(s, t) = φ₂(s₀, t₀) e^(−x(x/2 + s₀ − ρt₀)/r²) e^(−y(y/2 + t₀ − ρs₀)/r²) e^(ρxy/r²)
//! E[T T′]  = φ₂(s₀, t₀) Σ_n (ρ/r²)ⁿ/n! X_n Y_n          X_n = ∫ T xⁿ e^(−x(x/2 + s₀ − ρt₀)/r²) dx
//! ```
//!
//! The ends are chosen such that ρxy is never negative: no term of the sum is, where T and T′ are not. A derivative of the density multiplies it by
//! polynomials of x and y, which are moments of higher orders.

use alloc::vec::Vec;

use super::law::Law;
use super::narrow_piece::{MOST_NODES, NarrowPiece, rule, sum, value};
use super::term::{Order, Sum};
use super::truncated_moments::{INV_SQRT_TAU, falling, half_exponential};
use crate::constants::rules::Row;
use crate::kernel::word;

/// Adds the covariances of two pieces.
pub(super) fn add<const N: usize>(
    pieces: [&NarrowPiece; 2],
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let from = origins(pieces, law);
    let ends = [0, 1].map(|i| &pieces[i].ends[usize::from(from[i])]);
    let root = libm::sqrt(law.determinant[0]);
    let (a, b) = (ends[0].distance, ends[1].distance);
    // s₀ − ρt₀ and t₀ − ρs₀ over r.
    let second = law.offset(a, b);
    let first = law.swapped().offset(b, a);
    let slopes = [first[0] / (law.deviation[1] * root), second[0] / (law.deviation[0] * root)];
    let unit = word::multiply([law.variance[0], 0.0], law.determinant);
    let square = word::add(ends[0].square, word::divide(word::multiply(second, second), unit));
    let rest = law.rest;
    let density = INV_SQRT_TAU * INV_SQRT_TAU * half_exponential(square) * rest;
    let alone = |order: &Order| pieces[0].feature(0, order[0]) * pieces[1].feature(0, order[1]);
    if density == 0.0 {
        orders.iter().zip(sums).for_each(|(order, sum)| sum.add(-alone(order)));
        return;
    }
    // In units of r, in which the exponents are x(x/2 + slope).
    let widths = pieces.map(|piece| piece.width / rest);
    let terms = terms(law.rho.abs() * widths[0] * widths[1]);
    let moments = [0, 1].map(|i| {
        let (size, slope) = (widths[i], slopes[i].abs());
        let rule = rule(size + size * slope.min(8.0) / 8.0);
        let moments = |piece| self::moments(piece, from[i], rest, slopes[i], rule, terms + 2);
        moments(pieces[i])
    });
    let together = |p: usize, q: usize| {
        let [x, y] = &moments;
        (0..terms).rev().fold(0.0, |sum, n| sum * (law.rho / (n + 1) as f64) + x[n + p] * y[n + q])
    };
    let whole = together(0, 0);
    let has_derivatives = orders.iter().any(|order| *order != [0, 0]);
    let rho = law.rho;
    let mut of = [[0.0; 3]; 3];
    of[0][0] = whole;
    if has_derivatives {
        let [x, y] = [together(1, 0), together(0, 1)];
        let [xx, xy, yy] = [together(2, 0), together(1, 1), together(0, 2)];
        // −∂/∂s = (A + x − ρy)/r and −∂/∂t = (B + y − ρx)/r, of numbers in units of r.
        let [a, b] = slopes;
        let inverse = 1.0 / rest;
        let (in_x, in_y) = (x - rho * y, y - rho * x);
        of[1][0] = (a * whole + in_x) * inverse;
        of[0][1] = (b * whole + in_y) * inverse;
        let square_x = xx - rho * (2.0 * xy - rho * yy);
        let square_y = yy - rho * (2.0 * xy - rho * xx);
        let both = xy * (1.0 + rho * rho) - rho * (xx + yy);
        let second = inverse * inverse;
        of[2][0] = (a * (a * whole + 2.0 * in_x) + square_x - whole) * second;
        of[0][2] = (b * (b * whole + 2.0 * in_y) + square_y - whole) * second;
        of[1][1] = (a * (b * whole + in_y) + b * in_x + both + rho * whole) * second;
    }
    for (order, sum) in orders.iter().zip(sums) {
        sum.add(density * of[order[0]][order[1]]);
        sum.add(-alone(order));
    }
}

/// From which ends, lower or upper, distances are taken.
fn origins([first, second]: [&NarrowPiece; 2], law: &Law) -> [bool; 2] {
    // The exponent at two ends, roughly.
    let exponent = |from: [bool; 2]| {
        let (s, t) = (first.ends[usize::from(from[0])].z, second.ends[usize::from(from[1])].z);
        s * s - 2.0 * law.rho * s * t + t * t
    };
    let choices = if law.rho >= 0.0 {
        [[false, false], [true, true]]
    } else {
        [[false, true], [true, false]]
    };
    choices[usize::from(exponent(choices[1]) < exponent(choices[0]))]
}

/// How many terms of Σ xⁿ/n! hold all digits.
fn terms(x: f64) -> usize {
    let (mut term, mut sum, mut n) = (1.0, 1.0, 0);
    while term > 1e-17 * sum && n < MOST_TERMS {
        n += 1;
        term *= x / n as f64;
        sum += term;
    }
    n + 1
}

/// More terms than any two pieces need: each is [`WIDEST`](super::narrow_piece::WIDEST) wide and 4/κ at most, so that |ρ| times the product of the widths in
/// units of r is below 18.
const MOST_TERMS: usize = 80;

/// X_n in units of r, of n = 0 … count − 1.
fn moments(
    piece: &NarrowPiece,
    is_upper: bool,
    rest: f64,
    slope: f64,
    rule: &[Row<f64>],
    count: usize,
) -> Vec<f64> {
    let [mut x, mut powers] = [[0.0; MOST_NODES]; 2];
    let (x, powers) = (&mut x[..rule.len()], &mut powers[..rule.len()]);
    for (i, [node, _, weight]) in rule.iter().enumerate() {
        let at = piece.width * node;
        x[i] = (if is_upper { at - piece.width } else { at }) / rest;
        let density = falling(x[i] * (0.5 * x[i] + slope));
        powers[i] = weight * piece.width / rest * density * value(&piece.polynomials[0], at);
    }
    let next = |_| {
        let moment = sum(powers);
        powers.iter_mut().zip(x.iter()).for_each(|(power, x)| *power *= x);
        moment
    };
    (0..count).map(next).collect()
}
