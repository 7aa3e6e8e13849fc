//! Places in the user's source, and the errors that point at them.

use std::fmt::Display;

use gaussform_symbolic as symbolic;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

/// A place, by the spans of its first and its last token.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    start: Span,
    end: Span,
}

impl From<Span> for Place {
    fn from(span: Span) -> Self {
        Self { start: span, end: span }
    }
}

impl Place {
    /// The place of all of `tokens`.
    pub(crate) fn of(tokens: &impl ToTokens) -> Self {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(first) = tokens.next() else { return Span::call_site().into() };
        let last = tokens.last().unwrap_or_else(|| first.clone());
        // The span of a group covers all of it, so its ends are taken from its delimiters.
        let start = match &first {
            TokenTree::Group(group) => group.span_open(),
            token => token.span(),
        };
        let end = match &last {
            TokenTree::Group(group) => group.span_close(),
            token => token.span(),
        };
        Self { start, end }
    }

    /// From the start of this to the end of `other`.
    pub(crate) fn to(self, other: impl Into<Self>) -> Self {
        Self { start: self.start, end: other.into().end }
    }

    /// An error here.
    pub(crate) fn error(self, message: impl Display) -> syn::Error {
        // Two tokens, since `new_spanned` reaches from the first to the last. Stable compilers
        // cannot join spans.
        let mut place: TokenStream = quote_spanned!(self.start=> ..);
        place.extend(quote_spanned!(self.end=> ..));
        syn::Error::new_spanned(place, message)
    }

    /// An error here, with what to do about it.
    pub(crate) fn advise(self, message: impl Display, help: impl Display) -> syn::Error {
        self.error(format!("{message}\nhelp: {help}"))
    }

    /// The error that a limit on what is accepted was reached here.
    pub(crate) fn limit(self, limit: symbolic::Limit, needed: Option<usize>) -> syn::Error {
        self.error(symbolic::ErrorKind::Limit { limit, needed })
    }
}

/// Which macro a token comes from, as far as the compiler shows it: names of the same text and
/// of different origin are different names. `None` where it does not show.
pub(crate) fn origin(span: Span) -> Option<String> {
    // A span as `#4 bytes(10..12)`: nothing but this text shows the origin on stable compilers.
    let shown = format!("{span:?}");
    let (origin, _) = shown.split_once(" bytes(")?;
    origin.starts_with('#').then(|| origin.to_owned())
}

/// The places of the syntax tree's nodes: a [`symbolic::Span`] holds indices into them.
#[derive(Clone, Default)]
pub(crate) struct Places {
    places: Vec<Place>,
    /// The call that stands for everything in the body of the called function.
    call: Option<Place>,
}

impl Places {
    /// Files a place.
    pub(crate) fn span(&mut self, place: impl Into<Place>) -> symbolic::Span {
        let start = self.places.len();
        self.places.push(self.call.unwrap_or_else(|| place.into()));
        symbolic::Span { start, end: start + 1 }
    }

    /// Files the place of a call until [`leave`](Self::leave), whatever is read: a function is good
    /// by itself, and what is wrong with its values is wrong with those of its arguments.
    pub(crate) fn enter(&mut self, place: Place) -> Option<Place> {
        let outer = self.call;
        // Only the outermost call stands in the body of the activation itself.
        self.call = outer.or(Some(place));
        outer
    }

    /// Leaves a call; takes what [`enter`](Self::enter) gave.
    pub(crate) fn leave(&mut self, outer: Option<Place>) {
        self.call = outer;
    }

    /// The place that was filed, or the one around two that were.
    pub(crate) fn place(&self, span: symbolic::Span) -> Place {
        let at = |index: usize| self.places.get(index).copied();
        match (at(span.start), at(span.end.saturating_sub(1))) {
            (Some(start), Some(end)) => start.to(end),
            _ => Span::call_site().into(),
        }
    }

    /// The engine's error where it belongs in the user's source.
    pub(crate) fn error(&self, error: &symbolic::Error) -> syn::Error {
        let place = self.place(error.span);
        match &error.help {
            Some(help) => place.advise(&error.kind, help),
            None => place.error(&error.kind),
        }
    }
}

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Report {
    /// The errors.
    pub(crate) error: Option<syn::Error>,
    /// Whether the compiler would refuse the function too, and say so a second time.
    pub(crate) refused: bool,
}

impl Report {
    /// Adds the error of a function that is good Rust, but no activation.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.error {
            Some(errors) => errors.combine(error),
            None => self.error = Some(error),
        }
    }

    /// Adds what another one holds.
    pub(crate) fn absorb(&mut self, other: Self) {
        self.refused |= other.refused;
        if let Some(error) = other.error {
            self.push(error);
        }
    }

    /// Adds an error that the compiler would find as well.
    pub(crate) fn refuse(&mut self, error: syn::Error) {
        self.refused = true;
        self.push(error);
    }
}
