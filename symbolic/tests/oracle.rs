//! Closed forms against numerical integration in high precision.
//!
//! The two sides share the syntax tree and nothing else. One side evaluates the derived form:
//! rational coefficients, erf and exp. The other reads the function off the tree point by point
//! with exact rationals, finds the intervals on which it is a polynomial by finite differences,
//! and integrates gⁿ times the Normal density over each by Gauss–Legendre.
//!
//! `GAUSSFORM_ORACLE_CASES` asks for another number of random cases than the default.

mod common;

use std::sync::LazyLock;

use common::{Source, cases, functions, parse};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Derivation, ErrorKind, render};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use puremp::{FixedFloat as Real, Float, RoundingMode::Nearest};

/// Bits of a `Real`: 48 digits.
const PRECISION: u64 = 160;
/// The error allowed, relative to E|g|ⁿ: 25 digits.
const DIGITS: u32 = 25;
/// Nodes of the quadrature on a panel.
const NODES: usize = 30;
/// How many ξ a panel spans at the most, and how many the integral reaches on both sides of γ.
const PANEL: i64 = 2;
const REACH: i64 = 16;
/// The highest degree of a piece that is tried.
const DEGREE: usize = 5;

fn real(value: &Rational) -> Real {
    let value = value.to_string().parse().expect("a rational");
    Real::from_float(Float::from_rational(&value, PRECISION, Nearest), Nearest)
}

fn whole(value: i64) -> Real {
    Real::from_int(&value.into(), PRECISION, Nearest)
}

fn erf(x: &Real) -> Real {
    Real::from_float(x.as_float().erf(PRECISION, Nearest), Nearest)
}

fn sum<'a>(values: impl IntoIterator<Item = &'a Real>) -> Real {
    values.into_iter().fold(whole(0), |sum, value| &sum + value)
}

/// u ~ N(γ, ξ²), with a rational ξ.
#[derive(Debug)]
struct Normal {
    gamma: Rational,
    xi: Rational,
}

// One side: the value of a closed form.
impl Normal {
    fn evaluate(&self, form: &Form) -> Real {
        let terms = form.terms().map(|(product, coefficient)| {
            product.factors().fold(
                real(&self.polynomial(coefficient)),
                |term, (function, power)| {
                    let value = self.function(function);
                    (0..power).fold(term, |term, _| &term * &value)
                },
            )
        });
        sum(&terms.collect::<Vec<_>>())
    }

    fn polynomial(&self, polynomial: &Polynomial) -> Rational {
        let terms = polynomial.terms().map(|(monomial, coefficient)| {
            monomial.powers().iter().fold(coefficient.clone(), |term, (symbol, exponent)| {
                term * match symbol {
                    Symbol::Gamma => self.gamma.pow(*exponent),
                    Symbol::Xi2 => self.xi.pow(2 * exponent),
                    other => panic!("{other:?} in a moment"),
                }
            })
        });
        terms.sum()
    }

    fn function(&self, function: &Function) -> Real {
        let z = real(&((&self.gamma - function.knot().value()) / &self.xi));
        match function {
            Function::Erf(_) => erf(&(&z / &whole(2).sqrt())),
            Function::Gauss(_) => {
                let height = (&whole(2) / &Real::pi(PRECISION, Nearest)).sqrt();
                &(&height * &real(&self.xi)) * &bell(&z)
            }
        }
    }
}

/// e^{−z²/2}
fn bell(z: &Real) -> Real {
    (&(z * z) / &whole(-2)).exp()
}

/// A polynomial between two points, by its forward differences: Σ C(s, j) Δʲ at
/// u = start + s · step.
struct Piece {
    from: Rational,
    to: Rational,
    start: Real,
    step: Real,
    differences: Vec<Real>,
}

