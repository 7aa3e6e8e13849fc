//! What the activation is.

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
    let case: Vec<_> = entry.case.conditions.iter().filter_map(Condition::relation).collect();
    let parameters = activation.parameters.iter().map(ToString::to_string);
    let relations = activation.relations.iter().filter(|relation| !case.contains(relation));
    let declared: Vec<String> = parameters.chain(relations.map(ToString::to_string)).collect();
    let other = entry.other.as_ref().map(|other| ("h", &other.activation.function));
    let functions: Vec<(&str, &Piecewise)> =
        std::iter::once(("g", &activation.function)).chain(other).collect();
    let definitions = match (functions.as_slice(), entry.pair) {
        ([g, h], true) => mathml::pair_definitions(*g, *h),
        _ => mathml::definitions(&functions),
    };
    html! {
        section.card {
            h2 { "Function" }
            div.beside {
                div {
                    (wide("Definition", &definitions))
                    @if !declared.is_empty() {
                        p { "Declared: " code { (declared.join(", ")) } }
                    }
                    @if !activation.function.knots().is_empty() { (knots(&activation.function)) }
                }
                (figures.function())
            }
            (figures.note())
        }
    }
}

fn knots(function: &Piecewise) -> Markup {
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
        div.scroll tabindex="0" role="group" aria-label="Knots" {
            table {
                caption { "Knots, where the polynomial changes" }
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
