//! Polynomials with integer coefficients, nested in one symbol after the other.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::exact::Rational;
use crate::polynomial::{Monomial, Polynomial, Symbol};

/// A polynomial with integer coefficients, as one in its last symbol whose coefficients are
/// polynomials in the symbols before.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Nested {
    Number(BigInt),
    /// The number of the last symbol, from 1, and the coefficients of its powers: two or more,
    /// the last not zero.
    Powers(usize, Vec<Nested>),
}

impl Nested {
    pub(super) fn new(p: &Polynomial, symbols: &[Symbol]) -> Self {
        fn nest(terms: Vec<(&Monomial, &BigInt)>, symbols: &[Symbol]) -> Nested {
            let Some((symbol, inner)) = symbols.split_last() else {
                return Nested::Number(terms.first().map_or_else(BigInt::zero, |t| t.1.clone()));
            };
            let mut powers: Vec<Vec<_>> = Vec::new();
            for term in terms {
                let exponent = usize::try_from(term.0.exponent(symbol)).expect("a polynomial");
                if powers.len() <= exponent {
                    powers.resize(exponent + 1, Vec::new());
                }
                powers[exponent].push(term);
            }
            let powers = powers.into_iter().map(|terms| nest(terms, inner)).collect();
            Nested::powers(symbols.len(), powers)
        }
        // The numerators are enough: the coefficients of what comes here are integers.
        nest(p.0.iter().map(|(m, c)| (m, c.numer())).collect(), symbols)
    }

    pub(super) fn polynomial(&self, symbols: &[Symbol]) -> Polynomial {
        fn flatten(
            nested: &Nested,
            symbols: &[Symbol],
            outer: &[(Symbol, i32)],
            terms: &mut BTreeMap<Monomial, Rational>,
        ) {
            match nested {
                Nested::Number(n) if n.is_zero() => {}
                Nested::Number(n) => {
                    // The outermost symbol is the last one, and monomials ascend.
                    let ascending = outer.iter().rev().cloned().collect();
                    terms.insert(Monomial(ascending), Rational::from_integer(n.clone()));
                }
                Nested::Powers(level, coefficients) => {
                    for (exponent, c) in (0..).zip(coefficients) {
                        let mut powers = outer.to_vec();
                        if exponent != 0 {
                            powers.push((symbols[level - 1].clone(), exponent));
                        }
                        flatten(c, symbols, &powers, terms);
                    }
                }
            }
        }
        let mut terms = BTreeMap::new();
        flatten(self, symbols, &[], &mut terms);
        Polynomial(terms)
    }

    pub(super) fn powers(level: usize, mut coefficients: Vec<Self>) -> Self {
        while coefficients.last().is_some_and(Self::is_zero) {
            coefficients.pop();
        }
        match coefficients.len() {
            0 => Self::Number(BigInt::zero()),
            1 => coefficients.remove(0),
            _ => Self::Powers(level, coefficients),
        }
    }

    pub(super) fn one() -> Self {
        Self::Number(BigInt::one())
    }

    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Self::Number(n) if n.is_zero())
    }

    pub(super) fn is_unit(&self) -> bool {
        matches!(self, Self::Number(n) if n.magnitude().is_one())
    }

    /// The number of the last symbol that occurs, 0 for a number.
    pub(super) fn level(&self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Powers(level, _) => *level,
        }
    }

    /// The coefficients in the symbol `level`, in which no later symbol occurs.
    pub(super) fn coefficients(&self, level: usize) -> &[Self] {
        match self {
            Self::Powers(own, coefficients) if *own == level => coefficients,
            _ => std::slice::from_ref(self),
        }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        if let (Self::Number(m), Self::Number(n)) = (self, other) {
            return Self::Number(m - n);
        }
        let level = self.level().max(other.level());
        let (a, b) = (self.coefficients(level), other.coefficients(level));
        let zero = Self::Number(BigInt::zero());
        let difference =
            (0..a.len().max(b.len())).map(|i| match (a.get(i), b.get(i).unwrap_or(&zero)) {
                (Some(a), b) if b.is_zero() => a.clone(),
                (a, b) => a.unwrap_or(&zero).minus(b),
            });
        Self::powers(level, difference.collect())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Number(m), Self::Number(n)) => Self::Number(m * n),
            (Self::Powers(level, a), Self::Powers(same, b)) if level == same => {
                let mut product = vec![Self::Number(BigInt::zero()); a.len() + b.len() - 1];
                for (i, a) in a.iter().enumerate() {
                    // x − (−a)b: the one difference serves as the sum too.
                    let negative = a.times(&Self::Number(BigInt::from(-1)));
                    for (c, b) in product[i..].iter_mut().zip(b) {
                        if !a.is_zero() && !b.is_zero() {
                            *c = c.minus(&negative.times(b));
                        }
                    }
                }
                Self::powers(*level, product)
            }
            _ if self.is_zero() || other.is_zero() => Self::Number(BigInt::zero()),
            _ => {
                let (upper, lower) =
                    if self.level() > other.level() { (self, other) } else { (other, self) };
                let level = upper.level();
                let product = upper.coefficients(level).iter().map(|c| c.times(lower));
                Self::powers(level, product.collect())
            }
        }
    }

    /// The largest absolute value of a number in it.
    pub(super) fn norm(&self) -> BigInt {
        match self {
            Self::Number(n) => n.abs(),
            Self::Powers(_, p) => p.iter().map(Self::norm).max().unwrap_or_default(),
        }
    }

    /// The greatest common divisor of `start` and the numbers in it.
    pub(super) fn number(&self, start: BigInt) -> BigInt {
        match self {
            _ if start.is_one() => start,
            Self::Number(n) => start.gcd(n),
            Self::Powers(_, p) => p.iter().fold(start, |gcd, c| c.number(gcd)),
        }
    }

    /// q and r with self = q·base + r, every number in r within base/2.
    pub(super) fn split(&self, base: &BigInt) -> (Self, Self) {
        match self {
            Self::Number(n) => {
                // Coefficients may be negative, so the digits lie around 0.
                let (mut quotient, mut digit) = n.div_mod_floor(base);
                if &digit * 2 > *base {
                    quotient += 1;
                    digit -= base;
                }
                (Self::Number(quotient), Self::Number(digit))
            }
            Self::Powers(level, p) => {
                let (quotient, digit) = p.iter().map(|c| c.split(base)).unzip();
                (Self::powers(*level, quotient), Self::powers(*level, digit))
            }
        }
    }
}
