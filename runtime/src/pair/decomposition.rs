//! One function seen from its pre-activation: a polynomial, tails outward from the mean, and narrow pieces.
//!
//! g = q + T. Here q is the polynomial of the piece nearest to the mean that is not narrow. T is the sum of tails
//! from knots between wide pieces, of polynomials beside narrow pieces, and of narrow pieces. Lengths are in a unit
//! that makes the standard deviation about 1. Differences of polynomials are taken in two words, around a knot of theirs, so that what cancels there costs no digit.
//!
//! # A narrow piece
//!
//! The tails of its two ends would cancel, so it is integrated as a whole:
//!
//! ```text
//! ξᵏ E[T⁽ᵏ⁾] = ∫ T(x) He_k(z) φ(z) dx      z = z₀ + x
//! ```
//!
//! with x the distance from the lower end in standard deviations. The density changes little over the piece, so that a Gauss–Legendre rule has all
//! digits. It is the density at the end that is nearer to the mean times e^(−x(z₀ + x/2)), whose exponent is small: only the exponent at the end needs
//! two words.
//!
//! Error: coefficients are rounded once, and a feature of a tail or of a narrow piece is right to some ulp of what it would be with |T|.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::tail::{DEPTH, DERIVATIVES, SeenPoint, Tail, TailTerms, factorial, falling, power};
use crate::constants::rules::{PAIRS, Row};
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
    p.iter().zip(q).map(|(p, q)| word::subtract(*p, *q)[0]).collect()
}

fn apart(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let [high, low, _] = triple::subtract(a, b);
    [high, low]
}

/// A distance, or one so large that powers of it are numbers and densities there 0.
pub(super) fn seen([high, low]: [f64; 2]) -> [f64; 2] {
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
        // The outer pieces are never narrow, so that there is a wide one.
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
                .map(|(knot, at)| (*at, jump_at(table, knot)))
                .filter(|(_, jump)| *jump != 0.0)
                .collect(),
        };
        // The piece of the mean around a knot.
        let base_at = |knot: usize| {
            // The polynomial is known at both ends of its piece: from the end on this side it is shifted the least.
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
            // A wide piece beside a narrow one counts from the knot on by itself, less the polynomial of the mean.
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
            // Without what rounding leaves of a continuous function.
            whole[0] = jump_at(table, knot);
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
    // E[zⁿ] = (n − 1)!! for even n.
    let moment =
        |n: usize| if n % 2 == 1 { 0.0 } else { (1..n).step_by(2).map(|k| k as f64).product() };
    let derivative = |k: usize| -> f64 {
        let terms = b.iter().enumerate().skip(k).filter(|(_, b)| **b != 0.0);
        terms.map(|(i, b)| b * factorial(i) / factorial(i - k) * moment(i - k)).sum()
    };
    (0..b.len()).map(derivative).collect()
}

/// A jump smaller than this, relative to the values beside it, is the rounding of a continuous function of parameters.
const CONTINUOUS: f64 = 1.0 / (1_u128 << 90) as f64;

/// By how much a function jumps between the values on both sides of a knot: 0 if that is no more than rounding.
#[inline]
pub(super) fn jump(left: [f64; 2], right: [f64; 2]) -> f64 {
    if left == right {
        return 0.0;
    }
    let jump = word::subtract(right, left)[0];
    let is_jump = jump.abs() > CONTINUOUS * left[0].abs().max(right[0].abs());
    if is_jump { jump } else { 0.0 }
}

/// By how much the function jumps at a knot.
fn jump_at(table: &Table<'_>, knot: usize) -> f64 {
    jump(table.left_of(knot)[0], table.right_of(knot)[0])
}

/// T on a narrow piece: a polynomial in the distance from its lower end.
#[derive(Clone, Debug)]
pub(super) struct NarrowPiece {
    /// The ends, seen to the right.
    pub(super) ends: [SeenPoint; 2],
    /// In standard deviations.
    pub(super) width: f64,
    /// The number of its lower end among the [ends of narrow pieces](NarrowEnd) of the function.
    pub(super) lower_end: usize,
    /// Coefficients in powers of the distance, and those of its derivatives, in standard deviations.
    pub(super) polynomials: [Vec<f64>; DERIVATIVES],
    /// Whether the polynomial is differentiated, and not the density.
    pub(super) is_apart: bool,
    /// ξᵏE\[T⁽ᵏ⁾\] for each polynomial, of small k, and of all.
    features: [OnceCell<[f64; FIRST]>; DERIVATIVES],
    all_features: [OnceCell<Vec<f64>>; DERIVATIVES],
}

/// A node on a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    /// The distance from the lower end.
    pub(super) x: f64,
    /// The distance from the mean.
    pub(super) z: f64,
    /// The weight of the rule times φ(z).
    pub(super) mass: f64,
}

impl NarrowPiece {
    fn new(ends: [SeenPoint; 2], width: f64, lower_end: usize, polynomial: Vec<f64>) -> Self {
        let first = derivative(&polynomial);
        let second = derivative(&first);
        Self {
            ends,
            width,
            lower_end,
            polynomials: [polynomial, first, second],
            is_apart: false,
            features: Default::default(),
            all_features: Default::default(),
        }
    }

