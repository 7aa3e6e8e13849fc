//! Covariances of narrow pieces with the tails and the narrow pieces of the other function.
//!
//! ```text
//! E[T⁽ⁱ⁾(u) h⁽ʲ⁾(w)] = ∫ T(x) φ(z) Σ_k binom(i, k) (−ρ)ᵏ He_{i−k}(z) E[h⁽ʲ⁺ᵏ⁾ | x] dx
//! ```
//!
//! with E\[h⁽ᵏ⁾ | x\] the moment of w given that u is at x. For a tail it is r^(m−k) J_{m−k}(y), with r = √(1 − ρ²) and y the distance of the knot in units
//! of r from where w is expected. There are four cases.
//!
//! - Weak correlations: the series in ρ of both sides' features ([`series`](super::series)).
//! - A piece over which the conditional density is smooth: nodes on the piece, as above.
//! - Two such pieces: a product of moments ([`narrow_product`](super::narrow_product)).
//! - A piece over which it is not: an integral of the function itself, which is a polynomial up to what a series adds around each
//!   knot ([`narrow_strong`](super::narrow_strong)).

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::decomposition::Decomposition;
use super::joint_tails::joint_mass;
use super::law::Law;
use super::narrow_piece::{NarrowPiece, derivatives, rule, value};
use super::narrow_product;
use super::narrow_strong::Shape;
use super::series::{is_weak, series};
use super::tail::{DERIVATIVES, Seen, SeenPoint, Tail, TailTerms};
use super::term::{Order, Sum};
use super::truncated_moments::{CUT, TailValues, hermite_of, power};
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
        narrow_product::add(pieces, law, orders, sums);
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
        let law = Law { covariance: self.place.side * law.covariance, ..*law };
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
