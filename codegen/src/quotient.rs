//! Quotients of polynomials in the parameters as arithmetic in words.
//!
//! A difference of two moving knots may be small against both. It is exact as a double word, but
//! its powers, multiplied out, would cancel once more: they are taken as products of such
//! differences.

use gaussform_symbolic::exact::{Rational, integer};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot};
use num_traits::{One, Zero};

use crate::ir::Word;
use crate::rounding::approximate;

/// Lowers what an activation computes from its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    activation: &'a Activation,
    /// Differences of knots and denominators.
    factors: Vec<Polynomial>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(activation: &'a Activation) -> Self {
        let function = &activation.function;
        let knots: Vec<Polynomial> = function.knots().iter().map(Knot::polynomial).collect();
        let pairs =
            knots.iter().enumerate().flat_map(|(i, t)| knots[..i].iter().map(move |s| t - s));
        let quotients = knots.iter().chain(function.pieces());
        let denominators = quotients.filter_map(Polynomial::denominator).map(|d| (**d).clone());
        let mut factors = Vec::new();
        for factor in pairs.map(|difference| difference.numerator()).chain(denominators) {
            let moves = factor.as_constant().is_none() && factor.reciprocal().is_some();
            if moves && !factors.contains(&factor) {
                factors.push(factor);
            }
        }
        Self { activation, factors }
    }

    /// The place of a knot, over the denominators of its coefficients: a knot that is a number is
    /// that number, as (a + b)/3 is, and a/3 + b/3 with a rounded 1/3 is not.
    pub(crate) fn knot(&self, knot: &Knot) -> Word {
        let place = knot.polynomial();
        let above = place.numerator();
        // This is the least number that makes all coefficients whole.
        let scale = above.terms().fold(integer(1), |scale, (_, coefficient)| {
            let rest = coefficient * &scale;
            scale * Rational::from(rest.denom().clone())
        });
        let is_moving = above.symbols().iter().any(|symbol| matches!(symbol, Symbol::Parameter(_)));
        if scale.is_one() || !is_moving {
            return self.quotient(&place);
        }
        let above = self.product(above.scale(&scale));
        let below = match place.denominator() {
            Some(denominator) => self.product((**denominator).clone()),
            None => Word::Constant(One::one()),
        };
        above.over(below.times(Word::Constant(scale)))
    }

    /// A quotient of polynomials in the parameters, whose coefficients may hold irrational knots.
    pub(crate) fn quotient(&self, quotient: &Polynomial) -> Word {
        let above = self.product(quotient.numerator());
        match quotient.denominator() {
            Some(denominator) => above.over(self.product((**denominator).clone())),
            None => above,
        }
    }

    /// A polynomial, factor by factor.
    fn product(&self, mut polynomial: Polynomial) -> Word {
        let mut product = Word::Constant(One::one());
        for factor in &self.factors {
            while let Some(divided) = divided(&polynomial, factor) {
                // A factor may be there several times.
                polynomial = divided;
                product = product.times(self.sum(factor));
            }
        }
        product.times(self.sum(&polynomial))
    }

    /// A polynomial by Horner's rule in one parameter after the other.
    fn sum(&self, polynomial: &Polynomial) -> Word {
        let symbols = polynomial.symbols();
        let Some(symbol @ Symbol::Parameter(_)) = symbols.first() else {
            return Word::Constant(approximate(polynomial));
        };
        let x = Word::Parameter(self.parameter(symbol));
        let coefficients = polynomial.coefficients(symbol);
        coefficients.iter().rev().fold(Word::Constant(Zero::zero()), |sum, coefficient| {
            sum.times(x.clone()).plus(self.sum(coefficient))
        })
    }

    /// The index of a parameter.
    pub(crate) fn parameter(&self, symbol: &Symbol) -> usize {
        let index = match symbol {
            Symbol::Parameter(name) => {
                self.activation.parameters.iter().position(|p| p.name == *name)
            }
            _ => None,
        };
        index.expect("a coefficient holds declared parameters only")
    }
}

/// The quotient of two polynomials in the parameters, if it is a polynomial.
fn divided(polynomial: &Polynomial, factor: &Polynomial) -> Option<Polynomial> {
    let inside = |symbol| polynomial.degree(symbol) >= factor.degree(symbol);
    // A factor of a higher degree cannot divide, which is seen sooner than tried.
    if !factor.symbols().iter().all(inside) {
        return None;
    }
    let quotient = polynomial * &factor.reciprocal()?;
    quotient.denominator().is_none().then_some(quotient)
}

impl Word {
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => Self::Constant(a + b),
            (a, b) if a.is(0) => b,
            (a, b) if b.is(0) => a,
            (a, b) => Self::Add(Box::new([a, b])),
        }
    }

    fn times(self, other: Self) -> Self {
        match (self, other) {
            (Self::Constant(a), Self::Constant(b)) => Self::Constant(a * b),
            (a, b) if a.is(0) || b.is(0) => Self::Constant(Zero::zero()),
            (a, b) if a.is(1) => b,
            (a, b) if b.is(1) => a,
            (a, b) if a.is(-1) => Self::Negate(Box::new(b)),
            (a, b) if b.is(-1) => Self::Negate(Box::new(a)),
            (a, b) => Self::Multiply(Box::new([a, b])),
        }
    }

    fn over(self, other: Self) -> Self {
        Self::Divide(Box::new([self, other]))
    }

    fn is(&self, value: i64) -> bool {
        matches!(self, Self::Constant(c) if *c == gaussform_symbolic::exact::integer(value))
    }
}
