//! The rows of a function with parameters: from its words by arithmetic that is recorded, and with names in place of
//! numbers.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_runtime::Float;
use gaussform_runtime::kernel::sum::{self, Knot, Map, Piece, Place};
use gaussform_runtime::kernel::{Lanes, Mask};
use gaussform_symbolic::exact::Rational;
use num_traits::Zero;

use super::expression::Expression;
use super::graph::{Graph, Style};
use super::lanes::{Traced, named, record};
use crate::ir::Word;
use crate::rounding::Length;
use crate::table::Table;

/// The number type of the arithmetic that makes rows.
type Number<T> = Traced<T>;

/// Rows with names in place of the numbers that depend on parameters.
pub(crate) struct NamedRows {
    pub(crate) places: Vec<Place>,
    pub(crate) knots: Vec<Knot>,
    pub(crate) pieces: Vec<Piece>,
    /// From the [words](Table::words) of the table: three words for each name.
    pub(crate) arithmetic: Graph,
}

impl NamedRows {
    /// How many names there are.
    pub(crate) fn count(&self) -> usize {
        self.arithmetic.results.len() / 3
    }

    /// The rows of a table, by arithmetic of a precision.
    pub(crate) fn new<T: Float>(table: &Table, style: Style, coefficients: Coefficients) -> Self {
        let mut rows = None;
        let arithmetic = record::<T>(0, style, |_| {
            let mut names = Names { words: Vec::new() };
            let words = Words::<T>::new(table, coefficients);
            let knots = words.knots(table).map(|row| row.map(&mut names)).collect();
            let pieces = words.pieces(table).map(|row| row.map(&mut names)).collect();
            let places = words.places(table).iter().map(|row| row.map(&mut names)).collect();
            rows = Some((places, knots, pieces));
            names.words
        });
        let (places, knots, pieces) = rows.expect("they were recorded");
        Self { places, knots, pieces, arithmetic }
    }

    /// The arithmetic of the names that some graphs read, which are changed to read these alone, by their places.
    pub(crate) fn read_by(&self, graphs: &mut [Graph]) -> Graph {
        let mut read = BTreeSet::new();
        for graph in graphs.iter() {
            read.extend(graph.cells());
        }
        let places: BTreeMap<usize, usize> = read.iter().copied().zip(0..).collect();
        graphs.iter_mut().for_each(|graph| graph.move_cells(&places));
        let mut arithmetic = self.arithmetic.clone();
        arithmetic.results = read.iter().map(|name| arithmetic.results[*name]).collect();
        arithmetic.pruned()
    }

    /// The rows, with names in place of numbers.
    pub(crate) fn rows(&self) -> sum::Rows<'_> {
        sum::Rows { places: &self.places, knots: &self.knots, pieces: &self.pieces }
    }
}

/// The words of a table as inputs of the arithmetic of its rows: fields of variables that `declare` writes. Numbers that are known
/// stand in the arithmetic and need none.
pub(crate) fn declared(
    table: &Table,
    mut declare: impl FnMut(Length, &str, &Word),
) -> Vec<Expression> {
    let mut inputs = Vec::new();
    for (length, name, word) in table.words() {
        if word.as_constant().is_none() {
            declare(length, &name, word);
        }
        let fields = length.fields().iter();
        inputs.extend(fields.map(|field| Expression::atom(format!("{name}.{field}"))));
    }
    inputs
}

/// The coefficients that stand in the arithmetic as numbers. All others are inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coefficients {
    /// All that are known.
    Known,
    /// Zeros alone, for text that takes a power of two out of the others when it runs.
    Zeros,
}

/// The words of a table in lanes.
struct Words<T> {
    knots: Vec<[Number<T>; 3]>,
    widths: Vec<[Number<T>; 2]>,
    centers: Vec<[Number<T>; 3]>,
    coefficients: Vec<[Number<T>; 2]>,
    /// How many coefficients a polynomial has.
    count: usize,
}

impl<T: Float> Words<T> {
    fn new(table: &Table, known: Coefficients) -> Self {
        let every = |_: &Rational| true;
        let is_in_text = match known {
            Coefficients::Known => every,
            Coefficients::Zeros => Rational::is_zero,
        };
        // The inputs are taken in the order of `Table::words`.
        let mut next = 0;
        let knots = table.knots.iter().map(|word| words(word, &mut next, every)).collect();
        let widths = table.widths.iter().map(|word| words(word, &mut next, every)).collect();
        let centers = table.centers.iter().map(|c| words(&c.at, &mut next, every)).collect();
        let coefficients = table.coefficients();
        let coefficients = coefficients.map(|word| words(word, &mut next, is_in_text)).collect();
        Self { knots, widths, centers, coefficients, count: table.degree + 1 }
    }

