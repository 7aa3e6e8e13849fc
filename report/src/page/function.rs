//! The section on the activation: its definition, declaration, picture and knots.

use gaussform_symbolic::render::{Math, definition, mathml, text};
use gaussform_symbolic::{Condition, Knot, Piecewise};
use maud::{Markup, html};

use super::figures::Figures;
use super::wide;
use crate::record::{Entry, decimal};

/// The name of an activation, or its case.
pub(super) fn heading(entry: &Entry) -> String {
    let conditions: Vec<String> = entry.case.conditions.iter().map(ToString::to_string).collect();
    let name = &entry.case.activation.name;
    match conditions.as_slice() {
        [] => name.clone(),
        _ => format!("{name}: {}", conditions.join(" and ")),
    }
}

/// Definition, declaration, picture, knots.
pub(super) fn card(entry: &Entry, figures: &Figures) -> Markup {
    let activation = &entry.case.activation;
    // The conditions of a case stand in its heading already.
    let case: Vec<_> = entry.case.conditions.iter().filter_map(Condition::relation).collect();
    let both = || std::iter::once(activation).chain(entry.other.as_ref().map(|h| &h.activation));
    let parameters = both().flat_map(|g| &g.parameters).map(ToString::to_string);
    let relations = both().flat_map(|g| &g.relations).filter(|relation| !case.contains(relation));
    let mut declared: Vec<String> = Vec::new();
    for declaration in parameters.chain(relations.map(ToString::to_string)) {
        if !declared.contains(&declaration) {
            declared.push(declaration);
        }
    }
    let functions = both().map(|activation| &activation.function);
    let functions: Vec<(&str, &Piecewise)> = ["g", "h"].into_iter().zip(functions).collect();
    let definitions = match (functions.as_slice(), entry.pair) {
        ([g, h], true) => mathml::pair_definitions(*g, *h),
        _ => mathml::definitions(&functions),
    };
    html! {
        section.card {
            h2 { @if entry.other.is_some() { "Functions" } @else { "Function" } }
            div.beside {
                div {
                    (wide("Definition", &definitions))
                    @if entry.pair && functions.iter().all(|(_, f)| !f.knots().is_empty()) {
                        p { "Φ and Φ₂ are the distribution functions of the Normal distribution in one and two dimensions." }
                    }
                    @if !declared.is_empty() {
                        p { "Declared: " code { (declared.join(", ")) } }
                    }
                    @for (name, function) in &functions {
                        @if !function.knots().is_empty() {
                            (knots(function, (functions.len() > 1).then_some(*name)))
                        }
                    }
                }
                (figures.functions())
            }
            (figures.note())
        }
    }
}

/// A table of knots, of the function by this name if there are others.
fn knots(function: &Piecewise, name: Option<&str>) -> Markup {
    let of = name.map_or_else(String::new, |name| format!(" of {name}"));
    let exact = bounds(function);
    let row = |(exact, knot): (&String, &Knot)| {
        html! {
            tr {
                td { (exact) }
                td { (decimal(knot).map_or_else(|| "moves with the parameters".to_owned(), |d| d.replace('-', "−"))) }
            }
        }
    };
    let rows = exact.iter().zip(function.knots()).map(row);
    html! {
        div.scroll tabindex="0" role="group" aria-label={ "Knots" (of) } {
            table {
                caption { "Knots" (of) ", where the polynomial changes" }
                thead { tr { th scope="col" { "exact" } th scope="col" { "decimal" } } }
                tbody { @for row in rows { (row) } }
            }
        }
    }
}

/// The knots as the formulas write them.
fn bounds(function: &Piecewise) -> Vec<String> {
    match definition(function) {
        Math::Cases(_, cases) => {
            cases.iter().filter_map(|(_, _, upper)| upper.as_ref()).map(text::math).collect()
        }
        _ => Vec::new(),
    }
}

/// The intervals between the knots, as γ lies on them.
pub(super) fn intervals(function: &Piecewise) -> Vec<String> {
    let knots = bounds(function);
    let interval = |i: usize| {
        let lower = i.checked_sub(1).and_then(|i| knots.get(i));
        match (lower, knots.get(i)) {
            (None, None) => "all γ".to_owned(),
            (None, Some(upper)) => format!("γ < {upper}"),
            (Some(lower), None) => format!("γ > {lower}"),
            (Some(lower), Some(upper)) => format!("{lower} < γ < {upper}"),
        }
    };
    (0..=knots.len()).map(interval).collect()
}
