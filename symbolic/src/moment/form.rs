//! Sums of polynomial coefficients times products of functions.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::{Add, Mul, Neg, Sub};

use super::function::{Axis, Function};
use crate::domain::Knot;
use crate::exact::Rational;
use crate::polynomial::Polynomial;

/// A product of powers of functions, by ascending function; empty for 1. A moment is linear
/// in the functions, a variance quadratic.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Product(pub(super) BTreeMap<Function, u32>);

impl Product {
    /// The factors with their exponents.
    pub fn factors(&self) -> impl Iterator<Item = (&Function, u32)> {
        self.0.iter().map(|(function, exponent)| (function, *exponent))
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut product = self.0.clone();
        for (function, exponent) in &other.0 {
            *product.entry(function.clone()).or_default() += exponent;
        }
        Self(product)
    }

    pub(super) fn without_one(&self, function: &Function) -> Self {
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
pub struct Form(pub(super) BTreeMap<Product, Polynomial>);

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

    /// The knots of the functions that occur, ascending.
    #[must_use]
    pub fn knots(&self) -> Vec<Knot> {
        let functions = self.0.keys().flat_map(Product::factors);
        let knots = functions.flat_map(|(f, _)| Axis::BOTH.into_iter().filter_map(|a| f.knot(a)));
        let mut knots: Vec<Knot> = knots.cloned().collect();
        knots.sort();
        knots.dedup();
        knots
    }

    /// Whether this is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The terms of all coefficients, long numbers counted for several.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.values().map(Polynomial::size).sum()
    }

    pub(super) fn with(mut self, product: Product, coefficient: &Polynomial) -> Self {
        self.accumulate(product, coefficient);
        self
    }

    pub(super) fn accumulate(&mut self, product: Product, coefficient: &Polynomial) {
        match self.0.entry(product) {
            // A 0 is never stored, or equal forms could differ.
            Entry::Vacant(entry) if !coefficient.is_zero() => {
                entry.insert(coefficient.clone());
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += coefficient;
                if entry.get().is_zero() {
                    entry.remove();
                }
            }
        }
    }

    /// Adds factor · form.
    pub(crate) fn add_product(&mut self, factor: &Polynomial, form: &Self) {
        for (product, coefficient) in &form.0 {
            self.accumulate(product.clone(), &(factor * coefficient));
        }
    }

    /// With other knots in the functions, which may become equal.
    pub(super) fn with_knots(&self, knot: impl Fn(&Knot) -> Knot) -> Self {
        let mut sum = Self::zero();
        for (product, coefficient) in &self.0 {
            let moved = product.0.iter().fold(Product::default(), |moved, (function, exponent)| {
                moved.times(&Product([(function.with_knots(&knot), *exponent)].into()))
            });
            sum.accumulate(moved, coefficient);
        }
        sum
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
