//! Narrow pieces: integrals of their polynomial with the conditional law of the other pre-activation.
//!
//! Nodes stand for point masses. Where u all but determines w, the conditional law is a step at each knot of the other function:
//! panels resolve it.

use alloc::vec::Vec;

use super::decomposition::Decomposition;
use super::joint_tails::joint_mass;
use super::law::Law;
use super::narrow_piece::{NarrowPiece, quadrature, value};
use super::series::{TERMS, WEAK, is_weak, series};
use super::tail::{DERIVATIVES, Place, Seen};
use super::term::{Order, Pair, Sum};
use super::truncated_moments::{INV_SQRT_TAU, half_exponential, hermite, hermite_of, power};
use crate::kernel::word;
use crate::lanes::double::two_square;

/// A part of a piece as point masses.
struct Point {
    place: Place,
    /// The order of the mass and its coefficient, for each derivative of the piece.
    masses: [(i32, f64); DERIVATIVES],
    /// He_n at the place, for the series.
    he: Vec<f64>,
}

impl Point {
    fn new(piece: &NarrowPiece, at: f64, weight: f64, unit: [f64; 2], he: usize) -> Self {
        let place = piece.place(at, unit);
        let masses = core::array::from_fn(|times| {
            let (order, coefficient) = piece.mass(at, times, unit[1]);
            (order, weight * coefficient)
        });
        let he = hermite(place.z, he);
        Self { place, masses, he }
    }
}

impl Seen for Point {
    fn place(&self) -> &Place {
        &self.place
    }

    fn upper(&self) -> &[f64] {
        &[]
    }

    fn count(&self) -> usize {
        0
    }

    fn terms(&self, times: usize) -> impl Iterator<Item = (i32, f64)> {
        core::iter::once(self.masses[times])
    }

    fn ratio(&self, k: usize, times: usize) -> f64 {
        let (order, coefficient) = self.masses[times];
        coefficient * self.he[(-1 - order) as usize + k]
    }
}

/// Adds what narrow pieces have in common with the tails and narrow pieces of the other side.
pub(super) fn add<const N: usize>(
    left: &Decomposition,
    right: &Decomposition,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let back = law.swapped();
    let turned = orders.map(|[first, second]| [second, first]);
    let both = [(left, right, law, orders), (right, left, &back, &turned)];
    if law.rho.abs() <= WEAK {
        for (side, other, law, orders) in both {
            for piece in &side.narrow_pieces {
                weak_tails(piece, side, other, law, orders, sums);
            }
        }
        for first in &left.narrow_pieces {
            for second in &right.narrow_pieces {
                weak_strips([first, second], [left, right], law, orders, sums);
            }
        }
        return;
    }
    for (side, other, law, orders) in both {
        for piece in &side.narrow_pieces {
            strong_tails(piece, side, other, law, orders, sums);
        }
    }
    for first in &left.narrow_pieces {
        for second in &right.narrow_pieces {
            let points = graded(first, left.unit, &[second.lower, second.upper], law);
            let expected = Expected::new(second, right.unit, law, orders);
            for point in &points {
                let moments = expected.given(&point.place);
                for (order, sum) in orders.iter().zip(&mut *sums) {
                    let (i, c) = point.masses[order[0]];
                    sum.add(c * moments.covariance(i, order[1]));
                }
            }
        }
    }
}

fn weak_tails<const N: usize>(
    piece: &NarrowPiece,
    side: &Decomposition,
    other: &Decomposition,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let reach = piece.reach(side.unit[1]);
    let mut points = Vec::new();
    for tail in &other.tails {
        if is_weak(law.rho, reach, tail.place.z) {
            for (order, sum) in orders.iter().zip(&mut *sums) {
                let product =
                    |k: usize| piece.feature(k, order[0], side.unit) * tail.feature(k, order[1]);
                sum.add(series(law.rho, [reach, tail.place.z], product));
            }
            continue;
        }
        if points.is_empty() {
            points = plain(piece, side.unit);
        }
        for point in &points {
            Pair::new(point, tail, law).add_plainly(orders, sums);
        }
    }
}

