//! LaTeX in the notation of the paper; needs `amsmath`.

use num_traits::One;

use super::math::{Math, Name, Named, signed};
use crate::derivation::Derivation;
use crate::exact::Rational;
use crate::moment::Form;
use crate::piecewise::Piecewise;

/// A form, without delimiters.
#[must_use]
pub fn form(form: &Form) -> String {
    math(&super::steps::form(form))
}

/// An equation, in an `align*` environment with as many terms to a line as a page has room for.
#[must_use]
pub fn equation(derivation: &Derivation) -> String {
    let (quantity, value) = derivation.result();
    equated(&super::steps::quantity(quantity), &super::steps::value(derivation, value))
}

/// The symbols that a page is wide, about.
const PAGE: usize = 54;

fn equated(left: &Math, right: &Math) -> String {
    let shared = super::shared::shared(right.clone());
    let mut rows = vec![aligned(&math(left), &shared.formula)];
    for (i, (name, value)) in shared.definitions.iter().enumerate() {
        let word = if i == 0 { "where" } else { "and" };
        rows.push(aligned(&format!("\\text{{{word} }} {}", math(name)), value));
    }
    format!("\\begin{{align*}}\n  {}\n\\end{{align*}}", rows.join(" \\\\\n  "))
}

/// An equation in lines that a page has room for.
fn aligned(left: &str, right: &Math) -> String {
    let room = PAGE.saturating_sub(width(left));
    let terms = match right {
        Math::Sum(parts) => terms(parts),
        one => vec![math(one)],
    };
    let lines = super::fold::filled(&terms, |term| width(term), room);
    let lines: Vec<String> = lines.into_iter().map(|line| terms[line].join(" ")).collect();
    format!("{left} &= {}", lines.join(" \\\\\n  &\\quad "))
}

/// How many symbols a formula shows, those of a fraction side by side.
fn width(formula: &str) -> usize {
    let mut count = 0;
    let mut characters = formula.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let mut name = String::new();
                while let Some(letter) = characters.next_if(char::is_ascii_alphabetic) {
                    name.push(letter);
                }
                let silent = ["left", "right", "frac", "operatorname", "mathbb", "text"];
                count += usize::from(!silent.contains(&name.as_str()));
            }
            '{' | '}' | '^' | '_' | '&' | ' ' => {}
            _ => count += 1,
        }
    }
    count
}

/// Functions of the same u, and what their numbered irrational knots are, each in a display.
#[must_use]
pub fn definitions(functions: &[(&str, &Piecewise)]) -> String {
    in_variables(functions, &["u"; 2])
}

/// A function of u and one of w, as [`definitions`] shows them, and what else the formulas of two
/// pre-activations refer to.
#[must_use]
pub fn pair_definitions(g: (&str, &Piecewise), h: (&str, &Piecewise)) -> String {
    let quadrant = if super::steps::has_quadrants(g.1, h.1) { QUADRANT } else { "" };
    in_variables(&[g, h], &["u", "w"]) + "\n" + DETERMINANT + quadrant
}

/// Δ.
const DETERMINANT: &str = r"\[
  \Delta = \xi^{2} \xi'^{2} - \sigma^{2}
\]";

