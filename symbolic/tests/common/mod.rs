//! Shared parts of the tests: a reading of the language that shares no code with the engine, and random functions to
//! try both on.

#![allow(dead_code, reason = "each test uses a part")]

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Declaration, Expression, ExpressionKind, Input,
    parse_file, parse_input,
};
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Derivation, Error, Knot, Library, Piecewise};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The activation that a text declares, which must be right.
pub(crate) fn parse(text: &str) -> Activation {
    Activation::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The function of a bare expression.
pub(crate) fn function(text: &str) -> Piecewise {
    parse(text).function
}

/// A configuration of `count` cases, identical in every run.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        rng_seed: RngSeed::Fixed(20_251_121),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    }
}

/// A derivation that can be made; it replays, and every moment in it proves itself.
pub(crate) fn checked(derivation: Result<Derivation, Error>) -> Derivation {
    let derivation = derivation.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(derivation.replay(), Ok(()));
    derivation.certificates().expect("every moment proves itself");
    derivation
}

/// The activations that a file declares, for calls.
pub(crate) fn library(file: &str) -> Library {
    let known = Activation::parse_file(file, &Library::new()).unwrap_or_else(|e| panic!("{e}"));
    known.into_iter().map(|activation| (activation.name.clone(), activation)).collect()
}

/// A declaration or bare expression with its body changed.
pub(crate) fn rewritten(text: &str, change: impl Fn(&str) -> String) -> String {
    match text.split_once(") = ") {
        Some((header, body)) => format!("{header}) = {}", change(body)),
        None => change(text),
    }
}

/// A parameter as a symbol.
pub(crate) fn parameter(name: &str) -> Symbol {
    Symbol::Parameter(name.into())
}

/// The values of an activation's parameters, in the order of their declaration.
pub(crate) type Values<'a> = &'a [(Symbol, Rational)];

/// The number that a polynomial in the parameters is for these values.
pub(crate) fn number(polynomial: &Polynomial, values: Values<'_>) -> Rational {
    let constant = |(s, v): &(Symbol, Rational)| (s.clone(), Polynomial::constant(v.clone()));
    let values: Vec<_> = values.iter().map(constant).collect();
    polynomial.substitute_all(&values).as_constant().expect("every symbol has a value")
}

/// On which side of a point a knot lies; an irrational one is narrowed down until it shows.
pub(crate) fn side(knot: &Knot, x: &Rational, values: Values<'_>) -> Ordering {
    if let Knot::Parametric { place, .. } = knot {
        return number(place, values).cmp(x);
    }
    for bits in (3..).map(|k| 1 << k) {
        let (low, high) = knot.enclosure(bits).expect("a number");
        if low == high {
            return low.cmp(x);
        } else if low >= *x {
            return Ordering::Greater;
        } else if high <= *x {
            return Ordering::Less;
        }
    }
    unreachable!("an irrational number is no rational one")
}

/// The value of the normal form at a point, from its pieces and its values on knots.
pub(crate) fn value_at(function: &Piecewise, x: &Rational) -> Rational {
    value_with(function, x, &[])
}

/// The value of the normal form at a point for these values of the parameters, which must leave its knots in order.
pub(crate) fn value_with(function: &Piecewise, x: &Rational, values: Values<'_>) -> Rational {
    let sides: Vec<_> = function.knots().iter().map(|knot| side(knot, x, values)).collect();
    assert!(sides.is_sorted(), "{:?} for {values:?}", function.knots());
    let left = sides.iter().filter(|side| side.is_lt()).count();
    let polynomial = match sides.get(left) {
        Some(Ordering::Equal) => &function.at_knots()[left],
        _ => &function.pieces()[left],
    };
    let x = Polynomial::constant(x.clone());
    number(&polynomial.substitute(&Symbol::Variable, &x), values)
}

/// A function read from its syntax tree alone, by exact arithmetic at one point at a time.
pub(crate) struct Source(Vec<Declaration>);

impl Source {
    /// The function of a bare expression in x, or of the last declaration in a file.
    pub(crate) fn read(text: &str) -> Self {
        let Ok(Input::Expression(body)) = parse_input(text) else {
            return Self(parse_file(text).expect("a file of declarations"));
        };
        let mut shell = parse_file("g(x) = x").expect("a declaration");
        shell[0].body = body;
        Self(shell)
    }

    /// The function's value at `x`.
    pub(crate) fn at(&self, x: &Rational) -> Rational {
        self.with(x, &[])
    }

