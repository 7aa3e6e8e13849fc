//! Limits on what lowering builds up.

use super::scope::Scope;
use crate::error::{Error, Limit, Span};
use crate::exact::bits;
use crate::piecewise::{Knot, Piecewise};
use crate::polynomial::{Polynomial, Symbol};

/// The product; one of long pieces is refused before it is begun, since it takes long even
/// where the result would be short.
pub(super) fn product(
    left: &Piecewise,
    right: &Piecewise,
    scope: &Scope<'_>,
    span: Span,
) -> Result<Piecewise, Error> {
    if terms(left) * terms(right) > 64 * Limit::Terms.maximum() {
        return Err(Error::limit(Limit::Terms, None, span));
    }
    let pieces = 2 * (left.knots().len() + right.knots().len()) + 1;
    scope.spend(pieces.saturating_mul(longest(left)).saturating_mul(longest(right)), span)?;
    scope.join(left, right, span, Piecewise::times)
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

/// Everything that the function holds: pieces, values on knots, knots, and what they are divided
/// by.
fn parts(value: &Piecewise) -> Vec<Polynomial> {
    let places = value.knots().iter().map(Knot::polynomial);
    let values = value.pieces().iter().chain(value.at_knots()).cloned();
    let all: Vec<Polynomial> = values.chain(places).collect();
    let below = all.iter().filter_map(Polynomial::denominator).map(|below| (**below).clone());
    below.collect::<Vec<_>>().into_iter().chain(all).collect()
}

pub(super) fn within_limits(value: Piecewise, span: Span) -> Result<Piecewise, Error> {
    let parts = parts(&value);
    let powers = parts.iter().flat_map(Polynomial::terms).flat_map(|(m, _)| m.powers());
    let highest = powers.map(|(_, exponent)| exponent.unsigned_abs()).max().unwrap_or(0);
    let coefficients = parts.iter().flat_map(Polynomial::terms);
    let bits = coefficients.map(|(_, coefficient)| bits(coefficient)).max().unwrap_or(0);
    for (limit, needed) in [
        (Limit::Degree, highest as usize),
        (Limit::Knots, value.knots().len()),
        (Limit::Terms, parts.iter().map(Polynomial::len).max().unwrap_or(0)),
        (Limit::Bits, usize::try_from(bits).unwrap_or(usize::MAX)),
    ] {
        if needed > limit.maximum() {
            return Err(Error::limit(limit, Some(needed), span));
        }
    }
    Ok(value)
}