    /// The nodes of a rule on a part of the piece.
    pub(super) fn nodes<'a>(
        &'a self,
        rule: &'a [Row<f64>],
        [from, to]: [f64; 2],
    ) -> impl Iterator<Item = Node> + 'a {
        let [lower, upper] = &self.ends;
        let width = to - from;
        rule.iter().map(move |[node, _, weight]| {
            let x = from + width * node;
            let (z, density) = if lower.z.abs() <= upper.z.abs() {
                (lower.z + x, lower.density * falling(x * (lower.z + 0.5 * x)))
            } else {
                let y = x - self.width;
                (upper.z + y, upper.density * falling(y * (upper.z + 0.5 * y)))
            };
            Node { x, z, mass: weight * width * density }
        })
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative, by nodes.
    pub(super) fn feature(&self, k: usize, times: usize) -> f64 {
        let (which, k) = if self.is_apart { (times, k) } else { (0, k + times) };
        if k < FIRST {
            let of = || {
                let mut features = [0.0; FIRST];
                self.integrate(which, &mut features);
                features
            };
            return self.features[which].get_or_init(of)[k];
        }
        // More only where the other function has a polynomial of such a degree.
        match self.all_features(which).get(k) {
            Some(feature) => *feature,
            None => self.integrals(which, k + 1)[k],
        }
    }

    /// ξᵏE\[T⁽ᵏ⁾\] of the derivative for all k of a series, where the density is differentiated.
    pub(super) fn features(&self, times: usize) -> &[f64] {
        &self.all_features(0)[times..]
    }

    fn all_features(&self, which: usize) -> &[f64] {
        self.all_features[which].get_or_init(|| self.integrals(which, DEPTH))
    }

    fn integrals(&self, which: usize, count: usize) -> Vec<f64> {
        let mut features = alloc::vec![0.0; count];
        self.integrate(which, &mut features);
        features
    }

    /// ∫ p He_k φ dx for each k.
    fn integrate(&self, which: usize, features: &mut [f64]) {
        let polynomial = &self.polynomials[which];
        // The first few are integrals of the density alone, which changes as steeply as its distance from the mean is large.
        let is_first = features.len() <= FIRST;
        let size = self.width * (1.0 + 0.25 * self.reach());
        let rule = if is_first { rule(size) } else { PAIRS[FEATURES] };
        let [mut z, mut before, mut now] = [[0.0; MOST_NODES]; 3];
        let z = &mut z[..rule.len()];
        let (before, now) = (&mut before[..rule.len()], &mut now[..rule.len()]);
        for (i, node) in self.nodes(rule, [0.0, self.width]).enumerate() {
            (z[i], now[i]) = (node.z, node.mass * value(polynomial, node.x));
        }
        for (n, feature) in features.iter_mut().enumerate() {
            *feature = sum(now);
            let n = n as f64;
            for ((z, before), now) in z.iter().zip(before.iter_mut()).zip(now.iter_mut()) {
                // The masses times He_{n+1}, by the recurrence of the polynomials.
                (*before, *now) = (*now, z * *now - n * *before);
            }
        }
    }

    /// Its farther end, in standard deviations.
    pub(super) fn reach(&self) -> f64 {
        self.ends[0].z.abs().max(self.ends[1].z.abs())
    }
}

/// How many features are computed where no series asks for more.
const FIRST: usize = 4;
/// The most nodes on a piece.
pub(super) const MOST_NODES: usize = 24;

/// Which of the rules the features take: that with 24 nodes.
const FEATURES: usize = 3;

/// Σ xᵢ over the nodes, of which there are a multiple of four, as four sums side by side.
pub(super) fn sum(terms: &[f64]) -> f64 {
    let mut parts = [0.0; 4];
    for some in terms.chunks_exact(4) {
        parts.iter_mut().zip(some).for_each(|(part, term)| *part += term);
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

/// Σ pᵢ xⁱ
pub(super) fn value(p: &[f64], x: f64) -> f64 {
    p.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The coefficients of the derivative.
fn derivative(p: &[f64]) -> Vec<f64> {
    p.iter().enumerate().skip(1).map(|(i, c)| i as f64 * c).collect()
}

/// A polynomial and all its derivatives at a place.
pub(super) fn derivatives(p: &[f64], x: f64) -> Vec<f64> {
    let mut p = p.to_vec();
    for start in 0..p.len() {
        for i in (start..p.len() - 1).rev() {
            p[i] += p[i + 1] * x;
        }
    }
    p.iter_mut().enumerate().for_each(|(i, c)| *c *= factorial(i));
    p
}

/// The Gauss–Legendre rule for an integrand that is a polynomial times a Normal density over so many of its deviations.
pub(super) fn rule(deviations: f64) -> &'static [Row<f64>] {
    let most = [0.3, 1.2, 2.8];
    PAIRS[most.iter().position(|most| deviations <= *most).unwrap_or(most.len())]
}

/// The most standard deviations that a narrow piece is wide.
const WIDEST: f64 = 2.0;

/// Whether a piece, whose ends are in standard deviations from the mean, is integrated by nodes.
fn is_narrow([lower, upper]: [f64; 2]) -> bool {
    if lower.is_infinite() || upper.is_infinite() {
        return false;
    }
    if lower < 0.0 && 0.0 < upper {
        return upper - lower < 1.0;
    }
    let (near, far) = (lower.abs().min(upper.abs()), lower.abs().max(upper.abs()));
    (far * far - near * near) / 2.0 < 3.0 && far - near < WIDEST
}
