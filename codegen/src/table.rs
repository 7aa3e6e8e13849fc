//! The numbers of a function for the runtime's sum over pieces.
//!
//! Each piece is expanded around the knots at its ends, exactly, and rounded to words at the end. Where a piece or
//! its slope has a root of higher multiplicity, it is expanded around that too: next to it all terms in
//! powers of the distance from a knot cancel. A function without parameters is scaled by a power of two, so that its
//! coefficients are about 1 whatever they are.

use std::borrow::Cow;

use gaussform_runtime::kernel::{pieces, sum};
use gaussform_symbolic::exact::{Rational, integer};
use gaussform_symbolic::polynomial::{Polynomial, Root, Symbol, real_roots};
use gaussform_symbolic::{Activation, Knot};
use num_traits::{One, Signed, Zero};

use crate::ir::Word;
use crate::quotient::Words;
use crate::rounding::{Length, approximate};

/// The numbers, exact or as arithmetic in the parameters.
#[derive(Clone, Debug)]
pub struct Table {
    /// The highest degree, at least 1.
    pub degree: usize,
    /// g is this power of two times what the coefficients are of.
    pub exponent: i32,
    /// The knots, ascending. At some nothing may change.
    pub knots: Vec<Word>,
    /// The widths of the bounded pieces.
    pub widths: Vec<Word>,
    /// The coefficients around each knot: those of the piece to its left, then those of the piece to its right.
    pub sides: Vec<Word>,
    /// Other places with the coefficients of a piece around them.
    pub centers: Vec<Center>,
    /// The value of g on each knot.
    pub values: Vec<Word>,
    /// The derivatives of the function in each parameter.
    pub tangents: Vec<Tangent>,
}

/// The derivative of a function in a parameter.
#[derive(Clone, Debug)]
pub struct Tangent {
    /// The derivatives of [`sides`](Table::sides) at a fixed place.
    pub sides: Vec<Word>,
    /// The derivatives of the coefficients of each center.
    pub centers: Vec<Vec<Word>>,
    /// The derivative of each knot.
    pub motion: Vec<Word>,
}

/// A place around which a piece is expanded.
#[derive(Clone, Debug)]
pub struct Center {
    /// The piece.
    pub piece: usize,
    /// The place.
    pub at: Word,
    /// The coefficients.
    pub coefficients: Vec<Word>,
}

/// The work that the search for multiple roots of a piece may take.
const BUDGET: usize = 20_000;

/// The exponent from which on coefficients are far from 1: the squares of others are numbers of single precision.
const FAR: i64 = 60;

/// The most terms of a piece with parameters of which multiple roots are looked for: it takes greatest common divisors.
const TERMS: usize = 64;

impl Table {
    /// The numbers of a function.
    pub(crate) fn new(activation: &Activation) -> Self {
        let words = Words::new(activation);
        let function = &activation.function;
        let degree = usize::try_from(function.degree()).unwrap_or(0).max(1);
        let around = |polynomial: &Polynomial, place: &Polynomial| -> Vec<Word> {
            let taylor = polynomial.taylor(&Symbol::Variable, place);
            let given = taylor.iter().map(|c| words.quotient(c));
            let zeros = std::iter::repeat_with(|| Word::Constant(Zero::zero()));
            // All have as many coefficients, so that they can lie one behind the other.
            given.chain(zeros).take(degree + 1).collect()
        };
        let places: Vec<Polynomial> = function.knots().iter().map(Knot::polynomial).collect();
        let sides = |pieces: &[Polynomial]| -> Vec<Word> {
            let sides = places.iter().zip(pieces.windows(2));
            sides.flat_map(|(place, sides)| sides.iter().flat_map(|p| around(p, place))).collect()
        };
        let pieces = function.pieces();
        let centers: Vec<(usize, ExpansionPoint)> = (0..pieces.len())
            .flat_map(|piece| {
                let ends = [piece.checked_sub(1), Some(piece)];
                let ends = ends.map(|i| i.and_then(|i| function.knots().get(i)));
                places_of(&pieces[piece], ends).into_iter().map(move |place| (piece, place))
            })
            .collect();
        let tangents = activation.parameters.iter().map(|parameter| {
            let symbol = Symbol::Parameter(parameter.name.clone());
            let rates: Vec<Polynomial> = pieces.iter().map(|p| p.derivative(&symbol)).collect();
            let at = |(piece, place): &(usize, ExpansionPoint)| {
                around(&rates[*piece], &place.polynomial())
            };
            Tangent {
                sides: sides(&rates),
                centers: centers.iter().map(at).collect(),
                motion: places.iter().map(|t| words.quotient(&t.derivative(&symbol))).collect(),
            }
        });
        let tangents = tangents.collect();
        let center = |(piece, place): &(usize, ExpansionPoint)| Center {
            piece: *piece,
            at: match place {
                ExpansionPoint::Number(knot) => words.knot(knot),
                ExpansionPoint::Quotient(place) => words.quotient(place),
            },
            coefficients: around(&pieces[*piece], &place.polynomial()),
        };
        let at_knots = function.at_knots().iter().zip(&places);
        let value = |(g, place): (&Polynomial, &Polynomial)| {
            words.quotient(&g.substitute(&Symbol::Variable, place))
        };
        let mut table = Self {
            degree,
            exponent: 0,
            knots: function.knots().iter().map(|knot| words.knot(knot)).collect(),
            widths: places.windows(2).map(|pair| words.quotient(&(&pair[1] - &pair[0]))).collect(),
            sides: sides(pieces),
            centers: centers.iter().map(center).collect(),
            values: at_knots.map(value).collect(),
            tangents,
        };
        table.scale();
        table
    }

