//! Tables of a function with many knots, and rows that stand for any row of them.
//!
//! A loop over the knots is recorded by the step of one row. In that row, a word of a number that is the same in all rows is
//! known, and any other one has a name: the words of that name are a column of a table. A row has a knot, the knot that
//! follows and the piece between the two; behind the last knot, a piece without an end.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::Lanes;
use gaussform_runtime::kernel::pieces::{self, Limits};
use gaussform_runtime::kernel::record::words;
use gaussform_runtime::kernel::sum::{Cut, Jump, Knot, Piece, Place, Rows, Side, Span};

use super::lanes::named;

/// The tables by their names: the places around which pieces are expanded, from the second one on; the knots; and those of
/// them that γ may be on, with the value of the function and what stands for the results at ξ² = 0.
pub(crate) const TABLES: [&str; 3] = ["places", "knots", "limits"];

/// Rows that stand for any row of a table, and the tables.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    places: Vec<Place>,
    knots: Vec<Knot>,
    pieces: Vec<Piece>,
    /// The last place.
    pub(crate) last: Place,
    /// The knots that are numbers of the precision, each with the numbers that hold on it: none, the only one, or two rows as those
    /// of [`rows`](Self::rows).
    pub(crate) limits: Vec<Vec<f64>>,
    /// The table and the words of each name.
    columns: Vec<(usize, Vec<f64>)>,
    /// The largest number of the precision. It stands for infinity, and for half the width of a piece that is never narrow.
    largest: f64,
    is_single: bool,
}

impl Columns {
    /// The columns of a table with two knots or more, in a precision.
    pub(crate) fn new<T: Float>(table: &pieces::Table<'_>) -> Self {
        Self::with_limits::<T>(table, knot_limits::<T>(table))
    }

    /// The columns, with the knots that are numbers of the precision and the numbers that hold on each.
    pub(crate) fn with_limits<T: Float>(table: &pieces::Table<'_>, limits: Vec<Vec<f64>>) -> Self {
        let rows = &table.rows;
        let mut columns = Self {
            places: Vec::new(),
            knots: Vec::new(),
            pieces: Vec::new(),
            last: rows.places[rows.places.len() - 1],
            limits,
            columns: Vec::new(),
            largest: T::MAX.to_f64(),
            is_single: !T::IS_DOUBLE,
        };
        columns.set_places(rows.places);
        columns.set_knots(rows);
        columns.set_limits();
        columns
    }

