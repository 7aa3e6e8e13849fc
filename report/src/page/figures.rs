//! The pictures of a page, and the values of the parameters in them.

use std::collections::BTreeMap;

use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;
use maud::{Markup, PreEscaped, html};

use super::PageEntry;
use crate::plot::{self, Pair, Picture, PlotError, Subject};

/// The pictures, or why there are none.
pub(super) struct Figures {
    drawn: Result<Drawn, PlotError>,
    index: usize,
    values: BTreeMap<Symbol, Rational>,
    chosen: bool,
    pair: bool,
}

struct Drawn {
    functions: Vec<Picture>,
    moments: Vec<Picture>,
    /// None, if formulas are too long to be compared with the kernel.
    errors: Vec<Picture>,
}

/// A unit that is seldom on, the middle, and one that seldom is not: means in ξ from the middle of the knots.
const PLACES: [f64; 3] = [-1.0, 0.0, 1.0];

impl Drawn {
    fn one(g: &Subject) -> Result<Self, PlotError> {
        let (range, xi) = (g.around(), g.deviations());
        let middle = xi[xi.len() / 2];
        Ok(Self {
            functions: vec![plot::function(g, &range)],
            moments: plot::moments(g, &range, &xi),
            errors: if g.has_short_formulas() {
                plot::errors(g, &g.far(middle), middle)?.into()
            } else {
                Vec::new()
            },
        })
    }

    fn pair(g: &Subject, h: &Subject) -> Result<Self, PlotError> {
        let pairs = PLACES.map(|place| Pair::around([g, h], place));
        let pairs = pairs.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            functions: plot::functions(&pairs[0]).into(),
            moments: pairs.iter().map(plot::covariance).collect(),
            errors: plot::covariance_errors(&pairs[0])?.into(),
        })
    }
}

impl Figures {
    pub(super) fn new(part: &PageEntry, index: usize) -> Self {
        let PageEntry { entry, values, chosen } = part;
        let g = &entry.case.activation;
        let h = entry.other.as_ref().map(|other| &other.activation).filter(|_| entry.pair);
        let drawn = Subject::new(g, values).and_then(|first| match h {
            Some(h) => Drawn::pair(&first, &Subject::new(h, values)?),
            None => Drawn::one(&first),
        });
        let is_drawn = |symbol: &Symbol| {
            let parameters =
                std::iter::once(g).chain(h).flat_map(|activation| &activation.parameters);
            { parameters }.any(|parameter| *symbol == Symbol::Parameter(parameter.name.clone()))
        };
        let mut values = values.clone();
        values.retain(|symbol, _| is_drawn(symbol));
        Self { drawn, index, values, chosen: *chosen, pair: entry.pair }
    }

    fn figure(&self, picture: &Picture, name: &str) -> Markup {
        let id = format!("figure-{}-{name}", self.index);
        html! { figure { (PreEscaped(picture.to_element(&id))) } }
    }

    pub(super) fn functions(&self) -> Markup {
        let Ok(drawn) = &self.drawn else { return html! {} };
        match drawn.functions.as_slice() {
            [only] => self.figure(only, "function"),
            several => self.figures(several, "function"),
        }
    }

    pub(super) fn moments(&self) -> Markup {
        let Ok(drawn) = &self.drawn else { return html! {} };
        self.figures(&drawn.moments, "moments")
    }

    fn figures(&self, pictures: &[Picture], name: &str) -> Markup {
        html! {
            div.figures {
                @for (i, picture) in pictures.iter().enumerate() {
                    (self.figure(picture, &format!("{name}-{i}")))
                }
            }
        }
    }

    /// The values of the parameters in the pictures, or the reason why there are none.
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
        if drawn.errors.is_empty() {
            return html! {};
        }
        html! {
            section.card {
                h2 { "Accuracy" }
                p {
                    "The derived formulas are exact, but they cancel when they are computed as they "
                    "stand. The kernels compute the same moments without that. Both are compared in "
                    "double precision with the formulas in some hundred digits; the error of the "
                    @if self.pair {
                        "covariance is relative to that of the increasing functions that are as steep as g "
                        "and h, which is the covariance itself where both are monotone."
                    } @else {
                        "mean is relative to E|g|, or to √E[g²] where the formula of E|g| is long."
                    }
                }
                (self.figures(&drawn.errors, "errors"))
            }
        }
    }
}
