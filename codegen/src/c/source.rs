//! Lines of C, how numbers are written there, and the numbers of the runtime as macros, so that none is typed twice.

use std::fmt::Write as _;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::single;
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

/// The definitions that the prelude starts from.
pub(super) fn definitions() -> String {
    let mut text = String::new();
    precision::<f64>(&mut text);
    define(&mut text, "ZERO_VARIANCE_EXPONENT", &format!("({})", single::ZERO_VARIANCE_EXPONENT));
    text
}

/// The constants of a precision.
fn precision<T: Float>(text: &mut String) {
    let scalars = [
        ("DENSITY_UNIT", T::power_of_two(-T::DENSITY_EXPONENT)),
        ("MAX", T::MAX),
        ("SHIFTER", T::SHIFTER),
    ];
    for (name, value) in scalars {
        define(text, name, &float(value.to_f64()));
    }
}

fn define(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\n', " \\\n");
    let _ = writeln!(text, "#define GSF_{name} {value}");
}
