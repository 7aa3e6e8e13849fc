//! Formulas for people: one tree of mathematics, a printer for each format.

pub mod latex;
mod steps;
pub mod text;
mod tree;

pub use tree::{Math, definition};

use crate::polynomial::Polynomial;

/// A polynomial in one line of plain text, for error messages.
pub(crate) fn plain(polynomial: &Polynomial) -> String {
    text::math(&tree::polynomial(polynomial))
}
