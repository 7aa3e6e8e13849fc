//! Panels for an integral over a rectangle of pieces, seen from one of its sides.
//!
//! Let x = (u − γ)/ξ be on a piece, and w on an interval between two knots. Given x, the interval has the distance d(x) from the
//! conditional mean of w, in units of the conditional deviation. Its part of the integrand falls as e^(−m/2) with m = x² + d(x)², which is convex:
//! the least m on the piece is 0, or at an end of the piece, or at an end of the interval. Panels go out from there. Over each one m/2 grows by
//! no more than a constant. For its curvature the largest one is taken, 1/(1 − ρ²), unless the conditional mean is well inside of the interval,
//! where it is 1.

use alloc::vec::Vec;

use super::standard::Word;
use crate::kernel::word;

/// The growth of m/2 over a panel.
const STEP: f64 = 4.0;
/// No panel is wider.
const WIDEST: f64 = 2.0;
/// So many conditional deviations from its ends the conditional mean is well inside of an interval.
const INSIDE: f64 = 9.0;
/// No side needs as many panels.
const PANELS: usize = 2000;

/// An end of the interval of w.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// In units of ξ′ from the mean.
    pub(super) beta: f64,
    /// In units of the conditional deviation from the conditional mean, for x = 0.
    pub(super) place: Word,
}

/// A piece of u and an interval of w.
pub(super) struct Rectangle {
    pub(super) rho: f64,
    /// κ = ρ/√(1 − ρ²), by which the conditional mean moves with x.
    pub(super) steepness: Word,
    pub(super) piece: [Option<Word>; 2],
    pub(super) interval: [Option<Level>; 2],
}

impl Rectangle {
    /// The ends of the interval, given x.
    fn given(&self, x: Word) -> [f64; 2] {
        let by = word::negate(word::multiply(self.steepness, x));
        let of = |end: usize, none| {
            self.interval[end].map_or(none, |level| word::add(level.place, by)[0])
        };
        [of(0, f64::NEG_INFINITY), of(1, f64::INFINITY)]
    }

    /// m at x, and half its slope.
    fn fall(&self, x: Word) -> [f64; 2] {
        let [lower, upper] = self.given(x);
        let d = if lower > 0.0 { lower } else { upper.min(0.0) };
        [x[0] * x[0] + d * d, x[0] - self.steepness[0] * d]
    }

    /// Where m is least, and m there.
    pub(super) fn nearest(&self) -> (Word, f64) {
        let [lower, upper] = self.piece.map(|end| end.map(|end| end[0]));
        let is_inside = |x: f64| lower.is_none_or(|l| l <= x) && upper.is_none_or(|u| x <= u);
        let ends = self.piece.into_iter().flatten().map(|end| (end, self.fall(end)[0]));
        let levels = self.interval.into_iter().flatten().map(|level| level.beta);
        let levels = levels.filter(|beta| is_inside(self.rho * beta));
        let levels = levels.map(|beta| ([self.rho * beta, 0.0], beta * beta));
        let center = ([0.0; 2], self.fall([0.0; 2])[0]);
        let is_center = is_inside(0.0) && center.1 == 0.0;
        let others = ends.chain(levels).filter(|_| !is_center);
        others.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(center)
    }

    /// Adds the ends of panels on both sides of a place where m is least, until m has grown by so much; and gives the ends of all of them.
    pub(super) fn panels(
        &self,
        (from, least): (Word, f64),
        most: f64,
        into: &mut Vec<Word>,
    ) -> [f64; 2] {
        into.push(from);
        [(-1.0, self.piece[0]), (1.0, self.piece[1])].map(|(side, end)| {
            let mut x = from;
            for _ in 0..PANELS {
                let [m, slope] = self.fall(x);
                if m - least > most || end.is_some_and(|end| end == x) {
                    break;
                }
                let width = self.width(x, side, side * slope);
                let next = word::add(x, [side * width, 0.0]);
                let left = end.map(|end| word::add(end, word::negate(next))[0]);
                x = end.filter(|_| left.is_some_and(|left| side * left <= 0.0)).unwrap_or(next);
                into.push(x);
            }
            x[0]
        })
    }

    /// How wide a panel may be that begins at x, where m/2 has such a slope to its side.
    fn width(&self, x: Word, side: f64, slope: f64) -> f64 {
        let [lower, upper] = self.given(x);
        let kappa = self.steepness[0];
        let width = |curvature: f64| {
            let slope = slope.max(0.0);
            let root = libm::sqrt(slope * slope + 2.0 * STEP * curvature);
            (2.0 * STEP / (slope + root)).min(WIDEST)
        };
        let steep = width(1.0 + kappa * kappa);
        if lower > -INSIDE || upper < INSIDE {
            return steep;
        }
        // Up to where the conditional mean comes near the end that it moves to.
        let room = if side * kappa > 0.0 { upper - INSIDE } else { -INSIDE - lower };
        width(1.0).min(room / kappa.abs()).max(steep)
    }
}
