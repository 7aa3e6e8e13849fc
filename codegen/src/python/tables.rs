//! The numbers that the prelude reads, from those of the runtime.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::powers::INVERSE_FACTORIALS;
use gaussform_runtime::kernel::{FIT_COUNTS, Limits, Linear, Rule, high};

use super::layout::statement;
use super::number::{float, list};

/// Those of curved pieces, which are wider than in the runtime, because sums are plain here.
const CURVED: Limits = Limits { width: 6.0, width_at_edge: 10.0, depth: 1.0, exponent: 50.0 };

/// What a module needs beyond the constants of a precision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    /// The largest number of tails at a knot.
    pub(super) tails: usize,
    /// How many functions the basis has on narrow pieces, if there may be any.
    pub(super) basis: Option<usize>,
    /// Whether no piece has a degree above 1.
    pub(super) linear: bool,
}

impl Needs {
    /// Whether narrow pieces are integrated by quadrature.
    pub(super) fn nodes(self) -> bool {
        self.basis.is_some() && !self.linear
    }

    /// Whether the orders of the tails are beyond the fits.
    pub(super) fn high(self) -> bool {
        self.tails > FIT_COUNTS[FIT_COUNTS.len() - 1]
    }
}

/// The constants of a precision as an object of Python.
pub(super) fn precision<T: Float>(name: &str, dtype: Option<&str>, needs: Needs) -> String {
    let mut fields: Vec<(&str, String)> = Vec::new();
    fields.extend(dtype.map(|dtype| ("dtype", dtype.to_owned())));
    fields.extend([
        ("splitter", float(T::SPLITTER)),
        // In all digits: the shortest literal is above the number as one of double precision.
        ("largest", float(T::MAX.to_f64())),
        ("large_variance", float(T::LARGE_VARIANCE)),
        ("small_variance", float(T::SMALL_VARIANCE)),
        ("rescale", float(T::RESCALE)),
        ("inverse_at_rest", float(T::INVERSE_AT_REST)),
        ("farthest", float(T::S_MAX)),
        ("negligible", float(T::power_of_two(T::NEGLIGIBLE_EXPONENT + T::DENSITY_EXPONENT))),
        ("unit", float(T::power_of_two(-T::DENSITY_EXPONENT))),
        ("root_density", float(root_density::<T>())),
    ]);
    if needs.high() {
        fields.push(("high_scale", float(T::HIGH_SCALE)));
    } else if needs.tails > 0 {
        let serves = |count: &usize| needs.tails <= *count;
        let fit = &T::FITS[FIT_COUNTS.iter().position(serves).expect("else they are high")];
        fields.extend([
            ("fit_start", fit.start.to_string()),
            ("fit_p", list(fit.p)),
            ("fit_q", list(fit.q)),
        ]);
    }
    if needs.basis.is_some() && needs.linear {
        let last = T::POWERS.last.map(|m| m.to_string()).join(", ");
        fields.extend([
            ("powers_last", format!("[{last}]")),
            ("inverse_factorials", list(&INVERSE_FACTORIALS[..=T::POWERS.start])),
        ]);
    } else if let Some(basis) = needs.basis {
        let rule = format!("{name}_RULE");
        fields.push(("rule", format!("_rule({rule}, {basis})")));
        let rows = T::NODES.iter().map(|node| {
            let [near, far, weight] = [node.near, node.far, node.weight].map(float);
            format!("    ({near}, {far}, {weight}),\n")
        });
        let rows: String = rows.collect();
        return format!("{rule} = [\n{rows}]\n{}", object(name, &fields));
    }
    object(name, &fields)
}

/// The root of φ(0) in the unit of densities.
fn root_density<T: Float>() -> T {
    let root = T::from_f64(core::f64::consts::TAU.sqrt().sqrt().recip());
    root * T::power_of_two(T::DENSITY_EXPONENT / 2)
}

fn object(name: &str, fields: &[(&str, String)]) -> String {
    let mut text = format!("{name} = SimpleNamespace(\n");
    for (field, value) in fields {
        text += &statement(1, &format!("{field}={value},"));
    }
    text + ")\n"
}

/// What does not depend on the precision.
pub(super) fn common(needs: Needs) -> String {
    let mut text = String::new();
    if needs.high() {
        text += &format!("_LOWEST_START = {}\n_SERIES = [\n", high::LOWEST_START);
        for row in high::SERIES {
            let used = row.iter().rposition(|c| *c != 0.0).map_or(1, |last| last + 1);
            let list = list(&row[..used]);
            text += &statement(1, &format!("{list},"));
        }
        text += "]\n";
    }
    if needs.basis.is_some() {
        text += &limits(if needs.linear { Linear::limits::<f64>() } else { CURVED });
    }
    if let (true, Some(basis)) = (needs.linear, needs.basis) {
        text += &format!("_BASIS = {basis}\n");
    }
    text
}

/// When a piece is narrow.
fn limits(limits: Limits) -> String {
    let limits = [
        ("WIDTH", limits.width),
        ("WIDTH_AT_EDGE", limits.width_at_edge),
        ("DEPTH", limits.depth),
        ("EXPONENT", limits.exponent),
    ];
    limits.map(|(name, limit)| format!("_NARROW_{name} = {limit:?}\n")).concat()
}
