//! A derivation as numbered equations with their reasons, for every printer.

use num_bigint::BigInt;
use num_traits::Pow;

use super::math::{self, Math, Name, Named};
use super::surd;
use super::tree;
use crate::derivation::{Claim, Derivation, Noiseless, Powers, Quantity, Rule, Step, Value};
use crate::domain::Knot;
use crate::exact::Rational;
use crate::moment::{Axis, Form, Point};
use crate::piecewise::Piecewise;
use crate::polynomial::{Algebraic, Polynomial, Symbol};

/// A result that is a polynomial in moments is written out in γ and ξ if no more than these
/// functions occur in it, those of one knot, and it takes no more products of terms.
const FUNCTIONS: usize = 2;
const PRODUCTS: usize = 2_000;
/// Digits of an irrational knot behind the point.
const DIGITS: u32 = 20;

/// One equation of a derivation with its reason.
#[derive(Clone, Debug)]
pub struct Line {
    /// The left side.
    pub left: Math,
    /// The right side.
    pub right: Math,
    rule: Rule,
    premises: Vec<usize>,
}

impl Line {
    /// Which rule, applied to which lines, counted from 1.
    #[must_use]
    pub fn reason(&self) -> String {
        let rule = phrase(&self.rule);
        match self.premises.as_slice() {
            [] => rule.to_owned(),
            premises => {
                let numbers: Vec<_> = premises.iter().map(|p| format!("({})", p + 1)).collect();
                format!("{rule} {}", numbers.join(" "))
            }
        }
    }
}

/// A derivation, an equation for each step.
#[must_use]
pub fn lines(derivation: &Derivation) -> Vec<Line> {
    derivation.steps().iter().map(|step| line(derivation, step)).collect()
}

fn line(derivation: &Derivation, step: &Step) -> Line {
    let (left, right) = match &step.claim {
        Claim::Signs(powers, form) => (functions(*powers), tree::signs(form)),
        Claim::Moduli(powers, form) => (functions(*powers), tree::moduli(form)),
        Claim::Expectation(k, kernel, form) => {
            (Math::Expectation(Box::new(tree::integrand(*k, kernel))), tree::form(form))
        }
        Claim::Mixed(powers, kernels, form) => {
            (Math::Expectation(Box::new(tree::pair_integrand(*powers, kernels))), tree::form(form))
        }
        Claim::Result(of, result) => (quantity(of), value(derivation, result)),
    };
    let of_other = |powers: &Powers| derivation.subject().is_pair() && powers.1 > 0;
    let (left, right) = match &step.claim {
        Claim::Signs(powers, _) | Claim::Moduli(powers, _) if of_other(powers) => {
            let name = Name::OtherVariable;
            (left.with_variable_as(&name), right.with_variable_as(&name))
        }
        _ => (left, right),
    };
    let numbers = numbers(derivation);
    let (left, right) = (left.numbered(&numbers), right.numbered(&numbers));
    Line { left, right, rule: step.rule.clone(), premises: step.premises.clone() }
}

/// A result: written out where that is short, else in terms of the moments.
pub(super) fn value(derivation: &Derivation, value: &Value) -> Math {
    let short = value.functions() <= FUNCTIONS && value.expanded_size() <= PRODUCTS;
    if short || value.as_form().is_some() {
        return tree::form(&value.expand()).numbered(&numbers(derivation));
    }
    let terms = value.terms().map(|(product, coefficient)| {
        let mut product: Vec<&Quantity> = product.iter().collect();
        // g before h, as they are numbered the other way round.
        product.sort_by_key(|quantity| match quantity {
            Quantity::Moment(n, m) | Quantity::Joint(n, m) => (0, std::cmp::Reverse((*n, *m))),
            _ => (1, std::cmp::Reverse((0, 0))),
        });
        tree::times(coefficient, product.into_iter().map(quantity).collect())
    });
    let mut terms: Vec<(bool, Math)> = terms.collect();
    // A positive term stands in front, if there is one.
    terms.sort_by_key(|(negative, _)| *negative);
    math::sum(terms)
}

/// A form by itself, its irrational knots numbered from the left.
pub(super) fn form(form: &Form) -> Math {
    tree::form(form).numbered(&numbered(&form.knots()))
}

