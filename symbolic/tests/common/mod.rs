//! What the tests share: a reading of the language that owes nothing to the engine, and random
//! functions to try both on.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeMap;

use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::grammar::{
    BinaryOperator, Comparison, Condition, Declaration, Expression, ExpressionKind, Input,
    parse_file, parse_input,
};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Piecewise};
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

/// As many cases as asked for, the same ones in every run.
pub(crate) fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count,
        rng_seed: RngSeed::Fixed(20_251_121),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    }
}

/// The value of the normal form at a point, from its pieces and its values on knots.
pub(crate) fn value_at(function: &Piecewise, x: &Rational) -> Rational {
    let left = function.knots().iter().take_while(|knot| knot.value() < x).count();
    let polynomial = match function.knots().get(left) {
        Some(knot) if knot.value() == x => &function.at_knots()[left],
        _ => &function.pieces()[left],
    };
    let value = polynomial.substitute(&Symbol::Variable, &Polynomial::constant(x.clone()));
    value.as_constant().expect("a function without parameters")
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

    /// Its value at `x`.
    pub(crate) fn at(&self, x: &Rational) -> Rational {
        self.with(x, &[])
    }

    /// Its value at `x` for values of its parameters.
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

/// Texts of continuous functions of x: sums, products, powers, moduli, maxima, clamps.
pub(crate) fn continuous() -> impl Strategy<Value = String> {
    expressions(false)
}

/// Texts of functions of x that may jump.
pub(crate) fn functions() -> impl Strategy<Value = String> {
    expressions(true)
}

fn expressions(jumps: bool) -> impl Strategy<Value = String> {
    let number = || rationals().prop_map(|value| format!("({value})"));
    let line = (rationals(), rationals()).prop_map(|(a, b)| format!("({a}*x + {b})"));
    let leaf = prop_oneof![3 => Just("x".to_owned()), 1 => number(), 2 => line];
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
