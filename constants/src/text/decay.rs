//! `decay.rs`: the polynomial of a density that decays.

use super::{header, list, parts};
use crate::decay::{Decay, decay};
use crate::format::Format;
use crate::literal::literal;

const DOCUMENTATION: &str = "\
//! Constants of e^(−y) = p(y − ½) for 0 ≤ y ≤ 1, with p(x) = c + b x + x² q(x).
//!
//! p is the interpolant at the Chebyshev nodes of an interval one thousandth wider, computed to 60 digits
//! and rounded; the errors stated are the largest of p then, relative.
";

const TYPE: &str = "
/// The constants of one precision.
#[derive(Clone, Copy, Debug)]
pub struct Decay<T: 'static> {
    /// c in two words.
    pub middle: [T; 2],
    /// b.
    pub slope: T,
    /// Coefficients of the even powers of q, constant term first.
    pub even: &'static [T],
    /// Coefficients of the odd powers of q, from q¹ on.
    pub odd: &'static [T],
}
";

pub(crate) fn write() -> String {
    [
        header(DOCUMENTATION),
        TYPE.to_owned(),
        table::<f64>("F64", &decay(12)),
        table::<f32>("F32", &decay(7)),
        table::<f64>("RELAXED", &decay(8)),
    ]
    .concat()
}

/// The constants of one precision.
fn table<T: Format>(table: &str, constants: &Decay<T>) -> String {
    let [even, odd] = parts(&constants.q);
    let fields = [
        list(4, "middle: ", ["[", "]"], &constants.middle.map(literal), ""),
        format!("slope: {}", literal(constants.slope)),
        even,
        odd,
    ];
    let before = format!("pub(crate) const {table}: Decay<{}> = Decay ", T::NAME);
    format!(
        "\n/// p of degree {}, error {:.0e}.\n{}\n",
        constants.q.len() + 1,
        constants.error,
        list(0, &before, ["{", "}"], &fields, ";"),
    )
}
