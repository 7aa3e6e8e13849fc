//! `nodes.rs`: quadrature on a piece.

use super::{header, list};
use crate::legendre::rule;
use crate::literal::literal;
use crate::number::Real;
use crate::word::Word;

/// The numbers of nodes of the rules in f64.
const F64: [usize; 2] = [40, 12];
/// Those in f32.
const F32: [usize; 2] = [26, 8];

const DOCUMENTATION: &str = "\
//! Gauss–Legendre rules on [0, 1].
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
    out.extend(F64.map(table::<f64>));
    out.extend(F32.map(table::<f32>));
    out
}

/// The rule of n nodes in one precision.
fn table<T: Word>(n: usize) -> String {
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
    let before =
        format!("pub(crate) const {}_{n}: [Node<{name}>; {}] = ", name.to_uppercase(), nodes.len());
    format!("\n/// {n} nodes.\n{}\n", list(0, &before, ["[", "]"], &nodes, ";"))
}
