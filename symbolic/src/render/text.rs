//! Unicode text for a terminal.

use num_traits::One;

use super::tree::{Math, Name, Named};
use crate::derivation::{Derivation, Quantity};
use crate::exact::Rational;
use crate::moment::Form;
use crate::piecewise::Piecewise;

/// A form on one line.
#[must_use]
pub fn form(form: &Form) -> String {
    math(&super::tree::form(form))
}

/// `E[g(u)²] = …`, one term to a line where it is long.
#[must_use]
pub fn equation(derivation: &Derivation) -> String {
    let (quantity, form) = derivation.result();
    let left = math(&super::steps::quantity(quantity));
    wrapped(&left, &super::tree::form(form), 92)
}

/// An equation, with one term to a line if it would be wider than `width`.
fn wrapped(left: &str, right: &Math, width: usize) -> String {
    let start = left.chars().count();
    let lines = match right {
        Math::Sum(parts) => terms(parts),
        other => vec![math(other)],
    };
    let one_line = lines.join(" ");
    if start + one_line.chars().count() < width {
        return format!("{left} = {one_line}");
    }
    format!("{left} = {}", lines.join(&format!("\n{:1$}", "", start + 1)))
}

/// The name of a quantity: `E[g(u)²]`.
#[must_use]
pub fn quantity(quantity: &Quantity) -> String {
    math(&super::steps::quantity(quantity))
}

/// The function, a piece to a line.
#[must_use]
pub fn definition(name: &str, function: &Piecewise) -> String {
    let left = format!("{name}(u) = ");
    match super::tree::definition(function) {
        Math::Cases(cases) => {
            let values: Vec<String> = cases.iter().map(|(value, ..)| math(value)).collect();
            let width = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
            let indent = left.chars().count();
            let mut text = left;
            for (i, (value, (_, lower, upper))) in values.iter().zip(&cases).enumerate() {
                let brace = match i {
                    0 => '⎧',
                    _ if i + 1 == cases.len() => '⎩',
                    _ if 2 * i + 1 == cases.len() => '⎨',
                    _ => '⎪',
                };
                if i > 0 {
                    text.push_str(&format!("\n{:indent$}", ""));
                }
                let pad = width - value.chars().count();
                text.push_str(&format!("{brace} {value}{:pad$}   {}", "", range(lower, upper)));
            }
            text
        }
        whole => left + &math(&whole),
    }
}

fn range(lower: &Option<Rational>, upper: &Option<Rational>) -> String {
    match (lower, upper) {
        (Some(a), Some(b)) => format!("{} < u < {}", minus(a), minus(b)),
        (Some(a), None) => format!("u > {}", minus(a)),
        (None, Some(b)) => format!("u < {}", minus(b)),
        (None, None) => "all u".to_owned(),
    }
}

fn minus(value: &Rational) -> String {
    value.to_string().replace('-', "−")
}

/// The derivation, a numbered equation to a step.
#[must_use]
pub fn steps(derivation: &Derivation) -> String {
    let lines = super::steps::lines(derivation);
    let reasons: Vec<String> = lines.iter().map(super::steps::Line::reason).collect();
    let width = reasons.iter().map(|reason| reason.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (i, (reason, line)) in reasons.iter().zip(&lines).enumerate() {
        let pad = width - reason.chars().count();
        let start = format!("{:>4}  {reason}{:pad$}  ", format!("({})", i + 1), "");
        let left = start + &math(&line.left);
        text.push_str(&wrapped(&left, &line.right, 132));
        text.push('\n');
    }
    text
}

/// A formula on one line.
#[must_use]
pub fn math(formula: &Math) -> String {
    match formula {
        Math::Number(value) => value.to_string(),
        Math::Name(name) => symbol(name),
        Math::Sum(parts) => terms(parts).join(" "),
        Math::Product(factors) => {
            let written = factors.iter().map(|factor| match factor {
                Math::Sum(_) => format!("({})", math(factor)),
                _ => math(factor),
            });
            written.collect::<Vec<_>>().join(" ")
        }
        Math::Power(base, exponent) => format!("{}{}", atom(base), superscript(*exponent)),
        Math::Quotient(above, below) => format!("{}/{}", atom(above), atom(below)),
        Math::Root(inner) => format!("√{}", atom(inner)),
        Math::Modulus(inner) => format!("|{}|", math(inner)),
        Math::Apply(Named::Variance, inner) => format!("Var {}", math(inner)),
        Math::Apply(named, inner) => format!("{}({})", function(*named), math(inner)),
        Math::Cases(cases) => {
            let written = cases.iter().map(|(value, lower, upper)| {
                format!("{} for {}", math(value), range(lower, upper))
            });
            format!("{{ {} }}", written.collect::<Vec<_>>().join("; "))
        }
        Math::Expectation(inner) => format!("E[{}]", math(inner)),
        Math::Partial(inner, name) => format!("∂{} {}", symbol(name), math(inner)),
    }
}

/// The terms of a sum, each with its sign.
fn terms(parts: &[(bool, Math)]) -> Vec<String> {
    if parts.is_empty() {
        return vec!["0".to_owned()];
    }
    let signed = parts.iter().enumerate().map(|(i, (negative, term))| {
        let term = math(term);
        match (i, negative) {
            (0, false) => term,
            (0, true) => format!("−{term}"),
            (_, false) => format!("+ {term}"),
            (_, true) => format!("− {term}"),
        }
    });
    signed.collect()
}

fn atom(formula: &Math) -> String {
    match formula {
        Math::Sum(_) | Math::Product(_) | Math::Quotient(..) | Math::Partial(..) => {
            format!("({})", math(formula))
        }
        Math::Number(value) if !value.denom().is_one() => format!("({value})"),
        _ => math(formula),
    }
}

fn symbol(name: &Name) -> String {
    match name {
        Name::Variable => "u".to_owned(),
        Name::Gamma => "γ".to_owned(),
        Name::Xi => "ξ".to_owned(),
        Name::Xi2 => "ξ²".to_owned(),
        Name::Pi => "π".to_owned(),
        Name::Function => "g".to_owned(),
        Name::Parameter(name) => greek(name).map_or_else(|| name.clone(), |(c, _)| c.to_owned()),
    }
}

/// The Greek letter that a name spells, as a character and as a LaTeX command.
pub(super) fn greek(name: &str) -> Option<(&'static str, &'static str)> {
    const LETTERS: [(&str, &str, &str); 14] = [
        ("alpha", "α", "\\alpha"),
        ("beta", "β", "\\beta"),
        ("delta", "δ", "\\delta"),
        ("epsilon", "ε", "\\epsilon"),
        ("eps", "ε", "\\epsilon"),
        ("eta", "η", "\\eta"),
        ("kappa", "κ", "\\kappa"),
        ("lambda", "λ", "\\lambda"),
        ("mu", "μ", "\\mu"),
        ("nu", "ν", "\\nu"),
        ("omega", "ω", "\\omega"),
        ("rho", "ρ", "\\rho"),
        ("tau", "τ", "\\tau"),
        ("theta", "θ", "\\theta"),
    ];
    LETTERS.iter().find(|(spelled, ..)| *spelled == name).map(|(_, c, command)| (*c, *command))
}

fn function(named: Named) -> &'static str {
    match named {
        Named::Erf => "erf",
        Named::Exp => "exp",
        Named::Sign => "sgn",
        Named::Variance => "Var",
        Named::Function => "g",
    }
}

fn superscript(exponent: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    digits.bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}
