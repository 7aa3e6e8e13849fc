//! `exponential.rs`: reduction and polynomial of the exponential.

use super::{header, list};
use crate::exponential::{Exponential, exponential};
use crate::literal::literal;
use crate::word::Word;

const DOCUMENTATION: &str = "\
//! Constants of the exponential: eˣ = 2ⁿ eʳ with r = x − n ln 2, |r| ≤ ½ ln 2, and
//! eʳ = 1 + r + r² q(r).
//!
//! q is the interpolant of (eʳ − 1 − r)/r² at the Chebyshev nodes of an interval one thousandth
//! wider, computed to 60 digits and rounded; the errors stated are the largest of eʳ then, relative.
//! The first words of ln 2 and ¼ ln 2π are the multiples of 2⁻⁴⁰ (2⁻¹⁴ in f32) below them.
";

const TYPE: &str = "
/// The constants of one precision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exponential<T: 'static> {
    /// ln 2 in two words: n times the first one is exact.
    pub(crate) ln_2: [T; 2],
    /// 1/ln 2.
    pub(crate) log2_e: T,
    /// ¼ ln 2π in two words, the first with few enough bits to be added to n ln 2 exactly.
    pub(crate) quarter_ln_tau: [T; 2],
    /// Coefficients of the even powers of q, constant term first.
    pub(crate) even: &'static [T],
    /// Those of the odd powers.
    pub(crate) odd: &'static [T],
}
";

pub(crate) fn write() -> String {
    [
        header(DOCUMENTATION),
        TYPE.to_owned(),
        table(&exponential(10), std::f64::consts::LOG2_E),
        table(&exponential(4), std::f32::consts::LOG2_E),
    ]
    .concat()
}

/// The constants of one precision; 1/ln 2 is written by its name.
fn table<T: Word>(constants: &Exponential<T>, log2_e: T) -> String {
    let name = T::NAME;
    assert!(constants.log2_e.to_f64() == log2_e.to_f64(), "the constant of the name is this one");
    let array = |before: &str, values: &[T]| {
        let values: Vec<_> = values.iter().map(|&value| literal(value)).collect();
        list(4, before, ["[", "]"], &values, "")
    };
    let every_other =
        |first| constants.q.iter().copied().skip(first).step_by(2).collect::<Vec<_>>();
    let fields = [
        array("ln_2: ", &constants.ln_2),
        format!("log2_e: core::{name}::consts::LOG2_E"),
        array("quarter_ln_tau: ", &constants.quarter_ln_tau),
        array("even: &", &every_other(0)),
        array("odd: &", &every_other(1)),
    ];
    let before =
        format!("pub(crate) const {}: Exponential<{name}> = Exponential ", name.to_uppercase());
    format!(
        "\n/// q of degree {}, error {:.0e}.\n{}\n",
        constants.q.len() - 1,
        constants.error,
        list(0, &before, ["{", "}"], &fields, ";"),
    )
}