fn weak_strips<const N: usize>(
    narrow_pieces: [&NarrowPiece; 2],
    sides: [&Decomposition; 2],
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let [a, b] = [0, 1].map(|i| narrow_pieces[i].reach(sides[i].unit[1]));
    if is_weak(law.rho, a, b) {
        for (order, sum) in orders.iter().zip(sums) {
            let feature = |i: usize, k| narrow_pieces[i].feature(k, order[i], sides[i].unit);
            sum.add(series(law.rho, [a, b], |k| feature(0, k) * feature(1, k)));
        }
        return;
    }
    let [first, second] = [0, 1].map(|i| plain(narrow_pieces[i], sides[i].unit));
    for point in &first {
        for other in &second {
            Pair::new(point, other, law).add_plainly(orders, sums);
        }
    }
}

/// The piece as point masses.
fn plain(piece: &NarrowPiece, unit: [f64; 2]) -> Vec<Point> {
    let nodes = quadrature(0.0, piece.width);
    nodes.map(|(at, w)| Point::new(piece, at, w, unit, TERMS + 1 + DERIVATIVES)).collect()
}

fn strong_tails<const N: usize>(
    piece: &NarrowPiece,
    side: &Decomposition,
    other: &Decomposition,
    law: &Law,
    orders: &[Order; N],
    sums: &mut [Sum; N],
) {
    let ends = other.tails.iter().map(|tail| tail.place.to_the_right().distance);
    let ends: Vec<[f64; 2]> = ends.collect();
    for point in &graded(piece, side.unit, &ends, law) {
        for tail in &other.tails {
            let pair = Pair::new(point, tail, law);
            for (order, sum) in orders.iter().zip(&mut *sums) {
                sum.add(pair.covariance_of(*order, |_, j| j >= 0));
            }
        }
    }
    let back = law.swapped();
    let expected = Expected::new(piece, side.unit, &back, orders);
    for tail in &other.tails {
        if orders.iter().all(|order| tail.is_function(order[1])) {
            continue;
        }
        let place = tail.place.to_the_right();
        let moments = expected.given(&place);
        for (order, sum) in orders.iter().zip(&mut *sums) {
            for (i, c) in tail.terms(order[1]).filter(|(i, _)| *i < 0) {
                // Odd derivatives of a point mass change signs where it is seen from the other side.
                let sign = power(tail.place.side, (-1 - i) as usize);
                sum.add(sign * c * moments.covariance(i, order[0]));
            }
        }
    }
}

/// \[0, width\] in panels for a function that changes within a scale of the centres.
fn panels(width: f64, centres: &[f64], scale: f64) -> Vec<f64> {
    let steps = [-9.0, -4.0, -1.5, 0.0, 1.5, 4.0, 9.0];
    let places = centres.iter().flat_map(|centre| steps.map(|step| centre + step * scale));
    let mut places: Vec<f64> = places.filter(|x| 0.0 < *x && *x < width).collect();
    places.extend([0.0, width]);
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// A piece as point masses that resolve where the conditional mean of the other meets its knots.
fn graded(piece: &NarrowPiece, unit: [f64; 2], others: &[[f64; 2]], law: &Law) -> Vec<Point> {
    let c = law.covariance;
    let scale = libm::sqrt(law.determinant[0]) * unit[1] / c.abs();
    let centre = |end: &[f64; 2]| {
        let meets = word::divide(word::multiply([unit[0], 0.0], *end), [c, 0.0]);
        word::add(meets, word::negate(piece.lower))[0]
    };
    let centres: Vec<f64> = others.iter().map(centre).collect();
    let panels = panels(piece.width, &centres, scale);
    let nodes = panels.windows(2).flat_map(|ends| quadrature(ends[0], ends[1]));
    nodes.map(|(at, weight)| Point::new(piece, at, weight, unit, 0)).collect()
}

/// What is expected of a piece of w given u.
struct Expected<'a> {
    piece: &'a NarrowPiece,
    unit: [f64; 2],
    /// u first.
    law: &'a Law,
    /// What is expected of the derivatives as such.
    plain: [f64; DERIVATIVES],
    /// How many derivatives of the conditional density are asked for.
    depth: usize,
}

