//! Polynomials in the language itself, for messages that say what to write.

use std::fmt;

use num_integer::Integer;
use num_traits::{One, Signed};

use super::factored::written;
use crate::domain::Knot;
use crate::exact::{Rational, integer};
use crate::moment::LimitError;
use crate::parameter::Relation;
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
            // The digits are cut off, and so rounded towards 0.
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
    // An irrational number is no multiple of 1/1000, so the bounds get between two of these.
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

/// The two strict inequalities between a value and 0, solved for a parameter where one stands
/// alone.
#[must_use]
pub(crate) fn alternatives(value: &Polynomial) -> (String, String) {
    let (left, right, _) = sides(value);
    (format!("{left} < {right}"), format!("{left} > {right}"))
}

/// The two sides of a comparison of a value with 0, solved for a parameter where one stands alone,
/// and whether that has turned the comparison around.
pub(crate) fn sides(value: &Polynomial) -> (String, String, bool) {
    let (left, right, falling) = match value.solved() {
        Some((symbol, other, slope)) => (Polynomial::symbol(symbol), other, slope.is_negative()),
        None => (value.clone(), Polynomial::zero(), false),
    };
    (polynomial(&left), polynomial(&right), falling)
}

/// A relation is written as it is declared: `a < b`.
impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.strict { "<" } else { "<=" };
        let [lesser, greater] = [&self.lesser, &self.greater].map(polynomial);
        write!(f, "{lesser} {sign} {greater}")
    }
}

impl fmt::Display for LimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Divergent(_) => f.write_str("there is no finite limit"),
            Self::Direction(place) => {
                let place = polynomial(place);
                write!(f, "what is declared does not decide where `{place}` goes")
            }
            Self::Excluded => f.write_str("what is declared keeps the parameter away from there"),
            Self::Pair => f.write_str("limits are not taken of two pre-activations"),
            Self::TooLarge => f.write_str("finding this limit takes too long"),
            Self::Symbol => f.write_str(
                "limits are taken in a parameter, or in the mean of the pre-activation at infinity",
            ),
        }
    }
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
            Symbol::GammaOther => "gamma_h".to_owned(),
            Symbol::Xi2Other => "xi2_h".to_owned(),
            Symbol::Covariance => "cov".to_owned(),
            Symbol::Determinant => "det".to_owned(),
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
