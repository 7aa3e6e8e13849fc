//! The numbers of the runtime as macros of C, so that none is typed twice.

use std::fmt::Write as _;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::single;

use super::float;
use crate::plan::MAX_DEGREE;

/// The definitions that the prelude starts from.
pub(super) fn definitions() -> String {
    let mut text = String::new();
    precision::<f64>(&mut text);
    define(&mut text, "MAX_BASIS", &(MAX_DEGREE + 1).to_string());
    define(&mut text, "AT_REST", &format!("({})", single::AT_REST));
    text
}

/// The constants of a precision.
fn precision<T: Float>(text: &mut String) {
    let scalars = [
        ("NEGLIGIBLE", T::power_of_two(T::NEGLIGIBLE_EXPONENT + T::DENSITY_EXPONENT)),
        ("DENSITY_UNIT", T::power_of_two(-T::DENSITY_EXPONENT)),
        ("MAX", T::MAX),
        ("SHIFTER", T::SHIFTER),
    ];
    for (name, value) in scalars {
        define(text, name, &float(value.to_f64()));
    }
    define(text, "PAIRS", &T::NODES.len().to_string());
    let nodes = T::NODES.iter().map(|node| [node.near, node.far, node.weight].map(T::to_f64));
    define(text, "NODES", &list(nodes.map(|node| numbers(&node))));
}

fn define(text: &mut String, name: &str, value: &str) {
    let value = value.replace('\n', " \\\n");
    let _ = writeln!(text, "#define GSF_{name} {value}");
}

/// Numbers in braces.
fn numbers<T: Float>(values: &[T]) -> String {
    list(values.iter().map(|value| float(value.to_f64())))
}

/// Values in braces, in lines that are not too long.
fn list(values: impl Iterator<Item = String>) -> String {
    let mut text = String::from("{");
    let mut width = 0;
    for (i, value) in values.enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        if width + value.len() > 80 {
            text.truncate(text.trim_end().len());
            text.push_str("\n    ");
            width = 0;
        }
        width += value.len() + 2;
        text.push_str(&value);
    }
    text + "}"
}
