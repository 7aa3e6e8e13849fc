//! From the engine's objects to a tree of mathematics that every printer reads.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::exact::{Rational, integer, ratio};
use crate::moment::{Form, Function, Product};
use crate::piecewise::{Knot, ModulusForm, Piecewise, SignForm};
use crate::polynomial::{Monomial, Polynomial, Symbol};

/// A formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Math {
    /// A number that is not negative.
    Number(Rational),
    /// γ, ξ², u or a parameter, to a power; `Xi` stands for ξ itself.
    Name(Name),
    /// Terms with their signs; `true` for minus.
    Sum(Vec<(bool, Math)>),
    /// Factors.
    Product(Vec<Math>),
    /// A power.
    Power(Box<Math>, u32),
    /// Numerator and denominator.
    Quotient(Box<Math>, Box<Math>),
    /// A square root.
    Root(Box<Math>),
    /// |a|
    Modulus(Box<Math>),
    /// A named function of one argument.
    Apply(Named, Box<Math>),
    /// The values on pieces, each with the knots that bound it.
    Cases(Vec<(Math, Option<Rational>, Option<Rational>)>),
    /// E\[·\]
    Expectation(Box<Math>),
    /// A partial derivative in a symbol.
    Partial(Box<Math>, Name),
}

/// A symbol as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Name {
    /// u
    Variable,
    /// γ
    Gamma,
    /// ξ
    Xi,
    /// ξ², where it is one symbol
    Xi2,
    /// π
    Pi,
    /// The activation.
    Function,
    /// A parameter.
    Parameter(String),
}

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// erf
    Erf,
    /// exp
    Exp,
    /// sgn
    Sign,
    /// Var
    Variance,
    /// The activation, at a point.
    Function,
}

impl Math {
    pub(super) fn integer(value: i64) -> Self {
        Self::Number(integer(value))
    }

    /// With the variable called by another name.
    pub(super) fn with_variable(self, name: &str) -> Self {
        let inside = |math: Box<Self>| math.with_variable(name).boxed();
        match self {
            Self::Name(Name::Variable) => Self::Name(Name::Parameter(name.to_owned())),
            Self::Sum(terms) => Self::Sum(
                terms.into_iter().map(|(minus, term)| (minus, term.with_variable(name))).collect(),
            ),
            Self::Product(factors) => Self::Product(
                factors.into_iter().map(|factor| factor.with_variable(name)).collect(),
            ),
            Self::Power(base, exponent) => Self::Power(inside(base), exponent),
            Self::Quotient(above, below) => Self::Quotient(inside(above), inside(below)),
            other => other,
        }
    }

    fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    fn is_one(&self) -> bool {
        matches!(self, Self::Number(value) if value.is_one())
    }
}

/// A product without factors 1.
fn product(factors: Vec<Math>) -> Math {
    let mut factors: Vec<Math> = factors.into_iter().filter(|factor| !factor.is_one()).collect();
    match factors.len() {
        0 => Math::integer(1),
        1 => factors.remove(0),
        _ => Math::Product(factors),
    }
}

/// The terms as one sum, with sums among them taken apart; a single positive term as itself.
pub(super) fn sum(terms: Vec<(bool, Math)>) -> Math {
    let mut flat = Vec::with_capacity(terms.len());
    for (negative, term) in terms {
        match term {
            Math::Sum(inner) => flat.extend(inner.into_iter().map(|(n, t)| (n != negative, t))),
            term => flat.push((negative, term)),
        }
    }
    match flat.as_slice() {
        [] => Math::integer(0),
        [(false, _)] => flat.remove(0).1,
        _ => Math::Sum(flat),
    }
}

fn power(base: Math, exponent: u32) -> Math {
    match exponent {
        0 => Math::integer(1),
        1 => base,
        _ => Math::Power(base.boxed(), exponent),
    }
}

/// A symbol to a positive power; ξ² is ξ to twice the power.
fn symbol(symbol: &Symbol, exponent: u32) -> Math {
    let (name, exponent) = match symbol {
        Symbol::Variable => (Name::Variable, exponent),
        Symbol::Gamma => (Name::Gamma, exponent),
        Symbol::Xi2 => (Name::Xi, 2 * exponent),
        Symbol::Parameter(name) => (Name::Parameter(name.to_string()), exponent),
    };
    power(Math::Name(name), exponent)
}

