//! The section on the results: formulas, their derivations, and their certificates.

use gaussform_symbolic::Derivation;
use gaussform_symbolic::derivation::{Certificate, PairCertificate, Quantity};
use gaussform_symbolic::render::{self, Line, latex, mathml, text};
use maud::{Markup, html};

use super::figures::Figures;
use super::function::intervals;
use super::wide;
use crate::record::Entry;

/// The name of a quantity for a heading.
fn name(derivation: &Derivation) -> String {
    let (quantity, _) = derivation.result();
    let written = text::quantity(quantity);
    match quantity {
        Quantity::Moment(1, 0) | Quantity::Joint(1, 0) | Quantity::Joint(0, 1) => {
            format!("Mean {written}")
        }
        Quantity::Joint(1, 1) => format!("Mixed moment {written}"),
        Quantity::Moment(2, 0) => format!("Second moment {written}"),
        Quantity::Variance => format!("Variance {written}"),
        Quantity::Covariance | Quantity::CrossCovariance => format!("Covariance {written}"),
        Quantity::Central(n) => format!("Central moment of order {n}"),
        _ => written,
    }
}

/// Every result as a formula.
pub(super) fn results(entry: &Entry, figures: &Figures) -> Markup {
    html! {
        section.card {
            h2 { "Moments" }
            @for derivation in &entry.results {
                h3 { (name(derivation)) }
                (wide(&name(derivation), &mathml::equation(derivation)))
                details.source {
                    summary { "LaTeX of " (text::quantity(derivation.result().0)) }
                    pre tabindex="0" { (latex::equation(derivation)) }
                }
            }
            (figures.moments())
        }
    }
}

/// Every derivation, folded.
pub(super) fn steps(entry: &Entry) -> Markup {
    html! {
        section.card {
            h2 { "Derivation" }
            p {
                "Every step applies a rule to the steps it names. "
                @if entry.pair {
                    "The only integrals are the cosine integral of one pre-activation and that of two; "
                } @else {
                    "The only integral is the cosine integral; "
                }
                "the rest is algebra and differentiation."
            }
            @for derivation in &entry.results {
                @let lines = render::lines(derivation);
                details {
                    summary { (name(derivation)) " " small { (lines.len()) " steps" } }
                    ol.steps { @for (i, line) in lines.iter().enumerate() { (step(i + 1, line)) } }
                }
            }
        }
    }
}

fn step(number: usize, line: &Line) -> Markup {
    let equation = mathml::equated(&line.left, &line.right);
    html! {
        li {
            span.place { "(" (number) ")" }
            (wide(&format!("Step {number}"), &equation))
            span.reason { (line.reason()) }
        }
    }
}

/// The certificates of the moments of two pre-activations.
fn pair_certificates(entry: &Entry) -> Markup {
    let mut all: Vec<PairCertificate> = Vec::new();
    for derivation in &entry.results {
        for certificate in derivation.pair_certificates().unwrap_or_default() {
            if !all.contains(&certificate) {
                all.push(certificate);
            }
        }
    }
    let rows = html! {
        @for c in &all {
            tr {
                th scope="row" {
                    (text::quantity(&Quantity::Joint(c.powers.0, c.powers.1)))
                }
                td { (holds(&[c.price_terms], "term")) }
                td { (holds(&c.heat_terms, "term")) }
                td { (holds(&[c.independent_terms], "term")) }
                td { (holds(&[c.cells], "cell")) }
            }
        }
    };
    html! {
        section.card {
            h2 { "Certificate" }
            p {
                "A function M, analytic for |σ| < ξξ′, is the expectation of g(u)ⁿ h(w)ᵐ exactly if it "
                "solves ∂M/∂σ = ∂²M/∂γ∂γ′ and is E[g(u)ⁿ] E[h(w)ᵐ] at σ = 0. Both were decided exactly "
                "for each moment, without looking at its derivation; so were the heat equations in ξ² "
                "and ξ′² and the limit g(γ)ⁿ h(γ′)ᵐ for (ξ², ξ′², σ) → 0 in every cell between the "
                "knots."
            }
            (checked(&["moment", "equation in σ", "heat equations", "σ = 0", "limit"], &rows))
        }
    }
}

/// The table of what was checked: its heads, and a row for each moment.
fn checked(heads: &[&str], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label="What was checked" {
            table {
                thead {
                    tr {
                        @for head in heads {
                            th scope="col" { (head) }
                        }
                    }
                }
                tbody { (rows) }
            }
        }
    }
}

/// The statement that equations hold, with the number of terms or cells in which each was compared.
fn holds(counts: &[usize], one: &str) -> Markup {
    let counted = |count: &usize| match count {
        0 => "0 on both sides".to_owned(),
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let counts: Vec<String> = counts.iter().map(counted).collect();
    let verb = if counts.len() == 1 { "holds" } else { "hold" };
    html! { span.proved { (verb) } " (" (counts.join("; ")) ")" }
}

/// The certificates of the moments.
pub(super) fn certificates(entry: &Entry) -> Markup {
    if entry.pair {
        return pair_certificates(entry);
    }
    let mut all: Vec<Certificate> = Vec::new();
    for derivation in &entry.results {
        for certificate in derivation.certificates().unwrap_or_default() {
            if !all.contains(&certificate) {
                all.push(certificate);
            }
        }
    }
    let places = intervals(&entry.case.activation.function);
    let place = |i: usize, of: usize| match places.get(i) {
        Some(place) if of == places.len() => place.clone(),
        _ => format!("interval {}", i + 1),
    };
    let rows = html! {
        @for Certificate { powers, heat_terms, limits } in &all {
            tr {
                th scope="row" {
                    (text::quantity(&Quantity::Moment(powers.0, powers.1)))
                }
                td {
                    span.proved { "holds" }
                    @match heat_terms {
                        0 => {},
                        1 => { " (1 term on either side)" },
                        terms => { " (" (terms) " terms on either side)" },
                    }
                }
                td {
                    @for (i, limit) in limits.iter().enumerate() {
                        div {
                            (place(i, limits.len())) ": "
                            (text::form(&limit.clone().into()))
                        }
                    }
                }
            }
        }
    };
    html! {
        section.card {
            h2 { "Certificate" }
            p {
                "A function M of polynomial growth is the expectation of f(u) exactly if it solves the "
                "heat equation and tends to f(γ) between the knots for ξ² → 0. Both were decided "
                "exactly for each moment, without looking at its derivation."
            }
            (wide("Heat equation", HEAT))
            (checked(&["moment", "heat equation", "limits for ξ² → 0"], &rows))
        }
    }
}

const HEAT: &str = "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\"><mfrac><mrow>\
                    <mo>∂</mo><mi>M</mi></mrow><mrow><mo>∂</mo><msup><mi>ξ</mi><mn>2</mn></msup>\
                    </mrow></mfrac><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mfrac><mrow><msup>\
                    <mo>∂</mo><mn>2</mn></msup><mi>M</mi></mrow><mrow><mo>∂</mo><msup><mi>γ</mi><mn>2\
                    </mn></msup></mrow></mfrac></math>";
