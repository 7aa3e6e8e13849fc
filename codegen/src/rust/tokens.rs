//! Statements as tokens.

use proc_macro2::TokenStream;
use quote::quote;

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