/// The name under which a partial derivative is taken.
pub(super) fn name(symbol: &Symbol) -> Name {
    match symbol {
        Symbol::Variable => Name::Variable,
        Symbol::Gamma => Name::Gamma,
        Symbol::Xi2 => Name::Xi2,
        Symbol::Parameter(name) => Name::Parameter(name.to_string()),
    }
}

/// A polynomial as rational · ξᵏ · (parameters) · (γ, ξ, u), each factor primitive.
struct Factored {
    negative: bool,
    content: Rational,
    /// The exponent of ξ (not ξ²) taken out.
    xi: i32,
    factors: Vec<Polynomial>,
}

fn factor(polynomial: &Polynomial) -> Factored {
    let lowest = polynomial.lowest(&Symbol::Xi2);
    let whole = polynomial.shift(&Symbol::Xi2, -lowest);
    let content = content(&whole);
    let primitive = whole.scale(&content.recip());
    let mut factors = split_parameters(&primitive);
    factors.retain(|factor| !factor.as_constant().is_some_and(|c| c.is_one()));
    let negative = content.is_negative();
    Factored { negative, content: content.abs(), xi: 2 * lowest, factors }
}

/// The gcd of the coefficients, with the sign of the term that is written first.
fn content(polynomial: &Polynomial) -> Rational {
    let (mut numerator, mut denominator) = (BigInt::zero(), BigInt::one());
    for (_, coefficient) in polynomial.terms() {
        numerator = numerator.gcd(coefficient.numer());
        denominator = denominator.lcm(coefficient.denom());
    }
    let first = ordered(polynomial).first().is_some_and(|(_, c)| c.is_negative());
    let size = Rational::new(numerator.max(BigInt::one()), denominator);
    if first { -size } else { size }
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
            .cloned()
            .collect();
        (exponent(Symbol::Variable), exponent(Symbol::Gamma), exponent(Symbol::Xi2), parameters)
    });
    terms
}

/// A polynomial, expanded.
pub(super) fn polynomial(polynomial: &Polynomial) -> Math {
    let terms = ordered(polynomial).into_iter().map(|(monomial, coefficient)| {
        let mut factors = vec![Math::Number(coefficient.abs())];
        let mut below = Vec::new();
        for (s, exponent) in monomial.powers() {
            let side = if *exponent > 0 { &mut factors } else { &mut below };
            side.push(symbol(s, exponent.unsigned_abs()));
        }
        let above = product(factors);
        let term = if below.is_empty() { above } else { quotient(above, product(below)) };
        (coefficient.is_negative(), term)
    });
    sum(terms.collect())
}

fn quotient(above: Math, below: Math) -> Math {
    Math::Quotient(above.boxed(), below.boxed())
}

/// coefficient · factors, with what is rational and what is a power of ξ in front.
fn term(coefficient: &Polynomial, xi: i32, root: u32, functions: Vec<Math>) -> (bool, Math) {
    let Factored { negative, content, xi: taken, factors } = factor(coefficient);
    let xi = xi + taken;
    let xi_power = |exponent: i32| power(Math::Name(Name::Xi), exponent.unsigned_abs());
    // √(2/π)ʳ keeps at most one root; each pair of them is 2/π.
    let pairs = root / 2;
    let content = content * Rational::from_integer(BigInt::from(2).pow(pairs));
    let mut below = vec![power(Math::Name(Name::Pi), pairs)];
    if xi < 0 {
        below.push(xi_power(xi));
    }
    let below = product(below);
    let mut all = Vec::new();
    if below.is_one() {
        all.push(Math::Number(content));
    } else {
        let [above, denominator] =
            [content.numer(), content.denom()].map(|n| Math::Number(n.clone().into()));
        all.push(quotient(above, product(vec![denominator, below])));
    }
    if root % 2 == 1 {
        all.push(root_two_over_pi());
    }
    // Monomials read better before ξ, sums behind it.
    let (sums, simple): (Vec<Math>, Vec<Math>) =
        factors.iter().map(polynomial).partition(|math| matches!(math, Math::Sum(_)));
    all.extend(simple);
    if xi > 0 {
        all.push(xi_power(xi));
    }
    all.extend(sums);
    all.extend(functions);
    (negative, product(all))
}

fn root_two_over_pi() -> Math {
    Math::Root(quotient(Math::integer(2), Math::Name(Name::Pi)).boxed())
}

