//! The three kinds of symbols that obey a relation: an irrational knot is a root of its minimal
//! polynomial, d · (1/d) = 1, and σ² = ξ²ξ′² − Δ. Reduced by them, equal polynomials are equal
//! values.

use std::collections::BTreeMap;
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, Zero};

use super::{
    Algebraic, Monomial, Polynomial, Symbol, Univariate, accumulate, gcd, primitive, quotient,
};
use crate::exact::{self, Rational, common_denominator};

impl Polynomial {
    /// The polynomial D in the parameters that this is divided by, if it is divided.
    #[must_use]
    pub fn denominator(&self) -> Option<&Arc<Polynomial>> {
        // Reciprocals are last among the symbols, and every term has the same.
        match self.0.keys().next()?.0.last()? {
            (Symbol::Reciprocal(denominator), _) => Some(denominator),
            _ => None,
        }
    }

    /// The polynomial times its denominator.
    #[must_use]
    pub fn numerator(&self) -> Self {
        if self.denominator().is_none() {
            return self.clone();
        }
        let mut numerator = self.clone();
        numerator.0 = numerator.0.into_iter().map(|(m, c)| (split(&m).0, c)).collect();
        numerator
    }

    /// 1 over a polynomial in the parameters; `None` for 0 and for anything else.
    #[must_use]
    pub fn reciprocal(&self) -> Option<Self> {
        let numerator = self.numerator();
        let below = self.denominator().map_or_else(Self::one, |d| (**d).clone());
        if let Some(constant) = numerator.as_constant() {
            return (constant != Rational::default()).then(|| below.scale(&constant.recip()));
        }
        let plain = numerator.symbols().iter().all(|s| matches!(s, Symbol::Parameter(_)));
        plain.then(|| over(&below, &numerator))
    }

    /// The value where every symbol has one; `None` if one has none, or at a pole.
    #[must_use]
    pub fn evaluate(&self, values: &BTreeMap<Symbol, Rational>) -> Option<Rational> {
        let mut sum = Rational::default();
        for (monomial, coefficient) in &self.0 {
            let mut term = coefficient.clone();
            for (symbol, exponent) in &monomial.0 {
                term *= match symbol {
                    // In canonical form the exponent of a reciprocal is 1.
                    Symbol::Reciprocal(below) => {
                        let below = below.evaluate(values)?;
                        (below != Rational::default()).then(|| below.recip())?
                    }
                    _ => values.get(symbol)?.pow(*exponent),
                };
            }
            sum += term;
        }
        Some(sum)
    }

    /// The base and the exponent, if the polynomial is a power higher than the first: what is
    /// left of it without repeated factors, taken often enough, is the polynomial itself.
    pub(crate) fn as_power(&self) -> Option<(Self, u32)> {
        let symbol = self.symbols().into_iter().next()?;
        let repeated = gcd(self, &self.derivative(&symbol));
        let base = primitive(&quotient(self, &repeated)?);
        let exponent = self.degree(&symbol).checked_div(base.degree(&symbol))?.unsigned_abs();
        (exponent > 1 && base.pow(exponent) == *self).then_some((base, exponent))
    }

    /// In canonical form, from terms that may hold high powers of knots or several reciprocals.
    pub(super) fn reduced(self) -> Self {
        let (mut knots, mut reciprocals, mut covariances) = (false, false, false);
        for monomial in self.0.keys() {
            // The symbols with a relation are last in the order of symbols.
            for (symbol, exponent) in monomial.0.iter().rev() {
                match symbol {
                    Symbol::Reciprocal(_) => reciprocals = true,
                    Symbol::Root(_) => knots = true,
                    Symbol::Covariance => covariances |= *exponent > 1,
                    _ => break,
                }
            }
        }
        // Lowest terms come last, because the other two change the numerator.
        let value = if covariances { self.covariances_reduced() } else { self };
        let value = if knots { value.knots_reduced() } else { value };
        if reciprocals { value.in_lowest_terms() } else { value }
    }

    /// With σ² = ξ²ξ′² − Δ, until no square of σ is left.
    fn covariances_reduced(self) -> Self {
        let mut sum = BTreeMap::new();
        for (monomial, coefficient) in self.0 {
            let squares = monomial.exponent(&Symbol::Covariance) / 2;
            if squares < 1 {
                accumulate(&mut sum, monomial, coefficient);
                continue;
            }
            let rest = monomial.times(&Monomial::power_of(Symbol::Covariance, -2 * squares));
            let mut binomial = coefficient;
            for k in 0..=squares {
                let powers = [
                    (Symbol::Xi2, squares - k),
                    (Symbol::Xi2Other, squares - k),
                    (Symbol::Determinant, k),
                ];
                let term = powers.into_iter().fold(rest.clone(), |term, (symbol, exponent)| {
                    term.times(&Monomial::power_of(symbol, exponent))
                });
                accumulate(&mut sum, term, binomial.clone());
                // C(n, k + 1)/C(n, k) = (n − k)/(k + 1), with the sign of −Δ.
                binomial *= Rational::new((k - squares).into(), (k + 1).into());
            }
        }
        Self(sum)
    }

    fn knots_reduced(mut self) -> Self {
        let roots: Vec<Algebraic> = self
            .symbols()
            .into_iter()
            .filter_map(|symbol| match symbol {
                Symbol::Root(root) => Some(root),
                _ => None,
            })
            .collect();
        for root in roots {
            let degree = i32::try_from(root.minimal().degree()).expect("a small degree");
            let symbol = Symbol::Root(root.clone());
            if self.degree(&symbol) >= degree {
                self = self.without_high_powers(&symbol, root.minimal());
            }
        }
        self
    }

