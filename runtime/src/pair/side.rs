//! One function seen from its pre-activation: a polynomial, and tails outward from the mean.
//!
//! g = q + T. Here q is the polynomial of the piece nearest to the mean that is not narrow. T is the sum of tails
//! from knots between wide pieces, of polynomials beside narrow pieces, and of narrow pieces. Lengths are in a unit
//! that makes the standard deviation about 1.

use alloc::vec::Vec;

use super::ratio::{INV_SQRT_TAU, Ratios, factorial, half_exponential, power};
use crate::constants::nodes;
use crate::kernel::pieces::Table;
use crate::kernel::{triple, word};

/// Σ coefficient · tail_i with tail_i(z) = (z − α)₊ⁱ/i! and z the standardised pre-activation times ±1.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// ±(t − γ), the sign being `side`.
    pub(super) distance: [f64; 2],
    pub(super) side: f64,
    /// The i of the first coefficient; −1 is a point mass, and those below are its derivatives.
    pub(super) first: i32,
    pub(super) coefficients: Vec<f64>,
}

impl Tail {
    /// i and its coefficient.
    pub(super) fn terms(&self) -> impl Iterator<Item = (i32, f64)> + '_ {
        (self.first..).zip(self.coefficients.iter().copied()).filter(|(_, c)| *c != 0.0)
    }

    /// The largest i.
    pub(super) fn top(&self) -> i32 {
        self.terms().last().map_or(self.first, |(i, _)| i)
    }

    /// Whether there are no point masses.
    pub(super) fn is_function(&self) -> bool {
        self.terms().all(|(i, _)| i >= 0)
    }

    /// The tail without its point masses, and each of these in the direction of the pre-activation.
    pub(super) fn parted(&self) -> (Self, Vec<Self>) {
        let count = usize::try_from(-self.first).unwrap_or(0).min(self.coefficients.len());
        let masses = self.terms().filter(|(i, _)| *i < 0).map(|(i, c)| {
            let is_right = self.side > 0.0;
            let distance = if is_right { self.distance } else { word::negate(self.distance) };
            let sign = power(self.side, (-1 - i) as usize);
            Self { distance, side: 1.0, first: i, coefficients: alloc::vec![sign * c] }
        });
        let coefficients = self.coefficients[count..].to_vec();
        let rest = Self { first: self.first + count as i32, coefficients, ..self.clone() };
        (rest, masses.collect())
    }

    /// The tail on the other side, which differs by a polynomial.
    pub(super) fn flipped(&self) -> Self {
        let coefficients = self.coefficients.iter().zip(self.first..);
        let coefficients = coefficients.map(|(c, i)| if i % 2 == 0 { -c } else { *c }).collect();
        Self {
            distance: word::negate(self.distance),
            side: -self.side,
            first: self.first,
            coefficients,
        }
    }

    fn differentiated(&self, times: usize) -> Self {
        let sign = power(self.side, times);
        let mut tail = self.clone();
        tail.first -= times as i32;
        tail.coefficients.iter_mut().for_each(|c| *c *= sign);
        tail
    }
}

/// T on a narrow piece: a polynomial in the distance from its lower end.
#[derive(Clone, Debug)]
pub(super) struct Strip {
    /// The lower end less the mean.
    pub(super) lower: [f64; 2],
    pub(super) width: f64,
    /// Coefficients in powers of the distance.
    pub(super) polynomial: Vec<f64>,
    /// How often the whole is to be differentiated in the mean.
    pub(super) times: usize,
}

impl Strip {
    /// The polynomial at a distance from the lower end.
    pub(super) fn value(&self, at: f64) -> f64 {
        self.polynomial.iter().rev().fold(0.0, |sum, c| sum * at + c)
    }

    /// The point mass that stands for a part of the strip.
    pub(super) fn mass(&self, at: f64, weight: f64, deviation: f64) -> Tail {
        Tail {
            distance: word::add(self.lower, [at, 0.0]),
            side: 1.0,
            first: -1 - self.times as i32,
            coefficients: alloc::vec![weight * self.value(at) / deviation],
        }
    }

    /// The strip as point masses.
    pub(super) fn masses(&self, deviation: f64) -> Vec<Tail> {
        let nodes = quadrature(0.0, self.width);
        nodes.map(|(at, weight)| self.mass(at, weight, deviation)).collect()
    }
}

/// Nodes and weights on an interval.
pub(super) fn quadrature(from: f64, to: f64) -> impl Iterator<Item = (f64, f64)> {
    let width = to - from;
    let both = |node: &nodes::Node<f64>| [(node.near, node.weight), (node.far, node.weight)];
    let nodes = nodes::RELAXED.iter().flat_map(both);
    nodes.map(move |(at, weight)| (from + width * at, width * weight))
}

/// What is farther counts as being here.
const FARTHEST: f64 = 1e60;

