//! The knots of a straight function: where they are, and by how much the function jumps and its slope changes there.

use crate::kernel::pieces::Table;
use crate::kernel::word;

/// A jump smaller than this, relative to the values beside it, is the rounding of a continuous function of parameters.
const CONTINUOUS: f64 = 1.0 / (1_u128 << 90) as f64;

/// The widest piece of which the terms of the integral over the correlation surely cancel, and the farthest, in standard deviations.
const NARROW: f64 = 0.3;
const NEAR: f64 = 8.0;

/// By how much the function jumps at a knot: 0 if that is no more than rounding.
pub(super) fn jump(table: &Table<'_>, knot: usize) -> f64 {
    let (left, right) = (table.left_of(knot)[0], table.right_of(knot)[0]);
    let jump = word::add(right, word::negate(left))[0];
    let is_jump = jump.abs() > CONTINUOUS * left[0].abs().max(right[0].abs());
    if is_jump { jump } else { 0.0 }
}

/// A function whose pieces are straight lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct StraightKnots<'a> {
    table: &'a Table<'a>,
}

/// A knot of a straight function.
#[derive(Clone, Copy, Debug)]
pub(super) struct StraightKnot {
    /// The knot, in three words.
    pub(super) at: [f64; 3],
    /// By how much the function jumps.
    pub(super) jump: f64,
    /// By how much its slope changes.
    pub(super) kink: f64,
    /// The values on both sides.
    pub(super) values: [f64; 2],
    /// The slopes on both sides.
    pub(super) slopes: [f64; 2],
}

impl<'a> StraightKnots<'a> {
    /// `None` if a piece is curved, or the coefficients have a unit of their own.
    pub(super) fn of(table: &'a Table<'a>) -> Option<Self> {
        let is_straight = table.degree == 1 && table.exponent == 0 && !table.knots.is_empty();
        is_straight.then_some(Self { table })
    }

    /// How many knots there are.
    pub(super) fn count(self) -> usize {
        self.table.knots.len()
    }

    /// One of the knots.
    pub(super) fn at(self, knot: usize) -> StraightKnot {
        let (left, right) = (self.table.left_of(knot), self.table.right_of(knot));
        StraightKnot {
            at: self.table.knots[knot],
            jump: jump(self.table, knot),
            kink: word::add(right[1], word::negate(left[1]))[0],
            values: [left[0][0], right[0][0]],
            slopes: [left[1][0], right[1][0]],
        }
    }

    /// Whether a piece is so narrow, and so near, that the terms of its two knots cancel.
    pub(super) fn is_narrow(self, mean: f64, variance: f64) -> bool {
        let deviation = libm::sqrt(variance);
        let [narrow, near] = [NARROW, NEAR].map(|most| most * deviation);
        self.table.knots.windows(2).any(|ends| {
            let [from, to] = [ends[0][0], ends[1][0]];
            to - from <= narrow && from - mean < near && mean - to < near
        })
    }

    /// Whether the function jumps somewhere.
    pub(super) fn jumps(self) -> bool {
        (0..self.count()).any(|knot| self.at(knot).jump != 0.0)
    }
}
