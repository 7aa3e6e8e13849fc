//! The numbers that the prelude reads, from those of the runtime.

use gaussform_runtime::Float;

use super::layout::statement;
use super::number::float;

/// The constants of a precision and its primitives as an object of Python.
pub(super) fn precision<T: Float>(
    name: &str,
    dtype: Option<&str>,
    is_table: bool,
    primitives: Vec<(String, String)>,
) -> String {
    let mut fields: Vec<(String, String)> = Vec::new();
    let mut field = |name: &str, value: String| fields.push((name.to_owned(), value));
    if let Some(dtype) = dtype {
        field("dtype", dtype.to_owned());
    }
    // In all digits: the shortest literal is above the number as one of double precision.
    field("largest", float(T::MAX.to_f64()));
    field("negligible", float(T::power_of_two(T::NEGLIGIBLE_EXPONENT + T::DENSITY_EXPONENT)));
    field("unit", float(T::power_of_two(-T::DENSITY_EXPONENT)));
    if is_table {
        field("density_exponent", T::DENSITY_EXPONENT.to_string());
        field("most_exponent", T::MOST_EXPONENT.to_string());
        field("least", float(T::power_of_two(-T::MOST_EXPONENT)));
        let words = if name == "_F64" { "_double" } else { "_single" };
        field("numbers", format!("_numbers({words})"));
    }
    fields.extend(primitives);
    object(name, &fields)
}

fn object(name: &str, fields: &[(String, String)]) -> String {
    let mut text = format!("{name} = SimpleNamespace(\n");
    for (field, value) in fields {
        text += &statement(1, &format!("{field}={value},"));
    }
    text + ")\n"
}
