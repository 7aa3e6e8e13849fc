//! The numbers that the prelude reads, from those of the runtime.

use gaussform_runtime::Float;

use super::layout::statement;
use super::number::float;

/// The numbers that a module needs beyond the constants of a precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// How many functions the basis has on narrow pieces, if there may be any.
    pub(super) basis: Option<usize>,
    /// Whether no piece has a degree above 1.
    pub(super) linear: bool,
    /// Whether the kernel is a table.
    pub(super) table: bool,
}

impl Needs {
    /// Whether narrow pieces are integrated by quadrature.
    pub(super) fn nodes(self) -> bool {
        self.basis.is_some() && !self.linear
    }
}

/// The constants of a precision and its primitives as an object of Python.
pub(super) fn precision<T: Float>(
    name: &str,
    dtype: Option<&str>,
    needs: Needs,
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
    if needs.table {
        field("density_exponent", T::DENSITY_EXPONENT.to_string());
        field("most_exponent", T::MOST_EXPONENT.to_string());
        field("least", float(T::power_of_two(-T::MOST_EXPONENT)));
        let words = if name == "_F64" { "_double" } else { "_single" };
        field("numbers", format!("_numbers({words})"));
    }
    let mut rows = String::new();
    if let (false, Some(basis)) = (needs.linear, needs.basis) {
        let rule = format!("{name}_RULE");
        field("rule", format!("_rule({rule}, {basis})"));
        let nodes = T::NODES.iter().map(|node| {
            let [near, far, weight] = [node.near, node.far, node.weight].map(float);
            format!("    ({near}, {far}, {weight}),\n")
        });
        rows = format!("{rule} = [\n{}]\n", nodes.collect::<String>());
    }
    fields.extend(primitives);
    format!("{rows}{}", object(name, &fields))
}

fn object(name: &str, fields: &[(String, String)]) -> String {
    let mut text = format!("{name} = SimpleNamespace(\n");
    for (field, value) in fields {
        text += &statement(1, &format!("{field}={value},"));
    }
    text + ")\n"
}

/// The constants that do not depend on the precision.
pub(super) fn common(needs: Needs) -> String {
    match (needs.linear, needs.basis) {
        (true, Some(basis)) => format!("_BASIS = {basis}\n"),
        _ => String::new(),
    }
}
