//! Tables of a function with many knots, and rows that stand for any row of them.
//!
//! A loop over the knots is recorded by the step of one row. In that row, a word of a number that is the same in all rows is
//! known, and any other one has a name: the words of that name are a column of a table. A row has a knot, the knot that
//! follows and the piece between the two; behind the last knot, a piece without an end.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::Lanes;
use gaussform_runtime::kernel::pieces::{self, Limits};
use gaussform_runtime::kernel::record::words;
use gaussform_runtime::kernel::sum::{Knot, Map, Piece, Place, Rows};

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
        let rows = places[1..].iter().map(|place| numbers(|by| place.map(by))).collect();
        self.places = vec![places[0], places[1].map(&mut self.any(0, rows))];
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
        let words = all.iter().map(|row| numbers(|by| read(row, by))).collect();
        let (knot, next, piece) = read(&all[0], &mut self.any(1, words));
        // The step of the second row reads the third knot as the one that follows.
        self.knots = vec![rows.knots[0], knot, next];
        self.pieces = vec![rows.pieces[0], piece];
    }

    fn set_limits(&mut self) {
        if self.limits.len() > 1 {
            let rows = std::mem::take(&mut self.limits);
            let first = rows[0].clone();
            let mut any = self.any(2, rows);
            let second = first.iter().map(|number| any.words(0, [*number])[0]).collect();
            self.limits = vec![first, second];
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

    /// The row that stands for any of these, whose numbers are in the order of its fields.
    fn any(&mut self, table: usize, rows: Vec<Vec<f64>>) -> AnyRow<'_> {
        AnyRow { columns: self, table, rows, next: 0 }
    }
}

/// What a step reads of a knot, the knot that follows and the piece between the two.
fn read(
    (knot, next, piece): &(Knot, Knot, Piece),
    by: &mut impl Map<f64, f64>,
) -> (Knot, Knot, Piece) {
    let (knot, mut following) = (knot.map(by), Knot::EMPTY);
    following.at = by.words(0, next.at);
    following.sides[0].value = by.words(1, next.sides[0].value);
    (knot, following, piece.map(by))
}

/// The numbers of a row in the order of its fields.
struct Numbers(Vec<f64>);

fn numbers<R>(of: impl FnOnce(&mut Numbers) -> R) -> Vec<f64> {
    let mut numbers = Numbers(Vec::new());
    of(&mut numbers);
    numbers.0
}

impl Map<f64, f64> for Numbers {
    fn words<const K: usize>(&mut self, _: i32, words: [f64; K]) -> [f64; K] {
        self.0.extend(words);
        words
    }
    fn each<const K: usize>(&mut self, power: i32, numbers: [f64; K]) -> [f64; K] {
        self.words(power, numbers)
    }
}

/// A row for all rows of a table: a word that differs between them has the name of its column.
struct AnyRow<'a> {
    columns: &'a mut Columns,
    table: usize,
    rows: Vec<Vec<f64>>,
    /// How many numbers are done.
    next: usize,
}

impl Map<f64, f64> for AnyRow<'_> {
    fn words<const K: usize>(&mut self, _: i32, _: [f64; K]) -> [f64; K] {
        let at = self.next;
        self.next += K;
        let of = |row: &Vec<f64>| -> [f64; K] { std::array::from_fn(|i| row[at + i]) };
        let given: Vec<[f64; K]> = self.rows.iter().map(of).collect();
        if given.iter().all(|words| *words == given[0]) {
            return given[0];
        }
        let words = |given: &[f64; K]| -> [f64; K] {
            if !self.columns.is_single {
                return *given;
            }
            // Words in double precision are no words in single precision: the number is split
            // anew.
            let given = std::array::from_fn(|i| given.get(i).copied().unwrap_or(0.0));
            let words = words::<f32>(given).map(f64::from);
            std::array::from_fn(|i| words[i])
        };
        let words: Vec<[f64; K]> = given.iter().map(words).collect();
        let largest = self.columns.largest;
        std::array::from_fn(|i| {
            let column: Vec<f64> = words.iter().map(|words| words[i]).collect();
            // A word that is the same in all rows, as low words often are, needs no column.
            if column.iter().all(|word| *word == column[0]) {
                return column[0];
            }
            let finite = |word: f64| word.clamp(-largest, largest);
            let columns = &mut self.columns.columns;
            columns.push((self.table, column.into_iter().map(finite).collect()));
            named(columns.len() - 1)
        })
    }
    fn each<const K: usize>(&mut self, power: i32, numbers: [f64; K]) -> [f64; K] {
        numbers.map(|number| self.words(power, [number])[0])
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
