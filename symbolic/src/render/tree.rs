//! From the engine's objects to the tree of mathematics.

use num_bigint::BigInt;
use num_traits::Signed;

use super::factored::{Factored, factor, written};
use super::math::{Math, Name, Named, power, product, quotient, sum};
use super::surd;
use crate::domain::Knot;
use crate::exact::{Rational, ratio};
use crate::moment::{Expansion, Form, Function, Product};
use crate::piecewise::{ModulusForm, Piecewise, SignForm};
use crate::polynomial::{Polynomial, Symbol};

/// A symbol to a positive power; ξ² is ξ to twice the power.
fn symbol(symbol: &Symbol, exponent: u32) -> Math {
    let (name, exponent) = match symbol {
        Symbol::Variable => (Name::Variable, exponent),
        Symbol::Gamma => (Name::Gamma, exponent),
        Symbol::Xi2 => (Name::Xi, 2 * exponent),
        Symbol::Parameter(name) => (Name::Parameter(name.to_string()), exponent),
        Symbol::Root(root) => match surd::radicand(root) {
            Some(radicand) => {
                return power(Math::Root(Math::Number(radicand).boxed()), exponent);
            }
            None => (Name::Root(root.clone()), exponent),
        },
        Symbol::Reciprocal(below) => {
            return quotient(Math::integer(1), power(denominator(below), exponent));
        }
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
        Symbol::Root(_) | Symbol::Reciprocal(_) => {
            unreachable!("derivatives are in γ, ξ² and the parameters")
        }
    }
}

/// A quotient of polynomials, each expanded.
pub(super) fn polynomial(polynomial: &Polynomial) -> Math {
    let polynomial = surd::simplified(polynomial);
    let above = expanded(&polynomial.numerator());
    match polynomial.denominator() {
        Some(below) => match above {
            // The sign stands before the quotient.
            Math::Sum(terms) if matches!(terms.as_slice(), [(true, _)]) => {
                let term = terms.into_iter().map(|(_, term)| term).next();
                let above = term.unwrap_or_else(|| Math::integer(0));
                Math::Sum(vec![(true, quotient(above, denominator(below)))])
            }
            above => quotient(above, denominator(below)),
        },
        None => above,
    }
}

/// A polynomial in the parameters, as a power where it is one.
fn denominator(below: &Polynomial) -> Math {
    match below.as_power() {
        Some((base, exponent)) => power(expanded(&base), exponent),
        None => expanded(below),
    }
}

fn expanded(polynomial: &Polynomial) -> Math {
    let terms = written(polynomial).into_iter().map(|(monomial, coefficient)| {
        let mut factors = vec![Math::Number(coefficient.abs())];
        let mut below = Vec::new();
        for (s, exponent) in monomial.powers() {
            let factor = symbol(s, exponent.unsigned_abs());
            match s {
                // A knot reads as a part of the coefficient.
                Symbol::Root(_) => factors.insert(1, factor),
                _ if *exponent > 0 => factors.push(factor),
                _ => below.push(factor),
            }
        }
        let above = product(factors);
        let term = if below.is_empty() { above } else { quotient(above, product(below)) };
        (coefficient.is_negative(), term)
    });
    sum(terms.collect())
}

/// coefficient · factors, with what is rational and what is a power of ξ in front.
fn term(coefficient: &Polynomial, xi: i32, root: u32, functions: Vec<Math>) -> (bool, Math) {
    let Factored { negative, content, xi: taken, factors, below: divisor } = factor(coefficient);
    let xi = xi + taken;
    let xi_power = |exponent: i32| power(Math::Name(Name::Xi), exponent.unsigned_abs());
    // √(2/π)ʳ keeps at most one root; each pair of them is 2/π.
    let pairs = root / 2;
    let content = content * Rational::from_integer(BigInt::from(2).pow(pairs));
    let mut below = vec![power(Math::Name(Name::Pi), pairs)];
    if xi < 0 {
        below.push(xi_power(xi));
    }
    below.extend(divisor.map(|divisor| denominator(&divisor)));
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

/// The limit for ξ → 0 of an expansion in powers of ξ; with the sign of its leading term it is
/// infinite where a negative power is left.
pub(super) fn at_rest(expansion: &Expansion) -> Math {
    let (power, roots) = match expansion.first_key_value() {
        Some((power, roots)) if *power <= 0 => (*power, roots.as_slice()),
        _ => (0, [].as_slice()),
    };
    let terms = (0..).zip(roots).filter(|(_, part)| !part.is_zero());
    let mut terms: Vec<(bool, Math)> =
        terms.map(|(r, part)| term(part, 0, r, Vec::new())).collect();
    match terms.as_slice() {
        [(negative, _)] if power < 0 => sum(vec![(*negative, Math::Name(Name::Infinity))]),
        _ if power < 0 => {
            // Which infinity depends on the parameters, or on a sum.
            let leading = sum(std::mem::take(&mut terms));
            Math::Product(vec![leading, Math::Name(Name::Infinity)])
        }
        _ => sum(terms),
    }
}

fn root_two_over_pi() -> Math {
    Math::Root(quotient(Math::integer(2), Math::Name(Name::Pi)).boxed())
}

/// symbol − t
fn offset(name: Name, knot: &Knot) -> Math {
    let mut terms = vec![(false, Math::Name(name))];
    let place = knot.polynomial();
    if !place.is_zero() {
        terms.push((true, polynomial(&place)));
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

/// A rational times factors, and whether it is negative.
pub(super) fn times(coefficient: &Rational, mut factors: Vec<Math>) -> (bool, Math) {
    let mut powers: Vec<(Math, u32)> = Vec::new();
    for factor in factors.drain(..) {
        match powers.last_mut() {
            Some((base, exponent)) if *base == factor => *exponent += 1,
            _ => powers.push((factor, 1)),
        }
    }
    factors.push(Math::Number(coefficient.abs()));
    factors.extend(powers.into_iter().map(|(base, exponent)| power(base, exponent)));
    (coefficient.is_negative(), product(factors))
}

/// The function, piece by piece.
pub(super) fn definition(function: &Piecewise) -> Math {
    if let Some(whole) = function.as_polynomial() {
        return polynomial(whole);
    }
    let knots = function.knots();
    let cases = function.pieces().iter().enumerate().map(|(i, piece)| {
        let knot =
            |i: Option<usize>| i.and_then(|i| knots.get(i)).map(|t| polynomial(&t.polynomial()));
        (polynomial(piece), knot(i.checked_sub(1)), knot(Some(i)))
    });
    Math::Cases(Name::Variable, cases.collect())
}
