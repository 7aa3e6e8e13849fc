//! One function seen from its pre-activation: a polynomial, and tails outward from the mean.
//!
//! g = q + T. Here q is the polynomial of the piece nearest to the mean that is not narrow. T is the sum of tails
//! from knots between wide pieces, of polynomials beside narrow pieces, and of narrow pieces. Lengths are in a unit
//! that makes the standard deviation about 1.

use alloc::vec::Vec;

use super::knots::jump;
use super::narrow_piece::{NarrowPiece, WIDEST, is_narrow};
use super::tail::{DERIVATIVES, SeenPoint, Tail, TailTerms};
use super::truncated_moments::{factorial, power};
use crate::kernel::pieces::Table;
use crate::kernel::{triple, word};

/// The largest distance of a knot: a knot that is farther counts as being here.
const FARTHEST: f64 = 1e60;

/// A function seen from one pre-activation.
#[derive(Clone, Debug)]
pub(super) struct Decomposition {
    /// ξ² and ξ.
    pub(super) unit: [f64; 2],
    /// ξᵏ E\[q⁽ᵏ⁾\].
    pub(super) polynomial: Vec<f64>,
    pub(super) tails: Vec<Tail>,
    pub(super) narrow_pieces: Vec<NarrowPiece>,
    /// The knots at the ends of narrow pieces.
    pub(super) narrow_ends: Vec<NarrowEnd>,
    /// Where the function jumps: the distance from the mean, and the jump.
    pub(super) jumps: Vec<([f64; 2], f64)>,
}

/// A knot at an end of a narrow piece. Polynomials are in powers of the distance to the right in standard deviations.
#[derive(Clone, Debug)]
pub(super) struct NarrowEnd {
    /// The knot, seen to the right.
    pub(super) place: SeenPoint,
    /// Its number among all knots.
    knot: usize,
    /// The pieces to the left and to the right, less the piece of the mean.
    pub(super) sides: [Vec<f64>; 2],
    /// The piece to the right less that to the left.
    pub(super) jump: Vec<f64>,
    /// Whether the pieces to the left and to the right are narrow.
    pub(super) is_narrow: [bool; 2],
}

type Polynomial = Vec<[f64; 2]>;

/// p around a place that lies so far from where it is given.
fn shifted(p: &[[f64; 2]], by: [f64; 2]) -> Polynomial {
    let mut p = p.to_vec();
    for start in 0..p.len() {
        for i in (start..p.len() - 1).rev() {
            p[i] = word::add(p[i], word::multiply(p[i + 1], by));
        }
    }
    p
}

fn difference(p: &[[f64; 2]], q: &[[f64; 2]]) -> Vec<f64> {
    p.iter().zip(q).map(|(p, q)| word::add(*p, word::negate(*q))[0]).collect()
}

fn apart(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let [high, low, _] = triple::add(a, triple::negate(b));
    [high, low]
}

/// A distance, or one so large that powers of it are numbers and densities there 0.
fn seen([high, low]: [f64; 2]) -> [f64; 2] {
    if high.abs() < FARTHEST { [high, low] } else { [FARTHEST.copysign(high), 0.0] }
}

