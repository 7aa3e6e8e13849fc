//! Statements and numbers as tokens.

use gaussform_symbolic::exact::Rational;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::rounding::nearest;

/// Tokens that grow statement by statement, with the blocks that are open.
#[derive(Default)]
pub(super) struct Tokens {
    tokens: TokenStream,
    /// The tokens before each open block, and the tokens that open it.
    outside: Vec<[TokenStream; 2]>,
}

impl Tokens {
    /// Statements.
    pub(super) fn put(&mut self, tokens: TokenStream) {
        self.tokens.extend(tokens);
    }

    /// Opens a block behind a head.
    pub(super) fn open(&mut self, head: TokenStream) {
        self.outside.push([std::mem::take(&mut self.tokens), head]);
    }

    /// Closes the innermost block.
    pub(super) fn close(&mut self) {
        let [before, head] = self.outside.pop().expect("a block is open");
        let inside = std::mem::replace(&mut self.tokens, before);
        self.put(quote!(#head { #inside }));
    }

    /// The tokens that were written.
    pub(super) fn finish(self) -> TokenStream {
        self.tokens
    }
}

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    if value.is_infinite() {
        return if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) };
    }
    let size = Literal::f64_unsuffixed(value.abs());
    if value.is_sign_negative() { quote!(-#size) } else { quote!(#size) }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> TokenStream {
    float(nearest(value))
}

/// An index without a suffix.
pub(super) fn number(index: usize) -> Literal {
    Literal::usize_unsuffixed(index)
}
