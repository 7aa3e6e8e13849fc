//! Lines of C, and how numbers are written there.

use gaussform_symbolic::exact::Rational;

use crate::rounding::nearest;
pub(super) use crate::source::Source;

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else if value < 0.0 {
        "-GSF_INFINITY".to_owned()
    } else {
        "GSF_INFINITY".to_owned()
    }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> String {
    float(nearest(value))
}

/// The longest line of a function that every kernel calls.
pub(super) const WIDTH: usize = 112;

/// A statement inside of a function, over two lines or more where it is long.
pub(super) fn statement(source: &mut Source, text: &str) {
    let mut rest = text;
    let mut indent = "";
    while rest.len() + 4 + indent.len() > WIDTH {
        let Some(at) = rest[..WIDTH - 4 - indent.len()].rfind(", ") else { break };
        source.line(&format!("{indent}{}", &rest[..=at]));
        rest = &rest[at + 2..];
        indent = "    ";
    }
    source.line(&format!("{indent}{rest}"));
}