impl Decomposition {
    /// For a positive variance, given in units of 4ᵏ, and the mean as it is; k is `exponent`.
    pub(super) fn new(table: &Table<'_>, mean: f64, variance: f64, exponent: i32) -> Self {
        let deviation = libm::sqrt(variance);
        let scale = |x: f64| libm::scalbn(x, -exponent);
        let mean = [mean, 0.0, 0.0];
        let distances: Vec<[f64; 2]> =
            table.knots.iter().map(|knot| seen(apart(*knot, mean).map(scale))).collect();
        let pieces = distances.len() + 1;
        let edge = |i: usize| distances[i][0] / deviation;
        let bounds = |piece: usize| {
            let lower = if piece == 0 { f64::NEG_INFINITY } else { edge(piece - 1) };
            let upper = if piece == distances.len() { f64::INFINITY } else { edge(piece) };
            [lower, upper]
        };
        let narrow = |piece: usize| is_narrow(bounds(piece));
        let gap = |piece: usize| {
            let [lower, upper] = bounds(piece);
            if lower <= 0.0 && 0.0 <= upper { 0.0 } else { lower.abs().min(upper.abs()) }
        };
        let wide = (0..pieces).filter(|piece| !narrow(*piece));
        let base = wide.min_by(|a, b| gap(*a).total_cmp(&gap(*b))).unwrap_or(0);
        let mut side = Self {
            unit: [variance, deviation],
            polynomial: around_mean(table, base, mean, deviation, exponent),
            tails: Vec::new(),
            narrow_pieces: Vec::new(),
            narrow_ends: Vec::new(),
            jumps: distances
                .iter()
                .enumerate()
                .filter(|(_, at)| at[0].abs() < FARTHEST)
                .map(|(knot, at)| (*at, jump(table, knot)))
                .filter(|(_, jump)| *jump != 0.0)
                .collect(),
        };
        // The piece of the mean around a knot.
        let base_at = |knot: usize| {
            let (near, p) = if knot >= base {
                (base, table.left_of(base))
            } else {
                (base - 1, table.right_of(base - 1))
            };
            if near == knot {
                return p.to_vec();
            }
            shifted(p, apart(table.knots[knot], table.knots[near]))
        };
        let at_knots = (0..distances.len()).map(|knot| (knot, knot >= base));
        for (knot, is_right) in at_knots {
            let (inner, outer) = if is_right { (knot, knot + 1) } else { (knot + 1, knot) };
            let of = |piece: usize| {
                if piece == knot { table.left_of(knot) } else { table.right_of(knot) }
            };
            let jump = match (narrow(inner), narrow(outer)) {
                (false, false) => difference(of(outer), of(inner)),
                (true, false) => difference(of(outer), &base_at(knot)),
                (false, true) => difference(&base_at(knot), of(inner)),
                (true, true) => continue,
            };
            side.push(jump, distances[knot], is_right, knot, exponent);
        }
        for (knot, distance) in distances.iter().enumerate() {
            let is_narrow = [narrow(knot), narrow(knot + 1)];
            if is_narrow == [false, false] {
                continue;
            }
            let (left, right, base) = (table.left_of(knot), table.right_of(knot), base_at(knot));
            let in_deviations = |p: Vec<f64>| -> Vec<f64> {
                let unit = |i: usize| power(deviation, i);
                (0..).zip(p).map(|(i, c)| libm::scalbn(c, exponent * i as i32) * unit(i)).collect()
            };
            let mut whole = difference(right, left);
            whole[0] = jump(table, knot);
            side.narrow_ends.push(NarrowEnd {
                place: SeenPoint::new(*distance, true, side.unit),
                knot,
                sides: [difference(left, &base), difference(right, &base)].map(in_deviations),
                jump: in_deviations(whole),
                is_narrow,
            });
        }
        for (lower_end, ends) in side.narrow_ends.windows(2).enumerate() {
            let [lower, upper] = ends else { continue };
            if lower.is_narrow[1] {
                let width = apart(table.knots[upper.knot], table.knots[lower.knot]).map(scale)[0];
                side.narrow_pieces.push(NarrowPiece::new(
                    [lower.place.clone(), upper.place.clone()],
                    // Ends that are farther than all that is seen are in one place.
                    (width / deviation).min(WIDEST),
                    lower_end,
                    lower.sides[1].clone(),
                ));
            }
        }
        side
    }

    /// A tail from a polynomial in powers of the distance from its knot.
    fn push(
        &mut self,
        p: Vec<f64>,
        distance: [f64; 2],
        is_right: bool,
        knot: usize,
        exponent: i32,
    ) {
        let side = if is_right { 1.0 } else { -1.0 };
        let unit = |i: usize| factorial(i) * power(side * self.unit[1], i);
        let coefficients = p.iter().enumerate();
        let coefficients: Vec<f64> =
            coefficients.map(|(i, c)| libm::scalbn(*c, exponent * i as i32) * unit(i)).collect();
        if coefficients.iter().any(|c| *c != 0.0) {
            self.tails.push(Tail::new(
                SeenPoint::new(distance, is_right, self.unit),
                coefficients,
                TailTerms::Whole,
                knot,
            ));
        }
    }

