//! Covariances of narrow pieces with the tails and the narrow pieces of the other function.
//!
//! ```text
//! E[T⁽ⁱ⁾(u) h⁽ʲ⁾(w)] = ∫ T(x) φ(z) Σ_k binom(i, k) (−ρ)ᵏ He_{i−k}(z) E[h⁽ʲ⁺ᵏ⁾ | x] dx
//! ```
//!
//! with E\[h⁽ᵏ⁾ | x\] the moment of w given that u is at x. For a tail it is r^(m−k) J_{m−k}(y), with r = √(1 − ρ²) and y the distance of the knot in units
//! of r from where w is expected. There are four cases.
//!
//! - Weak correlations: the series in ρ of both sides' features ([`series`]).
//! - A piece over which the conditional density is smooth: nodes on the piece, as above.
//! - Two such pieces: a product of moments, below.
//! - A piece over which it is not: an integral of the function itself, which is a polynomial up to what a series adds around each
//!   knot ([`narrow_strong`](super::narrow_strong)).
//!
//! # Two pieces over which the conditional densities are smooth
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
//!
//! Error: some ulp of the integrals with |T| and |T′|, however narrow the pieces are.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::decomposition::{Decomposition, MOST_NODES, NarrowPiece, derivatives, rule, sum, value};
use super::law::Law;
use super::narrow_strong::Shape;
use super::tail::{
    CUT, DERIVATIVES, INV_SQRT_TAU, Seen, SeenPoint, Tail, TailTerms, TailValues, falling,
    half_exponential, hermite_of, power,
};
use super::tail_pair::{Order, Sum, is_weak, joint_mass, series};
use crate::constants::rules::Row;
use crate::kernel::word;

/// Adds the covariances of narrow pieces with the tails and narrow pieces of the other side.
pub(super) fn add<const N: usize>(
    left: &Decomposition,
    right: &Decomposition,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    if left.narrow_pieces.is_empty() && right.narrow_pieces.is_empty() {
        return;
    }
    let back = law.swapped();
    let turned = orders.map(|[first, second]| [second, first]);
    let (first, second) = (Apart::new(left), Apart::new(right));
    // Parts of either side meet the other side in the same way, with the law and the orders turned around.
    let ways = [
        (left, &first, right, &second, law, orders),
        (right, &second, left, &first, &back, &turned),
    ];
    for (side, apart, other, other_apart, law, orders) in ways {
        for piece in side.narrow_pieces.iter().filter(|piece| !piece.is_apart) {
            for tail in &other.tails {
                with_tail(piece, tail, law, orders, sums);
            }
            for (other, ends) in &other_apart.pieces {
                let alone = |times| other.feature(0, times);
                over_nodes(piece, ends, alone, law, orders, sums);
            }
        }
        for tail in &other.tails {
            apart.pieces.iter().for_each(|piece| at_masses(tail, piece, law, orders, sums));
            if tail.part != TailTerms::Ends && !apart.runs.is_empty() {
                let tail = Shape::of_tail(tail);
                apart.runs.iter().for_each(|run| run.add(&tail, law, orders, sums));
            }
        }
    }
    for run in &first.runs {
        second.runs.iter().for_each(|other| run.add(other, law, orders, sums));
    }
    for first in left.narrow_pieces.iter().filter(|piece| !piece.is_apart) {
        for second in right.narrow_pieces.iter().filter(|piece| !piece.is_apart) {
            with_piece([first, second], law, orders, sums);
        }
    }
}

/// The pieces of a function that are differentiated themselves.
struct Apart<'a> {
    pieces: Vec<(&'a NarrowPiece, [End<'a>; 2])>,
    runs: Vec<Shape<'a>>,
}

impl<'a> Apart<'a> {
    fn new(side: &'a Decomposition) -> Self {
        let pieces = side.narrow_pieces.iter().filter(|piece| piece.is_apart);
        Self {
            pieces: pieces.map(|piece| (piece, End::of_piece(piece))).collect(),
            runs: Shape::runs(side),
        }
    }
}

/// Adds the covariances of a piece that nodes resolve with a tail.
fn with_tail<const N: usize>(
    piece: &NarrowPiece,
    tail: &Tail,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let distances = [piece.reach(), tail.place.z];
    if !is_weak(law.rho, distances[0], distances[1]) {
        let ends = [End::of_tail(tail)];
        over_nodes(piece, &ends, |times| tail.feature(0, times), law, orders, sums);
        return;
    }
    for (order, sum) in orders.iter().zip(sums) {
        let features = piece.features(order[0]);
        let product = |k: usize| features[k] * tail.feature(k, order[1]);
        sum.add(series(law.rho, distances, product));
    }
}

