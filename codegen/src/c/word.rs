//! Arithmetic in double and triple words as calls of the prelude.

use super::source::floats;
use crate::ir::{Computed, Word};
use crate::rounding::Length;

/// A word as an expression; the parameters are `p[0]`, `p[1]`, ….
pub(super) fn text(word: &Word) -> String {
    in_words(Length::Double, word)
}

/// A knot, in three words.
pub(super) fn place(knot: &Word) -> String {
    in_words(Length::Triple, knot)
}

/// A number of so many words.
pub(super) fn in_words(length: Length, word: &Word) -> String {
    let name = length.name();
    match word.computed() {
        Computed::Constant(value) => format!("gsf_{name}_of({})", floats(&length.of(value))),
        Computed::Parameter(index) => {
            format!("gsf_{name}_of(p[{index}], {})", floats(length.zeros()))
        }
        Computed::Call(operation, sides) => {
            let sides: Vec<String> = sides.iter().map(|side| in_words(length, side)).collect();
            format!("gsf_{name}_{operation}({})", sides.join(", "))
        }
    }
}