    /// With powers of a knot below the degree of its minimal polynomial.
    fn without_high_powers(self, symbol: &Symbol, minimal: &Univariate) -> Self {
        // For each product of the other symbols a polynomial in the knot.
        let mut groups: BTreeMap<Monomial, BTreeMap<i32, Rational>> = BTreeMap::new();
        for (monomial, coefficient) in self.0 {
            let powers = groups.entry(monomial.without(symbol)).or_default();
            powers.insert(monomial.exponent(symbol), coefficient);
        }
        let mut terms = BTreeMap::new();
        for (rest, powers) in groups {
            for (exponent, coefficient) in (0..).zip(remainder(&powers, minimal)) {
                if coefficient != Rational::default() {
                    let power = Monomial::power_of(symbol.clone(), exponent);
                    terms.insert(rest.times(&power), coefficient);
                }
            }
        }
        Self(terms)
    }

    fn in_lowest_terms(self) -> Self {
        // Terms by what they are divided by.
        let mut groups: BTreeMap<Monomial, Self> = BTreeMap::new();
        for (monomial, coefficient) in self.0 {
            let (above, below) = split(&monomial);
            groups.entry(below).or_default().0.insert(above, coefficient);
        }
        let denominators: Vec<Self> = groups.keys().map(expand).collect();
        let common = denominators.iter().fold(Self::one(), |lcm, d| {
            let shared = gcd(&lcm, d);
            &lcm * &quotient(d, &shared).expect("a common divisor divides")
        });
        let mut numerator = Self::zero();
        for (part, below) in groups.into_values().zip(&denominators) {
            let factor = quotient(&common, below).expect("it divides the common multiple");
            numerator = plain_sum(numerator, super::product::expanded(&part, &factor));
        }
        over(&numerator, &common)
    }

    /// The coefficients, polynomials in the parameters, of the monomials in everything else.
    fn parameter_coefficients(&self) -> BTreeMap<Monomial, Self> {
        let mut parts: BTreeMap<Monomial, Self> = BTreeMap::new();
        for (monomial, coefficient) in &self.0 {
            let parametric = |(symbol, _): &&(Symbol, i32)| matches!(symbol, Symbol::Parameter(_));
            let (inside, outside): (Vec<_>, Vec<_>) =
                monomial.0.iter().partition(|power| parametric(power));
            let [inside, outside] =
                [inside, outside].map(|powers| Monomial(powers.into_iter().cloned().collect()));
            parts.entry(outside).or_default().0.insert(inside, coefficient.clone());
        }
        parts
    }
}

/// The coefficients of the remainder by a polynomial, from the powers of the dividend.
fn remainder(powers: &BTreeMap<i32, Rational>, divisor: &Univariate) -> Vec<Rational> {
    let Some((top, _)) = powers.last_key_value() else { return Vec::new() };
    let below = common_denominator(powers.values());
    let mut dividend = vec![BigInt::zero(); usize::try_from(*top).expect("a power of a knot") + 1];
    for (exponent, coefficient) in powers {
        let place = usize::try_from(*exponent).expect("a power of a knot");
        dividend[place] = coefficient.numer() * (&below / coefficient.denom());
    }
    let (rest, scale) = divisor.integer_remainder(dividend);
    let below = below * scale;
    rest.into_iter().map(|c| exact::reduced(c, below.clone())).collect()
}

/// numerator/denominator in lowest terms, neither of them holding a reciprocal.
fn over(numerator: &Polynomial, denominator: &Polynomial) -> Polynomial {
    let parts = numerator.parameter_coefficients();
    let mut common = denominator.clone();
    for part in parts.values() {
        if common.as_constant().is_some() {
            break;
        }
        common = gcd(&common, part);
    }
    let divided = quotient(denominator, &common).expect("a common divisor divides");
    let mut above = Polynomial::zero();
    for (monomial, part) in parts {
        let part = quotient(&part, &common).expect("a common divisor divides");
        above.0.extend(part.0.into_iter().map(|(m, c)| (m.times(&monomial), c)));
    }
    let below = primitive(&divided);
    // 1/divided is unit/below.
    let unit = below.0.iter().next_back().zip(divided.0.iter().next_back());
    let unit = unit.map_or_else(Rational::one, |((_, b), (_, d))| b / d);
    let above = above.scale(&unit);
    if below.as_constant().is_some() {
        return above;
    }
    above.shift(&Symbol::Reciprocal(Arc::new(below)), 1)
}

/// The part of a monomial without reciprocals, and the reciprocals.
fn split(monomial: &Monomial) -> (Monomial, Monomial) {
    let reciprocal = |(symbol, _): &&(Symbol, i32)| matches!(symbol, Symbol::Reciprocal(_));
    let (below, above): (Vec<_>, Vec<_>) = monomial.0.iter().partition(|power| reciprocal(power));
    (Monomial(above.into_iter().cloned().collect()), Monomial(below.into_iter().cloned().collect()))
}

/// The product of the denominators of `reciprocals`, each to its power.
fn expand(reciprocals: &Monomial) -> Polynomial {
    reciprocals.0.iter().fold(Polynomial::one(), |product, (symbol, exponent)| match symbol {
        Symbol::Reciprocal(denominator) => &product * &denominator.pow(exponent.unsigned_abs()),
        _ => product,
    })
}

/// The sum as a map of terms, not reduced.
fn plain_sum(mut left: Polynomial, right: Polynomial) -> Polynomial {
    for (monomial, coefficient) in right.0 {
        super::accumulate(&mut left.0, monomial, coefficient);
    }
    left
}
