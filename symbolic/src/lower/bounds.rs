//! Limits on what lowering builds up.

use crate::domain::Knot;
use crate::error::{Error, Limit, Span};
use crate::exact::bits;
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// The work of a product; one of long pieces is refused before it is begun, since it takes long even where the result
/// would be short.
pub(super) fn product(left: &Piecewise, right: &Piecewise, span: Span) -> Result<usize, Error> {
    if terms(left) * terms(right) > 64 * Limit::Terms.maximum() {
        return Err(Error::limit(Limit::Terms, None, span));
    }
    // A knot counts twice: for the piece behind it, and for the value on it.
    let pieces = 2 * (left.knots().len() + right.knots().len()) + 1;
    Ok(pieces.saturating_mul(longest(left)).saturating_mul(longest(right)))
}

/// The work of a sum, in products of terms: knots are ordered, and pieces taken on knots.
pub(super) fn sum(left: &Piecewise, right: &Piecewise) -> usize {
    let knots = left.knots().iter().chain(right.knots());
    let ordered: usize = knots.map(|knot| 1 + ORDER * place(knot)).sum();
    (ordered + 1).saturating_mul(longest(left) + longest(right))
}

/// The work of inserting a function into a polynomial of some degree.
pub(super) fn power(inner: &Piecewise, degree: i32) -> usize {
    let degree = degree.unsigned_abs() as usize;
    let size = longest(inner).saturating_mul(degree * degree + 1).saturating_mul(longest(inner));
    size.saturating_mul(2 * inner.knots().len() + 1)
}

/// The work of finding the roots of all pieces.
pub(super) fn roots(value: &Piecewise) -> usize {
    let of = |piece: &Polynomial| {
        let degree = usize::try_from(piece.degree(&Symbol::Variable)).unwrap_or(usize::MAX);
        if piece.symbols().iter().any(|symbol| *symbol != Symbol::Variable) {
            // Parameters: factors are looked for, and signs decided.
            PARAMETERS.saturating_mul(piece.size()).saturating_mul(piece.size())
        } else {
            ROOTS.saturating_mul(degree * degree).saturating_mul(piece.size())
        }
    };
    value.pieces().iter().map(of).fold(1, usize::saturating_add)
}

/// Products of terms that take as long as comparing an irrational or a parametric knot, as the
/// roots of a polynomial by its degree squared, and as those of one with parameters by its terms
/// squared: measured, within a factor of a few.
const ORDER: usize = 8;
const ROOTS: usize = 4;
const PARAMETERS: usize = 256;

/// 0 for a rational knot, else how much more than that it is.
fn place(knot: &Knot) -> usize {
    match knot {
        Knot::Rational(_) => 0,
        Knot::Algebraic(root) => root.minimal().degree(),
        Knot::Parametric { place, .. } => place.size(),
    }
}

/// The size of the longest piece.
fn longest(value: &Piecewise) -> usize {
    value.pieces().iter().map(Polynomial::size).max().unwrap_or(0).max(1)
}

/// The number of terms in the longest piece.
fn terms(value: &Piecewise) -> usize {
    value.pieces().iter().map(Polynomial::len).max().unwrap_or(0)
}

/// The largest of everything that a function holds.
#[derive(Default)]
struct Extent {
    exponent: usize,
    terms: usize,
    bits: usize,
}

impl Extent {
    fn of(value: &Piecewise) -> Self {
        let mut extent = Self::default();
        value.pieces().iter().chain(value.at_knots()).for_each(|p| extent.add(p));
        value.knots().iter().for_each(|knot| extent.add(&knot.polynomial()));
        extent
    }

    fn add(&mut self, polynomial: &Polynomial) {
        self.terms = self.terms.max(polynomial.len());
        for (monomial, coefficient) in polynomial.terms() {
            let bits = usize::try_from(bits(coefficient)).unwrap_or(usize::MAX);
            self.bits = self.bits.max(bits);
            for (_, exponent) in monomial.powers() {
                self.exponent = self.exponent.max(exponent.unsigned_abs() as usize);
            }
        }
        if let Some(below) = polynomial.denominator() {
            self.add(below);
        }
    }
}

pub(super) fn within_limits(value: Piecewise, span: Span) -> Result<Piecewise, Error> {
    let extent = Extent::of(&value);
    for (limit, needed) in [
        (Limit::Degree, extent.exponent),
        (Limit::Knots, value.knots().len()),
        (Limit::Terms, extent.terms),
        (Limit::Bits, extent.bits),
    ] {
        if needed > limit.maximum() {
            return Err(Error::limit(limit, Some(needed), span));
        }
    }
    Ok(value)
}