    /// The coefficients around knots, then around centers.
    pub(crate) fn coefficients(&self) -> impl Iterator<Item = &Word> {
        self.sides.iter().chain(self.centers.iter().flat_map(|center| &center.coefficients))
    }

    /// The words that the rows of the sum are computed from, with their lengths and names: knots, widths, places of centers,
    /// coefficients. The arithmetic of rows has its inputs in this order.
    pub(crate) fn words(&self) -> impl Iterator<Item = (Length, String, &Word)> {
        let knots = self.knots.iter().map(|word| (Length::Triple, "knot", word));
        let widths = self.widths.iter().map(|word| (Length::Double, "width", word));
        let centers = self.centers.iter().map(|center| (Length::Triple, "center", &center.at));
        let coefficients = self.coefficients().map(|word| (Length::Double, "word", word));
        let numbered = |(i, (length, name, word))| (length, format!("{name}{i}"), word);
        let of_kind = knots.enumerate().chain(widths.enumerate());
        of_kind.chain(centers.enumerate()).chain(coefficients.enumerate()).map(numbered)
    }

    /// Whether all coefficients are numbers, so that parameters move knots alone.
    pub(crate) fn has_known_coefficients(&self) -> bool {
        self.coefficients().all(|word| word.as_constant().is_some())
    }

    /// Takes a power of two out of the coefficients, if they are numbers. Of constants their jumps count alone: what g varies by
    /// is squared, and its level is not.
    fn scale(&mut self) {
        let all: Option<Vec<&Rational>> = self.coefficients().map(Word::as_constant).collect();
        let Some(all) = all else { return };
        let rows: Vec<&[&Rational]> = all.chunks(self.degree + 1).collect();
        let jumps = rows[..2 * self.knots.len()].chunks(2).map(|sides| sides[1][0] - sides[0][0]);
        let slopes = rows.iter().flat_map(|row| &row[1..]).map(|slope| slope.abs());
        let Some(largest) = jumps.map(|jump| jump.abs()).chain(slopes).max() else { return };
        if largest.is_zero() {
            return;
        }
        let bits = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        // This is the logarithm to within one, which is as near as a factor needs to be.
        let exponent = bits(largest.numer().bits()) - bits(largest.denom().bits());
        if exponent.abs() < FAR {
            return;
        }
        let exponent = i32::try_from(exponent.clamp(-2000, 2000)).unwrap_or(0);
        self.multiply(-exponent);
        self.exponent = exponent;
    }

    /// The table with the power of two in its coefficients again where it has parameters: for text that takes none out of what
    /// depends on these. A table of numbers keeps its power.
    pub(crate) fn unscaled(&self) -> Cow<'_, Self> {
        if self.exponent == 0 || self.tangents.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut table = self.clone();
        table.multiply(self.exponent);
        table.exponent = 0;
        Cow::Owned(table)
    }

    /// Multiplies the coefficients, which are numbers, by a power of two.
    fn multiply(&mut self, exponent: i32) {
        let factor = power_of_two(exponent);
        let coefficients = self.centers.iter_mut().flat_map(|c| &mut c.coefficients);
        for word in self.sides.iter_mut().chain(coefficients) {
            if let Word::Constant(value) = word {
                *value = &*value * &factor;
            }
        }
    }
}

/// 2ᵉ
pub(crate) fn power_of_two(exponent: i32) -> Rational {
    let power = (0..exponent.unsigned_abs()).fold(Rational::one(), |p, _| p * integer(2));
    if exponent < 0 { power.recip() } else { power }
}

