//! `rules.rs`: quadrature on a panel, with as many nodes as it needs.

use super::{header, list};
use crate::format::Format;
use crate::legendre::rule;
use crate::literal::literal;
use crate::number::{Real, real};

const DOCUMENTATION: &str = "\
//! Gauss–Legendre rules on [0, 1] of several sizes.
//!
//! A row is a node in two words and its weight, computed to 60 digits; those of a rule are in ascending
//! order and mirror each other.
";

const TYPE: &str = "
/// A node on [0, 1] in two words, and its weight.
pub(crate) type Row<T> = [T; 3];
";

pub(crate) fn write() -> String {
    let mut out = header(DOCUMENTATION) + TYPE;
    out.push_str(&rules::<f64>("F64", "All digits of f64", "", &[16, 26, 40, 56, 80, 128, 192]));
    out.push_str(&rules::<f64>("RELAXED", "Digits of f32", "", &[12, 18, 26, 40, 60, 100, 160]));
    out.push_str(&rules::<f64>(
        "CORRELATION",
        "Integrals over a correlation",
        "#[cfg(feature = \"pairs\")]\n",
        &[8, 12, 16, 24, 32],
    ));
    out
}

/// The rules of so many nodes, with attributes.
fn rules<T: Format>(table: &str, digits: &str, attributes: &str, sizes: &[usize]) -> String {
    let rules: Vec<_> =
        sizes.iter().map(|&n| list(4, "&", ["[", "]"], &rows::<T>(n), "")).collect();
    let name = T::NAME;
    let before = format!("pub(crate) const {table}: [&[Row<{name}>]; {}] = ", rules.len());
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    let sizes = sizes.join(", ");
    format!(
        "\n/// {digits}: {sizes} nodes.\n{attributes}{}\n",
        list(0, &before, ["[", "]"], &rules, ";")
    )
}

/// The rows of the rule of n nodes.
fn rows<T: Format>(n: usize) -> Vec<String> {
    let pairs = rule(n);
    let ascending = pairs.iter().map(|pair| (&pair.near, &pair.weight));
    let rest = pairs.iter().rev().map(|pair| (&pair.far, &pair.weight));
    let row = |(node, weight): (&Real, &Real)| {
        let high = T::nearest(node);
        let low = T::nearest(&(node - &real(high.to_f64())));
        let words = [high, low, T::nearest(weight)].map(literal);
        list(8, "", ["[", "]"], &words, "")
    };
    ascending.chain(rest).map(row).collect()
}
