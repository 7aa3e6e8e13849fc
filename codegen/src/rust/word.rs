//! Arithmetic in double and triple words as calls of the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::tokens::float;
use crate::ir::{Computed, Word};
use crate::rounding::Length;

/// How the code reads the parameters, which are numbers of f64.
#[derive(Clone, Copy)]
pub(super) enum Fields<'a> {
    /// Fields of `self`.
    Own(&'a [Ident]),
    /// Local variables.
    Local(&'a [Ident]),
}

impl Fields<'_> {
    fn read(self, index: usize) -> TokenStream {
        let (Self::Own(names) | Self::Local(names)) = self;
        let name = &names[index];
        match self {
            Self::Own(_) => quote!(self.#name),
            Self::Local(_) => quote!(#name),
        }
    }
}

/// A word as an expression of type `[f64; 2]`.
pub(super) fn tokens(word: &Word, fields: Fields<'_>) -> TokenStream {
    in_words(Length::Double, word, fields)
}

/// A knot as an expression of type `[f64; 3]`.
pub(super) fn place(knot: &Word, fields: Fields<'_>) -> TokenStream {
    in_words(Length::Triple, knot, fields)
}

fn in_words(length: Length, word: &Word, fields: Fields<'_>) -> TokenStream {
    match word.computed() {
        Computed::Constant(value) => {
            let words = length.of(value).into_iter().map(float);
            quote!([#(#words),*])
        }
        Computed::Parameter(index) => {
            let value = fields.read(index);
            let zeros = length.zeros().iter().copied().map(float);
            quote!([#value, #(#zeros),*])
        }
        Computed::Call(operation, sides) => {
            let [module, name] = [length.name(), operation].map(|name| format_ident!("{name}"));
            let sides = sides.iter().map(|side| in_words(length, side, fields));
            quote!(kernel::#module::#name(#(#sides),*))
        }
    }
}
