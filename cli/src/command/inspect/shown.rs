//! An answer as text, and as markup: LaTeX or MathML.

use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::render::{folded, latex, mathml, text};
use gaussform_symbolic::{Condition, Derivation, Piecewise, Relation};

use super::answer::Answer;
use crate::style::Style;
use crate::{parameters, source};

/// The law of two pre-activations, that of the first at the start.
const PAIR: [&str; 3] = ["u ~ N(γ, ξ²)", "w ~ N(γ′, ξ′²)", "Cov(u, w) = σ"];

/// One answer for each case of an activation.
pub(super) fn text(answers: &[Answer<'_>], style: Style, width: Option<usize>) -> String {
    let mut parts = Vec::new();
    for (i, answer) in answers.iter().enumerate() {
        if i == 0 {
            let law = if answer.question.is_pair() { &PAIR[..] } else { &PAIR[..1] };
            let mut heading: Vec<String> = law.iter().map(|part| (*part).to_owned()).collect();
            heading.extend(declarations(answer, greek));
            let name = style.heading(&name(answer));
            parts.push(format!("{name}   {}\n", heading.join(", ")));
        }
        if !answer.conditions.is_empty() {
            parts.push(style.heading(&format!("Case {}", conditions(answer))) + "\n");
        }
        parts.extend(case_as_text(answer, style, width));
    }
    parts.join("\n")
}

fn case_as_text(answer: &Answer<'_>, style: Style, width: Option<usize>) -> Vec<String> {
    let question = &answer.question;
    let mut parts = Vec::new();
    parts.push(defined(answer, text::definitions, text::pair_definitions) + "\n");
    let equation = |d: &Derivation| match width {
        Some(width) => text::equation_within(d, width),
        None => text::equation(d),
    };
    let result = |d: &Derivation| {
        if question.is_noiseless() { text::noiseless(d) } else { equation(d) }
    };
    parts.extend(answer.background.iter().map(|d| equation(d) + "\n"));
    parts.extend(answer.derivations.iter().map(|d| result(d) + "\n"));
    if question.is_far() {
        parts.push("Up to what vanishes faster than any power of γ.\n".to_owned());
    }
    for derivation in &answer.steps {
        let title = format!("Derivation of {}", text::quantity(derivation.result().0));
        let steps = match width {
            Some(width) => text::steps_within(derivation, width),
            None => text::steps(derivation),
        };
        parts.push(format!("{}\n\n{steps}", style.heading(&title)));
    }
    let certified = format!("Certified: {}", answer.certificate());
    let certified = width.map_or_else(|| certified.clone(), |width| folded(&certified, width));
    parts.push(certified.replacen("Certified:", &style.good("Certified:"), 1) + "\n");
    parts
}

/// How formulas are written for a program that sets them.
pub(super) struct Markup {
    comment: [&'static str; 2],
    definitions: fn(&[(&str, &Piecewise)]) -> String,
    pair_definitions: fn((&str, &Piecewise), (&str, &Piecewise)) -> String,
    equation: fn(&Derivation) -> String,
    noiseless: fn(&Derivation) -> String,
    steps: fn(&Derivation) -> String,
}

pub(super) const LATEX: Markup = Markup {
    comment: ["% ", ""],
    definitions: latex::definitions,
    pair_definitions: latex::pair_definitions,
    equation: latex::equation,
    noiseless: latex::noiseless,
    steps: latex::steps,
};

pub(super) const MATHML: Markup = Markup {
    comment: ["<!-- ", " -->"],
    definitions: mathml::definitions,
    pair_definitions: mathml::pair_definitions,
    equation: mathml::equation,
    noiseless: mathml::noiseless,
    steps: mathml::steps,
};

/// One answer for each case of an activation.
pub(super) fn markup(answers: &[Answer<'_>], markup: &Markup) -> String {
    let mut parts = Vec::new();
    let [start, end] = markup.comment;
    for (i, answer) in answers.iter().enumerate() {
        if i == 0 {
            let declared = declarations(answer, str::to_owned).join(", ");
            let separator = if declared.is_empty() { "" } else { "; " };
            let title = match answer.question.other {
                Some(h) if answer.question.is_pair() => {
                    let [g, h] = source::names([answer.question.activation, h]);
                    format!("{g}(u) and {h}(w){separator}{declared}")
                }
                _ => format!("{}(u{separator}{declared})", name(answer)),
            };
            parts.push(format!("{start}{title}{end}\n"));
            if answer.question.is_pair() {
                parts.push(format!("{start}{}{end}\n", PAIR.join(", ")));
            }
        }
        if !answer.conditions.is_empty() {
            parts.push(format!("{start}Case {}{end}\n", conditions(answer)));
        }
        parts.push(defined(answer, markup.definitions, markup.pair_definitions) + "\n");
        let noiseless = answer.question.is_noiseless();
        let result = if noiseless { markup.noiseless } else { markup.equation };
        parts.extend(answer.background.iter().map(|d| (markup.equation)(d) + "\n"));
        parts.extend(answer.derivations.iter().map(|d| result(d) + "\n"));
        parts.extend(answer.steps.iter().map(|d| (markup.steps)(d) + "\n"));
    }
    parts.concat()
}

/// The definitions of the activations, of one pre-activation or of two.
fn defined(
    answer: &Answer<'_>,
    of_one: fn(&[(&str, &Piecewise)]) -> String,
    of_two: fn((&str, &Piecewise), (&str, &Piecewise)) -> String,
) -> String {
    match functions(answer).as_slice() {
        [g, h] if answer.question.is_pair() => of_two(*g, *h),
        functions => of_one(functions),
    }
}

/// The activations by the letters of the formulas.
fn functions<'a>(answer: &Answer<'a>) -> Vec<(&'static str, &'a Piecewise)> {
    let other = answer.question.other.map(|other| ("h", &other.function));
    std::iter::once(("g", &answer.question.activation.function)).chain(other).collect()
}

/// `relu`, or `relu and hard_tanh`.
pub(super) fn name(answer: &Answer<'_>) -> String {
    let g = answer.question.activation;
    answer.question.other.map_or_else(|| g.name.clone(), |h| source::names([g, h]).join(" and "))
}

/// The declarations of parameters and relations of both activations, each once.
fn declarations(answer: &Answer<'_>, letter: fn(&str) -> String) -> Vec<String> {
    // What makes the case is its heading.
    let case: Vec<Relation> = answer.conditions.iter().filter_map(Condition::relation).collect();
    let mut all: Vec<String> = Vec::new();
    for activation in
        [Some(answer.question.activation), answer.question.other].into_iter().flatten()
    {
        let mut declared = activation.clone();
        declared.relations.retain(|relation| !case.contains(relation));
        for declaration in parameters::declarations(&declared, letter) {
            if !all.contains(&declaration) {
                all.push(declaration);
            }
        }
    }
    all
}

/// A parameter's name as the formulas write it.
fn greek(name: &str) -> String {
    text::form(&Form::from(Polynomial::symbol(Symbol::Parameter(name.into()))))
}

fn conditions(answer: &Answer<'_>) -> String {
    let written: Vec<String> = answer.conditions.iter().map(ToString::to_string).collect();
    written.join(" and ")
}
