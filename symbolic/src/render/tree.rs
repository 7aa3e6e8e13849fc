//! From the engine's objects to the tree of mathematics.

use num_bigint::BigInt;
use num_traits::Signed;

use super::factored::{Factored, factor, written};
use super::math::{Math, Name, Named, power, product, quotient, sum};
use super::surd;
use crate::domain::Knot;
use crate::exact::{Rational, ratio};
use crate::moment::{Axis, Expansion, Form, Function, Product};
use crate::piecewise::{ModulusForm, Piecewise, SignForm};
use crate::polynomial::{Polynomial, Symbol};

/// A symbol to a positive power; ξ² is ξ to twice the power.
fn symbol(symbol: &Symbol, exponent: u32) -> Math {
    let (name, exponent) = match symbol {
        Symbol::Variable => (Name::Variable, exponent),
        Symbol::Gamma => (Name::Gamma, exponent),
        Symbol::Xi2 => (Name::Xi, 2 * exponent),
        Symbol::GammaOther => (Name::GammaOther, exponent),
        Symbol::Xi2Other => (Name::XiOther, 2 * exponent),
        Symbol::Determinant => (Name::Determinant, exponent),
        Symbol::Covariance => (Name::Covariance, exponent),
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
        Symbol::GammaOther => Name::GammaOther,
        Symbol::Xi2Other => Name::Xi2Other,
        Symbol::Determinant => Name::Determinant,
        Symbol::Covariance => Name::Covariance,
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

/// ξ, ξ′ or √Δ to a power, as factors.
fn scale(index: usize, exponent: u32) -> Vec<Math> {
    let factors = match index {
        0 => vec![power(Math::Name(Name::Xi), exponent)],
        1 => vec![power(Math::Name(Name::XiOther), exponent)],
        _ => {
            let root = Math::Root(Math::Name(Name::Determinant).boxed());
            let whole = power(Math::Name(Name::Determinant), exponent / 2);
            vec![whole, power(root, exponent % 2)]
        }
    };
    factors.into_iter().filter(|factor| !factor.is_one()).collect()
}

/// coefficient · factors, with what is rational and what is a power of ξ, ξ′ or √Δ in front.
fn term(coefficient: &Polynomial, factor_of: &Factors) -> (bool, Math) {
    let Factors { root, scales, functions } = factor_of;
    let (root, functions) = (*root, functions.clone());
    let Factored { negative, content, scales: taken, factors, below: divisor } =
        factor(coefficient);
    let mut scales = *scales;
    scales.iter_mut().zip(taken).for_each(|(exponent, taken)| *exponent += taken);
    let powers = |positive: bool| {
        let some = scales.iter().enumerate().filter(move |(_, e)| (**e > 0) == positive);
        some.flat_map(|(index, exponent)| scale(index, exponent.unsigned_abs())).collect()
    };
    // √(2/π)ʳ keeps at most one root; each pair of them is 2/π.
    let pairs = root / 2;
    let content = content * Rational::from_integer(BigInt::from(2).pow(pairs));
    let mut below = vec![power(Math::Name(Name::Pi), pairs)];
    let (mut above, divisors): (Vec<Math>, Vec<Math>) = (powers(true), powers(false));
    below.extend(divisors);
    below.extend(divisor.map(|divisor| denominator(&divisor)));
    let below = product(below);
    let mut all = Vec::new();
    if below.is_one() {
        all.push(Math::Number(content));
    } else {
        let [numerator, denominator] =
            [content.numer(), content.denom()].map(|n| Math::Number(n.clone().into()));
        all.push(quotient(numerator, product(vec![denominator, below])));
    }
    if root % 2 == 1 {
        all.push(root_two_over_pi());
    }
    // Monomials read better before ξ, sums behind it.
    let (sums, simple): (Vec<Math>, Vec<Math>) =
        factors.iter().map(polynomial).partition(|math| matches!(math, Math::Sum(_)));
    all.extend(simple);
    all.append(&mut above);
    all.extend(sums);
    all.extend(functions);
    (negative, product(all))
}

/// The limit for ξ → 0 of an expansion in powers of ξ; with the sign of its leading term it is
/// infinite where a negative power is left.
pub(super) fn at_zero_variance(expansion: &Expansion) -> Math {
    let (power, roots) = match expansion.first_key_value() {
        Some((power, roots)) if *power <= 0 => (*power, roots.as_slice()),
        _ => (0, [].as_slice()),
    };
    let terms = (0..).zip(roots).filter(|(_, part)| !part.is_zero());
    let mut terms: Vec<(bool, Math)> =
        terms.map(|(r, part)| term(part, &Factors { root: r, ..Factors::default() })).collect();
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

/// The factors of a term as they are written: √(2/π), powers of ξ, ξ′ and √Δ, and functions.
#[derive(Clone, Debug, Default)]
struct Factors {
    /// The power of √(2/π).
    root: u32,
    /// The powers of ξ, ξ′ and √Δ.
    scales: [i32; 3],
    functions: Vec<Math>,
}

fn factors(product: &Product) -> Factors {
    let mut all = Factors::default();
    for (function, exponent) in product.factors() {
        let count = i32::try_from(exponent).expect("a small exponent");
        let from = |axis: Axis| {
            let knot = function.knot(axis).expect("a function that has this axis");
            offset(name(&axis.mean()), knot)
        };
        match function {
            Function::Erf(_) => all.functions.push(erf(from(Axis::First), Axis::First, exponent)),
            Function::ErfOther(_) => {
                all.functions.push(erf(from(Axis::Second), Axis::Second, exponent));
            }
            Function::Gauss(_) => all.bell(from(Axis::First), Axis::First, exponent),
            Function::GaussOther(_) => all.bell(from(Axis::Second), Axis::Second, exponent),
            Function::Quadrant(..) => {
                let [a, b] = Axis::BOTH.map(from);
                let arguments = Math::Pair(a.boxed(), b.boxed());
                let function = Math::Apply(Named::Quadrant, arguments.boxed());
                all.functions.push(power(function, exponent));
            }
            Function::Edge(axis, ..) => {
                all.bell(from(*axis), *axis, exponent);
                let along = product_of(square(*axis), from(axis.other()));
                let across = product_of(Math::Name(Name::Covariance), from(*axis));
                let root = Math::Root(Math::Name(Name::Determinant).boxed());
                let two = Math::Root(Math::integer(2).boxed());
                let below = Math::Product(vec![two, deviation(*axis), root]);
                let above = sum(vec![(false, along), (true, across)]);
                let inside = Math::Apply(Named::Erf, quotient(above, below).boxed());
                all.functions.push(power(inside, exponent));
            }
            Function::Corner(..) => {
                all.root += 2 * exponent;
                all.scales[2] += count;
                let [a, b] = Axis::BOTH.map(from);
                let mixed = Math::Product(vec![
                    Math::integer(2),
                    Math::Name(Name::Covariance),
                    a.clone(),
                    b.clone(),
                ]);
                let terms = vec![
                    (false, product_of(square(Axis::Second), power(a, 2))),
                    (true, mixed),
                    (false, product_of(square(Axis::First), power(b, 2))),
                ];
                all.exponential(exponent, sum(terms), Math::Name(Name::Determinant));
            }
        }
    }
    all
}

impl Factors {
    /// G to a power.
    fn bell(&mut self, from_knot: Math, axis: Axis, exponent: u32) {
        self.root += exponent;
        self.scales[axis as usize] += i32::try_from(exponent).expect("a small exponent");
        self.exponential(exponent, power(from_knot, 2), square(axis));
    }

    /// exp(−above/(2 below)) to a power k, which is exp(−k above/(2 below)).
    fn exponential(&mut self, exponent: u32, above: Math, below: Math) {
        // In lowest terms: the square of exp(−a²/(2b²)) is written exp(−a²/b²).
        let share = ratio(i64::from(exponent), 2);
        let above = product(vec![Math::Number(share.numer().clone().into()), above]);
        let below = product(vec![Math::Number(share.denom().clone().into()), below]);
        let negative = Math::Sum(vec![(true, quotient(above, below))]);
        self.functions.push(Math::Apply(Named::Exp, negative.boxed()));
    }
}

fn erf(from_knot: Math, axis: Axis, exponent: u32) -> Math {
    let below = Math::Product(vec![Math::Root(Math::integer(2).boxed()), deviation(axis)]);
    power(Math::Apply(Named::Erf, quotient(from_knot, below).boxed()), exponent)
}

/// ξ or ξ′
fn deviation(axis: Axis) -> Math {
    Math::Name(match axis {
        Axis::First => Name::Xi,
        Axis::Second => Name::XiOther,
    })
}

/// ξ² or ξ′²
fn square(axis: Axis) -> Math {
    power(deviation(axis), 2)
}

fn product_of(first: Math, second: Math) -> Math {
    Math::Product(vec![first, second])
}

/// A form as a sum, with a term for each product of functions.
pub(super) fn form(form: &Form) -> Math {
    let of =
        |(functions, coefficient): (&Product, &Polynomial)| term(coefficient, &factors(functions));
    sum(form.terms().map(of).collect())
}

fn in_variable(terms: &mut Vec<(bool, Math)>, coefficient: &Polynomial, functions: Vec<Math>) {
    if !coefficient.is_zero() {
        terms.push(term(coefficient, &Factors { functions, ..Factors::default() }));
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

/// uⁱ f(u) wʲ k(w)
pub(super) fn pair_integrand(powers: [u32; 2], factors: &[crate::derivation::Factor; 2]) -> Math {
    let [first, second] = [0, 1].map(|i| integrand(powers[i], &factors[i]));
    let factors = [first, second.with_variable_as(&Name::OtherVariable)];
    // A power and a modulus are factors of one product.
    let flat = factors.into_iter().flat_map(|factor| match factor {
        Math::Product(factors) => factors,
        one => vec![one],
    });
    product(flat.collect())
}

/// uᵏ f(u)
pub(super) fn integrand(k: u32, factor: &crate::derivation::Factor) -> Math {
    use crate::derivation::Factor;
    let function = match factor {
        Factor::One => Math::integer(1),
        Factor::Sign(knot) => Math::Apply(Named::Sign, offset(Name::Variable, knot).boxed()),
        Factor::Modulus(knot) => Math::Modulus(offset(Name::Variable, knot).boxed()),
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
