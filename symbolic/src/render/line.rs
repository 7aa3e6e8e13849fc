//! A formula as Unicode text on one line.

use num_traits::One;

use super::math::{Math, Name, Named, signed};

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
        Math::OneSided(inner, '+') => format!("{}⁺", math(inner)),
        Math::OneSided(inner, _) => format!("{}⁻", math(inner)),
        Math::Pair(first, second) => format!("{}, {}", math(first), math(second)),
        Math::Limit(inner, name, point) => {
            format!("lim {} → {} {}", symbol(name), math(point), math(inner))
        }
        Math::Apply(named, inner) => format!("{}({})", function(*named), math(inner)),
        Math::Cases(variable, cases) => {
            let written = cases.iter().map(|(value, lower, upper)| {
                format!("{} for {}", math(value), range(&symbol(variable), lower, upper))
            });
            format!("{{ {} }}", written.collect::<Vec<_>>().join("; "))
        }
        Math::Expectation(inner) => format!("E[{}]", math(inner)),
        Math::Partial(inner, name) => format!("∂{} {}", symbol(name), math(inner)),
    }
}

/// The terms of a sum, each with its sign.
pub(super) fn terms(parts: &[(bool, Math)]) -> Vec<String> {
    signed(parts, math, ["−", "+ ", "− "])
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

/// A name as text has it.
pub(super) fn symbol(name: &Name) -> String {
    match name {
        Name::Variable => "u".to_owned(),
        Name::Gamma => "γ".to_owned(),
        Name::Xi => "ξ".to_owned(),
        Name::Xi2 => "ξ²".to_owned(),
        Name::OtherVariable => "w".to_owned(),
        Name::GammaOther => "γ′".to_owned(),
        Name::XiOther => "ξ′".to_owned(),
        Name::Xi2Other => "ξ′²".to_owned(),
        Name::Determinant => "Δ".to_owned(),
        Name::Covariance => "σ".to_owned(),
        Name::Pi => "π".to_owned(),
        Name::Infinity => "∞".to_owned(),
        Name::Parameter(name) => greek(name).map_or_else(|| name.clone(), |(c, _)| c.to_owned()),
        Name::Root(_) => "t".to_owned(),
        Name::Knot(0) => "t".to_owned(),
        Name::Knot(index) => format!("t{}", subscript(*index)),
        Name::Shared(letter, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(symbol).collect();
            format!("{letter}({})", arguments.join(", "))
        }
    }
}

/// The Greek letter that a name spells, as a character and as a LaTeX command.
pub(super) fn greek(name: &str) -> Option<(&'static str, &'static str)> {
    const LETTERS: [(&str, &str, &str); 14] = [
        ("alpha", "α", "\\alpha"),
        ("beta", "β", "\\beta"),
        ("delta", "δ", "\\delta"),
        ("epsilon", "ϵ", "\\varepsilon"),
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
        Named::Covariance => "Cov",
        Named::Function => "g",
        Named::Other => "h",
        Named::Quadrant => "Q",
    }
}

fn subscript(index: usize) -> String {
    const DIGITS: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
    index.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}

fn superscript(exponent: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = exponent.to_string();
    digits.bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}

/// The interval of a case: `0 < u < 1`.
pub(super) fn range(variable: &str, lower: &Option<Math>, upper: &Option<Math>) -> String {
    match (lower, upper) {
        (Some(a), Some(b)) if a == b => format!("{variable} = {}", math(a)),
        (Some(a), Some(b)) => format!("{} < {variable} < {}", math(a), math(b)),
        (Some(a), None) => format!("{variable} > {}", math(a)),
        (None, Some(b)) => format!("{variable} < {}", math(b)),
        (None, None) => format!("all {variable}"),
    }
}
