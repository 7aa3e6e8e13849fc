//! Pages: all that is known of an activation, for a browser.
//!
//! A page is one file without scripts of others, fonts or anything from a network. It follows the
//! reader's choice of light or dark, fits a telephone, and prints.
//!
//! ```
//! use gaussform_report::page;
//! use gaussform_report::record::Entry;
//! use gaussform_symbolic::{Activation, Case};
//!
//! let relu = Activation::parse("relu(x) = max(0, x)")?;
//! let results = vec![relu.moment(1)?, relu.variance()?];
//! let case = Case { conditions: Vec::new(), activation: relu };
//! let entry = Entry { case, other: None, pair: false, results };
//! let html = page::write("relu", &[page::PageEntry::new(entry)]);
//! assert!(html.starts_with("<!DOCTYPE html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod code;
mod derivation;
mod figures;
mod function;
mod kernel;

use std::collections::BTreeMap;

use gaussform_picture::svg;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::record::Entry;

const STYLE: &str = include_str!("style.css");
/// The script that unfolds all details before a page is printed.
const SCRIPT: &str = "addEventListener('beforeprint',()=>{for(const d of \
                      document.querySelectorAll('details'))d.open=true})";

/// An entry, and the values of the parameters in its pictures.
pub struct PageEntry {
    entry: Entry,
    values: BTreeMap<Symbol, Rational>,
    /// Whether somebody chose the values.
    chosen: bool,
}

impl PageEntry {
    /// An entry with pictures for one choice of the parameters that satisfies the declaration.
    #[must_use]
    pub fn new(entry: Entry) -> Self {
        let mut values = entry.case.activation.witness().clone();
        if let Some(other) = &entry.other {
            for (symbol, value) in other.activation.witness() {
                values.entry(symbol.clone()).or_insert_with(|| value.clone());
            }
        }
        Self { entry, values, chosen: false }
    }

    /// A part with pictures for these values of the parameters, of both activations if there are two.
    #[must_use]
    pub fn with_values(entry: Entry, values: BTreeMap<Symbol, Rational>) -> Self {
        Self { entry, values, chosen: true }
    }
}

/// A page about all the parts.
#[must_use]
pub fn write(title: &str, parts: &[PageEntry]) -> String {
    let dark = format!("@media screen and (prefers-color-scheme: dark) {{{}}}", svg::dark());
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "gaussform " (env!("CARGO_PKG_VERSION")) };
                title { (title) " under Gaussian noise" }
                style { (PreEscaped(STYLE)) (PreEscaped(dark)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.lead {
                        "Exact moments for "
                        @if parts.iter().any(|part| part.entry.pair) {
                            "pre-activations u ~ N(γ, ξ²) and w ~ N(γ′, ξ′²) with covariance σ"
                        } @else {
                            "a pre-activation u ~ N(γ, ξ²)"
                        }
                        ": derived, proved and compiled by gaussform."
                    }
                }
                main {
                    @for (i, part) in parts.iter().enumerate() {
                        (section(part, i, parts.len() > 1))
                    }
                }
                footer { p { "gaussform " (env!("CARGO_PKG_VERSION")) } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn section(part: &PageEntry, index: usize, several: bool) -> Markup {
    let PageEntry { entry, .. } = part;
    let figures = figures::Figures::new(part, index);
    html! {
        @if several {
            h2.case { (function::heading(entry)) }
        }
        (function::card(entry, &figures))
        (derivation::results(entry, &figures))
        (figures.errors())
        (derivation::steps(entry))
        (derivation::certificates(entry))
        (kernel::card(entry))
    }
}

/// MathML, which may be wider than the page.
fn wide(label: &str, formula: &str) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-label=(label) { (PreEscaped(formula)) }
    }
}
