//! Numbers as Python literals.

use gaussform_runtime::Float;
use gaussform_symbolic::exact::Rational;

use super::Target;
use crate::rounding::double;

/// A number as the shortest literal that is read back as it.
pub(super) fn float<T: Float>(value: T) -> String {
    let text = format!("{value:?}");
    match text.as_str() {
        "inf" => "math.inf".to_owned(),
        "-inf" => "-math.inf".to_owned(),
        _ => text,
    }
}

/// Numbers as a list.
pub(super) fn list<T: Float>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(|value| float(*value)).collect();
    format!("[{}]", values.join(", "))
}

/// A number to twice the precision, as a tuple; where single precision needs other words, a choice.
pub(super) fn pair(target: Target, value: &Rational) -> String {
    let wide = tuple(double::<f64>(value));
    if target.has_single() {
        let single = double::<f32>(value).map(f64::from);
        if single != double::<f64>(value) {
            return format!("_pick(p, {wide}, {})", tuple(single));
        }
    }
    wide
}

fn tuple([high, low]: [f64; 2]) -> String {
    format!("({}, {})", float(high), float(low))
}
