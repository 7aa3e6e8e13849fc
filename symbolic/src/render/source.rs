//! Polynomials in the language itself, for messages that say what to write.

use num_integer::Integer;
use num_traits::{One, Signed};

use super::factored::written;
use crate::exact::{Rational, integer};
use crate::piecewise::Knot;
use crate::polynomial::{Algebraic, Monomial, Polynomial, Symbol};

/// A quotient of polynomials: `2*alpha^2 - 1`, `(a + b)/(1 - eps)`.
#[must_use]
pub fn polynomial(polynomial: &Polynomial) -> String {
    let above = sum(&polynomial.numerator());
    match polynomial.denominator() {
        Some(below) => format!("{}/{}", group(above), group(sum(below))),
        None => above,
    }
}

/// A knot: its place, or the first decimals of an irrational one.
#[must_use]
pub fn knot(knot: &Knot) -> String {
    match knot {
        Knot::Algebraic(root) => {
            let [below, above] = around(root);
            format!("{}…", if below.starts_with('-') { above } else { below })
        }
        other => polynomial(&other.polynomial()),
    }
}

/// The decimals with three digits behind the point that are next to an irrational number.
#[must_use]
pub fn around(root: &Algebraic) -> [String; 2] {
    const SCALE: i64 = 1_000;
    let mut bits = 32;
    let below = loop {
        let (lower, upper) = root.enclosure(bits);
        let [lower, upper] = [lower, upper].map(|bound| (bound * integer(SCALE)).floor());
        if lower == upper {
            break lower;
        }
        bits *= 2;
    };
    let decimal = |scaled: Rational| {
        let (whole, part) = scaled.abs().to_integer().div_rem(&SCALE.into());
        format!("{}{whole}.{part:03}", if scaled.is_negative() { "-" } else { "" })
    };
    [decimal(below.clone()), decimal(below + integer(1))]
}

/// The two strict inequalities between left and right, solved for a parameter where one stands
/// alone.
#[must_use]
pub(crate) fn alternatives(left: &Polynomial, right: &Polynomial) -> (String, String) {
    let (left, right, _) = sides(left, right);
    (format!("{left} < {right}"), format!("{left} > {right}"))
}

/// The two sides of a comparison, solved for a parameter where one stands alone, and whether that
/// has turned the comparison around.
pub(crate) fn sides(left: &Polynomial, right: &Polynomial) -> (String, String, bool) {
    let whole = left - right;
    let alone = whole.symbols().into_iter().find_map(|symbol| {
        let [constant, slope] = &whole.coefficients(&symbol)[..] else { return None };
        let slope = slope.as_constant().filter(|_| matches!(symbol, Symbol::Parameter(_)))?;
        let other = constant.scale(&-slope.recip());
        Some((Polynomial::symbol(symbol), other, slope.is_negative()))
    });
    let (left, right, falling) = alone.unwrap_or_else(|| (whole, Polynomial::zero(), false));
    (polynomial(&left), polynomial(&right), falling)
}

fn group(text: String) -> String {
    let simple = |c: char| c.is_alphanumeric() || c == '_';
    if text.chars().all(simple) { text } else { format!("({text})") }
}

fn sum(polynomial: &Polynomial) -> String {
    let mut text = String::new();
    for (monomial, coefficient) in written(polynomial) {
        let sign = match (text.is_empty(), coefficient.is_negative()) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        text.push_str(&term(&coefficient.abs(), monomial));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

fn term(coefficient: &Rational, monomial: &Monomial) -> String {
    let powers = monomial.powers().iter().map(|(symbol, exponent)| {
        let name = match symbol {
            Symbol::Parameter(name) => name.to_string(),
            Symbol::Variable => "u".to_owned(),
            Symbol::Gamma => "gamma".to_owned(),
            Symbol::Xi2 => "xi2".to_owned(),
            Symbol::Root(_) | Symbol::Reciprocal(_) => "t".to_owned(),
        };
        if *exponent == 1 { name } else { format!("{name}^{exponent}") }
    });
    let mut factors: Vec<String> = powers.collect();
    if factors.is_empty() || !coefficient.numer().is_one() {
        factors.insert(0, coefficient.numer().to_string());
    }
    let above = factors.join("*");
    if coefficient.denom().is_one() { above } else { format!("{above}/{}", coefficient.denom()) }
}
