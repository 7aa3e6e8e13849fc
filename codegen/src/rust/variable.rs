//! The local variables of generated functions, and how their parts are read.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::tokens::number;
use crate::ir::Var;

/// The result of a statement.
pub(super) fn variable(var: Var) -> Ident {
    format_ident!("v{var}")
}

/// The local variable that holds a parameter.
pub(super) fn parameter(index: usize) -> Ident {
    format_ident!("theta{index}")
}

/// A knot seen from γ.
pub(super) fn edge(knot: usize) -> Ident {
    format_ident!("edge{knot}")
}

/// The tails at a knot.
pub(super) fn tails(knot: usize) -> Ident {
    format_ident!("tails{knot}")
}

/// The lanes in which a piece is narrow.
pub(super) fn narrow(piece: usize) -> Ident {
    format_ident!("narrow{piece}")
}

/// The integrals of powers on a piece.
pub(super) fn powers(piece: usize) -> Ident {
    format_ident!("powers{piece}")
}

/// The integrals of the basis over a piece.
pub(super) fn integrals(piece: usize) -> Ident {
    format_ident!("integrals{piece}")
}

/// A field or the result of a method.
pub(super) fn of(name: Ident, field: TokenStream) -> TokenStream {
    quote!(#name.#field)
}

/// An element of an array.
pub(super) fn element(name: Ident, index: usize) -> TokenStream {
    let index = number(index);
    quote!(#name[#index])
}
