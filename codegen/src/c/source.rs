//! Lines of C, how numbers are written there, and the numbers of the runtime as macros, so that none is typed twice.

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

/// Numbers with commas between them.
pub(super) fn floats(values: &[f64]) -> String {
    values.iter().map(|value| float(*value)).collect::<Vec<_>>().join(", ")
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
pub(super) fn definitions<T: Float>() -> String {
    let definitions = [
        ("DENSITY_UNIT", float(T::power_of_two(-T::DENSITY_EXPONENT).to_f64())),
        ("MAX", float(T::MAX.to_f64())),
        ("SHIFTER", float(T::SHIFTER.to_f64())),
        ("ZERO_VARIANCE_EXPONENT", format!("({})", single::ZERO_VARIANCE_EXPONENT)),
    ];
    definitions.map(|(name, value)| format!("#define GSF_{name} {value}\n")).concat()
}
