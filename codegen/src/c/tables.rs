//! The numbers of the runtime as macros of C, so that none is typed twice.

use std::fmt::Write as _;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::single;

use super::float;

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
