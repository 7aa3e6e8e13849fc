//! Numbers as WGSL writes them, and arithmetic in double and triple words of `f32`.

use crate::ir::{Computed, Word};
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

/// Numbers with commas between them.
pub(super) fn floats(values: &[f64]) -> String {
    values.iter().map(|value| float(*value)).collect::<Vec<_>>().join(", ")
}

/// Numbers of single precision with commas between them.
pub(super) fn singles(values: &[f32]) -> String {
    values.iter().map(|value| float(f64::from(*value))).collect::<Vec<_>>().join(", ")
}

/// A word as an expression; the parameters are `theta0`, `theta1`, ….
pub(super) fn words(word: &Word) -> String {
    in_words(Length::Double, word)
}

/// A knot, in three words.
pub(super) fn triple(knot: &Word) -> String {
    in_words(Length::Triple, knot)
}

/// A number of so many words.
pub(super) fn in_words(length: Length, word: &Word) -> String {
    let kind = match length {
        Length::Double => "gsf_pair",
        Length::Triple => "gsf_triple",
    };
    match word.computed() {
        Computed::Constant(value) => format!("{kind}({})", singles(&length.of(value))),
        Computed::Parameter(index) => format!("{kind}(theta{index}, {})", floats(length.zeros())),
        Computed::Call(operation, sides) => {
            let sides: Vec<String> = sides.iter().map(|side| in_words(length, side)).collect();
            format!("gsf_{}_{operation}({})", length.name(), sides.join(", "))
        }
    }
}
