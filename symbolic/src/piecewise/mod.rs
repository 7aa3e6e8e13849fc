//! Piecewise polynomials in u: knots, the polynomial of each piece, the value on each knot.
//!
//! The algebra is pointwise, so it is exact on the knots too. A function that differs from its
//! neighbourhood in single points is the same to every expectation; it keeps those points as
//! knots until [`Piecewise::normal_form`] drops them, because inside of another function they
//! may be taken on an interval.

mod modulus;
mod side;
mod signs;

use std::cmp::Ordering;

use crate::domain::{Domain, Knot, Obstacle};
use crate::exact::{Rational, ratio};
use crate::polynomial::{Polynomial, Symbol};

pub use modulus::{ModulusForm, SignForm};
pub(crate) use signs::Purpose;

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
        // Values on knots do not count, since no expectation depends on them.
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

    /// From knots from left to right, one more piece than knots, and the values on the knots; `None`
    /// if the numbers of them do not fit. Pieces that are the same become one.
    #[must_use]
    pub fn from_parts(
        knots: Vec<Knot>,
        pieces: Vec<Polynomial>,
        at: Vec<Polynomial>,
    ) -> Option<Self> {
        let fits = pieces.len() == knots.len() + 1 && at.len() == knots.len();
        fits.then(|| Self::new(knots, pieces, at))
    }

    /// From knots in ascending order, one more piece than knots, and the values on the knots.
    pub(crate) fn new(knots: Vec<Knot>, pieces: Vec<Polynomial>, at: Vec<Polynomial>) -> Self {
        let mut pieces = pieces.into_iter();
        let first = pieces.next().expect("one piece more than knots");
        let mut normal = Self { knots: Vec::new(), pieces: vec![first], at: Vec::new() };
        for ((knot, piece), value) in knots.into_iter().zip(pieces).zip(at) {
            // Where two knots have become one, nothing is left of the piece between them.
            if normal.knots.last() == Some(&knot) {
                normal.drop_last();
            }
            let smooth = normal.pieces.last() == Some(&piece);
            if !smooth || value_at(&piece, &knot) != value {
                normal.knots.push(knot);
                normal.pieces.push(piece);
                normal.at.push(value);
            }
        }
        normal
    }

    fn drop_last(&mut self) {
        self.knots.pop();
        self.pieces.pop();
        self.at.pop();
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

    /// The function with one knot more, at which nothing changes: the normal form is without it.
    ///
    /// A place that is a knot already, or where knots move with parameters, adds none.
    #[must_use]
    pub fn with_knot(&self, place: Rational) -> Self {
        let knot = Knot::new(place);
        let is_moving = |knot: &Knot| matches!(knot, Knot::Parametric { .. });
        let mut divided = self.clone();
        if self.knots.contains(&knot) || self.knots.iter().any(is_moving) {
            return divided;
        }
        let index = self.knots.partition_point(|other| *other < knot);
        let piece = self.pieces[index].clone();
        divided.at.insert(index, value_at(&piece, &knot));
        divided.pieces.insert(index, piece);
        divided.knots.insert(index, knot);
        divided
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

    /// Whether there is no jump.
    #[must_use]
    pub fn is_continuous(&self) -> bool {
        let mut sides = self.knots.iter().zip(self.pieces.windows(2));
        sides.all(|(knot, sides)| {
            let jump = &sides[1] - &sides[0];
            jump.substitute(&Symbol::Variable, &knot.polynomial()).is_zero()
        })
    }

    /// The function as a polynomial, if it has no knot.
    #[must_use]
    pub fn as_polynomial(&self) -> Option<&Polynomial> {
        self.knots.is_empty().then(|| &self.pieces[0])
    }

    /// Applies `operation` to the values of both functions at every point.
    pub(crate) fn combine(
        &self,
        other: &Self,
        domain: &Domain,
        operation: impl Fn(&Polynomial, &Polynomial) -> Polynomial,
    ) -> Result<Self, Obstacle> {
        let (mut i, mut j) = (0, 0);
        let mut knots = Vec::new();
        let mut at = Vec::new();
        let mut pieces = vec![operation(&self.pieces[0], &other.pieces[0])];
        while i < self.knots.len() || j < other.knots.len() {
            let order = match (self.knots.get(i), other.knots.get(j)) {
                (Some(left), Some(right)) => domain.order(left, right)?,
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let left = order.is_le().then(|| self.at[i].clone());
            let right = order.is_ge().then(|| other.at[j].clone());
            let knot = if order.is_le() { &self.knots[i] } else { &other.knots[j] };
            let here = |piece: &Polynomial| value_at(piece, knot);
            at.push(operation(
                &left.unwrap_or_else(|| here(&self.pieces[i])),
                &right.unwrap_or_else(|| here(&other.pieces[j])),
            ));
            knots.push(knot.clone());
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
            pieces.push(operation(&self.pieces[i], &other.pieces[j]));
        }
        Ok(Self::new(knots, pieces, at))
    }

    /// Applies `operation` to the value at every point.
    #[must_use]
    pub(crate) fn map(&self, operation: impl Fn(&Polynomial) -> Polynomial) -> Self {
        Self::new(
            self.knots.clone(),
            self.pieces.iter().map(&operation).collect(),
            self.at.iter().map(&operation).collect(),
        )
    }

    /// The parameters replaced by quotients of polynomials in the parameters of `domain`, which
    /// must satisfy what was declared of them.
    pub(crate) fn substitute(&self, values: &[(Symbol, Polynomial)], domain: &Domain) -> Self {
        // All at once: a value may hold a parameter of the same name.
        let operation = |polynomial: &Polynomial| polynomial.substitute_all(values);
        let knots = self.knots.iter().map(|knot| match knot {
            Knot::Parametric { place, .. } => domain.knot(operation(place)),
            number => number.clone(),
        });
        Self::new(
            knots.collect(),
            self.pieces.iter().map(operation).collect(),
            self.at.iter().map(operation).collect(),
        )
    }

    /// Whether a knot or a piece has a denominator that is 0 where parameters have these values.
    pub(crate) fn has_pole(&self, values: &[(Symbol, Polynomial)]) -> bool {
        let places = self.knots.iter().filter_map(|knot| match knot {
            Knot::Parametric { place, .. } => Some(place),
            _ => None,
        });
        let polynomials = self.pieces.iter().chain(&self.at).chain(places);
        let mut below = polynomials.filter_map(Polynomial::denominator);
        below.any(|below| below.substitute_all(values).is_zero())
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Self, domain: &Domain) -> Result<Self, Obstacle> {
        self.combine(other, domain, |a, b| a + b)
    }

    /// The difference.
    pub(crate) fn minus(&self, other: &Self, domain: &Domain) -> Result<Self, Obstacle> {
        self.combine(other, domain, |a, b| a - b)
    }

    /// The product.
    pub(crate) fn times(&self, other: &Self, domain: &Domain) -> Result<Self, Obstacle> {
        self.combine(other, domain, |a, b| a * b)
    }

    /// The larger of the two values, by max(a, b) = (a + b + |a − b|)/2; `sign` is the sign
    /// of self − other.
    pub(crate) fn maximum(
        &self,
        other: &Self,
        sign: &Self,
        domain: &Domain,
    ) -> Result<Self, Obstacle> {
        let modulus = self.minus(other, domain)?.times(sign, domain)?;
        let twice = self.plus(other, domain)?.plus(&modulus, domain)?;
        Ok(twice.map(|value| value.scale(&ratio(1, 2))))
    }
}

/// The value of a piece on a knot.
pub(crate) fn value_at(piece: &Polynomial, knot: &Knot) -> Polynomial {
    piece.substitute(&Symbol::Variable, &knot.polynomial())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::integer;

    #[test]
    fn products_merge_knots_and_keep_the_values_on_them() {
        let step = |at: i64| {
            let [zero, one] = [0, 1].map(|n| Polynomial::constant(integer(n)));
            Piecewise::new(vec![Knot::new(integer(at))], vec![zero.clone(), one], vec![zero])
        };
        let domain = Domain::default();
        let window = step(-1).minus(&step(1), &domain).expect("numbers");
        let window = window.times(&Piecewise::variable(), &domain).expect("numbers");
        assert_eq!(window.knots().len(), 2);
        assert_eq!(window.at_knots()[1].as_constant(), Some(integer(1)));
        assert_eq!(window.pieces()[1], Polynomial::symbol(Symbol::Variable));
        assert_eq!(
            window.minus(&window, &domain).expect("numbers"),
            Piecewise::constant(integer(0))
        );
    }
}