/// The most of |ρ|(α + 1)(β + 1) for which a series is needed: beyond, the product of the means is no large part of what it is taken from.
const STRONGEST_SERIES: f64 = 0.4;

/// Adds the covariances of two pieces that nodes resolve.
fn with_piece<const N: usize>(
    pieces: [&NarrowPiece; 2],
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let distances = pieces.map(NarrowPiece::reach);
    let strength = law.rho.abs() * (distances[0] + 1.0) * (distances[1] + 1.0);
    if strength > STRONGEST_SERIES {
        add_product(pieces, law, orders, sums);
        return;
    }
    for (order, sum) in orders.iter().zip(sums) {
        let features = [0, 1].map(|i| pieces[i].features(order[i]));
        let product = |k: usize| features[0][k] * features[1][k];
        sum.add(series(law.rho, distances, product));
    }
}

/// Adds the covariances of a piece, by nodes on it, with a part of the other function: a tail, or the two ends of a piece. Each derivative of the part is
/// expected to be `alone`.
fn over_nodes<const N: usize>(
    piece: &NarrowPiece,
    ends: &[End<'_>],
    alone: impl Fn(usize) -> f64,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let steepness = law.rho.abs() / law.rest;
    // How far the knots are from where w is expected, for the lower end of the piece.
    let starts: Vec<f64> = ends.iter().map(|end| end.distance(&piece.ends[0], law)).collect();
    let rule = rule(piece.width * (1.0 + steepness));
    let mut totals = [0.0; N];
    for node in piece.nodes(rule, [0.0, piece.width]) {
        let y = |i: usize| starts[i] - ends[i].place.side * law.rho / law.rest * node.x;
        let mut moments = [[0.0; DERIVATIVES]; DERIVATIVES];
        // Past both ends of a piece its tails are one polynomial with both signs, which would cancel.
        let is_past = ends.len() == 2 && y(0).max(y(1)) < 0.0;
        for (i, end) in ends.iter().enumerate() {
            end.add(y(i), is_past, law.rest, &mut moments);
        }
        let mass = node.mass * value(&piece.polynomials[0], node.x);
        let [z, rho] = [node.z, law.rho];
        for (order, total) in orders.iter().zip(&mut totals) {
            let given = &moments[order[1]];
            let expected = match order[0] {
                0 => given[0],
                1 => z * given[0] - rho * given[1],
                _ => (z * z - 1.0) * given[0] + rho * (rho * given[2] - 2.0 * z * given[1]),
            };
            *total += mass * expected;
        }
    }
    for ((order, sum), total) in orders.iter().zip(sums).zip(totals) {
        sum.add(total);
        sum.add(-piece.feature(0, order[0]) * alone(order[1]));
    }
}

/// A knot of a part of a function of w, beyond which it is a sum of tails.
struct End<'a> {
    place: &'a SeenPoint,
    /// From order 0 on.
    coefficients: Cow<'a, [f64]>,
    /// The terms that count of its derivatives.
    part: TailTerms,
}

impl<'a> End<'a> {
    fn of_tail(tail: &'a Tail) -> Self {
        Self { place: &tail.place, coefficients: (&tail.coefficients).into(), part: tail.part }
    }

    /// The ends of a piece whose polynomial is differentiated.
    fn of_piece(piece: &'a NarrowPiece) -> [Self; 2] {
        let lower = derivatives(&piece.polynomials[0], 0.0);
        let mut upper = derivatives(&piece.polynomials[0], piece.width);
        upper.iter_mut().for_each(|c| *c = -*c);
        let [first, second] = &piece.ends;
        [(first, lower), (second, upper)].map(|(place, coefficients)| Self {
            place,
            coefficients: coefficients.into(),
            part: TailTerms::Inside,
        })
    }

    /// How far the knot is, outward, from where w is expected given a place of u, in units of the conditional deviation.
    fn distance(&self, at: &SeenPoint, law: &Law) -> f64 {
        let law = law.mirrored(self.place.side);
        let root = libm::sqrt(law.determinant[0]);
        law.offset(at.distance, self.place.distance)[0] / (law.deviation[0] * root)
    }

