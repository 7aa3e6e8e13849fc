//! Rational fits P/Q ≈ J_M/J_{M−1} on s ∈ [0, ∞), P and Q monic and Q of one degree more.
//!
//! Least squares for (P − fQ)/(fQ′) with Q′ the Q of the iteration before (Sanathanan–Koerner)
//! and Lawson's weights, which drive the fit to the minimax one. The error is weighted by what
//! the backward recurrence leaves of it in the orders wanted: with r_n = J_n/J_{n−1}, an error of
//! log r_{n+1} makes one of −(n + 1) r_{n+1} r_n times that in log r_n, and log R_n is the sum of
//! log r_0 … log r_n.

use crate::interpolate::solve;
use crate::number::{BITS, Real, integer, max, pi, polynomial, real};
use crate::tails;

/// Points of the fit: those of Chebyshev, mapped by s = [`CENTRE`](1 − x)/(1 + x).
const POINTS: usize = 240;
/// Half of the points are below this.
const CENTRE: f64 = 3.0;
/// Points beyond this are left out: since P and Q are monic, the error decreases there.
const FARTHEST: f64 = 400.0;
/// Iterations.
const ITERATIONS: usize = 14;
/// Iterations before the weights change, for Q′ to settle.
const SETTLING: usize = 3;
/// Least factor of a weight at each iteration, so that a point without error is not forgotten.
const FLOOR: f64 = 0.02;

/// The tails at the points of the fits.
pub(crate) struct Grid(Vec<Point>);

struct Point {
    s: Real,
    /// r_n from n = 0.
    ratios: Vec<Real>,
}

impl Grid {
    /// For fits of J_M/J_{M−1} with M up to `top`.
    pub(crate) fn new(top: usize) -> Self {
        let arguments = (0..POINTS).map(|i| {
            // The interval is closed: the first point is moved to its end.
            if i == 0 {
                return real(0.0);
            }
            let angle = &(&pi(BITS) * &real(i as f64 + 0.5)) / &integer(POINTS);
            let (x, one) = (angle.cos(), real(1.0));
            &(&real(CENTRE) * &(&one - &x)) / &(&one + &x)
        });
        let inside = arguments.filter(|s| *s < real(FARTHEST));
        Self(inside.map(|s| Point { ratios: tails::ratios(&s, top), s }).collect())
    }
}

/// Orders and degree of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FitShape {
    /// The highest order of the tails wanted.
    pub(crate) order: usize,
    /// M.
    pub(crate) start: usize,
    /// The degree of P.
    pub(crate) degree: usize,
}

/// P and Q, constant term first.
#[derive(Clone, Debug)]
pub(crate) struct Rational {
    pub(crate) p: Vec<Real>,
    pub(crate) q: Vec<Real>,
    /// The largest weighted error.
    pub(crate) error: f64,
}

/// The best of all iterations. All its coefficients are positive, or it panics.
pub(crate) fn fit(grid: &Grid, task: FitShape) -> Rational {
    let equations: Vec<_> = grid.0.iter().map(|point| Equation::new(point, task)).collect();
    let mut lawson = vec![real(1.0); equations.len()];
    let mut before: Vec<_> = grid.0.iter().map(|point| first_denominator(&point.s, task)).collect();
    let mut best: Option<Rational> = None;
    for iteration in 0..ITERATIONS {
        let scales = equations.iter().zip(&before).map(|(equation, q)| equation.scale(q));
        let weights = lawson.iter().zip(scales).map(|(weight, scale)| weight * &(&scale * &scale));
        let x = solve(normal_equations(&equations, weights));
        let (p, q) = x.split_at(task.degree);
        let (p, q) = (monic(p), monic(q));

        let values =
            grid.0.iter().map(|point| [polynomial(&p, &point.s), polynomial(&q, &point.s)]);
        let values: Vec<_> = values.collect();
        let errors = equations.iter().zip(&values).map(|(equation, value)| equation.error(value));
        let errors: Vec<_> = errors.collect();
        before = values.into_iter().map(|[_, q]| q).collect();
        let largest = errors.iter().cloned().fold(real(0.0), max);
        if iteration >= SETTLING {
            for (weight, error) in lawson.iter_mut().zip(&errors) {
                *weight *= &real(FLOOR) + &(error / &largest);
            }
            let heaviest = lawson.iter().cloned().fold(real(0.0), max);
            for weight in &mut lawson {
                *weight = &*weight / &heaviest;
            }
        }
        let positive = p.iter().chain(&q).all(|c| *c > real(0.0));
        let error = largest.to_f64();
        if positive && best.as_ref().is_none_or(|best| error < best.error) {
            best = Some(Rational { p, q, error });
        }
    }
    best.expect("some iteration has positive coefficients")
}