/// A function seen from one pre-activation.
#[derive(Clone, Debug)]
pub(super) struct Side {
    pub(super) variance: f64,
    pub(super) deviation: f64,
    /// ξᵏ E\[q⁽ᵏ⁾\].
    pub(super) polynomial: Vec<f64>,
    pub(super) tails: Vec<Tail>,
    pub(super) strips: Vec<Strip>,
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

impl Side {
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
            variance,
            deviation,
            polynomial: around_mean(table, base, mean, deviation, exponent),
            tails: Vec::new(),
            strips: Vec::new(),
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
            side.push(jump, distances[knot], is_right, exponent);
        }
        for piece in (0..pieces).filter(|piece| narrow(*piece)) {
            let knot = piece - 1;
            let p = difference(table.right_of(knot), &base_at(knot));
            side.strips.push(Strip {
                lower: distances[knot],
                width: apart(table.knots[piece], table.knots[knot]).map(scale)[0],
                polynomial: p
                    .iter()
                    .zip(0..)
                    .map(|(c, i)| libm::scalbn(*c, exponent * i))
                    .collect(),
                times: 0,
            });
        }
        side
    }

    /// A tail from a polynomial in powers of the distance from its knot.
    fn push(&mut self, p: Vec<f64>, distance: [f64; 2], is_right: bool, exponent: i32) {
        let side = if is_right { 1.0 } else { -1.0 };
        let unit = |i: usize| factorial(i) * power(side * self.deviation, i);
        let coefficients = p.iter().enumerate();
        let coefficients: Vec<f64> =
            coefficients.map(|(i, c)| libm::scalbn(*c, exponent * i as i32) * unit(i)).collect();
        if coefficients.iter().any(|c| *c != 0.0) {
            let distance = if is_right { distance } else { word::negate(distance) };
            self.tails.push(Tail { distance, side, first: 0, coefficients });
        }
    }

    /// The derivatives of the function, in units of the standard deviation.
    ///
    /// A strip is differentiated in the mean of the density. Where u all but determines w, the derivatives of the conditional
    /// mean have no width that nodes could resolve: `apart`, the strip's own polynomial is differentiated, and what it jumps by at its ends are point masses.
    pub(super) fn differentiated(&self, times: usize, apart: bool) -> Self {
        let mut side = Self {
            polynomial: self.polynomial.iter().skip(times).copied().collect(),
            tails: self.tails.iter().map(|tail| tail.differentiated(times)).collect(),
            ..self.clone()
        };
        if !apart {
            side.strips.iter_mut().for_each(|strip| strip.times = times);
            return side;
        }
        for strip in &mut side.strips {
            let upper = word::add(strip.lower, [strip.width, 0.0]);
            let (mut low, mut high) = (Vec::new(), Vec::new());
            for _ in 0..times {
                low.push(strip.value(0.0));
                high.push(-strip.value(strip.width));
                let derivative = strip.polynomial.iter().enumerate().skip(1);
                let derivative = derivative.map(|(i, c)| i as f64 * c * self.deviation);
                strip.polynomial = derivative.collect();
            }
            let first = -(times as i32);
            let ends = [(strip.lower, low), (upper, high)];
            side.tails.extend(
                ends.into_iter().filter(|_| times > 0).map(|(distance, coefficients)| Tail {
                    distance,
                    side: 1.0,
                    first,
                    coefficients,
                }),
            );
        }
        side
    }

    /// The strips as point masses.
    pub(super) fn masses(&self) -> Vec<Tail> {
        self.strips.iter().flat_map(|strip| strip.masses(self.deviation)).collect()
    }

    /// ĝ_k = ξᵏ ∂ᵏE\[g\]/∂γᵏ for k < count.
    pub(super) fn features(&self, count: usize) -> Vec<f64> {
        let mut features = self.polynomial.clone();
        features.resize(count, 0.0);
        for tail in self.tails.iter().chain(&self.masses()) {
            add_features(tail, self.variance, self.deviation, &mut features);
        }
        features
    }
}

/// Adds σᵏ E\[T⁽ᵏ⁾\] for a tail.
pub(super) fn add_features(tail: &Tail, variance: f64, deviation: f64, features: &mut [f64]) {
    let square = word::divide(word::multiply(tail.distance, tail.distance), [variance, 0.0]);
    let density = INV_SQRT_TAU * half_exponential(square);
    if density == 0.0 {
        return;
    }
    let depth = features.len() + usize::try_from(-tail.first.min(0)).unwrap_or(0);
    let ratios = Ratios::new(tail.distance[0] / deviation, depth, tail.top());
    for (k, feature) in features.iter_mut().enumerate() {
        let sum: f64 = tail.terms().map(|(i, c)| c * ratios.get(i - k as i32)).sum();
        *feature += power(tail.side, k) * sum * density;
    }
}

/// Whether a piece, whose ends are in standard deviations from the mean, is integrated by nodes.
fn is_narrow([lower, upper]: [f64; 2]) -> bool {
    if lower.is_infinite() || upper.is_infinite() {
        return false;
    }
    if lower < 0.0 && 0.0 < upper {
        return upper - lower < 1.0;
    }
    let (near, far) = (lower.abs().min(upper.abs()), lower.abs().max(upper.abs()));
    (far * far - near * near) / 2.0 < 3.0 && far - near < 2.0
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