impl Piece {
    /// The polynomial that the function is strictly between two points; `None` if it is none.
    fn between(source: &Source, from: &Rational, to: &Rational) -> Option<Self> {
        let samples = DEGREE + 3;
        let margin = (to - from) * ratio(1, 1 << 30);
        let start = from + &margin;
        let step = (to - from - margin * integer(2)) / Rational::from_integer((samples - 1).into());
        let mut at = start.clone();
        let mut row = Vec::new();
        for _ in 0..samples {
            row.push(source.at(&at));
            at += &step;
        }
        let mut differences = Vec::new();
        while let Some(first) = row.first() {
            differences.push(first.clone());
            row = row.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
        }
        let fits = differences[DEGREE + 1..].iter().all(|beyond| *beyond == integer(0));
        fits.then(|| {
            let differences = differences[..=DEGREE].iter().map(real).collect();
            let (start, step) = (real(&start), real(&step));
            Self { from: from.clone(), to: to.clone(), start, step, differences }
        })
    }

    fn at(&self, u: &Real) -> Real {
        let s = &(u - &self.start) / &self.step;
        let mut binomial = whole(1);
        let mut sum = whole(0);
        for (j, difference) in (0..).zip(&self.differences) {
            sum = &sum + &(&binomial * difference);
            binomial = &(&binomial * &(&s - &whole(j))) / &whole(j + 1);
        }
        sum
    }
}

/// The pieces of a function between two points that are no knots themselves. The search starts
/// from a mesh that is finer around 0, where narrow features of the random functions are.
fn pieces(source: &Source, from: &Rational, to: &Rational) -> Vec<Piece> {
    let wide = (0..=24).map(|k| from + (to - from) * ratio(k, 24));
    let near = (-40..=40).map(|k| ratio(k, 8) + ratio(1, 1009));
    let mut mesh: Vec<_> = wide.chain(near.filter(|x| from < x && x < to)).collect();
    mesh.sort();
    let mut breaks = vec![from.clone()];
    for cell in mesh.windows(2) {
        find_breaks(source, &cell[0], &cell[1], &mut breaks);
    }
    breaks.push(to.clone());
    let piece = |pair: &[Rational]| Piece::between(source, &pair[0], &pair[1]);
    breaks.windows(2).map(|pair| piece(pair).expect("no break is missed")).collect()
}

/// Halves an interval until it shows where the function changes, which is taken to be at the
/// simplest number inside.
fn find_breaks(source: &Source, from: &Rational, to: &Rational, breaks: &mut Vec<Rational>) {
    if Piece::between(source, from, to).is_some() {
        return;
    }
    if to - from < ratio(1, 1 << 24) {
        return breaks.push(simplest(from, to));
    }
    let middle = (from + to) / integer(2);
    find_breaks(source, from, &middle, breaks);
    find_breaks(source, &middle, to, breaks);
}

/// The rational with the smallest denominator between two points.
fn simplest(low: &Rational, high: &Rational) -> Rational {
    let floor = low.floor();
    if floor < high.floor() {
        return floor + integer(1);
    }
    let (low, high) = (low - &floor, high - &floor);
    floor + simplest(&high.recip(), &low.recip()).recip()
}

/// The nodes and weights of Gauss–Legendre on (−1, 1): roots of the Legendre polynomial by
/// Newton's method.
static QUADRATURE: LazyLock<Vec<(Real, Real)>> = LazyLock::new(|| {
    let node = |i: usize| {
        let angle = std::f64::consts::PI * (i as f64 + 0.75) / (NODES as f64 + 0.5);
        let mut x = Real::from_f64(angle.cos(), PRECISION, Nearest);
        for _ in 0..5 {
            let (value, slope) = legendre(&x);
            x = &x - &(&value / &slope);
        }
        let slope = legendre(&x).1;
        let below = &(&whole(1) - &(&x * &x)) * &(&slope * &slope);
        (x, &whole(2) / &below)
    };
    (0..NODES).map(node).collect()
});

