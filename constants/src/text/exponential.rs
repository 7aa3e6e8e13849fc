//! `exponential.rs`: reduction and polynomial of the Normal density.

use super::{header, list, parts};
use crate::exponential::{Exponential, exponential};
use crate::format::Format;
use crate::literal::literal;

const DOCUMENTATION: &str = "\
//! Constants of the Normal density: φ(√y) = 2⁻ⁿ φ(√r) with r = y − n ln 4, |r| ≤ ln 2, and
//! φ(√r) = c + b r + r² q(r), c = 1/√2π, b = −c/2.
//!
//! q is the interpolant of the rest at the Chebyshev nodes of an interval one thousandth wider, computed
//! to 60 digits and rounded; the errors stated are the largest of φ(√r) then, relative. The first word
//! of ln 4 is the multiple of 2⁻³⁹ (2⁻¹³ in f32) below it.
";

const TYPE: &str = "
/// The constants of one precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exponential<T: 'static> {
    /// ln 4 in two words: n times the first one is exact.
    pub(crate) ln_4: [T; 2],
    /// 1/ln 4.
    pub(crate) log4_e: T,
    /// c in two words.
    pub(crate) peak: [T; 2],
    /// b.
    pub(crate) slope: T,
    /// Coefficients of the even powers of q, constant term first.
    pub(crate) even: &'static [T],
    /// Coefficients of the odd powers of q, from q¹ on.
    pub(crate) odd: &'static [T],
}
";

pub(crate) fn write() -> String {
    [
        header(DOCUMENTATION),
        TYPE.to_owned(),
        table::<f64>("F64", &exponential(10)),
        table::<f32>("F32", &exponential(4)),
        table::<f64>("RELAXED", &exponential(5)),
    ]
    .concat()
}

/// The constants of one precision.
fn table<T: Format>(table: &str, constants: &Exponential<T>) -> String {
    let name = T::NAME;
    let array = |before: &str, values: &[T]| {
        let values: Vec<_> = values.iter().map(|&value| literal(value)).collect();
        list(4, before, ["[", "]"], &values, "")
    };
    let [even, odd] = parts(&constants.q);
    let fields = [
        array("ln_4: ", &constants.ln_4),
        format!("log4_e: {}", literal(constants.log4_e)),
        array("peak: ", &constants.peak),
        format!("slope: {}", literal(constants.slope)),
        even,
        odd,
    ];
    let before = format!("pub(crate) const {table}: Exponential<{name}> = Exponential ");
    format!(
        "\n/// q of degree {}, error {:.0e}.\n{}\n",
        constants.q.len() - 1,
        constants.error,
        list(0, &before, ["{", "}"], &fields, ";"),
    )
}
