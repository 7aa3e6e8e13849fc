//! Domains of single parameters.

use gaussform_symbolic::grammar::Endpoint;
use syn::parse::ParseStream;
use syn::{Ident, Token, token};

use crate::number::{self, Rational};
use crate::place::Place;
use crate::relation::{self, Bound};

/// `name`, `name in (lower, upper)`, or what comparisons with numbers say.
pub(crate) struct Domain {
    /// The parameter.
    pub(crate) name: Ident,
    /// The lower end of the parameter's range, if there is one.
    pub(crate) lower: Option<Endpoint>,
    /// The upper end of the parameter's range, if there is one.
    pub(crate) upper: Option<Endpoint>,
    /// The place of the whole text.
    pub(crate) place: Place,
    /// Whether it is stated as such, and not by comparisons.
    pub(crate) explicit: bool,
}

impl Domain {
    /// All numbers.
    pub(crate) fn of(name: Ident) -> Self {
        let place = name.span().into();
        Self { name, lower: None, upper: None, place, explicit: true }
    }

    /// `(lower, upper)` or `[lower, upper]`.
    pub(crate) fn interval(name: Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let content;
        let (closed, end) = if input.peek(token::Bracket) {
            (true, syn::bracketed!(content in input).span.close())
        } else if input.peek(token::Paren) {
            (false, syn::parenthesized!(content in input).span.close())
        } else {
            return Err(input.error("expected an interval such as `(0, 1)` or `[0, 1]`"));
        };
        let lower = endpoint(&content)?;
        content.parse::<Token![,]>()?;
        let upper = endpoint(&content)?;
        if !content.is_empty() {
            return Err(content.error("expected the end of the interval"));
        }
        let mut domain = Self::of(name);
        domain.lower = lower.map(|value| Endpoint { value, closed });
        domain.upper = upper.map(|value| Endpoint { value, closed });
        domain.place = domain.place.to(end);
        Ok(domain)
    }

    /// Narrows the domain to its intersection with `other`.
    pub(crate) fn meet(&mut self, other: Self) {
        for (end, upper) in [(other.lower, false), (other.upper, true)] {
            if let Some(end) = end {
                self.tighten(end, upper);
            }
        }
        (self.place, self.explicit) = (other.place, other.explicit);
    }

    /// Narrows the domain by the comparison `bound`, which stands at `place`.
    pub(crate) fn narrow(&mut self, bound: Bound, place: Place) {
        self.place = place;
        if let Some(end) = bound.end {
            self.tighten(end, bound.upper);
        }
    }

    fn tighten(&mut self, end: Endpoint, upper: bool) {
        let old = if upper { &mut self.upper } else { &mut self.lower };
        let tighter = old.as_ref().is_none_or(|old| {
            let inside = if upper { end.value < old.value } else { end.value > old.value };
            inside || end.value == old.value && old.closed
        });
        if tighter {
            *old = Some(end);
        }
    }
}

/// An end of an interval: a number, or `None` for `inf` and `-inf`.
fn endpoint(input: ParseStream<'_>) -> syn::Result<Option<Rational>> {
    if relation::infinity(input)?.is_some() {
        return Ok(None);
    }
    let minus = input.parse::<Option<Token![-]>>()?;
    if !input.peek(syn::Lit) {
        return Err(Place::from(input.span()).advise(
            "expected a number or `inf`",
            "an end that is a parameter is a relation: `a < b`",
        ));
    }
    let value = number::any(&input.parse()?)?;
    Ok(Some(if minus.is_some() { -value } else { value }))
}