/// The function, piece by piece.
#[must_use]
pub fn definition(function: &Piecewise) -> Math {
    tree::definition(function).numbered(&numbered(function.knots()))
}

/// Whether formulas of two pre-activations may have quadrants: those of two functions with knots.
pub(super) fn has_quadrants(g: &Piecewise, h: &Piecewise) -> bool {
    [g, h].iter().all(|function| !function.knots().is_empty())
}

/// Several functions whose irrational knots are numbered together, and the knots.
pub(super) fn definitions(functions: &[&Piecewise]) -> (Vec<Math>, Vec<Algebraic>) {
    let mut knots: Vec<Knot> = functions.iter().flat_map(|f| f.knots()).cloned().collect();
    knots.sort();
    knots.dedup();
    let roots = numbered(&knots);
    (functions.iter().map(|f| tree::definition(f).numbered(&roots)).collect(), roots)
}

/// Each numbered knot with its decimals and the polynomial that it is a root of.
pub(super) fn legend(roots: &[Algebraic]) -> Vec<(Math, String, Math)> {
    let entries = roots.iter().enumerate().map(|(i, root)| {
        let name = Math::Name(Name::Knot(i + 1));
        let terms = (0..).zip(root.minimal().coefficients()).map(|(k, coefficient)| {
            Polynomial::power(Symbol::Variable, k).scale(&Rational::from(coefficient.clone()))
        });
        let minimal = terms.fold(Polynomial::zero(), |sum, term| &sum + &term);
        let equation = tree::polynomial(&minimal).with_variable_as(&Name::Knot(i + 1));
        (name, decimals(root), equation)
    });
    entries.collect()
}

/// The decimals of a number, cut off.
fn decimals(root: &Algebraic) -> String {
    // A decimal digit has less than four bits.
    let (lower, _) = root.enclosure(4 * DIGITS + 8);
    let scale: BigInt = Pow::pow(BigInt::from(10), DIGITS);
    let negative = lower < Rational::default();
    let size = if negative { -lower } else { lower };
    let digits = (size * Rational::from(scale)).to_integer().to_string();
    let digits = format!("{digits:0>width$}", width = DIGITS as usize + 1);
    let (whole, fraction) = digits.split_at(digits.len() - DIGITS as usize);
    format!("{}{whole}.{fraction}…", if negative { "-" } else { "" })
}

/// The knots that are numbered: the irrational ones that are not written with square roots.
fn numbered(knots: &[Knot]) -> Vec<Algebraic> {
    let roots = knots.iter().filter_map(|knot| match knot {
        Knot::Algebraic(root) if !surd::is_quadratic(root) => Some(root.clone()),
        _ => None,
    });
    roots.collect()
}

/// Of both functions of a derivation.
fn numbers(derivation: &Derivation) -> Vec<Algebraic> {
    numbered(&derivation.subject().knots())
}

/// The limit for ξ → 0, case by case: between the knots, and on them. The last are pairs of knots that may meet, lower and
/// upper: what stands for γ on them holds where they are apart.
pub(super) fn noiseless(derivation: &Derivation) -> (Math, Math, Vec<[Math; 2]>) {
    let Noiseless { knots, between, on, apart } = derivation.noiseless();
    let mut cases = Vec::new();
    let bound = |i: Option<usize>| {
        i.and_then(|i| knots.get(i)).map(|knot| tree::polynomial(&knot.polynomial()))
    };
    for (i, value) in between.iter().enumerate() {
        if let Some(knot) = i.checked_sub(1) {
            cases.push((tree::at_zero_variance(&on[knot]), bound(Some(knot)), bound(Some(knot))));
        }
        cases.push((tree::polynomial(value), bound(i.checked_sub(1)), bound(Some(i))));
    }
    let point = Box::new(Math::integer(0));
    let left = Math::Limit(Box::new(quantity(derivation.result().0)), Name::Xi, point);
    let right = match cases.as_slice() {
        [_] => cases.remove(0).0,
        _ => Math::Cases(Name::Gamma, cases),
    };
    let numbers = numbers(derivation);
    let place = |i: usize| tree::polynomial(&knots[i].polynomial()).numbered(&numbers);
    let apart = apart.into_iter().map(|i| [i, i + 1].map(place)).collect();
    (left, right.numbered(&numbers), apart)
}

