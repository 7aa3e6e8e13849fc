//! Unicode text for a terminal.

pub use super::line::math;
use super::line::{range, symbol, terms};
use super::math::Math;
use crate::derivation::{Derivation, Quantity};
use crate::moment::Form;
use crate::piecewise::Piecewise;

/// A form on one line.
#[must_use]
pub fn form(form: &Form) -> String {
    math(&super::steps::form(form))
}

/// `E[g(u)²] = …`, broken between terms where it is long.
#[must_use]
pub fn equation(derivation: &Derivation) -> String {
    equation_in(derivation, 92)
}

/// `E[g(u)²] = …`, broken into lines of at most `width` columns where that is possible.
#[must_use]
pub fn equation_within(derivation: &Derivation, width: usize) -> String {
    super::fold::lines(&equation_in(derivation, width), width)
}

/// A result as an equation, and below it what its names stand for.
fn equation_in(derivation: &Derivation, width: usize) -> String {
    let (left, right) = sides(derivation);
    with_names(&left, right, NAMES, width)
}

/// How far to the right of an equation its names are explained.
const NAMES: usize = 2;

/// An equation, and below it what its names stand for, from some column on.
fn with_names(left: &str, right: Math, indent: usize, width: usize) -> String {
    let shared = super::shared::shared(right);
    let mut text = wrapped(left, &shared.formula, width);
    for (i, (name, value)) in shared.definitions.iter().enumerate() {
        let word = if i == 0 { "where" } else { "  and" };
        let name = format!("{:indent$}{word} {}", "", math(name));
        text += &format!("\n{}", wrapped(&name, value, width));
    }
    text
}

fn sides(derivation: &Derivation) -> (String, Math) {
    let (quantity, value) = derivation.result();
    (math(&super::steps::quantity(quantity)), super::steps::value(derivation, value))
}

/// An equation, with as many terms to a line as `width` has room for.
fn wrapped(left: &str, right: &Math, width: usize) -> String {
    let start = left.chars().count();
    let parts = match right {
        Math::Sum(parts) => terms(parts),
        other => vec![math(other)],
    };
    let room = width.saturating_sub(start + 3);
    let lines = super::fold::filled(&parts, |part| part.chars().count(), room);
    let lines: Vec<String> = lines.into_iter().map(|line| parts[line].join(" ")).collect();
    format!("{left} = {}", lines.join(&format!("\n{:1$}", "", start + 1)))
}

/// The name of a quantity: `E[g(u)²]`.
#[must_use]
pub fn quantity(quantity: &Quantity) -> String {
    math(&super::steps::quantity(quantity))
}

/// The limit of a result for ξ → 0, a case to a line: between the knots, and on them. Below it stands which knots have to
/// be apart for that.
#[must_use]
pub fn noiseless(derivation: &Derivation) -> String {
    let (left, right, apart) = super::steps::noiseless(derivation);
    let apart = apart.iter().map(|knots| knots.each_ref().map(math).join(" < "));
    let apart = apart.collect::<Vec<_>>().join(" and ");
    let note = if apart.is_empty() { String::new() } else { format!("\n  {APART} {apart}") };
    cases(&math(&left), &right) + &note
}

/// Before the inequalities between knots that may meet.
pub(super) const APART: &str = "on knots for";

/// An equation whose right side may have cases, each on a line of its own.
fn cases(left: &str, right: &Math) -> String {
    let mut text = format!("{left} = ");
    let Math::Cases(variable, cases) = right else { return text + &math(right) };
    let values: Vec<String> = cases.iter().map(|(value, ..)| math(value)).collect();
    let width = values.iter().map(|value| value.chars().count()).max().unwrap_or(0);
    let indent = text.chars().count();
    for (i, (value, (_, lower, upper))) in values.iter().zip(cases).enumerate() {
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
        let range = range(&symbol(variable), lower, upper);
        text.push_str(&format!("{brace} {value}{:pad$}   {range}", ""));
    }
    text
}

