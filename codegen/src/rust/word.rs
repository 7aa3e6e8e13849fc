//! Arithmetic in double and triple words as calls of the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::tokens::float;
use crate::ir::Word;
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
        match self {
            Self::Own(names) => {
                let name = &names[index];
                quote!(self.#name)
            }
            Self::Local(names) => {
                let name = &names[index];
                quote!(#name)
            }
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
    let tokens = |word: &Word| in_words(length, word, fields);
    let module = format_ident!("{}", length.name());
    let call = |name: TokenStream, sides: &[Word; 2]| {
        let [left, right] = sides.each_ref().map(tokens);
        quote!(kernel::#module::#name(#left, #right))
    };
    match word {
        Word::Constant(value) => {
            let words = length.of(value).into_iter().map(float);
            quote!([#(#words),*])
        }
        Word::Parameter(index) => {
            let value = fields.read(*index);
            let zeros = length.zeros().iter().copied().map(float);
            quote!([#value, #(#zeros),*])
        }
        Word::Negate(value) => {
            let value = tokens(value);
            quote!(kernel::#module::negate(#value))
        }
        Word::Add(sides) => call(quote!(add), sides),
        Word::Multiply(sides) => call(quote!(multiply), sides),
        Word::Divide(sides) => call(quote!(divide), sides),
    }
}