    /// The side beside a pre-activation that determines this one up to a deviation that is 1/`steepness` times as large.
    ///
    /// A narrow piece is differentiated in the density, which is smooth over it. Where the conditional density is not, the piece's own polynomial is
    /// differentiated, and what the function jumps by at its ends are point masses.
    pub(super) fn with_ends(&self, steepness: f64) -> Self {
        let mut side = self.clone();
        for piece in &mut side.narrow_pieces {
            piece.is_apart = is_steep(piece.width, steepness);
        }
        let is_apart = |end: usize| {
            side.narrow_pieces.iter().any(|piece| piece.lower_end == end && piece.is_apart)
        };
        let mut ends = Vec::new();
        for (i, NarrowEnd { place, knot, sides: [left, right], jump, is_narrow }) in
            self.narrow_ends.iter().enumerate()
        {
            let apart = [i > 0 && is_narrow[0] && is_apart(i - 1), is_apart(i)];
            if apart == [false, false] {
                continue;
            }
            // The masses of a narrow piece that is not apart are in its density; those of a wide one are here.
            let counts = [0, 1].map(|side: usize| apart[side] || !is_narrow[side]);
            let side_of = |p: &[f64], sign: f64| p.iter().map(|c| sign * c).collect();
            let mut p: Vec<f64> = match counts {
                [true, true] => jump.clone(),
                [true, false] => side_of(left, -1.0),
                [false, _] => side_of(right, 1.0),
            };
            p.truncate(DERIVATIVES - 1);
            for tail in side.tails.iter_mut().filter(|tail| tail.knot == *knot) {
                tail.part = TailTerms::Inside;
            }
            if p.iter().any(|c| *c != 0.0) {
                ends.push(Tail::new(place.clone(), p, TailTerms::Ends, *knot));
            }
        }
        side.tails.extend(ends);
        side
    }

    /// ĝ_k = ξᵏ ∂ᵏE\[g\]/∂γᵏ for k < count.
    pub(super) fn features(&self, count: usize) -> Vec<f64> {
        let mut features = self.polynomial.clone();
        features.resize(count, 0.0);
        for (k, feature) in features.iter_mut().enumerate() {
            let tails = self.tails.iter().map(|tail| tail.feature(k, 0));
            let narrow_pieces = self.narrow_pieces.iter().map(|piece| piece.feature(k, 0));
            *feature += tails.chain(narrow_pieces).sum::<f64>();
        }
        features
    }

    /// The farthest knot, in standard deviations.
    pub(super) fn reach(&self) -> f64 {
        let tails = self.tails.iter().map(|tail| tail.place.z.abs());
        let narrow_pieces = self.narrow_pieces.iter().map(NarrowPiece::reach);
        tails.chain(narrow_pieces).fold(0.0, f64::max)
    }
}

/// The most deviations of the conditional density over which a narrow piece is integrated as one.
const STEEP: f64 = 4.0;

/// Whether the conditional density is not smooth over a piece of some width.
pub(super) fn is_steep(width: f64, steepness: f64) -> bool {
    width * steepness > STEEP
}

/// ξᵏ E\[q⁽ᵏ⁾\] of a piece.
fn around_mean(
    table: &Table<'_>,
    piece: usize,
    mean: [f64; 3],
    deviation: f64,
    exponent: i32,
) -> Vec<f64> {
    let left = piece.checked_sub(1).map(|knot| (table.knots[knot], table.right_of(knot)));
    let right = table.knots.get(piece).map(|knot| (*knot, table.left_of(piece)));
    let centers = table.centers.iter().filter(|center| center.piece == piece);
    let places = left.into_iter().chain(right);
    let places = places.chain(centers.map(|center| (center.at, center.coefficients)));
    let places = places.map(|(at, p)| (apart(mean, at), p));
    let nearest = places.min_by(|(a, _), (b, _)| a[0].abs().total_cmp(&b[0].abs()));
    let Some((distance, p)) = nearest else { return Vec::new() };
    let p = shifted(p, distance);
    // q(γ + ξz) = Σ b_i zⁱ
    let b: Vec<f64> = p
        .iter()
        .enumerate()
        .map(|(i, c)| libm::scalbn(c[0], exponent * i as i32) * power(deviation, i))
        .collect();
    let moment =
        |n: usize| if n % 2 == 1 { 0.0 } else { (1..n).step_by(2).map(|k| k as f64).product() };
    let derivative = |k: usize| -> f64 {
        let terms = b.iter().enumerate().skip(k).filter(|(_, b)| **b != 0.0);
        terms.map(|(i, b)| b * factorial(i) / factorial(i - k) * moment(i - k)).sum()
    };
    (0..b.len()).map(derivative).collect()
}