/// Orders of the derivatives of a conditional density that a piece and a mass ask for together.
const ORDERS: usize = 2 * DERIVATIVES - 1;

impl<'a> Expected<'a> {
    fn new(piece: &'a NarrowPiece, unit: [f64; 2], law: &'a Law, orders: &[Order]) -> Self {
        let plain = core::array::from_fn(|times| piece.feature(0, times, unit));
        let depth = orders.iter().map(|order| order[0] + order[1] + 1).max().unwrap_or(1);
        Self { piece, unit, law, plain, depth }
    }

    /// Given that u is at a place.
    fn given<'b>(&'b self, place: &'b Place) -> Given<'b> {
        let Self { piece, unit, law, .. } = self;
        let variance = [law.variance[0], 0.0];
        // Where w is expected, from both ends.
        let [mean, past] = [piece.lower, piece.upper]
            .map(|end| word::divide(word::negate(law.offset(place.distance, end)), variance));
        let mut moments = [[0.0; ORDERS]; DERIVATIVES];
        if law.is_degenerate() {
            // On an end of the piece: the other half is that of its neighbour.
            let part = match (mean[0] >= 0.0 && past[0] <= 0.0, mean[0] == 0.0 || past[0] == 0.0) {
                (false, _) => 0.0,
                (true, true) => 0.5,
                (true, false) => 1.0,
            };
            for (moments, polynomial) in moments.iter_mut().zip(&piece.polynomials) {
                for (k, moment) in moments.iter_mut().enumerate() {
                    *moment = part * power(unit[1], k) * derivative(polynomial, k, mean[0]);
                }
            }
            return Given { expected: self, place, moments };
        }
        let scale = libm::sqrt(law.determinant[0] / law.variance[0]);
        let count = if piece.is_apart { DERIVATIVES } else { 1 };
        for ends in panels(piece.width, &[mean[0]], scale).windows(2) {
            if ends[1] < mean[0] - 9.0 * scale || ends[0] > mean[0] + 9.0 * scale {
                continue;
            }
            for (at, weight) in quadrature(ends[0], ends[1]) {
                let y = (at - mean[0] - mean[1]) / scale;
                let density = INV_SQRT_TAU * half_exponential(two_square(y));
                let values: [f64; DERIVATIVES] = core::array::from_fn(|times| {
                    if times < count { value(&piece.polynomials[times], at) } else { 0.0 }
                });
                // He_k(y) φ(y) in units of the conditional deviation.
                let inverse = 1.0 / law.rest;
                let (mut before, mut now) = (0.0, weight * density / unit[1] * inverse);
                for k in 0..self.depth {
                    moments.iter_mut().zip(values).for_each(|(sums, value)| sums[k] += now * value);
                    let k = k as f64;
                    (before, now) = (now, (y * now - k * inverse * before) * inverse);
                }
            }
        }
        Given { expected: self, place, moments }
    }
}

/// The k-th derivative of a polynomial.
fn derivative(p: &[f64], k: usize, x: f64) -> f64 {
    p.iter()
        .enumerate()
        .skip(k)
        .rev()
        .fold(0.0, |sum, (i, c)| sum * x + c * (i + 1 - k..=i).map(|i| i as f64).product::<f64>())
}

/// The same given one place of u.
struct Given<'a> {
    expected: &'a Expected<'a>,
    place: &'a Place,
    /// For each polynomial of the piece its integrals with the derivatives of the conditional density.
    moments: [[f64; ORDERS]; DERIVATIVES],
}

impl Given<'_> {
    /// Cov of a mass at the place, or of its derivatives, and of a derivative of the piece.
    fn covariance(&self, i: i32, times: usize) -> f64 {
        let Expected { piece, law, plain, .. } = self.expected;
        let (polynomial, shift) = if piece.is_apart { (times, 0) } else { (0, times) };
        let of = [self.place.z, self.place.density];
        let joint = joint_mass(i, of, law.rho, |k| self.moments[polynomial][shift + k]);
        joint - hermite_of(of[0], (-1 - i) as usize) * of[1] * plain[times]
    }
}
