//! The numbers of a function for the runtime's sum over pieces.
//!
//! Each piece is expanded around the knots at its ends, exactly, and rounded to words at the end. Where a piece or
//! its slope has a root of higher multiplicity, it is expanded around that too: next to it all terms in
//! powers of the distance from a knot cancel. A function without parameters is scaled by a power of two, so that its
//! coefficients are about 1 whatever they are.

use gaussform_runtime::kernel::pieces;
use gaussform_symbolic::exact::{Rational, integer};
use gaussform_symbolic::polynomial::{Polynomial, Root, Symbol, real_roots};
use gaussform_symbolic::{Activation, Knot};
use num_traits::{One, Signed, Zero};

use crate::ir::Word;
use crate::word::Words;

/// The numbers, exact or as arithmetic in the parameters.
#[derive(Clone, Debug)]
pub struct Table {
    /// The highest degree, at least 1.
    pub degree: usize,
    /// g is this power of two times what the coefficients are of.
    pub exponent: i32,
    /// The knots, ascending.
    pub knots: Vec<Word>,
    /// The widths of the bounded pieces.
    pub widths: Vec<Word>,
    /// For each knot the coefficients of the piece to its left and of the piece to its right around it.
    pub sides: Vec<Word>,
    /// Other places with the coefficients of a piece around them.
    pub centers: Vec<Center>,
    /// For each knot g there.
    pub values: Vec<Word>,
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
            given.chain(zeros).take(degree + 1).collect()
        };
        let places: Vec<Polynomial> = function.knots().iter().map(Knot::polynomial).collect();
        let sides = places.iter().zip(function.pieces().windows(2));
        let sides: Vec<Word> = sides
            .flat_map(|(place, sides)| sides.iter().flat_map(|side| around(side, place)))
            .collect();
        let pieces = function.pieces().iter().enumerate();
        let centers: Vec<Center> = pieces
            .flat_map(|(piece, polynomial)| {
                let ends = [piece.checked_sub(1), Some(piece)];
                let ends = ends.map(|i| i.and_then(|i| function.knots().get(i)));
                centers(polynomial, ends).into_iter().map(move |at| (piece, polynomial, at))
            })
            .map(|(piece, polynomial, at)| Center {
                piece,
                coefficients: around(polynomial, &at.polynomial()),
                at: words.knot(&at),
            })
            .collect();
        let at_knots = function.at_knots().iter().zip(&places);
        let value = |(g, place): (&Polynomial, &Polynomial)| {
            words.quotient(&g.substitute(&Symbol::Variable, place))
        };
        let mut table = Self {
            degree,
            exponent: 0,
            knots: function.knots().iter().map(|knot| words.knot(knot)).collect(),
            widths: places.windows(2).map(|pair| words.quotient(&(&pair[1] - &pair[0]))).collect(),
            sides,
            centers,
            values: at_knots.map(value).collect(),
        };
        table.scale();
        table
    }

    /// Takes a power of two out of the coefficients, if they are numbers.
    fn scale(&mut self) {
        let all = || self.sides.iter().chain(self.centers.iter().flat_map(|c| &c.coefficients));
        let sizes: Option<Vec<Rational>> =
            all().map(|word| word.as_constant().map(Rational::abs)).collect();
        let Some(largest) = sizes.and_then(|sizes| sizes.into_iter().max()) else { return };
        if largest.is_zero() {
            return;
        }
        let bits = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        let exponent = bits(largest.numer().bits()) - bits(largest.denom().bits());
        if exponent.abs() < 64 {
            return;
        }
        self.exponent = i32::try_from(exponent.clamp(-2000, 2000)).unwrap_or(0);
        let power = (0..self.exponent.unsigned_abs()).fold(Rational::one(), |p, _| p * integer(2));
        let factor = if self.exponent > 0 { power.recip() } else { power };
        let coefficients = self.centers.iter_mut().flat_map(|c| &mut c.coefficients);
        for word in self.sides.iter_mut().chain(coefficients) {
            if let Word::Constant(value) = word {
                *value = &*value * &factor;
            }
        }
    }
}

/// Places on a piece around which to expand it, besides the knots at its ends.
fn centers(polynomial: &Polynomial, ends: [Option<&Knot>; 2]) -> Vec<Knot> {
    let slope = polynomial.derivative(&Symbol::Variable);
    let of = |p: &Polynomial| {
        let p = p.univariate(&Symbol::Variable)?;
        real_roots(&p, BUDGET)
    };
    let roots = [of(polynomial), of(&slope)].into_iter().flatten().flatten();
    let multiple = roots.filter(|(_, multiplicity)| *multiplicity > 1).map(|(root, _)| root);
    let mut places: Vec<Root> = multiple.collect();
    places.sort();
    places.dedup();
    let mut knots: Vec<Knot> = places.into_iter().map(Knot::from).collect();
    // Numbers are dense around 0 alone: there a single root is enough for all terms but one to cancel.
    let zero = Knot::new(Zero::zero());
    let is_inside = match ends {
        [Some(left), Some(right)] => !is_positive(left) && is_positive(right),
        [Some(left), None] => !is_positive(left),
        [None, Some(right)] => is_positive(right),
        [None, None] => true,
    };
    if is_inside && !knots.contains(&zero) {
        knots.push(zero);
    }
    knots.retain(|knot| !ends.iter().flatten().any(|end| end.polynomial() == knot.polynomial()));
    knots
}

/// Whether a knot lies to the right of 0.
fn is_positive(knot: &Knot) -> bool {
    knot.enclosure(64).is_some_and(|(lower, _)| lower.is_positive())
}

/// A [`Table`] as floating-point numbers.
#[derive(Clone, Debug)]
pub struct Numbers {
    degree: usize,
    exponent: i32,
    knots: Vec<[f64; 3]>,
    widths: Vec<[f64; 2]>,
    sides: Vec<[f64; 2]>,
    centers: Vec<(usize, [f64; 3], Vec<[f64; 2]>)>,
    values: Vec<f64>,
    limits: Vec<[f64; 6]>,
}

impl Table {
    /// As numbers, for values of the parameters and the limits at the knots.
    pub(crate) fn numbers(
        &self,
        triple: impl Fn(&Word) -> [f64; 3],
        double: impl Fn(&Word) -> [f64; 2],
        limits: Vec<[f64; 6]>,
    ) -> Numbers {
        let doubles = |words: &[Word]| words.iter().map(&double).collect::<Vec<_>>();
        let centers = self.centers.iter();
        Numbers {
            degree: self.degree,
            exponent: self.exponent,
            knots: self.knots.iter().map(&triple).collect(),
            widths: doubles(&self.widths),
            sides: doubles(&self.sides),
            centers: centers.map(|c| (c.piece, triple(&c.at), doubles(&c.coefficients))).collect(),
            values: self.values.iter().map(|word| double(word)[0]).collect(),
            limits,
        }
    }
}

impl Numbers {
    /// Does something with the table of the runtime.
    pub fn with<R>(&self, f: impl FnOnce(&pieces::Table<'_>) -> R) -> R {
        let centers: Vec<pieces::Center<'_>> = self
            .centers
            .iter()
            .map(|(piece, at, coefficients)| pieces::Center {
                piece: *piece,
                at: *at,
                coefficients,
            })
            .collect();
        f(&pieces::Table {
            degree: self.degree,
            exponent: self.exponent,
            knots: &self.knots,
            widths: &self.widths,
            sides: &self.sides,
            centers: &centers,
            values: &self.values,
            limits: &self.limits,
        })
    }
}