    /// Adds, for each derivative j and k, the moment of the (j + k)-th derivative, of which k are in the conditional mean. Where w is expected past
    /// both ends of a piece, the polynomials of the two cancel and are left out.
    fn add(
        &self,
        y: f64,
        is_past: bool,
        rest: f64,
        moments: &mut [[f64; DERIVATIVES]; DERIVATIVES],
    ) {
        let count = self.coefficients.len();
        let values = if is_past { TailValues::before(y, count) } else { TailValues::new(y, count) };
        let inverse = 1.0 / rest;
        let unit = |n: i32| match n {
            0 => 1.0,
            1 => rest,
            -1 => inverse,
            n => power(if n < 0 { inverse } else { rest }, n.unsigned_abs() as usize),
        };
        for (m, c) in (0..).zip(self.coefficients.iter()).filter(|(_, c)| **c != 0.0) {
            // Each derivative turns the sign of what is seen to the left.
            let mut sign = *c;
            let mut expected = [0.0; DERIVATIVES];
            for (times, expected) in (0..).zip(&mut expected) {
                let n: i32 = m - times;
                *expected = sign * unit(n) * values.get(n);
                sign *= self.place.side;
            }
            for (j, row) in
                moments.iter_mut().enumerate().filter(|(j, _)| self.part.has(m - *j as i32))
            {
                row.iter_mut().zip(&expected[j..]).for_each(|(moment, e)| *moment += e);
            }
        }
    }
}

/// Adds the covariances of the point masses of a tail's derivatives with a piece that is differentiated itself.
fn at_masses<const N: usize>(
    tail: &Tail,
    (piece, ends): &(&NarrowPiece, [End<'_>; 2]),
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    if orders.iter().all(|order| tail.is_function(order[1])) {
        return;
    }
    let place = tail.place.to_the_right();
    let given = given(&place, piece, ends, &law.swapped());
    for (order, sum) in orders.iter().zip(sums) {
        for (i, c) in tail.terms(order[1]).filter(|(i, _)| *i < 0) {
            let n = (-1 - i) as usize;
            // Odd derivatives of a point mass change signs where it is seen from the other side.
            let sign = power(tail.place.side, n);
            let joint = joint_mass(i, [place.z, place.density], law.rho, |k| given[order[0]][k]);
            let alone = hermite_of(place.z, n) * place.density * piece.feature(0, order[0]);
            sum.add(sign * c * (joint - alone));
        }
    }
}

/// For each derivative j of a piece, the moment of its (j + k)-th derivative given a place of the other pre-activation, of which k are in the conditional
/// mean; the other one is the first of the law.
fn given(
    place: &SeenPoint,
    piece: &NarrowPiece,
    ends: &[End<'_>; 2],
    law: &Law,
) -> [[f64; DERIVATIVES]; DERIVATIVES] {
    let mut moments = [[0.0; DERIVATIVES]; DERIVATIVES];
    if !law.is_degenerate() {
        let distances = ends.each_ref().map(|end| end.distance(place, law));
        let is_past = distances[0].max(distances[1]) < 0.0;
        if distances[0] > CUT || distances[1] < -CUT {
            return moments;
        }
        for (end, y) in ends.iter().zip(distances) {
            end.add(y, is_past, law.rest, &mut moments);
        }
        return moments;
    }
    let variance = [law.variance[0], 0.0];
    let [lower, upper] = piece.ends.each_ref().map(|end| {
        word::divide(word::negate(law.offset(place.distance, end.distance)), variance)[0]
    });
    // On an end of the piece: the other half is that of its neighbour.
    let part = match (lower >= 0.0 && upper <= 0.0, lower == 0.0 || upper == 0.0) {
        (false, _) => 0.0,
        (true, true) => 0.5,
        (true, false) => 1.0,
    };
    for (row, polynomial) in moments.iter_mut().zip(&piece.polynomials) {
        let here = derivatives(polynomial, lower / law.deviation[1]);
        row.iter_mut().zip(here).for_each(|(moment, value)| *moment = part * value);
    }
    moments
}

/// Adds the covariances of two pieces, by the product of moments.
fn add_product<const N: usize>(
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
        // In units of r the exponent of the last factor is ρxy: r² is in the units.
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
    // Lower ends leave x and y positive, upper ends negative: ρxy is not negative for ends of one kind if ρ is not.
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

/// More terms than any two pieces need: each is 2 wide and 4/κ at most, so that |ρ| times the product of the widths in
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
