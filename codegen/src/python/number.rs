//! Numbers as Python literals.

use gaussform_runtime::Float;
use gaussform_symbolic::exact::Rational;

use super::Target;
use crate::rounding::Length;

/// A number as the shortest literal that is read back as it.
pub(super) fn float<T: Float>(value: T) -> String {
    let text = format!("{value:?}");
    match text.as_str() {
        "inf" => "math.inf".to_owned(),
        "-inf" => "-math.inf".to_owned(),
        "NaN" => "math.nan".to_owned(),
        _ => text,
    }
}

/// A number as a tuple of words; where single precision needs other words, a choice.
pub(super) fn words(target: Target, length: Length, value: &Rational) -> String {
    let double = length.of::<f64>(value);
    let wide = tuple(&double);
    if target.has_single() {
        let single: Vec<f64> = length.of::<f32>(value).into_iter().map(f64::from).collect();
        if single != double {
            return format!("_pick(p, {wide}, {})", tuple(&single));
        }
    }
    wide
}

/// Expressions as a tuple of any length.
pub(super) fn tuple_of(items: &[String]) -> String {
    if items.is_empty() { "()".to_owned() } else { format!("({},)", items.join(", ")) }
}

/// Numbers as a tuple of several.
pub(super) fn tuple(numbers: &[f64]) -> String {
    format!("({})", floats(numbers))
}

/// Numbers with commas between them.
pub(super) fn floats(numbers: &[f64]) -> String {
    numbers.iter().map(|number| float(*number)).collect::<Vec<_>>().join(", ")
}