/// symbol − t
fn offset(name: Name, knot: &Knot) -> Math {
    let value = knot.value();
    let mut terms = vec![(false, Math::Name(name))];
    if !value.is_zero() {
        terms.push((value.is_positive(), Math::Number(value.abs())));
    }
    sum(terms)
}

fn factors(functions: &Product) -> (u32, Vec<Math>) {
    let mut gauss = 0;
    let mut factors = Vec::new();
    for (function, exponent) in functions.factors() {
        let from_knot = offset(Name::Gamma, function.knot());
        factors.push(match function {
            Function::Erf(_) => {
                let below =
                    Math::Product(vec![Math::Root(Math::integer(2).boxed()), Math::Name(Name::Xi)]);
                let argument = quotient(from_knot, below);
                power(Math::Apply(Named::Erf, argument.boxed()), exponent)
            }
            Function::Gauss(_) => {
                gauss += exponent;
                // exp(−a/2)ᵏ is exp(−k a/2).
                let squared = power(from_knot, 2);
                let share = ratio(i64::from(exponent), 2);
                let above = product(vec![Math::Number(share.numer().clone().into()), squared]);
                let below = product(vec![
                    Math::Number(share.denom().clone().into()),
                    power(Math::Name(Name::Xi), 2),
                ]);
                let negative = Math::Sum(vec![(true, quotient(above, below))]);
                Math::Apply(Named::Exp, negative.boxed())
            }
        });
    }
    (gauss, factors)
}

/// A form as a sum, with a term for each product of functions.
pub(super) fn form(form: &Form) -> Math {
    let of = |(functions, coefficient): (&Product, &Polynomial)| {
        let (gauss, factors) = factors(functions);
        let xi = i32::try_from(gauss).expect("a small exponent");
        term(coefficient, xi, gauss, factors)
    };
    sum(form.terms().map(of).collect())
}

fn in_variable(terms: &mut Vec<(bool, Math)>, coefficient: &Polynomial, functions: Vec<Math>) {
    if !coefficient.is_zero() {
        terms.push(term(coefficient, 0, 0, functions));
    }
}

/// c(u) + Σ sₖ(u) sgn(u − tₖ)
pub(super) fn signs(form: &SignForm) -> Math {
    let mut terms = Vec::new();
    in_variable(&mut terms, &form.smooth, Vec::new());
    for (knot, coefficient) in &form.signs {
        let sign = Math::Apply(Named::Sign, offset(Name::Variable, knot).boxed());
        in_variable(&mut terms, coefficient, vec![sign]);
    }
    sum(terms)
}

/// c(u) + Σ rₖ(u) |u − tₖ| + ρₖ sgn(u − tₖ)
pub(super) fn moduli(form: &ModulusForm) -> Math {
    let mut terms = Vec::new();
    in_variable(&mut terms, &form.smooth, Vec::new());
    for (knot, coefficient) in &form.moduli {
        let modulus = Math::Modulus(offset(Name::Variable, knot).boxed());
        in_variable(&mut terms, coefficient, vec![modulus]);
    }
    for (knot, coefficient) in &form.signs {
        let sign = Math::Apply(Named::Sign, offset(Name::Variable, knot).boxed());
        in_variable(&mut terms, coefficient, vec![sign]);
    }
    sum(terms)
}

/// uᵏ f(u)
pub(super) fn integrand(k: u32, kernel: &crate::derivation::Kernel) -> Math {
    use crate::derivation::Kernel;
    let function = match kernel {
        Kernel::One => Math::integer(1),
        Kernel::Sign(knot) => Math::Apply(Named::Sign, offset(Name::Variable, knot).boxed()),
        Kernel::Modulus(knot) => Math::Modulus(offset(Name::Variable, knot).boxed()),
    };
    product(vec![power(Math::Name(Name::Variable), k), function])
}

/// The function, piece by piece.
#[must_use]
pub fn definition(function: &Piecewise) -> Math {
    if let Some(whole) = function.as_polynomial() {
        return polynomial(whole);
    }
    let knots = function.knots();
    let cases = function.pieces().iter().enumerate().map(|(i, piece)| {
        let knot = |i: Option<usize>| i.and_then(|i| knots.get(i)).map(|t| t.value().clone());
        (polynomial(piece), knot(i.checked_sub(1)), knot(Some(i)))
    });
    Math::Cases(cases.collect())
}
