//! Arithmetic in double words as calls of the runtime.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::block::double_word;
use crate::ir::Word;

/// How the code reads the parameters, which are numbers of f64.
#[derive(Clone, Copy)]
pub(super) enum Fields<'a> {
    /// As fields of `self`.
    Own(&'a [Ident]),
    /// As local variables.
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
    let tokens = |word: &Word| tokens(word, fields);
    let call = |name: TokenStream, sides: &[Word; 2]| {
        let [left, right] = sides.each_ref().map(tokens);
        quote!(kernel::word::#name(#left, #right))
    };
    match word {
        Word::Constant(value) => double_word(value),
        Word::Parameter(index) => {
            let value = fields.read(*index);
            quote!([#value, 0.0])
        }
        Word::Negate(value) => {
            let value = tokens(value);
            quote!(kernel::word::negate(#value))
        }
        Word::Add(sides) => call(quote!(add), sides),
        Word::Multiply(sides) => call(quote!(multiply), sides),
        Word::Divide(sides) => call(quote!(divide), sides),
    }
}
