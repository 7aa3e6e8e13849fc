//! Multivariate polynomials with rational coefficients, in canonical form.
//!
//! One type serves the pieces of an activation (in u and the parameters) and the coefficients
//! of a moment (in γ, ξ², the parameters and irrational knots). Exponents of ξ² may be negative:
//! that is how a derivative carries its division by ξ². Division by a polynomial in the
//! parameters is multiplication by its [`Reciprocal`](Symbol::Reciprocal), kept in lowest terms.

mod algebraic;
mod approximate;
mod combine;
mod factor;
mod gcd;
mod hensel;
mod isolate;
mod linear;
mod modular;
mod product;
mod reduce;
mod roots;
mod symbol;
mod taylor;
mod univariate;

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use num_traits::{One, Zero};

pub use algebraic::Algebraic;
pub(crate) use gcd::{gcd, primitive, quotient};
pub(crate) use linear::{LinearFactor, linear_factors};
pub(crate) use roots::{BUDGET, between};
pub use roots::{Root, real_roots};
pub use symbol::{Monomial, Symbol};
pub use univariate::Univariate;
pub(crate) use univariate::sign;

use crate::exact::{self, Rational, bits, integer};

/// A polynomial: no coefficient is zero, so equal polynomials are equal values.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial(BTreeMap<Monomial, Rational>);

impl Polynomial {
    /// The polynomial 0.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// The polynomial 1.
    #[must_use]
    pub fn one() -> Self {
        Self::constant(Rational::one())
    }

    /// A constant.
    #[must_use]
    pub fn constant(value: Rational) -> Self {
        Self::term(value, Monomial::default())
    }

    /// A symbol.
    #[must_use]
    pub fn symbol(symbol: Symbol) -> Self {
        Self::power(symbol, 1)
    }

    /// A power of a symbol.
    #[must_use]
    pub fn power(symbol: Symbol, exponent: i32) -> Self {
        Self::term(Rational::one(), Monomial::power_of(symbol, exponent))
    }

    fn term(coefficient: Rational, monomial: Monomial) -> Self {
        let mut terms = BTreeMap::new();
        if !coefficient.is_zero() {
            terms.insert(monomial, coefficient);
        }
        Self(terms)
    }