    /// Rows of which the first one is known, and the second one stands for any.
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows { places: &self.places, knots: &self.knots, pieces: &self.pieces }
    }

    /// The words of each cell by its name, row by row.
    pub(crate) fn words(self) -> Vec<Vec<f64>> {
        self.columns.into_iter().map(|(_, words)| words).collect()
    }

    /// The table that a cell is in, and its place in the row.
    pub(crate) fn cell(&self, name: usize) -> (usize, usize) {
        let (table, _) = self.columns[name];
        let before = self.columns[..name].iter().filter(|(other, _)| *other == table);
        (table, before.count())
    }

    /// The rows of a table.
    pub(crate) fn table(&self, table: usize) -> Vec<Vec<f64>> {
        let columns = self.columns.iter().filter(|(other, _)| *other == table);
        let columns: Vec<&Vec<f64>> = columns.map(|(_, column)| column).collect();
        let count = columns.first().map_or(0, |column| column.len());
        (0..count).map(|row| columns.iter().map(|column| column[row]).collect()).collect()
    }

    fn set_places(&mut self, places: &[Place]) {
        let rest = &places[1..];
        let place = Place {
            from: self.number(0, rest, |place| place.from),
            at: self.number(0, rest, |place| place.at),
            value: self.number(0, rest, |place| place.value),
            taylor: self.each(0, rest, |place| place.taylor),
        };
        self.places = vec![places[0], place];
    }

    fn set_knots(&mut self, rows: &Rows<'_>) {
        let (last, largest) = (rows.knots.len() - 1, self.largest);
        // Behind the last knot, where nothing is narrow, a piece without an end.
        let endless = |piece: &Piece| {
            let mut piece = *piece;
            piece.whole.half = largest;
            piece.cut = None;
            piece
        };
        let pieces = rows.pieces.iter().copied().chain([endless(&rows.pieces[last - 1])]);
        // A piece that need not be cut has parts that are never narrow.
        let cut = rows.pieces.iter().find_map(|piece| piece.cut).map(|mut cut| {
            cut.parts.iter_mut().for_each(|part| part.half = largest);
            cut
        });
        let pieces: Vec<Piece> =
            pieces.map(|piece| Piece { cut: piece.cut.or(cut), ..piece }).collect();
        // Each row has a knot that follows. Behind the last one it is that knot once more.
        let row = |i: usize| (rows.knots[i], rows.knots[(i + 1).min(last)], pieces[i]);
        let all: Vec<(Knot, Knot, Piece)> = (0..=last).map(row).collect();
        let knot = Knot {
            at: self.number(1, &all, |row| row.0.at),
            sides: [0, 1].map(|side| self.side(&all, |row| row.0.sides[side])),
            jump: Jump {
                value: self.each(1, &all, |row| [row.0.jump.value])[0],
                mean: self.each(1, &all, |row| row.0.jump.mean),
                square: self.each(1, &all, |row| row.0.jump.square),
            },
        };
        // Of the knot that follows, a step reads nothing but this.
        let mut next = Knot::EMPTY;
        next.at = self.number(1, &all, |row| row.1.at);
        next.sides[0].value = self.number(1, &all, |row| row.1.sides[0].value);
        let whole = self.span(&all, |row| row.2.whole);
        let cut = cut.map(|_| {
            let of = |row: &(Knot, Knot, Piece)| row.2.cut.expect("all pieces are cut");
            Cut {
                at: self.number(1, &all, |row| of(row).at),
                side: self.side(&all, |row| of(row).side),
                parts: [0, 1].map(|part| self.span(&all, |row| of(row).parts[part])),
            }
        });
        // The step of the second row reads the third knot as the one that follows.
        self.knots = vec![rows.knots[0], knot, next];
        self.pieces = vec![rows.pieces[0], Piece { whole, cut }];
    }

    fn set_limits(&mut self) {
        if self.limits.len() > 1 {
            let rows = std::mem::take(&mut self.limits);
            let any = (0..rows[0].len()).map(|i| self.each(2, &rows, |row| [row[i]])[0]).collect();
            self.limits = vec![rows[0].clone(), any];
        }
    }

    /// A number in lanes, which infinity may be among.
    pub(crate) fn limit<V: Lanes>(&self, value: f64) -> V {
        // Numbers of a column are finite: the largest one stands for infinity.
        let Some([Some(word), ..]) = V::named_words([value, 0.0, 0.0]) else {
            return V::splat(V::Scalar::from_f64(value));
        };
        let [infinity, largest] =
            [f64::INFINITY, self.largest].map(|x| V::splat(V::Scalar::from_f64(x)));
        let word = V::select(largest.le(word), infinity, word);
        V::select(word.le(-largest), -infinity, word)
    }

    fn side<R>(&mut self, rows: &[R], of: impl Fn(&R) -> Side) -> Side {
        Side {
            value: self.number(1, rows, |row| of(row).value),
            mean: self.each(1, rows, |row| of(row).mean),
            square: self.each(1, rows, |row| of(row).square),
        }
    }

    fn span<R>(&mut self, rows: &[R], of: impl Fn(&R) -> Span) -> Span {
        Span {
            middle: self.number(1, rows, |row| of(row).middle),
            half: self.each(1, rows, |row| [of(row).half])[0],
            value: self.number(1, rows, |row| of(row).value),
            mean: self.each(1, rows, |row| of(row).mean),
            square: self.each(1, rows, |row| of(row).square),
        }
    }

    /// Numbers of one word.
    fn each<R, const N: usize>(
        &mut self,
        table: usize,
        rows: &[R],
        of: impl Fn(&R) -> [f64; N],
    ) -> [f64; N] {
        std::array::from_fn(|i| self.number(table, rows, |row| [of(row)[i]])[0])
    }

    /// A number of some words. It is as it is in the first row if it is so in all rows.
    fn number<R, const N: usize>(
        &mut self,
        table: usize,
        rows: &[R],
        of: impl Fn(&R) -> [f64; N],
    ) -> [f64; N] {
        let first = of(&rows[0]);
        if rows.iter().all(|row| of(row) == first) {
            return first;
        }
        let words = |row: &R| -> [f64; N] {
            let given = of(row);
            if !self.is_single {
                return given;
            }
            // Words in double precision are no words in single precision: the number is split
            // anew.
            let given = std::array::from_fn(|i| given.get(i).copied().unwrap_or(0.0));
            let words = words::<f32>(given).map(f64::from);
            std::array::from_fn(|i| words[i])
        };
        let words: Vec<[f64; N]> = rows.iter().map(words).collect();
        std::array::from_fn(|i| {
            let column: Vec<f64> = words.iter().map(|words| words[i]).collect();
            // A word that is the same in all rows, as low words often are, needs no column.
            if column.iter().all(|word| *word == column[0]) {
                return column[0];
            }
            let finite = |word: f64| word.clamp(-self.largest, self.largest);
            self.columns.push((table, column.into_iter().map(finite).collect()));
            named(self.columns.len() - 1)
        })
    }
}

/// The knots that are numbers of a precision, with the value of the function and the limits of the results.
pub(crate) fn knot_limits<T: Float>(table: &pieces::Table<'_>) -> Vec<Vec<f64>> {
    let limits = |i: usize| match table.limits {
        Limits::Given(limits) => limits.get(i).copied(),
        Limits::Computed(limits) => limits(table.knots[i][0]),
    };
    let row = |i: usize| {
        let (knot, value) = (table.knots[i], table.values[i]);
        let [a, b, c, d, e, f] = limits(i)?;
        is_number::<T>(knot).then(|| vec![knot[0], value, a, b, c, d, e, f])
    };
    (0..table.knots.len()).filter_map(row).collect()
}

/// Whether a sum of words is a number of the precision, so that it can be hit.
pub(super) fn is_number<T: Float>([high, low, _]: [f64; 3]) -> bool {
    low == 0.0 && T::from_f64(high).to_f64() == high
}