/// P − fQ at one point, linear in the coefficients that are not fixed to be 1.
struct Equation {
    /// The factors of the coefficients of P, then those of Q, then the right-hand side.
    row: Vec<Real>,
    f: Real,
    /// How much of a relative error of f is left in the tails.
    sensitivity: Real,
}

impl Equation {
    fn new(point: &Point, FitShape { order, start, degree }: FitShape) -> Self {
        let f = &point.ratios[start];
        let mut powers = vec![real(1.0)];
        for j in 0..=degree {
            powers.push(&powers[j] * &point.s);
        }
        let mut row = powers[..degree].to_vec();
        row.extend(powers[..=degree].iter().map(|power| -(f * power)));
        row.push(&(f * &powers[degree + 1]) - &powers[degree]);
        Self { row, f: f.clone(), sensitivity: sensitivity(&point.ratios, order, start) }
    }

    /// The factor by which P − fQ becomes a weighted relative error.
    fn scale(&self, q: &Real) -> Real {
        &self.sensitivity / &(&self.f * q)
    }

    fn error(&self, [p, q]: &[Real; 2]) -> Real {
        &(&(p / &(q * &self.f)) - &real(1.0)).abs() * &self.sensitivity
    }
}

/// The largest change of log R_n, n ≤ order, that a small change of log r_start makes, over that.
fn sensitivity(ratios: &[Real], order: usize, start: usize) -> Real {
    let mut change = real(1.0);
    let mut changes = vec![change.clone()];
    for n in (0..start).rev() {
        change = -(&(&integer(n + 1) * &(&ratios[n + 1] * &ratios[n])) * &change);
        changes.push(change.clone());
    }
    let (mut sum, mut largest) = (real(0.0), real(0.0));
    for change in changes.iter().rev().take(order + 1) {
        sum += change.clone();
        largest = max(largest, sum.abs());
    }
    largest
}

/// A guess at Q, for the first iteration: (s + [`CENTRE`])^(degree + 1).
fn first_denominator(s: &Real, task: FitShape) -> Real {
    let base = s + &real(CENTRE);
    (0..task.degree).fold(base.clone(), |power, _| &power * &base)
}

fn normal_equations(equations: &[Equation], weights: impl Iterator<Item = Real>) -> Vec<Vec<Real>> {
    let width = equations[0].row.len();
    let mut rows = vec![vec![real(0.0); width]; width - 1];
    for (equation, weight) in equations.iter().zip(weights) {
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = &weight * &equation.row[i];
            for (entry, c) in row[i..].iter_mut().zip(&equation.row[i..]) {
                *entry += &factor * c;
            }
        }
    }
    // The matrix is symmetric.
    for i in 1..rows.len() {
        let (above, below) = rows.split_at_mut(i);
        for (j, row) in above.iter().enumerate() {
            below[0][j] = row[i].clone();
        }
    }
    rows
}

fn monic(lower: &[Real]) -> Vec<Real> {
    lower.iter().cloned().chain([real(1.0)]).collect()
}