    /// Whether this is the polynomial 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The terms, in the canonical order.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.0.iter()
    }

    /// How many terms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A measure of the work that arithmetic with the polynomial is: the number of terms, those
    /// with long coefficients or many symbols counted for more, and all where they are kept in
    /// lowest terms.
    #[must_use]
    pub fn size(&self) -> usize {
        let long = |c: &Rational| usize::try_from(bits(c) / 32).unwrap_or(usize::MAX / 2);
        let term = |(m, c): (&Monomial, &Rational)| 1 + m.powers().len() / 2 + long(c);
        let terms = self.0.iter().map(term).fold(0, usize::saturating_add);
        let below = self.denominator().map_or(0, |below| below.len());
        terms.saturating_mul(1 + 4 * below)
    }

    /// Whether there is no term; the same as [`is_zero`](Self::is_zero).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if the polynomial is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::zero()),
            1 => self.0.get(&Monomial::default()).cloned(),
            _ => None,
        }
    }

    /// The symbols that occur.
    #[must_use]
    pub fn symbols(&self) -> std::collections::BTreeSet<Symbol> {
        self.0.keys().flat_map(|m| m.0.iter().map(|(s, _)| s.clone())).collect()
    }

    /// The highest exponent of `symbol`; 0 for the polynomial 0.
    #[must_use]
    pub fn degree(&self, symbol: &Symbol) -> i32 {
        self.0.keys().map(|m| m.exponent(symbol)).max().unwrap_or(0)
    }

    /// The lowest exponent of `symbol`; 0 for the polynomial 0.
    #[must_use]
    pub fn lowest(&self, symbol: &Symbol) -> i32 {
        self.0.keys().map(|m| m.exponent(symbol)).min().unwrap_or(0)
    }

    /// The polynomial as one in `symbol` alone: exponent → coefficient.
    #[must_use]
    pub fn by_powers(&self, symbol: &Symbol) -> BTreeMap<i32, Self> {
        let mut powers: BTreeMap<i32, Self> = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            powers
                .entry(monomial.exponent(symbol))
                .or_default()
                .0
                .insert(monomial.without(symbol), coefficient.clone());
        }
        // Alone, a coefficient may have a smaller denominator.
        powers.into_iter().map(|(exponent, part)| (exponent, part.reduced())).collect()
    }

    /// The coefficients of `symbol`⁰, `symbol`¹, …; empty for the polynomial 0.
    ///
    /// # Panics
    ///
    /// If an exponent of `symbol` is negative.
    #[must_use]
    pub fn coefficients(&self, symbol: &Symbol) -> Vec<Self> {
        let mut dense = Vec::new();
        for (exponent, coefficient) in self.by_powers(symbol) {
            let index = usize::try_from(exponent).expect("a polynomial in this symbol");
            dense.resize(index, Self::zero());
            dense.push(coefficient);
        }
        dense
    }

    /// The polynomial as one with rational coefficients in `symbol`, if no other symbol occurs.
    #[must_use]
    pub fn univariate(&self, symbol: &Symbol) -> Option<Univariate> {
        Some(Univariate::new(&self.univariate_coefficients(symbol)?))
    }

    /// The coefficients in `symbol`, if no other symbol occurs.
    pub(crate) fn univariate_coefficients(&self, symbol: &Symbol) -> Option<Vec<Rational>> {
        self.coefficients(symbol).iter().map(Self::as_constant).collect()
    }

    /// The polynomial in u with these coefficients, constant first.
    pub(crate) fn free(coefficients: Vec<Rational>) -> Self {
        let terms = (0..).zip(coefficients).filter(|(_, c)| !c.is_zero());
        Self(terms.map(|(k, c)| (Monomial::power_of(Symbol::Variable, k), c)).collect())
    }

    /// Multiplied by a rational.
    #[must_use]
    pub fn scale(&self, factor: &Rational) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        if factor.is_one() {
            return self.clone();
        }
        Self(self.0.iter().map(|(m, c)| (m.clone(), exact::product(c, factor))).collect())
    }

    /// Multiplied by a power of a symbol.
    #[must_use]
    pub fn shift(&self, symbol: &Symbol, exponent: i32) -> Self {
        let power = Monomial::power_of(symbol.clone(), exponent);
        Self(self.0.iter().map(|(m, c)| (m.times(&power), c.clone())).collect())
    }

    /// To the power `n`.
    #[must_use]
    pub fn pow(&self, n: u32) -> Self {
        (0..n).fold(Self::one(), |product, _| &product * self)
    }

    /// The partial derivative in `symbol`; Δ moves with ξ², ξ′² and σ.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Self {
        let mut terms = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            let exponent = monomial.exponent(symbol);
            if exponent != 0 {
                let lowered = monomial.times(&Monomial::power_of(symbol.clone(), -1));
                terms.insert(lowered, exact::product(coefficient, &integer(i64::from(exponent))));
            }
        }
        // The derivative of the numerator may have a factor in common with the denominator.
        let mut direct = Self(terms).reduced();
        // Δ is a symbol of its own that depends on these three, by the chain rule.
        if let Some(slope) = determinant_slope(symbol)
            && self.contains(&Symbol::Determinant)
        {
            direct += &(&self.derivative(&Symbol::Determinant) * &slope);
        }
        match self.denominator() {
            // Denominators hold parameters alone, so for other symbols they are numbers.
            Some(denominator) if matches!(symbol, Symbol::Parameter(_)) => {
                // (N/D)′ = N′/D − (N/D) D′/D
                let reciprocal = Self::symbol(Symbol::Reciprocal(denominator.clone()));
                let slope = &denominator.derivative(symbol) * &reciprocal;
                &direct - &(self * &slope)
            }
            _ => direct,
        }
    }

    /// `symbol` replaced by `value`.
    ///
    /// # Panics
    ///
    /// If an exponent of `symbol` is negative, or a denominator becomes zero.
    #[must_use]
    pub fn substitute(&self, symbol: &Symbol, value: &Self) -> Self {
        self.substitute_all(&[(symbol.clone(), value.clone())])
    }

    /// Several symbols replaced at once.
    ///
    /// # Panics
    ///
    /// If [`substitute`](Self::substitute) panics for one of the symbols.
    #[must_use]
    pub fn substitute_all(&self, values: &[(Symbol, Self)]) -> Self {
        let Some(((symbol, value), rest)) = values.split_first() else { return self.clone() };
        if !values.iter().any(|(symbol, _)| self.contains(symbol)) {
            return self.clone();
        }
        // Coefficient by coefficient, so that what is put in is not replaced again.
        let horner = |polynomial: &Self| {
            polynomial.coefficients(symbol).iter().rev().fold(Self::zero(), |sum, coefficient| {
                &(&sum * value) + &coefficient.substitute_all(rest)
            })
        };
        match self.denominator() {
            Some(denominator) => {
                let below = horner(denominator).reciprocal().expect("a denominator is not zero");
                &horner(&self.numerator()) * &below
            }
            None => horner(self),
        }
    }

    /// Every power of a symbol replaced.
    pub(crate) fn replaced(&self, value: impl Fn(&Symbol, i32) -> Self) -> Self {
        let mut sum = Self::zero();
        for (monomial, coefficient) in &self.0 {
            let factors = monomial.0.iter().map(|(symbol, exponent)| value(symbol, *exponent));
            sum += &factors.fold(Self::constant(coefficient.clone()), |product, f| &product * &f);
        }
        sum
    }

    /// The terms by a degree.
    pub(crate) fn graded(&self, degree: impl Fn(&Monomial) -> i32) -> BTreeMap<i32, Self> {
        let mut parts: BTreeMap<i32, Self> = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            let part = &mut parts.entry(degree(monomial)).or_default().0;
            part.insert(monomial.clone(), coefficient.clone());
        }
        parts.into_iter().map(|(degree, part)| (degree, part.reduced())).collect()
    }

    /// A parameter that occurs once, with a number: what it is where the polynomial is 0, and the
    /// number.
    pub(crate) fn solved(&self) -> Option<(Symbol, Self, Rational)> {
        self.symbols().into_iter().find_map(|symbol| {
            let [constant, slope] = &self.coefficients(&symbol)[..] else { return None };
            let slope = slope.as_constant().filter(|_| matches!(symbol, Symbol::Parameter(_)))?;
            Some((symbol, constant.scale(&-slope.recip()), slope))
        })
    }

    /// Whether `symbol` occurs.
    #[must_use]
    pub fn contains(&self, symbol: &Symbol) -> bool {
        // A reciprocal is one symbol, but depends on those of its denominator.
        let inside = |(other, _): &(Symbol, i32)| match other {
            Symbol::Reciprocal(denominator) => denominator.contains(symbol),
            _ => other == symbol,
        };
        self.0.keys().any(|monomial| monomial.0.iter().any(inside))
    }

    /// Roots in `symbol` of multiplicity 2 and more that are quotients of polynomials in the other symbols.
    #[must_use]
    pub fn multiple_roots(&self, symbol: &Symbol) -> Vec<Self> {
        let (_, factors, _) = linear_factors(&self.numerator(), symbol);
        let multiple = factors.iter().filter(|factor| factor.multiplicity > 1);
        let root = |f: &LinearFactor| Some(&f.numerator * &f.denominator.reciprocal()?);
        multiple.filter_map(root).collect()
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        sum += other;
        sum
    }
}

