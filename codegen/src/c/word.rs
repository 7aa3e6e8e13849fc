//! Arithmetic in double words as calls of the prelude.

use super::source::float;
use crate::ir::Word;
use crate::rounding::double;

/// A word as an expression; the parameters are `p[0]`, `p[1]`, ….
pub(super) fn text(word: &Word) -> String {
    let call = |name: &str, sides: &[Word; 2]| {
        format!("gsf_word_{name}({}, {})", text(&sides[0]), text(&sides[1]))
    };
    match word {
        Word::Constant(value) => {
            let [high, low] = double::<f64>(value).map(float);
            format!("gsf_word_of({high}, {low})")
        }
        Word::Parameter(index) => format!("gsf_word_of(p[{index}], 0.0)"),
        Word::Negate(value) => format!("gsf_word_negate({})", text(value)),
        Word::Add(sides) => call("add", sides),
        Word::Multiply(sides) => call("multiply", sides),
        Word::Divide(sides) => call("divide", sides),
    }
}

/// A word as what an element of an array starts from.
pub(super) fn initial(word: &Word) -> String {
    match word {
        Word::Constant(value) => {
            let [high, low] = double::<f64>(value).map(float);
            format!("{{{high}, {low}}}")
        }
        word => text(word),
    }
}
