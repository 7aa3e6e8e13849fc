//! Sums of polynomial coefficients times products of functions.

use std::collections::BTreeMap;
use std::ops::{Add, Mul, Neg, Sub};

use super::Function;
use crate::exact::{Rational, integer};
use crate::polynomial::{Polynomial, Symbol};

/// A product of powers of functions, by ascending function; empty for 1. A moment is linear
/// in the functions, a variance quadratic.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product(BTreeMap<Function, u32>);

impl Product {
    /// The factors with their exponents.
    pub fn factors(&self) -> impl Iterator<Item = (&Function, u32)> {
        self.0.iter().map(|(function, exponent)| (function, *exponent))
    }

    fn times(&self, other: &Self) -> Self {
        let mut product = self.0.clone();
        for (function, exponent) in &other.0 {
            *product.entry(function.clone()).or_default() += exponent;
        }
        Self(product)
    }

    fn without_one(&self, function: &Function) -> Self {
        let mut rest = self.0.clone();
        match rest.get_mut(function) {
            Some(exponent) if *exponent > 1 => *exponent -= 1,
            _ => drop(rest.remove(function)),
        }
        Self(rest)
    }
}

/// A moment, or anything made from moments by addition, multiplication and differentiation, in
/// canonical form: no coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(BTreeMap<Product, Polynomial>);

impl Form {
    /// 0.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// coefficient · function.
    #[must_use]
    pub fn term(coefficient: Polynomial, function: Function) -> Self {
        Self::zero().with(Product([(function, 1)].into()), &coefficient)
    }

    /// The terms, in the canonical order: the polynomial part first.
    pub fn terms(&self) -> impl Iterator<Item = (&Product, &Polynomial)> {
        self.0.iter()
    }

    /// Whether this is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn with(mut self, product: Product, coefficient: &Polynomial) -> Self {
        self.accumulate(product, coefficient);
        self
    }

    fn accumulate(&mut self, product: Product, coefficient: &Polynomial) {
        let sum = match self.0.get(&product) {
            Some(old) => old + coefficient,
            None => coefficient.clone(),
        };
        if sum.is_zero() {
            self.0.remove(&product);
        } else {
            self.0.insert(product, sum);
        }
    }

    /// Multiplied by a polynomial.
    #[must_use]
    pub fn multiply(&self, factor: &Polynomial) -> Self {
        self.0
            .iter()
            .fold(Self::zero(), |sum, (product, c)| sum.with(product.clone(), &(c * factor)))
    }

    /// Multiplied by a rational.
    #[must_use]
    pub fn scale(&self, factor: &Rational) -> Self {
        self.multiply(&Polynomial::constant(factor.clone()))
    }

    /// The partial derivative in γ, ξ² or a parameter.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in &self.0 {
            sum.accumulate(product.clone(), &coefficient.derivative(symbol));
            for (function, exponent) in &product.0 {
                let rest = product.without_one(function);
                let factor = coefficient.scale(&integer(i64::from(*exponent)));
                for (inner, slope) in &function.derivative(symbol).0 {
                    sum.accumulate(rest.times(inner), &(&factor * slope));
                }
            }
        }
        sum
    }

    /// The operator γ + ξ² ∂_γ: from E\[f(u)\] to E\[u f(u)\] (Eq. 14 of the paper).
    #[must_use]
    pub fn times_u(&self) -> Self {
        let raised = self.derivative(&Symbol::Gamma).multiply(&Polynomial::symbol(Symbol::Xi2));
        &self.multiply(&Polynomial::symbol(Symbol::Gamma)) + &raised
    }
}

impl From<Polynomial> for Form {
    fn from(polynomial: Polynomial) -> Self {
        Self::zero().with(Product::default(), &polynomial)
    }
}

impl Add for &Form {
    type Output = Form;
    fn add(self, other: &Form) -> Form {
        other.0.iter().fold(self.clone(), |sum, (product, c)| sum.with(product.clone(), c))
    }
}

impl Neg for &Form {
    type Output = Form;
    fn neg(self) -> Form {
        Form(self.0.iter().map(|(product, c)| (product.clone(), -c)).collect())
    }
}

impl Sub for &Form {
    type Output = Form;
    fn sub(self, other: &Form) -> Form {
        self + &-other
    }
}

impl Mul for &Form {
    type Output = Form;
    fn mul(self, other: &Form) -> Form {
        let mut sum = Form::zero();
        for (p, c) in &self.0 {
            for (q, d) in &other.0 {
                sum = sum.with(p.times(q), &(c * d));
            }
        }
        sum
    }
}