impl AddAssign<&Polynomial> for Polynomial {
    fn add_assign(&mut self, other: &Polynomial) {
        // A sum of what is reduced is reduced, but for quotients.
        let is_quotient = self.denominator().is_some() || other.denominator().is_some();
        for (monomial, coefficient) in &other.0 {
            accumulate(&mut self.0, monomial.clone(), coefficient.clone());
        }
        if is_quotient {
            *self = std::mem::take(self).reduced();
        }
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self + &-other
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        Polynomial(self.0.iter().map(|(m, c)| (m.clone(), -c)).collect())
    }
}

impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        product::expanded(self, other).reduced()
    }
}

/// The partial derivative of Δ = ξ²ξ′² − σ², if it is not 0.
fn determinant_slope(symbol: &Symbol) -> Option<Polynomial> {
    match symbol {
        Symbol::Xi2 => Some(Polynomial::symbol(Symbol::Xi2Other)),
        Symbol::Xi2Other => Some(Polynomial::symbol(Symbol::Xi2)),
        Symbol::Covariance => Some(Polynomial::symbol(Symbol::Covariance).scale(&integer(-2))),
        _ => None,
    }
}

fn accumulate(terms: &mut BTreeMap<Monomial, Rational>, monomial: Monomial, value: Rational) {
    use std::collections::btree_map::Entry;
    match terms.entry(monomial) {
        Entry::Vacant(entry) => {
            entry.insert(value);
        }
        Entry::Occupied(mut entry) => {
            let sum = exact::sum(entry.get(), &value);
            if sum.is_zero() {
                entry.remove();
            } else {
                entry.insert(sum);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Polynomial {
        Polynomial::symbol(Symbol::Variable)
    }

    #[test]
    fn arithmetic_is_canonical() {
        let one = Polynomial::one();
        let p = &(&x() + &one) * &(&x() - &one);
        assert_eq!(p, &x().pow(2) - &one);
        assert!((&p - &p).is_zero());
    }

    #[test]
    fn negative_powers_differentiate() {
        let p = Polynomial::power(Symbol::Xi2, -1);
        assert_eq!(p.derivative(&Symbol::Xi2), -&Polynomial::power(Symbol::Xi2, -2));
    }
}
