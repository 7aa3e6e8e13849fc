//! `nodes.rs`: quadrature on a piece.

use super::{header, list};
use crate::format::Format;
use crate::legendre::rule;
use crate::literal::literal;
use crate::number::Real;

const DOCUMENTATION: &str = "\
//! The Gauss–Legendre rule on [0, 1], with 32 nodes in f64 and 22 for the digits of f32.
//!
//! Zeros x of the Legendre polynomial P_n and weights 2/((1 − x²) P_n′(x)²), computed to 60
//! digits, mapped from [−1, 1] and rounded once. A rule is symmetric: each entry stands for
//! two nodes, `near` and `far` = 1 − `near`.
";

const TYPE: &str = "
/// Two nodes that mirror each other, and the weight of each.
#[derive(Clone, Copy, Debug)]
pub struct Node<T> {
    /// The node in [0, ½].
    pub near: T,
    /// The node in [½, 1].
    pub far: T,
    /// The weight; those of a whole rule sum to 1.
    pub weight: T,
}
";

pub(crate) fn write() -> String {
    let mut out = header(DOCUMENTATION) + TYPE;
    out.push_str(&table::<f64>("F64", 32));
    out.push_str(&table::<f32>("F32", 22));
    out.push_str(&table::<f64>("RELAXED", 22));
    out
}

/// The rule of n nodes in one precision.
fn table<T: Format>(table: &str, n: usize) -> String {
    let nodes: Vec<_> = rule(n)
        .iter()
        .map(|pair| {
            let field =
                |name: &str, value: &Real| format!("{name}: {}", literal(T::nearest(value)));
            let fields =
                [field("near", &pair.near), field("far", &pair.far), field("weight", &pair.weight)];
            list(4, "Node ", ["{", "}"], &fields, "")
        })
        .collect();
    let name = T::NAME;
    let before = format!("pub(crate) const {table}: [Node<{name}>; {}] = ", nodes.len());
    format!("\n/// {n} nodes.\n{}\n", list(0, &before, ["[", "]"], &nodes, ";"))
}
