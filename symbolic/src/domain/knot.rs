//! Where the polynomial of a piecewise polynomial changes.

use std::cmp::Ordering;

use crate::exact::Rational;
use crate::polynomial::{Algebraic, Polynomial, Root, Symbol};

/// A place where the polynomial of a piecewise polynomial changes.
#[derive(Clone, Debug)]
pub enum Knot {
    /// A rational number.
    Rational(Rational),
    /// An irrational root of a polynomial.
    Algebraic(Algebraic),
    /// A place that moves with the parameters.
    Parametric {
        /// A quotient of polynomials in the parameters.
        place: Polynomial,
        /// The value of the place for one choice of the parameters that satisfies what is declared of them.
        /// The order of two knots of one function is the same for every choice.
        witness: Rational,
    },
}

impl Knot {
    /// A knot at a rational number.
    #[must_use]
    pub fn new(value: Rational) -> Self {
        Self::Rational(value)
    }

    /// A knot at a quotient of polynomials in the parameters, with the witness for it.
    pub(crate) fn at(place: Polynomial, witness: Rational) -> Self {
        match place.as_constant() {
            Some(value) => Self::Rational(value),
            None => Self::Parametric { place, witness },
        }
    }

    /// The place, if it is a rational number.
    #[must_use]
    pub fn rational(&self) -> Option<&Rational> {
        match self {
            Self::Rational(value) => Some(value),
            _ => None,
        }
    }

    /// The place, as a polynomial without u: a constant, a [`Symbol::Root`] or a quotient of
    /// polynomials in the parameters.
    #[must_use]
    pub fn polynomial(&self) -> Polynomial {
        match self {
            Self::Rational(value) => Polynomial::constant(value.clone()),
            Self::Algebraic(root) => Polynomial::symbol(Symbol::Root(root.clone())),
            Self::Parametric { place, .. } => place.clone(),
        }
    }

    /// Bounds around a place that is a number, at most 2^−`bits` apart.
    #[must_use]
    pub fn enclosure(&self, bits: u32) -> Option<(Rational, Rational)> {
        match self {
            Self::Rational(value) => Some((value.clone(), value.clone())),
            Self::Algebraic(root) => Some(root.enclosure(bits)),
            Self::Parametric { .. } => None,
        }
    }

    /// The number, or the witness.
    fn compare(&self, other: &Self) -> Ordering {
        let value = |knot: &Self| match knot {
            Self::Rational(value) | Self::Parametric { witness: value, .. } => Some(value.clone()),
            Self::Algebraic(_) => None,
        };
        match (self, other) {
            (Self::Algebraic(a), Self::Algebraic(b)) => a.cmp(b),
            (Self::Algebraic(a), other) => {
                value(other).map_or(Ordering::Equal, |b| a.cmp_rational(&b))
            }
            (_, Self::Algebraic(_)) => other.compare(self).reverse(),
            (a, b) => value(a).cmp(&value(b)),
        }
    }
}

impl From<Root> for Knot {
    fn from(root: Root) -> Self {
        match root {
            Root::Rational(value) => Self::Rational(value),
            Root::Algebraic(root) => Self::Algebraic(root),
        }
    }
}

/// Knots are equal if they are the same place for all values of the parameters.
impl PartialEq for Knot {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Rational(a), Self::Rational(b)) => a == b,
            (Self::Algebraic(a), Self::Algebraic(b)) => a == b,
            (Self::Parametric { place: a, .. }, Self::Parametric { place: b, .. }) => a == b,
            // `at` makes a constant place rational, so different kinds are different places.
            _ => false,
        }
    }
}

impl Eq for Knot {}

/// From left to right, for the knots of one function.
impl Ord for Knot {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        // Places may coincide for the witness where they do not otherwise.
        self.compare(other).then_with(|| self.polynomial().cmp(&other.polynomial()))
    }
}

impl PartialOrd for Knot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
