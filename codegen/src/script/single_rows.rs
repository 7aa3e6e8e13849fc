//! The rows of a table for single precision, whose range is narrow: with a power of two taken out of the function, so that
//! its largest coefficient is near 1.
//!
//! A coefficient counts as it varies: over a bounded piece, or by itself where the piece has no end. Where coefficients are far
//! from each other, the power leaves the largest above 1, so that squares of the smallest are numbers. Results are raised in the
//! routine, together with the unit that its sums are carried in.

use gaussform_runtime::kernel::pieces;
use gaussform_runtime::kernel::sum::{Knot, Map, Piece, Place, Rows};

/// Coefficients up to 2 to this stay as they are.
const MODERATE: i32 = 2;

/// With 2 to this taken out, what sums are carried in leaves the range only where a variance does: half of their unit, 2⁶⁶.
const ENOUGH: i32 = 33;

/// A coefficient of 2 to minus this has a square that is a number.
const LEAST: i32 = 40;

/// A piece that varies by more than 2 to this is narrow only where the variance is no number.
const WIDEST: i32 = 62;

/// A number of single precision near its largest.
const LARGE: f64 = 1e38;

/// The rows, divided by a power of two.
#[derive(Clone, Debug)]
pub(super) struct SingleRows {
    exponent: i32,
    places: Vec<Place>,
    knots: Vec<Knot>,
    pieces: Vec<Piece>,
}

impl SingleRows {
    /// The rows of a table.
    pub(super) fn new(table: &pieces::Table<'_>) -> Self {
        let rows = &table.rows;
        // A power that was taken out in double precision may be put back in part.
        let exponent = match table.exponent {
            0.. => exponent(rows, table.exponent) - table.exponent,
            _ => 0,
        };
        let by = &mut Factor(f64::from(-exponent).exp2());
        Self {
            exponent,
            places: rows.places.iter().map(|place| place.map(by)).collect(),
            knots: rows.knots.iter().map(|knot| knot.map(by)).collect(),
            pieces: rows.pieces.iter().map(|piece| piece.map(by)).collect(),
        }
    }

    /// The table with these rows.
    pub(super) fn table<'a>(&'a self, table: &pieces::Table<'a>) -> pieces::Table<'a> {
        let rows = Rows { places: &self.places, knots: &self.knots, pieces: &self.pieces };
        pieces::Table { rows, exponent: table.exponent + self.exponent, ..*table }
    }
}

/// The exponent of the power of two to take out of a function, of which one was taken out of the rows.
fn exponent(rows: &Rows<'_>, taken: i32) -> i32 {
    let of = |size: f64| size.log2().ceil() as i32 + taken;
    let inner = rows.pieces.iter().flat_map(|piece| piece.whole.mean);
    let outer: Vec<f64> = match rows.knots {
        [] => rows.places.iter().flat_map(|place| place.taylor).collect(),
        [first, .., last] => [first.sides[0].mean, last.sides[1].mean].concat(),
        [knot] => knot.sides.iter().flat_map(|side| side.mean).collect(),
    };
    let sides = rows.knots.iter().flat_map(|knot| &knot.sides).flat_map(|side| side.mean);
    let are_not_zero = |c: &f64| *c != 0.0;
    let inner = inner.filter(are_not_zero).map(|c| of(c.abs()).min(WIDEST));
    let outer = outer.into_iter().filter(are_not_zero).map(|c| of(c.abs()));
    let largest = inner.chain(outer).max().filter(|largest| *largest > MODERATE);
    let Some(largest) = largest else { return 0 };
    match sides.filter(are_not_zero).map(|c| of(c.abs())).min() {
        Some(least) => (least + LEAST).clamp(largest.min(ENOUGH), largest),
        None => largest,
    }
}

/// The power of two that a function is multiplied by.
struct Factor(f64);

impl Map<f64, f64> for Factor {
    fn words<const K: usize>(&mut self, power: i32, words: [f64; K]) -> [f64; K] {
        self.each(power, words)
    }
    fn each<const K: usize>(&mut self, power: i32, numbers: [f64; K]) -> [f64; K] {
        let Self(factor) = *self;
        match power {
            0 => numbers,
            1 => numbers.map(|number| number * factor),
            // It is applied twice, since its square may be too small for a number. What is too large is of a piece that is as wide.
            _ => numbers.map(|number| (number * factor * factor).clamp(-LARGE, LARGE)),
        }
    }
}
