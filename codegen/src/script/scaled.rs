//! The rows of a table for single precision, whose range is narrow: with a power of two taken out of the function, so that
//! its largest coefficient is near 1.
//!
//! A coefficient counts as it varies: over a bounded piece, or by itself where the piece has no end. Results are raised in
//! the routine, together with the unit that its sums are carried in.

use gaussform_runtime::kernel::pieces;
use gaussform_runtime::kernel::sum::{Cut, Jump, Knot, Piece, Place, Rows, Side, Span};

/// Coefficients up to 2 to this stay as they are.
const MODERATE: i32 = 2;

/// The rows, less a power of two.
#[derive(Clone, Debug)]
pub(super) struct Scaled {
    exponent: i32,
    places: Vec<Place>,
    knots: Vec<Knot>,
    pieces: Vec<Piece>,
}

impl Scaled {
    /// The rows of a table.
    pub(super) fn new(table: &pieces::Table<'_>) -> Self {
        let rows = &table.rows;
        let size = size(rows);
        let exponent = if size > 0.0 { size.log2().ceil() as i32 } else { 0 };
        let exponent = if exponent > MODERATE { exponent } else { 0 };
        let by = Factor(f64::from(-exponent).exp2());
        Self {
            exponent,
            places: rows.places.iter().map(|place| by.place(place)).collect(),
            knots: rows.knots.iter().map(|knot| by.knot(knot)).collect(),
            pieces: rows.pieces.iter().map(|piece| by.piece(piece)).collect(),
        }
    }

    /// The table with these rows.
    pub(super) fn table<'a>(&'a self, table: &pieces::Table<'a>) -> pieces::Table<'a> {
        let rows = Rows { places: &self.places, knots: &self.knots, pieces: &self.pieces };
        pieces::Table { rows, exponent: table.exponent + self.exponent, ..*table }
    }
}

/// The largest coefficient.
fn size(rows: &Rows<'_>) -> f64 {
    let inner = rows.pieces.iter().flat_map(|piece| piece.whole.mean);
    let outer: Vec<f64> = match rows.knots {
        [] => rows.places.iter().flat_map(|place| place.taylor).collect(),
        [first, .., last] => [first.sides[0].mean, last.sides[1].mean].concat(),
        [knot] => knot.sides.iter().flat_map(|side| side.mean).collect(),
    };
    inner.chain(outer).fold(0.0, |size, c| size.max(c.abs()))
}

/// The power of two that a function is multiplied by.
#[derive(Clone, Copy)]
struct Factor(f64);

impl Factor {
    fn linear<const N: usize>(self, numbers: [f64; N]) -> [f64; N] {
        numbers.map(|number| number * self.0)
    }

    fn square<const N: usize>(self, numbers: [f64; N]) -> [f64; N] {
        // It is applied twice, since its square may be too small for a number.
        self.linear(self.linear(numbers))
    }

    fn place(self, place: &Place) -> Place {
        Place { value: self.linear(place.value), taylor: self.linear(place.taylor), ..*place }
    }

    fn side(self, side: &Side) -> Side {
        let Side { value, mean, square } = *side;
        Side::new(self.linear(value), self.linear(mean), self.square(square))
    }

    fn knot(self, knot: &Knot) -> Knot {
        let Jump { value, mean, square } = knot.jump;
        let [value] = self.linear([value]);
        let jump = Jump::new(value, self.linear(mean), self.square(square));
        Knot { sides: knot.sides.map(|side| self.side(&side)), jump, ..*knot }
    }

    fn span(self, span: &Span) -> Span {
        let (mean, square) = (self.linear(span.mean), self.square(span.square));
        Span { value: self.linear(span.value), mean, square, ..*span }
    }

    fn piece(self, piece: &Piece) -> Piece {
        let cut = piece.cut.map(|cut| Cut {
            side: self.side(&cut.side),
            parts: cut.parts.map(|part| self.span(&part)),
            ..cut
        });
        Piece { whole: self.span(&piece.whole), cut }
    }
}
