//! The pictures of a page, and what they are drawn for.

use std::collections::BTreeMap;

use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;
use maud::{Markup, PreEscaped, html};

use super::Part;
use crate::plot::{self, Picture, PlotError, Subject};

/// The pictures, or why there are none.
pub(super) struct Figures {
    drawn: Result<Drawn, PlotError>,
    index: usize,
    values: BTreeMap<Symbol, Rational>,
    chosen: bool,
}

struct Drawn {
    function: Picture,
    moments: Vec<Picture>,
    errors: [Picture; 2],
}

impl Figures {
    pub(super) fn new(part: &Part, index: usize) -> Self {
        let drawn = Subject::new(&part.entry.case.activation, &part.values).and_then(|subject| {
            let (range, xi) = (subject.around(), subject.deviations());
            let middle = xi[xi.len() / 2];
            Ok(Drawn {
                function: plot::function(&subject, &range),
                moments: plot::moments(&subject, &range, &xi),
                errors: plot::errors(&subject, &subject.far(middle), middle)?,
            })
        });
        Self { drawn, index, values: part.values.clone(), chosen: part.chosen }
    }

    fn figure(&self, picture: &Picture, name: &str) -> Markup {
        let id = format!("figure-{}-{name}", self.index);
        html! { figure { (PreEscaped(picture.to_element(&id))) } }
    }

    pub(super) fn function(&self) -> Markup {
        match &self.drawn {
            Ok(drawn) => self.figure(&drawn.function, "function"),
            Err(_) => html! {},
        }
    }

    pub(super) fn moments(&self) -> Markup {
        let Ok(drawn) = &self.drawn else { return html! {} };
        html! {
            div.figures {
                @for (i, picture) in drawn.moments.iter().enumerate() {
                    (self.figure(picture, &format!("moments-{i}")))
                }
            }
        }
    }

    /// What the pictures are drawn for, or why there are none.
    pub(super) fn note(&self) -> Markup {
        let values: Vec<String> = self
            .values
            .iter()
            .filter_map(|(symbol, value)| match symbol {
                Symbol::Parameter(name) => Some(format!("{name} = {value}")),
                _ => None,
            })
            .collect();
        match &self.drawn {
            Err(error) => html! { p { "There are no pictures: " (error) "." } },
            Ok(_) if values.is_empty() => html! {},
            Ok(_) if self.chosen => html! {
                p { "The pictures are drawn for " code { (values.join(", ")) } "." }
            },
            Ok(_) => html! {
                p {
                    "The pictures are drawn for " code { (values.join(", ")) }
                    ", one choice that satisfies the declaration; "
                    code { "--param NAME=NUMBER" } " draws another."
                }
            },
        }
    }

    pub(super) fn errors(&self) -> Markup {
        let Ok(drawn) = &self.drawn else { return html! {} };
        let names = ["error-mean", "error-variance"];
        html! {
            section.card {
                h2 { "Accuracy" }
                p {
                    "The derived formulas are exact, but they cancel when they are computed as they "
                    "stand. The kernels compute the same moments without that. Both are compared in "
                    "double precision with the formulas in some hundred digits; the error of the mean "
                    "is relative to E|g|."
                }
                div.figures {
                    @for (picture, name) in drawn.errors.iter().zip(names) {
                        (self.figure(picture, name))
                    }
                }
            }
        }
    }
}
