//! Arithmetic in double and triple words as calls of the prelude.

use super::source::float;
use crate::ir::Word;
use crate::rounding::Length;

/// A word as an expression; the parameters are `p[0]`, `p[1]`, ….
pub(super) fn text(word: &Word) -> String {
    in_words(Length::Double, word)
}

/// A knot, in three words.
pub(super) fn place(knot: &Word) -> String {
    in_words(Length::Triple, knot)
}

fn in_words(length: Length, word: &Word) -> String {
    let name = length.name();
    let text = |word: &Word| in_words(length, word);
    let call = |operation: &str, sides: &[Word; 2]| {
        format!("gsf_{name}_{operation}({}, {})", text(&sides[0]), text(&sides[1]))
    };
    match word {
        Word::Constant(value) => format!("gsf_{name}_of({})", list(&length.of(value))),
        Word::Parameter(index) => format!("gsf_{name}_of(p[{index}], {})", list(length.zeros())),
        Word::Negate(value) => format!("gsf_{name}_negate({})", text(value)),
        Word::Add(sides) => call("add", sides),
        Word::Multiply(sides) => call("multiply", sides),
        Word::Divide(sides) => call("divide", sides),
    }
}

fn list(words: &[f64]) -> String {
    words.iter().map(|word| float(*word)).collect::<Vec<_>>().join(", ")
}
