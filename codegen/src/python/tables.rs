//! The numbers that the prelude reads, from those of the runtime.

use gaussform_runtime::Float;

use super::layout::statement;
use super::number::float;
use super::primitive::Primitives;

/// The constants of a precision and its primitives as an object of Python, as far as they are read.
pub(super) fn precision<T: Float>(
    name: &str,
    dtype: Option<String>,
    primitives: &Primitives,
    precision: usize,
) -> String {
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut field = |name: &str, value: String| {
        if primitives.reads(name) {
            fields.push((name.to_owned(), value));
        }
    };
    if let Some(dtype) = dtype {
        field("dtype", dtype);
    }
    // In all digits: the shortest literal is above the number as one of double precision.
    field("largest", float(T::MAX.to_f64()));
    field("density_exponent", T::DENSITY_EXPONENT.to_string());
    field("most_exponent", T::MOST_EXPONENT.to_string());
    field("least", float(T::power_of_two(-T::MOST_EXPONENT)));
    let words = if name == "_F64" { "_double" } else { "_single" };
    field("numbers", format!("_numbers({words})"));
    fields.extend(primitives.fields(precision));
    object(name, &fields)
}

fn object(name: &str, fields: &[(String, String)]) -> String {
    let mut text = format!("{name} = SimpleNamespace(\n");
    for (field, value) in fields {
        text += &statement(1, &format!("{field}={value},"));
    }
    text + ")\n"
}