    /// The function's value at `x` for values of its parameters.
    pub(crate) fn with(&self, x: &Rational, parameters: &[Rational]) -> Rational {
        let (last, before) = self.0.split_last().expect("at least one declaration");
        apply(last, before, x.clone(), parameters)
    }
}

fn apply(
    declaration: &Declaration,
    known: &[Declaration],
    x: Rational,
    parameters: &[Rational],
) -> Rational {
    let names = declaration.parameters.iter().map(|parameter| parameter.name.text.as_str());
    let mut scope: BTreeMap<&str, Rational> = names.zip(parameters.iter().cloned()).collect();
    scope.insert(&declaration.variable.text, x);
    Reader { scope, known }.value(&declaration.body)
}

struct Reader<'a> {
    scope: BTreeMap<&'a str, Rational>,
    known: &'a [Declaration],
}

impl Reader<'_> {
    fn value(&self, expression: &Expression) -> Rational {
        match &expression.kind {
            ExpressionKind::Number(value) => value.clone(),
            ExpressionKind::Name(name) => self.scope[name.as_str()].clone(),
            ExpressionKind::Negation(a) => -self.value(a),
            ExpressionKind::Modulus(a) => modulus(self.value(a)),
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                match operator {
                    BinaryOperator::Add => a + b,
                    BinaryOperator::Subtract => a - b,
                    BinaryOperator::Multiply => a * b,
                    BinaryOperator::Divide => a / b,
                    BinaryOperator::Power => {
                        a.pow(b.to_integer().try_into().expect("a small exponent"))
                    }
                }
            }
            ExpressionKind::Call(name, arguments) => {
                let values: Vec<Rational> = arguments.iter().map(|a| self.value(a)).collect();
                self.call(&name.text, values)
            }
            ExpressionKind::Piecewise(branches, otherwise) => {
                let first = branches.iter().find(|(condition, _)| self.holds(condition));
                self.value(first.map_or(otherwise, |(_, value)| value))
            }
        }
    }

    fn call(&self, name: &str, values: Vec<Rational>) -> Rational {
        if let Some(i) = self.known.iter().position(|known| known.name.text == name) {
            return apply(&self.known[i], &self.known[..i], values[0].clone(), &values[1..]);
        }
        let zero = integer(0);
        match (name, values.as_slice()) {
            ("max", values) => values.iter().max().expect("an argument").clone(),
            ("min", values) => values.iter().min().expect("an argument").clone(),
            ("clamp", [a, low, high]) => a.clone().max(low.clone()).min(high.clone()),
            ("relu", [a]) => a.clone().max(zero),
            ("abs", [a]) => modulus(a.clone()),
            ("step", [a]) => integer(i64::from(*a > zero)),
            ("sign", [a]) => integer(i64::from(*a > zero) - i64::from(*a < zero)),
            _ => panic!("no function `{name}`"),
        }
    }

    fn holds(&self, condition: &Condition) -> bool {
        let mut left = self.value(&condition.first);
        condition.rest.iter().all(|(comparison, right)| {
            let right = self.value(right);
            let holds = match comparison {
                Comparison::Less => left < right,
                Comparison::LessEqual => left <= right,
                Comparison::Greater => left > right,
                Comparison::GreaterEqual => left >= right,
            };
            left = right;
            holds
        })
    }
}

fn modulus(value: Rational) -> Rational {
    if value < integer(0) { -value } else { value }
}

/// Small rationals.
pub(crate) fn rationals() -> impl Strategy<Value = Rational> {
    (-12_i64..=12, 1_i64..=4).prop_map(|(n, d)| ratio(n, d))
}

/// Texts of polynomials in x of degree two to four with small coefficients, which mostly have
/// irrational roots if any.
pub(crate) fn polynomials() -> impl Strategy<Value = String> {
    let lead = prop_oneof![Just(1_i64), Just(-1), Just(2)];
    (prop::collection::vec(-4_i64..=4, 2..=4), lead).prop_map(|(coefficients, lead)| {
        let powers = coefficients.iter().chain([&lead]).enumerate();
        let terms = powers.filter(|(_, c)| **c != 0).map(|(k, c)| format!("({c})*x^{k}"));
        format!("({})", terms.collect::<Vec<_>>().join(" + "))
    })
}

