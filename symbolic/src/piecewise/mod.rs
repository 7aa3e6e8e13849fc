//! Piecewise polynomials in u: knots, the polynomial of each piece, the value on each knot.
//!
//! The algebra is pointwise, so it is exact on the knots too. A function that differs from its
//! neighbourhood in single points is the same to every expectation; it keeps those points as
//! knots until [`Piecewise::normal_form`] drops them, because inside of another function they
//! may be taken on an interval.

mod signs;

use std::cmp::Ordering;

use crate::exact::{Rational, integer};
use crate::polynomial::{Polynomial, Symbol};

pub(crate) use signs::Obstacle;
pub use signs::{ModulusForm, SignForm};

/// A place where the polynomial of a piecewise polynomial changes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Knot(Rational);

impl Knot {
    /// A knot at a rational number.
    #[must_use]
    pub fn new(value: Rational) -> Self {
        Self(value)
    }

    /// The place.
    #[must_use]
    pub fn value(&self) -> &Rational {
        &self.0
    }

    /// The place as a constant polynomial.
    #[must_use]
    pub fn polynomial(&self) -> Polynomial {
        Polynomial::constant(self.0.clone())
    }
}

/// A piecewise polynomial function of u. In normal form two of them are equal exactly if they
/// are the same function off a finite set.
#[derive(Clone, Debug)]
pub struct Piecewise {
    knots: Vec<Knot>,
    pieces: Vec<Polynomial>,
    at: Vec<Polynomial>,
}

impl PartialEq for Piecewise {
    fn eq(&self, other: &Self) -> bool {
        self.knots == other.knots && self.pieces == other.pieces
    }
}

impl Eq for Piecewise {}

impl From<Polynomial> for Piecewise {
    fn from(polynomial: Polynomial) -> Self {
        Self { knots: Vec::new(), pieces: vec![polynomial], at: Vec::new() }
    }
}

impl Piecewise {
    /// The identity u.
    #[must_use]
    pub fn variable() -> Self {
        Polynomial::symbol(Symbol::Variable).into()
    }

    /// A constant.
    #[must_use]
    pub fn constant(value: Rational) -> Self {
        Polynomial::constant(value).into()
    }

    /// From knots in ascending order, one more piece than knots, and the values on the knots.
    pub(crate) fn new(knots: Vec<Knot>, pieces: Vec<Polynomial>, at: Vec<Polynomial>) -> Self {
        let mut pieces = pieces.into_iter();
        let first = pieces.next().expect("one piece more than knots");
        let mut normal = Self { knots: Vec::new(), pieces: vec![first], at: Vec::new() };
        for ((knot, piece), value) in knots.into_iter().zip(pieces).zip(at) {
            let smooth = normal.pieces.last() == Some(&piece);
            if !smooth || piece.substitute(&Symbol::Variable, &knot.polynomial()) != value {
                normal.knots.push(knot);
                normal.pieces.push(piece);
                normal.at.push(value);
            }
        }
        normal
    }

    /// The function without the points at which alone it differs from its neighbourhood: a knot
    /// stays where the polynomial changes.
    #[must_use]
    pub fn normal_form(&self) -> Self {
        let mut normal: Self = self.pieces[0].clone().into();
        for (i, knot) in self.knots.iter().enumerate() {
            if normal.pieces.last() != Some(&self.pieces[i + 1]) {
                normal.knots.push(knot.clone());
                normal.pieces.push(self.pieces[i + 1].clone());
                normal.at.push(self.at[i].clone());
            }
        }
        normal
    }

    /// The knots, ascending.
    #[must_use]
    pub fn knots(&self) -> &[Knot] {
        &self.knots
    }

    /// The polynomials between the knots, from left to right: one more than there are knots.
    #[must_use]
    pub fn pieces(&self) -> &[Polynomial] {
        &self.pieces
    }

    /// The values on the knots.
    #[must_use]
    pub fn at_knots(&self) -> &[Polynomial] {
        &self.at
    }

    /// The highest degree in u of a piece.
    #[must_use]
    pub fn degree(&self) -> i32 {
        self.pieces.iter().map(|piece| piece.degree(&Symbol::Variable)).max().unwrap_or(0)
    }

    /// The function as a polynomial, if it has no knot.
    #[must_use]
    pub fn as_polynomial(&self) -> Option<&Polynomial> {
        self.knots.is_empty().then(|| &self.pieces[0])
    }

    /// Applies `operation` to the values of both functions at every point.
    #[must_use]
    pub fn combine(
        &self,
        other: &Self,
        operation: impl Fn(&Polynomial, &Polynomial) -> Polynomial,
    ) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut knots = Vec::new();
        let mut at = Vec::new();
        let mut pieces = vec![operation(&self.pieces[0], &other.pieces[0])];
        while i < self.knots.len() || j < other.knots.len() {
            let order = match (self.knots.get(i), other.knots.get(j)) {
                (Some(left), Some(right)) => left.cmp(right),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let left = order.is_le().then(|| self.at[i].clone());
            let right = order.is_ge().then(|| other.at[j].clone());
            let knot = if order.is_le() { &self.knots[i] } else { &other.knots[j] };
            let here = |piece: &Polynomial| piece.substitute(&Symbol::Variable, &knot.polynomial());
            at.push(operation(
                &left.unwrap_or_else(|| here(&self.pieces[i])),
                &right.unwrap_or_else(|| here(&other.pieces[j])),
            ));
            knots.push(knot.clone());
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
            pieces.push(operation(&self.pieces[i], &other.pieces[j]));
        }
        Self::new(knots, pieces, at)
    }

    /// Applies `operation` to the value at every point.
    #[must_use]
    pub fn map(&self, operation: impl Fn(&Polynomial) -> Polynomial) -> Self {
        Self::new(
            self.knots.clone(),
            self.pieces.iter().map(&operation).collect(),
            self.at.iter().map(&operation).collect(),
        )
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a + b)
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a - b)
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a * b)
    }

    /// The `n`-th power.
    #[must_use]
    pub fn pow(&self, n: u32) -> Self {
        self.map(|value| value.pow(n))
    }

    /// Multiplied by a rational.
    #[must_use]
    pub fn scale(&self, factor: &Rational) -> Self {
        self.map(|value| value.scale(factor))
    }

    /// The larger of the two values, by max(a, b) = (a + b + |a − b|)/2; `sign` is the sign
    /// of self − other.
    pub(crate) fn maximum(&self, other: &Self, sign: &Self) -> Self {
        let modulus = self.minus(other).times(sign);
        self.plus(other).plus(&modulus).scale(&(integer(1) / integer(2)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_merge_knots_and_keep_the_values_on_them() {
        let step = |at: i64| {
            let [zero, one] = [0, 1].map(|n| Polynomial::constant(integer(n)));
            Piecewise::new(vec![Knot::new(integer(at))], vec![zero.clone(), one], vec![zero])
        };
        let window = step(-1).minus(&step(1)).times(&Piecewise::variable());
        assert_eq!(window.knots().len(), 2);
        assert_eq!(window.at_knots()[1].as_constant(), Some(integer(1)));
        assert_eq!(window.pieces()[1], Polynomial::symbol(Symbol::Variable));
        assert_eq!(window.minus(&window), Piecewise::constant(integer(0)));
    }
}
