//! Formulas for people: one tree of mathematics, a printer for each format.

pub mod latex;
mod steps;
pub mod text;
mod tree;

pub use tree::{Math, definition};

use crate::polynomial::Polynomial;

/// A polynomial on one short line, in the variable's own name, for error messages.
pub(crate) fn plain(polynomial: &Polynomial, variable: &str) -> String {
    const WIDTH: usize = 60;
    let text = text::math(&tree::polynomial(polynomial).with_variable(variable));
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text,
    }
}