/// g(u)ⁿ h(u)ᵐ
fn functions((n, m): Powers) -> Math {
    let of = |named, n| {
        let value = Math::Apply(named, Box::new(Math::Name(Name::Variable)));
        if n == 1 { value } else { Math::Power(Box::new(value), n) }
    };
    match (n, m) {
        (n, 0) => of(Named::Function, n),
        (0, m) => of(Named::Other, m),
        (n, m) => Math::Product(vec![of(Named::Function, n), of(Named::Other, m)]),
    }
}

/// g(u)ⁿ h(w)ᵐ
fn pair_functions((n, m): Powers) -> Math {
    let second = || functions((0, m)).with_variable_as(&Name::OtherVariable);
    match (n, m) {
        (n, 0) => functions((n, 0)),
        (0, _) => second(),
        (n, _) => Math::Product(vec![functions((n, 0)), second()]),
    }
}

/// E[g(u)ⁿ], Var g(u), a derivative of these, …
pub(super) fn quantity(of: &Quantity) -> Math {
    match of {
        Quantity::Moment(n, m) => Math::Expectation(Box::new(functions((*n, *m)))),
        Quantity::Joint(n, m) => Math::Expectation(Box::new(pair_functions((*n, *m)))),
        Quantity::CrossCovariance => {
            let (g, h) = (pair_functions((1, 0)), pair_functions((0, 1)));
            Math::Apply(Named::Covariance, Box::new(Math::Pair(Box::new(g), Box::new(h))))
        }
        Quantity::Variance => Math::Apply(Named::Variance, Box::new(functions((1, 0)))),
        Quantity::Central(n) => {
            let mean = Math::Expectation(Box::new(functions((1, 0))));
            let deviation = Math::Sum(vec![(false, functions((1, 0))), (true, mean)]);
            Math::Expectation(Box::new(Math::Power(Box::new(deviation), *n)))
        }
        Quantity::Covariance => {
            let (g, h) = (functions((1, 0)), functions((0, 1)));
            Math::Apply(Named::Covariance, Box::new(Math::Pair(Box::new(g), Box::new(h))))
        }
        Quantity::Derivative(inner, symbol) => {
            Math::Partial(Box::new(quantity(inner)), tree::name(symbol))
        }
        Quantity::Limit(inner, symbol, point) => {
            Math::Limit(Box::new(quantity(inner)), tree::name(symbol), Box::new(place(point)))
        }
    }
}

fn place(point: &Point) -> Math {
    let infinity = || Math::Name(Name::Infinity);
    let number = |value: &Rational| tree::polynomial(&Polynomial::constant(value.clone()));
    match point {
        Point::Infinity => infinity(),
        Point::NegativeInfinity => Math::Sum(vec![(true, infinity())]),
        Point::Above(value) => Math::OneSided(Box::new(number(value)), '+'),
        Point::Below(value) => Math::OneSided(Box::new(number(value)), '-'),
    }
}

fn phrase(rule: &Rule) -> &'static str {
    match rule {
        Rule::NormalForm(_) => "normal form",
        Rule::ZerothPower => "zeroth power",
        Rule::ProductOfSigns => "product of signs",
        Rule::SplitAtKnots => "split at the knots",
        Rule::Normalisation => "normalisation",
        Rule::CosineIntegral(_) => "cosine integral",
        Rule::DifferentiateModulus => "∂γ of",
        Rule::MultiplyByU => "γ + ξ² ∂γ on",
        Rule::Linearity => "linearity",
        Rule::Variance => "variance",
        Rule::CentralMoment => "binomial theorem",
        Rule::Covariance => "covariance",
        Rule::Marginal(Axis::First) => "of u alone:",
        Rule::Marginal(Axis::Second) => "of w alone:",
        Rule::DoubleCosineIntegral(..) => "double cosine integral",
        Rule::DifferentiateIn(Axis::First) => "∂γ of",
        Rule::DifferentiateIn(Axis::Second) => "∂γ′ of",
        Rule::MultiplyBy(Axis::First) => "γ + ξ² ∂γ + σ ∂γ′ on",
        Rule::MultiplyBy(Axis::Second) => "γ′ + ξ′² ∂γ′ + σ ∂γ on",
        Rule::PairLinearity => "linearity",
        Rule::CrossCovariance => "covariance",
        Rule::Differentiate(_) => "differentiate",
        Rule::Limit(..) => "limit",
    }
}