/// A place around which to expand a piece, besides the knots at its ends.
enum ExpansionPoint {
    Number(Knot),
    /// A quotient of polynomials in the parameters.
    Quotient(Polynomial),
}

impl ExpansionPoint {
    fn polynomial(&self) -> Polynomial {
        match self {
            Self::Number(knot) => knot.polynomial(),
            Self::Quotient(place) => place.clone(),
        }
    }
}

/// The roots and the extrema of a piece between its ends, and 0: around them its terms do not cancel. Those that move with
/// parameters are there if they are quotients of polynomials in these.
fn places_of(polynomial: &Polynomial, ends: [Option<&Knot>; 2]) -> Vec<ExpansionPoint> {
    let slope = polynomial.derivative(&Symbol::Variable);
    let both = [polynomial, &slope];
    let numbers = both.into_iter().filter_map(|p| p.univariate(&Symbol::Variable));
    let roots = numbers.filter_map(|p| real_roots(&p, BUDGET)).flatten();
    let mut roots: Vec<Root> = roots.map(|(root, _)| root).collect();
    roots.sort();
    roots.dedup();
    let mut knots: Vec<Knot> = roots.into_iter().map(Knot::from).collect();
    // Numbers are dense around 0 alone.
    knots.push(Knot::new(Zero::zero()));
    knots.retain(|knot| is_inside(knot, ends));
    knots.sort_by_cached_key(approximation);
    // 0 may be a root as well.
    knots.dedup();
    let is_short = |p: &&Polynomial| p.univariate(&Symbol::Variable).is_none() && p.len() <= TERMS;
    let moving = both.into_iter().filter(is_short);
    let moving = moving.flat_map(|p| p.multiple_roots(&Symbol::Variable));
    let mut places: Vec<ExpansionPoint> = knots.into_iter().map(ExpansionPoint::Number).collect();
    for root in moving {
        if !places.iter().any(|place| place.polynomial() == root) {
            places.push(ExpansionPoint::Quotient(root));
        }
    }
    let is_end = |place: &ExpansionPoint| {
        ends.iter().flatten().any(|end| end.polynomial() == place.polynomial())
    };
    places.retain(|place| !is_end(place));
    places
}

/// Whether a number may lie between the ends of a piece, which may move.
fn is_inside(place: &Knot, [left, right]: [Option<&Knot>; 2]) -> bool {
    let at = approximation(place);
    // An end that moves with parameters has no enclosure: the place may lie inside.
    let is_right_of = |end: &Knot| end.enclosure(64).is_none_or(|(lower, _)| lower < at);
    let is_left_of = |end: &Knot| end.enclosure(64).is_none_or(|(_, upper)| at < upper);
    left.is_none_or(is_right_of) && right.is_none_or(is_left_of)
}

/// A rational number next to a number.
fn approximation(knot: &Knot) -> Rational {
    approximate(&knot.polynomial())
}

/// A [`Table`] as floating-point numbers.
#[derive(Clone, Debug)]
pub struct Numbers {
    degree: usize,
    knots: Vec<[f64; 3]>,
    widths: Vec<[f64; 2]>,
    function: Coefficients,
    values: Vec<f64>,
    limits: Vec<[f64; 6]>,
    /// The piece and the place of each center.
    centers: Vec<(usize, [f64; 3])>,
    tangents: Vec<(Coefficients, Vec<f64>)>,
    rows: SumRows,
}

/// The rows of the sum of truncated moments; none where the degree is too high for it.
#[derive(Clone, Debug, Default)]
struct SumRows {
    places: Vec<sum::Place>,
    knots: Vec<sum::Knot>,
    pieces: Vec<sum::Piece>,
}

impl SumRows {
    /// The rows of a table.
    fn of(table: &pieces::Table<'_>, may_cut: bool) -> Self {
        if table.degree > sum::MAX_DEGREE {
            return Self::default();
        }
        let (knots, centers) = (table.knots.len(), table.centers.len());
        let mut rows = Self {
            places: vec![sum::Place::EMPTY; pieces::Table::place_count(knots, centers)],
            knots: vec![sum::Knot::EMPTY; knots],
            pieces: vec![sum::Piece::EMPTY; table.widths.len()],
        };
        table.write_rows(&mut rows.places, &mut rows.knots, &mut rows.pieces, may_cut);
        for piece in &mut rows.pieces {
            clean(&mut piece.whole);
            piece.cut.iter_mut().flat_map(|cut| &mut cut.parts).for_each(clean);
        }
        rows
    }
}