    /// The polynomial to the left of a knot, and that to its right.
    fn sides(&self, knot: usize) -> [&[[Number<T>; 2]]; 2] {
        [2 * knot, 2 * knot + 1].map(|at| &self.coefficients[at * self.count..][..self.count])
    }

    fn knots(&self, table: &Table) -> impl Iterator<Item = Knot<Number<T>>> {
        (0..table.knots.len()).map(|i| {
            let [left, right] = self.sides(i);
            sum::knot(self.knots[i], left, right)
        })
    }

    fn pieces(&self, table: &Table) -> impl Iterator<Item = Piece<Number<T>>> {
        (0..table.widths.len())
            .map(|i| sum::piece(self.knots[i], self.widths[i], self.sides(i)[1], None))
    }

    /// The places in ascending order. A center that parameters have moved off its piece is one that no γ is near.
    fn places(&self, table: &Table) -> Vec<Place<Number<T>>> {
        let (zero, half) = (Number::splat(T::ZERO), Number::splat(T::HALF));
        // Constants of WGSL are finite.
        let is_single = !T::IS_DOUBLE;
        let never = if is_single { T::MAX * T::HALF } else { T::INFINITY };
        let never = Number::splat(never);
        let mut places: Vec<Place<Number<T>>> = Vec::new();
        for piece in 0..=self.knots.len() {
            let mut before: Option<Number<T>> = None;
            let middle = |before: Option<Number<T>>, at: Number<T>| match before {
                // Each is halved before they are added: their sum may overflow.
                Some(before) => half * before + half * at,
                None => -never,
            };
            if let Some(i) = piece.checked_sub(1) {
                let [first, second, _] = self.knots[i];
                places.push(sum::place(self.knots[i], self.sides(i)[1], [first, second]));
                before = Some(first);
            }
            let end = self.knots.get(piece).map(|knot| knot[0]);
            let centers = table.centers.iter().enumerate().filter(|(_, c)| c.piece == piece);
            for (i, _) in centers {
                let at = self.centers[i][0];
                let earlier = before.unwrap_or(-never);
                let mut inside = earlier.lt(at);
                if let Some(end) = end {
                    inside = inside.and(at.lt(end));
                }
                let from = Number::select(inside, middle(before, at), never);
                // Polynomials around centers stand behind those on both sides of all knots.
                let around = &self.coefficients[(2 * self.knots.len() + i) * self.count..];
                places.push(sum::place(self.centers[i], &around[..self.count], [from, zero]));
                before = Some(Number::select(inside, at, earlier));
            }
            if let Some(end) = end {
                let from = [middle(before, end), zero];
                places.push(sum::place(self.knots[piece], self.sides(piece)[0], from));
            }
        }
        // Places must begin in ascending order. One that is off begins where the next one does,
        // which is chosen after it. The walk goes from the end, as several in a row may be off.
        for i in (1..places.len()).rev() {
            let (next, place) = (places[i].from, &mut places[i - 1]);
            let is_never = place.from[0].equals(never);
            for (word, next) in place.from.iter_mut().zip(next) {
                *word = Number::select(is_never, next, *word);
            }
        }
        places
    }
}

/// The words of a number: constants if it is one and may stand in the text, inputs if not. Each takes as many places among
/// the inputs.
fn words<T: Float, const N: usize>(
    word: &Word,
    next: &mut usize,
    is_in_text: fn(&Rational) -> bool,
) -> [Number<T>; N] {
    let first = *next;
    *next += N;
    match word.as_constant().filter(|value| is_in_text(value)) {
        Some(value) => {
            let length = if N == 3 { Length::Triple } else { Length::Double };
            let words = length.of::<T>(value);
            std::array::from_fn(|i| Number::splat(words[i]))
        }
        None => std::array::from_fn(|i| Number::input(first + i)),
    }
}

/// The numbers that have names, three words for each.
struct Names<T> {
    words: Vec<Number<T>>,
}

impl<T: Float> Names<T> {
    /// A number as it is, or its name in the first place.
    fn number<const N: usize>(&mut self, words: [Number<T>; N]) -> [f64; N] {
        let known: Option<Vec<f64>> = words.iter().map(|word| word.known()).collect();
        if let Some(known) = known {
            return std::array::from_fn(|i| known[i]);
        }
        let name = self.words.len();
        let zero = Number::splat(T::ZERO);
        self.words.extend((0..3).map(|i| words.get(i).copied().unwrap_or(zero)));
        std::array::from_fn(|i| named(name + i))
    }
}

impl<T: Float> Map<Number<T>, f64> for Names<T> {
    fn words<const K: usize>(&mut self, _: i32, words: [Number<T>; K]) -> [f64; K] {
        self.number(words)
    }
    fn each<const K: usize>(&mut self, _: i32, numbers: [Number<T>; K]) -> [f64; K] {
        numbers.map(|number| self.number([number])[0])
    }
}