/// Functions of the same u, a piece to a line, and then what their irrational knots are, which are
/// numbered from the left: `t₁ ≈ 1.3247179572447460… with t₁³ − t₁ − 1 = 0`.
#[must_use]
pub fn definitions(functions: &[(&str, &Piecewise)]) -> String {
    in_variables(functions, &["u"; 2])
}

/// A function of u and one of w, as [`definitions`] shows them, and what else the formulas of two
/// pre-activations refer to.
#[must_use]
pub fn pair_definitions(g: (&str, &Piecewise), h: (&str, &Piecewise)) -> String {
    let quadrant = if super::steps::has_quadrants(g.1, h.1) { QUADRANT } else { "" };
    in_variables(&[g, h], &["u", "w"]) + "\n\nΔ = ξ² ξ′² − σ²" + quadrant
}

/// Q, behind the line before it.
const QUADRANT: &str = "
Q(γ − s, γ′ − t) = E[sgn(u − s) sgn(w − t)],
Q(a, b) = 4 Φ₂(a/ξ, b/ξ′; σ/(ξ ξ′)) − 2 Φ(a/ξ) − 2 Φ(b/ξ′) + 1
Φ and Φ₂ are the distribution functions of the Normal distribution in one and two dimensions.";

fn in_variables(functions: &[(&str, &Piecewise)], variables: &[&str]) -> String {
    let all: Vec<&Piecewise> = functions.iter().map(|(_, function)| *function).collect();
    let (definitions, roots) = super::steps::definitions(&all);
    let named = functions.iter().zip(variables).zip(definitions);
    let definitions: Vec<String> = named
        .map(|(((name, _), variable), right): ((&(&str, &Piecewise), &&str), Math)| {
            let right = if *variable == "w" { right.in_other() } else { right };
            cases(&format!("{name}({variable})"), &right)
        })
        .collect();
    let legend = super::steps::legend(&roots).into_iter().map(|(name, digits, equation)| {
        format!("\n{} ≈ {} with {} = 0", math(&name), minus(&digits), math(&equation))
    });
    definitions.join("\n\n") + &legend.collect::<String>()
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// Columns of a derivation that is not for a terminal.
const COLUMNS: usize = 132;

/// The derivation, a numbered equation to a step.
#[must_use]
pub fn steps(derivation: &Derivation) -> String {
    steps_within(derivation, COLUMNS)
}

/// The derivation in lines of at most so many columns where that can be: reasons stand beside the
/// equations if there is room, else above them.
#[must_use]
pub fn steps_within(derivation: &Derivation, width: usize) -> String {
    let lines = super::steps::lines(derivation);
    let table = beside(&lines, width);
    if table.lines().all(|line| line.chars().count() <= width) {
        return table;
    }
    let step = |(i, line): (usize, super::steps::Line)| {
        let reason = super::fold::lines(&line.reason(), width.saturating_sub(6));
        let reason = reason.replace('\n', "\n      ");
        let left = format!("      {}", math(&line.left));
        let equation = with_names(&left, line.right, 6 + NAMES, width);
        let equation = super::fold::lines(&equation, width);
        format!("{:>4}  {reason}\n{equation}\n", format!("({})", i + 1))
    };
    lines.into_iter().enumerate().map(step).collect()
}

/// Reasons in a column, equations in the next.
fn beside(lines: &[super::steps::Line], columns: usize) -> String {
    let reasons: Vec<String> = lines.iter().map(super::steps::Line::reason).collect();
    let width = reasons.iter().map(|reason| reason.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (i, (reason, line)) in reasons.iter().zip(lines).enumerate() {
        let pad = width - reason.chars().count();
        let start = format!("{:>4}  {reason}{:pad$}  ", format!("({})", i + 1), "");
        let indent = start.chars().count() + NAMES;
        let left = start + &math(&line.left);
        text.push_str(&with_names(&left, line.right.clone(), indent, columns));
        text.push('\n');
    }
    text
}