/// The Legendre polynomial of degree `NODES` and its derivative at `x`.
fn legendre(x: &Real) -> (Real, Real) {
    let (mut before, mut value) = (whole(0), whole(1));
    for k in 0..NODES as i64 {
        let next = &(&(&whole(2 * k + 1) * x) * &value) - &(&whole(k) * &before);
        (before, value) = (value, &next / &whole(k + 1));
    }
    let slope = &(&(x * &value) - &before) * &whole(NODES as i64);
    (value.clone(), &slope / &(&(x * x) - &whole(1)))
}

/// Expectations by integration.
struct Integrals {
    /// E[gⁿ] for n = 1, 2, 3.
    moments: [Real; 3],
    /// ∂E[gⁿ]/∂γ = E[gⁿ (u − γ)]/ξ² for n = 1, 2.
    in_gamma: [Real; 2],
    /// ∂E[gⁿ]/∂ξ² = E[gⁿ ((u − γ)² − ξ²)]/(2ξ⁴) for n = 1, 2.
    in_xi2: [Real; 2],
    /// E|g|ⁿ for n = 1, 2, 3: what errors are measured by.
    sizes: [Real; 3],
}

// The other side.
impl Normal {
    fn integrate(&self, source: &Source) -> Integrals {
        // Ends with these denominators are no knots.
        let from = &self.gamma - &self.xi * integer(REACH) - ratio(1, 1009);
        let to = &self.gamma + &self.xi * integer(REACH) + ratio(1, 1013);
        let zero = || whole(0);
        let mut total: [Real; 10] = std::array::from_fn(|_| zero());
        for piece in pieces(source, &from, &to) {
            let width = &piece.to - &piece.from;
            let panels = (&width / (&self.xi * integer(PANEL))).ceil();
            let half = &width / (&panels * integer(2));
            let mut middle = &piece.from + &half;
            while middle < piece.to {
                self.add_panel(&piece, &middle, &half, &mut total);
                middle += &half * integer(2);
            }
        }
        let root = (&whole(2) * &Real::pi(PRECISION, Nearest)).sqrt();
        let [a, b, c, d, e, f, g, h, i, j] = total.map(|value| &value / &(&root * &real(&self.xi)));
        Integrals { moments: [a, b, c], in_gamma: [d, e], in_xi2: [f, g], sizes: [h, i, j] }
    }

    fn add_panel(&self, piece: &Piece, middle: &Rational, half: &Rational, total: &mut [Real; 10]) {
        let (gamma, xi) = (real(&self.gamma), real(&self.xi));
        let (middle, half) = (real(middle), real(half));
        for (node, weight) in QUADRATURE.iter() {
            let u = &middle + &(&half * node);
            let z = &(&u - &gamma) / &xi;
            let g = piece.at(&u);
            let mass = &(weight * &half) * &bell(&z);
            let first = &mass * &g;
            let second = &first * &g;
            let third = &second * &g;
            let in_gamma = &z / &xi;
            let in_xi2 = &(&(&z * &z) - &whole(1)) / &(&(&xi * &xi) * &whole(2));
            let values = [
                first.clone(),
                second.clone(),
                third.clone(),
                &first * &in_gamma,
                &second * &in_gamma,
                &first * &in_xi2,
                &second * &in_xi2,
                first.abs(),
                second,
                third.abs(),
            ];
            for (sum, value) in total.iter_mut().zip(values) {
                *sum += value;
            }
        }
    }
}

/// Whether two numbers agree to so many digits of `size`.
fn close(a: &Real, b: &Real, size: &Real) -> bool {
    let scale = real(&integer(10).pow(-(DIGITS as i32)));
    (a - b).abs() <= &scale * size
}