/// Texts of polynomials that share roots with each other, some of them rational and some of them
/// no real numbers.
pub(crate) fn factors() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "(x - 1)",
        "(2*x + 1)",
        "(x^2 - 2)",
        "(2 - x^2)",
        "(x^2 - x - 1)",
        "(x^3 - 2*x)",
        "(x^3 - x - 1)",
        "(x^4 - 5*x^2 + 6)",
        "(x^2 + 1)",
    ])
}

/// Texts of continuous functions of x: sums, products, powers, moduli, maxima, clamps.
pub(crate) fn continuous() -> impl Strategy<Value = String> {
    expressions(leaves(), false)
}

/// Texts of functions of x that may jump.
pub(crate) fn functions() -> impl Strategy<Value = String> {
    expressions(leaves(), true)
}

/// Texts of functions of x, a and b that may jump.
pub(crate) fn parametric() -> impl Strategy<Value = String> {
    let names =
        prop::sample::select(vec!["x", "(x - a)", "(x - b)", "(x - b)", "(b - a)", "a", "1"]);
    expressions(names.prop_map(str::to_owned).boxed(), true)
}

fn leaves() -> BoxedStrategy<String> {
    let number = || rationals().prop_map(|value| format!("({value})"));
    let line = (rationals(), rationals()).prop_map(|(a, b)| format!("({a}*x + {b})"));
    prop_oneof![3 => Just("x".to_owned()), 1 => number(), 2 => line].boxed()
}

fn expressions(leaf: BoxedStrategy<String>, jumps: bool) -> impl Strategy<Value = String> {
    leaf.prop_recursive(3, 12, 2, move |inner| {
        let one = || inner.clone();
        let two = || (inner.clone(), inner.clone());
        let continuous = prop_oneof![
            3 => two().prop_map(|(a, b)| format!("({a} + {b})")),
            2 => two().prop_map(|(a, b)| format!("({a} - {b})")),
            3 => two().prop_map(|(a, b)| format!("{a}*{b}")),
            1 => one().prop_map(|a| format!("({a})^2")),
            1 => one().prop_map(|a| format!("-{a}/3")),
            3 => one().prop_map(|a| format!("|{a}|")),
            3 => two().prop_map(|(a, b)| format!("max({a}, {b})")),
            2 => two().prop_map(|(a, b)| format!("min({a}, {b})")),
            1 => one().prop_map(|a| format!("relu({a})")),
            1 => (one(), rationals()).prop_map(|(a, b)| format!("clamp({a}, {b}, {b} + 2)")),
        ];
        let jump = prop_oneof![
            one().prop_map(|a| format!("sign({a})")),
            one().prop_map(|a| format!("step({a})")),
            (one(), two())
                .prop_map(|(a, (b, c))| { format!("piecewise {{ {a} <= 1/2: {b}; else: {c} }}") }),
        ];
        if jumps { prop_oneof![4 => continuous, 1 => jump].boxed() } else { continuous.boxed() }
    })
}

/// The error of a text, which must be wrong.
pub(crate) fn error(text: &str) -> Error {
    Activation::parse(text).expect_err(text)
}

/// A file of declarations.
pub(crate) fn file(text: &str) -> Result<Vec<Activation>, Error> {
    Activation::parse_file(text, &Library::new())
}

pub(crate) const HARD: &str = "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2";
pub(crate) const SHRINK: &str = "shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)";
pub(crate) const SMOOTH: &str = "smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)";

/// The functions that every query is tried on.
pub(crate) const QUERIED: [&str; 9] = [
    "max(0, x)",
    "step(x - 1/3) + x^2",
    "|x^2 - 2|",
    "clamp(x^2 - 3, -1, 2)*|x|",
    "leaky(x; eps in (0, 1)) = max(eps*x, x)",
    HARD,
    SHRINK,
    SMOOTH,
    "far(x; c > 2) = |x^2 - 2|*step(c - x)",
];

/// A moment of the activation that a text declares.
pub(crate) fn moment(text: &str, n: u32) -> Form {
    checked(parse(text).moment(n)).form()
}

pub(crate) fn mean(text: &str) -> Form {
    moment(text, 1)
}

pub(crate) fn gamma() -> Form {
    Polynomial::symbol(Symbol::Gamma).into()
}

pub(crate) fn xi2() -> Form {
    Polynomial::symbol(Symbol::Xi2).into()
}

pub(crate) fn whole(value: i64) -> Form {
    Polynomial::constant(integer(value)).into()
}

pub(crate) fn power(form: &Form, n: u32) -> Form {
    (0..n).fold(Polynomial::one().into(), |product, _| &product * form)
}
