//! How a polynomial is written: its factors, and the order of its terms.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::surd;
use crate::exact::Rational;
use crate::polynomial::{Monomial, Polynomial, Symbol};

/// The symbols whose powers are factored out: ξ², ξ′² and Δ.
pub(super) const SCALES: [Symbol; 3] = [Symbol::Xi2, Symbol::Xi2Other, Symbol::Determinant];

/// A polynomial as rational · ξᵏ ξ′ˡ √Δᵐ · (parameters) · (γ, ξ, u)/(parameters), each factor
/// primitive.
pub(super) struct Factored {
    pub(super) negative: bool,
    pub(super) content: Rational,
    /// The exponents of ξ, ξ′ and √Δ taken out.
    pub(super) scales: [i32; 3],
    pub(super) factors: Vec<Polynomial>,
    pub(super) below: Option<Polynomial>,
}

pub(super) fn factor(polynomial: &Polynomial) -> Factored {
    let polynomial = surd::simplified(polynomial);
    let below = polynomial.denominator().map(|below| (**below).clone());
    let lowest = SCALES.map(|scale| polynomial.lowest(&scale));
    let whole = SCALES
        .iter()
        .zip(lowest)
        .fold(polynomial.numerator(), |whole, (scale, lowest)| whole.shift(scale, -lowest));
    let content = content(&whole);
    let primitive = whole.scale(&content.recip());
    let mut factors = split_parameters(&primitive);
    factors.retain(|factor| !factor.as_constant().is_some_and(|c| c.is_one()));
    let negative = content.is_negative();
    Factored {
        negative,
        content: content.abs(),
        // Powers of ξ² and Δ are even ones of ξ and √Δ.
        scales: lowest.map(|exponent| 2 * exponent),
        factors,
        below,
    }
}

/// The gcd of the coefficients, with the sign of the term that is written first.
fn content(polynomial: &Polynomial) -> Rational {
    let (mut numerator, mut denominator) = (BigInt::zero(), BigInt::one());
    for (_, coefficient) in polynomial.terms() {
        numerator = numerator.gcd(coefficient.numer());
        denominator = denominator.lcm(coefficient.denom());
    }
    let first = if rotates(polynomial) {
        false
    } else {
        ordered(polynomial).first().is_some_and(|(_, c)| c.is_negative())
    };
    // The content of 0 is 1, as it divides.
    let size = Rational::new(numerator.max(BigInt::one()), denominator);
    if first { -size } else { size }
}

/// Whether no other symbol occurs.
fn in_parameters(polynomial: &Polynomial) -> bool {
    polynomial.symbols().iter().all(|symbol| matches!(symbol, Symbol::Parameter(_)))
}

/// Whether a sum of parameters is written with a positive term in front, as b − a or 1 − ε: with
/// no more negative terms than positive ones.
fn rotates(polynomial: &Polynomial) -> bool {
    let negative = polynomial.terms().filter(|(_, c)| c.is_negative()).count();
    in_parameters(polynomial) && 2 * negative <= polynomial.len()
}

/// c(θ) · r(γ, ξ², u) where the polynomial is such a product.
fn split_parameters(polynomial: &Polynomial) -> Vec<Polynomial> {
    let mut groups: BTreeMap<Polynomial, Polynomial> = BTreeMap::new();
    for (monomial, coefficient) in polynomial.terms() {
        let mut in_parameters = Polynomial::constant(coefficient.clone());
        let mut rest = Polynomial::one();
        for (s, exponent) in monomial.powers() {
            let side =
                if matches!(s, Symbol::Parameter(_)) { &mut in_parameters } else { &mut rest };
            *side = side.shift(s, *exponent);
        }
        let group = groups.entry(rest).or_default();
        *group = &*group + &in_parameters;
    }
    let Some(first) = groups.values().next() else { return vec![polynomial.clone()] };
    if first.len() < 2 {
        return vec![polynomial.clone()];
    }
    let unit = first.scale(&content(first).recip());
    let mut rest = Polynomial::zero();
    for (monomials, group) in &groups {
        let part = content(group);
        if group.scale(&part.recip()) != unit {
            return vec![polynomial.clone()];
        }
        rest = &rest + &monomials.scale(&part);
    }
    vec![unit, rest]
}

/// The terms in the order of writing: by falling powers of u, of γ, then rising ones of ξ²,
/// and parameters behind.
fn ordered(polynomial: &Polynomial) -> Vec<(&Monomial, &Rational)> {
    let mut terms: Vec<_> = polynomial.terms().collect();
    terms.sort_by_key(|(monomial, _)| {
        let exponent = |symbol| Reverse(monomial.exponent(&symbol));
        let parameters: Vec<_> = monomial
            .powers()
            .iter()
            .filter(|(symbol, _)| matches!(symbol, Symbol::Parameter(_)))
            .map(|(symbol, exponent)| (symbol.clone(), Reverse(*exponent)))
            .collect();
        let degree: i32 = parameters.iter().map(|(_, Reverse(exponent))| exponent).sum();
        // Powers of numbered knots fall, roots of numbers come behind the number.
        let (mut numbered, mut roots) = (0, 0);
        for (symbol, exponent) in monomial.powers() {
            match symbol {
                Symbol::Root(root) if surd::radicand(root).is_none() => numbered += exponent,
                Symbol::Root(_) => roots += exponent,
                _ => {}
            }
        }
        let main = [
            Symbol::Variable,
            Symbol::Gamma,
            Symbol::GammaOther,
            Symbol::Xi2,
            Symbol::Xi2Other,
            Symbol::Covariance,
            Symbol::Determinant,
        ]
        .map(exponent);
        (main, degree, parameters, Reverse(numbered), roots)
    });
    terms
}

/// The terms in the order of writing, with a positive one in front: b − a rather than −a + b.
pub(super) fn written(polynomial: &Polynomial) -> Vec<(&Monomial, &Rational)> {
    let mut terms = ordered(polynomial);
    let positive = terms.iter().position(|(_, coefficient)| coefficient.is_positive());
    if let Some(positive) = positive.filter(|_| rotates(polynomial)) {
        terms[..=positive].rotate_right(1);
    }
    terms
}