/// Holds the closed forms of a function's moments, its variance and their derivatives against
/// the integrals.
fn compare(text: &str, activation: &Activation, normal: &Normal) -> Result<(), TestCaseError> {
    let Integrals { moments, in_gamma, in_xi2, sizes } = normal.integrate(&Source::read(text));
    let check = |derivation: &Derivation, expected: &Real, size: &Real| {
        let (quantity, form) = derivation.result();
        let derived = normal.evaluate(form);
        prop_assert!(
            close(&derived, expected, size),
            "{} of {text} is {derived}, not {expected}",
            render::text::quantity(quantity)
        );
        Ok(())
    };
    for (n, (expected, size)) in (1..).zip(moments.iter().zip(&sizes)) {
        check(&activation.moment(n).expect("a small order"), expected, size)?;
    }
    // E|g|ⁿ times the largest of the two scores where the density is not negligible.
    let [first, second, _] = sizes.map(|size| &size * &whole(100));
    for (n, size) in [(1, &first), (2, &second)] {
        for (symbol, expected) in [(Symbol::Gamma, &in_gamma), (Symbol::Xi2, &in_xi2)] {
            let moment = activation.moment(n).expect("a small order");
            check(&moment.differentiate(&symbol), &expected[n as usize - 1], size)?;
        }
    }
    let mean = &moments[0];
    let variance = activation.variance().expect("little work");
    check(&variance, &(&moments[1] - &(mean * mean)), &second)?;
    let slope = &in_gamma[1] - &(&(&whole(2) * mean) * &in_gamma[0]);
    check(&variance.differentiate(&Symbol::Gamma), &slope, &second)
}

fn normals() -> impl Strategy<Value = Normal> {
    (-8_i64..=8, 2_i64..=8)
        .prop_map(|(gamma, xi)| Normal { gamma: ratio(gamma, 4), xi: ratio(xi, 4) })
}

#[test]
fn closed_forms_of_random_functions_are_the_integrals() {
    let count = std::env::var("GAUSSFORM_ORACLE_CASES").ok().and_then(|n| n.parse().ok());
    let mut runner = TestRunner::new(cases(count.unwrap_or(24)));
    let result = runner.run(&(functions(), normals()), |(text, normal)| {
        let activation = match Activation::parse(&text) {
            Ok(activation) => activation,
            Err(error) => {
                let outside = matches!(
                    error.kind,
                    ErrorKind::IrrationalKnot { .. } | ErrorKind::Limit { .. }
                );
                prop_assert!(outside, "{text}: {error}");
                return Err(TestCaseError::reject("not in the class"));
            }
        };
        prop_assume!(activation.function.degree() <= DEGREE as i32);
        prop_assume!(!activation.function.knots().is_empty());
        compare(&text, &activation, &normal)
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn closed_forms_of_known_activations_are_the_integrals() {
    let normal = Normal { gamma: ratio(-3, 8), xi: ratio(5, 4) };
    for text in [
        "max(0, x)^2",
        "x*clamp(x + 3, 0, 6)/6",
        "||x| - 1| + step(x - 1/2)",
        "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 2 - x; else: x^2 }",
    ] {
        compare(text, &parse(text), &normal).expect("they agree");
    }
}

/// What the comparison is worth: one part in 10²⁰ of any coefficient is seen.
#[test]
fn a_wrong_coefficient_is_seen() {
    let text = "clamp(x, -1, 2)^2";
    let normal = Normal { gamma: ratio(1, 4), xi: ratio(3, 4) };
    let integrals = normal.integrate(&Source::read(text));
    let agrees =
        |form: &Form| close(&normal.evaluate(form), &integrals.moments[0], &integrals.sizes[0]);
    let mean = parse(text).moment(1).expect("a small order");
    assert!(agrees(mean.form()));
    for (product, coefficient) in mean.form().terms() {
        let change = coefficient.scale(&integer(10).pow(-20));
        let function = product.factors().next().map(|(function, _)| function.clone());
        let change = match function {
            Some(function) => Form::term(change, function),
            None => change.into(),
        };
        assert!(!agrees(&(mean.form() + &change)), "{product:?}");
    }
}