/// Q, behind the line before it.
const QUADRANT: &str = r"
\begin{align*}
  Q(\gamma - s, \gamma' - t) &= \mathbb{E}\left[\operatorname{sgn}(u - s) \operatorname{sgn}(w - t)\right] \\
  Q(a, b) &= 4 \Phi_2\left(\frac{a}{\xi}, \frac{b}{\xi'}; \frac{\sigma}{\xi \xi'}\right) - 2 \Phi\left(\frac{a}{\xi}\right) - 2 \Phi\left(\frac{b}{\xi'}\right) + 1
\end{align*}";

fn in_variables(functions: &[(&str, &Piecewise)], variables: &[&str]) -> String {
    let all: Vec<&Piecewise> = functions.iter().map(|(_, function)| *function).collect();
    let (definitions, roots) = super::steps::definitions(&all);
    let named = functions.iter().zip(variables).zip(definitions);
    let mut displays: Vec<String> = named
        .map(|(((name, _), variable), right): ((&(&str, &Piecewise), &&str), Math)| {
            let right = if *variable == "w" { right.in_other() } else { right };
            display(name, variable, &right)
        })
        .collect();
    displays.extend(super::steps::legend(&roots).into_iter().map(|(name, digits, equation)| {
        let (name, digits) = (math(&name), digits.replace('…', "\\ldots"));
        format!("\\[\n  {name} \\approx {digits}, \\quad {} = 0\n\\]", math(&equation))
    }));
    displays.join("\n")
}

fn display(name: &str, variable: &str, right: &Math) -> String {
    let name = if name.chars().count() == 1 {
        name.to_owned()
    } else {
        format!("\\operatorname{{{}}}", name.replace('_', "\\_"))
    };
    format!("\\[\n  {name}({variable}) = {}\n\\]", math(right))
}

/// The limit of a result for ξ → 0 in a display.
#[must_use]
pub fn noiseless(derivation: &Derivation) -> String {
    let (left, right, apart) = super::steps::noiseless(derivation);
    let apart = apart.iter().map(|knots| knots.each_ref().map(math).join(" < "));
    let apart = apart.collect::<Vec<_>>().join(", \\ ");
    let note = match apart.as_str() {
        "" => String::new(),
        apart => format!(" \\quad \\text{{{} }} {apart}", super::text::APART),
    };
    format!("\\[\n  {} = {}{note}\n\\]", math(&left), math(&right))
}

/// The derivation: for each step its number, its rule with the steps that it uses, and the equation.
#[must_use]
pub fn steps(derivation: &Derivation) -> String {
    let lines = super::steps::lines(derivation);
    let steps = lines.iter().enumerate().map(|(i, line)| {
        let (reason, equation) = (prose(&line.reason()), equated(&line.left, &line.right));
        format!("\\noindent ({}) \\emph{{{reason}}}\n{equation}", i + 1)
    });
    steps.collect::<Vec<_>>().join("\n")
}

/// Reasons hold a few symbols, which text mode wants in dollars.
fn prose(reason: &str) -> String {
    // Longer symbols go first, because γ stands in γ′ too.
    reason
        .replace("γ′", "$\\gamma'$")
        .replace("ξ′²", "$\\xi'^2$")
        .replace('γ', "$\\gamma$")
        .replace("ξ²", "$\\xi^2$")
        .replace('σ', "$\\sigma$")
        .replace('∂', "$\\partial$")
        .replace('−', "$-$")
}

/// A formula.
#[must_use]
pub fn math(formula: &Math) -> String {
    match formula {
        Math::Number(value) => number(value),
        Math::Name(name) => symbol(name),
        Math::Sum(parts) => terms(parts).join(" "),
        Math::Product(factors) => {
            let written = factors.iter().map(|factor| match factor {
                Math::Sum(_) => format!("\\left({}\\right)", math(factor)),
                _ => math(factor),
            });
            written.collect::<Vec<_>>().join(" ")
        }
        Math::Power(base, exponent) => match base.as_ref() {
            Math::Name(_) | Math::Number(_) => format!("{}^{{{exponent}}}", math(base)),
            Math::Apply(named @ (Named::Function | Named::Other), inner) => {
                format!("{}({})^{{{exponent}}}", letter(*named), math(inner))
            }
            _ => format!("\\left({}\\right)^{{{exponent}}}", math(base)),
        },
        Math::Quotient(above, below) => format!("\\frac{{{}}}{{{}}}", math(above), math(below)),
        Math::Root(inner) => format!("\\sqrt{{{}}}", math(inner)),
        Math::Modulus(inner) => format!("\\left|{}\\right|", math(inner)),
        Math::Apply(named @ (Named::Function | Named::Other), inner) => {
            format!("{}({})", letter(*named), math(inner))
        }
        Math::OneSided(inner, side) => format!("{}^{{{side}}}", math(inner)),
        Math::Pair(first, second) => format!("{}, {}", math(first), math(second)),
        Math::Limit(inner, name, point) => {
            format!("\\lim_{{{} \\to {}}} {}", symbol(name), math(point), math(inner))
        }
        Math::Apply(named, inner) => {
            let name = match named {
                Named::Erf => "\\operatorname{erf}",
                Named::Exp => "\\exp",
                Named::Sign => "\\operatorname{sgn}",
                Named::Variance => "\\operatorname{Var}",
                Named::Covariance => "\\operatorname{Cov}",
                Named::Quadrant => "Q",
                Named::Function | Named::Other => letter(*named),
            };
            format!("{name}\\left({}\\right)", math(inner))
        }
        Math::Cases(variable, cases) => {
            let variable = symbol(variable);
            let rows = cases.iter().map(|(value, lower, upper)| {
                let range = match (lower, upper) {
                    (Some(a), Some(b)) if a == b => format!("{variable} = {}", math(a)),
                    (Some(a), Some(b)) => format!("{} < {variable} < {}", math(a), math(b)),
                    (Some(a), None) => format!("{variable} > {}", math(a)),
                    (None, Some(b)) => format!("{variable} < {}", math(b)),
                    (None, None) => format!("\\text{{all }} {variable}"),
                };
                format!("{} & {range}", math(value))
            });
            let rows: Vec<_> = rows.collect();
            format!("\\begin{{cases}} {} \\end{{cases}}", rows.join(" \\\\ "))
        }
        Math::Expectation(inner) => format!("\\mathbb{{E}}\\left[{}\\right]", math(inner)),
        Math::Partial(inner, name) => {
            format!("\\frac{{\\partial}}{{\\partial {}}} {}", symbol(name), math(inner))
        }
    }
}

fn terms(parts: &[(bool, Math)]) -> Vec<String> {
    signed(parts, math, ["- ", "+ ", "- "])
}

fn number(value: &Rational) -> String {
    if value.denom().is_one() {
        value.numer().to_string()
    } else {
        format!("\\frac{{{}}}{{{}}}", value.numer(), value.denom())
    }
}

fn letter(named: Named) -> &'static str {
    if named == Named::Other { "h" } else { "g" }
}

fn symbol(name: &Name) -> String {
    match name {
        Name::Variable => "u".to_owned(),
        Name::Gamma => "\\gamma".to_owned(),
        Name::Xi => "\\xi".to_owned(),
        Name::Xi2 => "\\xi^2".to_owned(),
        Name::OtherVariable => "w".to_owned(),
        Name::GammaOther => "\\gamma'".to_owned(),
        Name::XiOther => "\\xi'".to_owned(),
        Name::Xi2Other => "\\xi'^{2}".to_owned(),
        Name::Determinant => "\\Delta".to_owned(),
        Name::Covariance => "\\sigma".to_owned(),
        Name::Pi => "\\pi".to_owned(),
        Name::Infinity => "\\infty".to_owned(),
        Name::Root(_) => "t".to_owned(),
        Name::Knot(0) => "t".to_owned(),
        Name::Knot(index) => format!("t_{{{index}}}"),
        Name::Shared(letter, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(symbol).collect();
            format!("{letter}({})", arguments.join(", "))
        }
        Name::Parameter(name) => match super::line::greek(name) {
            Some((_, command)) => command.to_owned(),
            None if name.len() == 1 => name.clone(),
            None => format!("\\mathrm{{{}}}", name.replace('_', "\\_")),
        },
    }
}