/// Sets coefficients to 0 that are rounding errors of double words, so that nothing is computed with them.
fn clean(span: &mut sum::Span) {
    // The value comes into none of them, and may be huge beside all.
    let size = span.mean.iter().fold(0.0_f64, |size, c| size.max(c.abs()));
    let clean = |c: &mut f64, size: f64| {
        if c.abs() < NOTHING * size {
            *c = 0.0;
        }
    };
    span.mean.iter_mut().for_each(|c| clean(c, size));
    span.square.iter_mut().for_each(|c| clean(c, size * size));
}

/// A coefficient that is smaller than this, relative to the others, is 0.
const NOTHING: f64 = 1e-29;

/// The coefficients of a function around knots, then around centers, and the exponent of what was taken out.
#[derive(Clone, Debug)]
struct Coefficients {
    exponent: i32,
    all: Vec<[f64; 2]>,
}

impl Table {
    /// The table as numbers, for values of the parameters and the limits at the knots.
    pub(crate) fn numbers(
        &self,
        triple: impl Fn(&Word) -> [f64; 3],
        double: impl Fn(&Word) -> [f64; 2],
        limits: Vec<[f64; 6]>,
    ) -> Numbers {
        let doubles = |words: &[Word]| words.iter().map(&double).collect::<Vec<_>>();
        let coefficients = |sides: &[Word], centers: Vec<&[Word]>| {
            let mut all = doubles(sides);
            all.extend(centers.into_iter().flat_map(doubles));
            // Without parameters a power was taken out of the exact coefficients already.
            let exponent = match self.tangents.is_empty() {
                true => 0,
                false => pieces::scale(&mut all, self.degree + 1, self.knots.len()),
            };
            Coefficients { exponent, all }
        };
        let own = self.centers.iter().map(|center| &center.coefficients[..]).collect();
        let mut function = coefficients(&self.sides, own);
        function.exponent += self.exponent;
        let tangent = |t: &Tangent| {
            let centers = t.centers.iter().map(|center| &center[..]).collect();
            let motion = t.motion.iter().map(|word| double(word)[0]).collect();
            (coefficients(&t.sides, centers), motion)
        };
        let mut numbers = Numbers {
            degree: self.degree,
            knots: self.knots.iter().map(&triple).collect(),
            widths: doubles(&self.widths),
            function,
            values: self.values.iter().map(|word| double(word)[0]).collect(),
            limits,
            centers: self.centers.iter().map(|c| (c.piece, triple(&c.at))).collect(),
            tangents: self.tangents.iter().map(tangent).collect(),
            // The rows are made of the table, which is read from these numbers.
            rows: SumRows::default(),
        };
        // With parameters as the compiled kernel has them.
        let may_cut = self.tangents.is_empty();
        numbers.rows = numbers.with(|table| SumRows::of(table, may_cut));
        numbers
    }
}

impl Numbers {
    /// Does something with the table of the runtime.
    pub fn with<R>(&self, f: impl FnOnce(&pieces::Table<'_>) -> R) -> R {
        let centers = self.centers_of(&self.function);
        f(&self.table(&self.function, &centers))
    }

    /// Does something with the table of the runtime and with the derivatives of its numbers in each parameter.
    pub fn with_tangents<R>(
        &self,
        f: impl FnOnce(&pieces::Table<'_>, &[pieces::Tangent<'_>]) -> R,
    ) -> R {
        let centers: Vec<_> = self.tangents.iter().map(|(rate, _)| self.centers_of(rate)).collect();
        let tangents = self.tangents.iter().zip(&centers).map(|((rate, motion), centers)| {
            pieces::Tangent { rate: self.table(rate, centers), motion }
        });
        let tangents: Vec<_> = tangents.collect();
        self.with(|table| f(table, &tangents))
    }

    fn centers_of<'a>(&'a self, coefficients: &'a Coefficients) -> Vec<pieces::Center<'a>> {
        let count = self.degree + 1;
        let around = coefficients.all[2 * count * self.knots.len()..].chunks_exact(count);
        let centers = self.centers.iter().zip(around);
        centers
            .map(|(&(piece, at), coefficients)| pieces::Center { piece, at, coefficients })
            .collect()
    }

    fn table<'a>(
        &'a self,
        coefficients: &'a Coefficients,
        centers: &'a [pieces::Center<'a>],
    ) -> pieces::Table<'a> {
        pieces::Table {
            degree: self.degree,
            exponent: coefficients.exponent,
            knots: &self.knots,
            widths: &self.widths,
            sides: &coefficients.all[..2 * (self.degree + 1) * self.knots.len()],
            centers,
            values: &self.values,
            limits: pieces::Limits::Given(&self.limits),
            rows: sum::Rows {
                places: &self.rows.places,
                knots: &self.rows.knots,
                pieces: &self.rows.pieces,
            },
        }
    }
}
