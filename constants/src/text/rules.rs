//! `rules.rs`: quadrature on a panel, with as many nodes as it needs.

use super::{WIDTH, header, list};
use crate::format::Format;
use crate::legendre::{Node, rule};
use crate::literal::literal;
use crate::number::real;

const DOCUMENTATION: &str = "\
//! Gauss–Legendre rules on [0, 1] of several sizes.
//!
//! A row is a node in two words and its weight, computed to 60 digits; those of a rule are in ascending
//! order. A rule is symmetric: the upper half of its nodes is 1 minus the lower half.
";

const TYPE: &str = "
use super::mirrored;

/// A node on [0, 1] in two words, and its weight.
pub(crate) type Row<T> = [T; 3];
";

/// A list of rules: its name, its meaning, its attributes, and how many nodes each rule has.
struct Rules {
    name: &'static str,
    meaning: &'static str,
    attributes: &'static str,
    sizes: &'static [usize],
}

const LISTS: [Rules; 3] = [
    Rules {
        name: "F64",
        meaning: "All digits of f64",
        attributes: "",
        sizes: &[16, 26, 40, 56, 80, 128, 192],
    },
    Rules {
        name: "RELAXED",
        meaning: "Digits of f32",
        attributes: "",
        sizes: &[12, 16, 26, 40, 56, 80, 128, 192],
    },
    Rules {
        name: "PAIRS",
        meaning: "Two pre-activations",
        attributes: OF_PAIRS,
        sizes: &[8, 12, 16, 24, 32],
    },
];

const OF_PAIRS: &str = "#[cfg(feature = \"pairs\")]\n";

pub(crate) fn write() -> String {
    let mut out = header(DOCUMENTATION) + TYPE;
    for list in &LISTS {
        let sizes: Vec<_> = list.sizes.iter().map(ToString::to_string).collect();
        let names: Vec<_> = list.sizes.iter().map(|n| format!("&NODES_{n}")).collect();
        let (name, meaning, count) = (list.name, list.meaning, sizes.len());
        let before = format!("pub(crate) const {name}: [&[Row<f64>]; {count}] =");
        let rules = format!("[{}];", names.join(", "));
        let space = if before.len() + 1 + rules.len() <= WIDTH { " " } else { "\n    " };
        let (sizes, attributes) = (sizes.join(", "), list.attributes);
        out.push_str(&format!(
            "\n/// {meaning}: {sizes} nodes.\n{attributes}{before}{space}{rules}\n"
        ));
    }
    let mut sizes: Vec<usize> = LISTS.iter().flat_map(|list| list.sizes).copied().collect();
    sizes.sort_unstable();
    sizes.dedup();
    for n in sizes {
        let is_of_one = LISTS.iter().any(|l| l.attributes.is_empty() && l.sizes.contains(&n));
        let attributes = if is_of_one { "" } else { OF_PAIRS };
        let before = format!("const NODES_{n}: [Row<f64>; {n}] = mirrored(");
        out.push_str(&format!("\n{attributes}{}\n", list(0, &before, ["[", "]"], &lower(n), ");")));
    }
    out
}

/// The rows of the lower half of the rule of n nodes.
fn lower(n: usize) -> Vec<String> {
    let row = |node: &Node| {
        let high = f64::nearest(&node.place);
        let low = f64::nearest(&(&node.place - &real(high)));
        let words = [high, low, f64::nearest(&node.weight)].map(literal);
        list(4, "", ["[", "]"], &words, "")
    };
    rule(n).iter().map(row).collect()
}
