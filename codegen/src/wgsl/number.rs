//! Numbers as WGSL writes them, and arithmetic in double and triple words of `f32`.

use crate::ir::Word;
use crate::rounding::Length;

/// The nearest number in single precision; the largest one where there is none as large.
pub(super) fn nearest_single(value: f64) -> f32 {
    (value as f32).clamp(f32::MIN, f32::MAX)
}

/// The nearest number in single precision as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> String {
    let nearest = nearest_single(value);
    if nearest.abs() < f32::MAX {
        format!("{nearest:?}")
    } else {
        // In all digits: the shortest literal is above the largest number.
        format!("{:?}", f64::from(nearest))
    }
}

/// A word as an expression; the parameters are `theta0`, `theta1`, ….
pub(super) fn words(word: &Word) -> String {
    in_words(Length::Double, word)
}

/// A knot, in three words.
pub(super) fn triple(knot: &Word) -> String {
    in_words(Length::Triple, knot)
}

fn in_words(length: Length, word: &Word) -> String {
    let kind = match length {
        Length::Double => "gsf_pair",
        Length::Triple => "gsf_triple",
    };
    let list = |words: &[f64]| words.iter().map(|word| float(*word)).collect::<Vec<_>>().join(", ");
    let text = |word: &Word| in_words(length, word);
    let call = |operation: &str, sides: &[Word; 2]| {
        format!("gsf_{}_{operation}({}, {})", length.name(), text(&sides[0]), text(&sides[1]))
    };
    match word {
        Word::Constant(value) => {
            let words: Vec<f64> = length.of::<f32>(value).into_iter().map(f64::from).collect();
            format!("{kind}({})", list(&words))
        }
        Word::Parameter(index) => format!("{kind}(theta{index}, {})", list(length.zeros())),
        Word::Negate(value) => format!("gsf_{}_negate({})", length.name(), text(value)),
        Word::Add(sides) => call("add", sides),
        Word::Multiply(sides) => call("multiply", sides),
        Word::Divide(sides) => call("divide", sides),
    }
}
