//! The sum over the pieces of a table: loops that are written in WGSL.

use std::fmt::Write as _;

use gaussform_runtime::kernel::pieces::record::{self, CANCELS_FROM, single};

use super::number::float;
use super::tables::in_two;
use crate::table::Table;

/// What the steps for curved pieces are functions of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Curve {
    pub(super) degree: usize,
}

/// What all sums call.
pub(super) const SHARED: [&str; 4] = [
    include_str!("prelude/pieces/share.wgsl"),
    include_str!("prelude/pieces/straight.wgsl"),
    include_str!("prelude/pieces/curved.wgsl"),
    include_str!("prelude/pieces/common.wgsl"),
];

impl Curve {
    /// What sums over polynomials of a degree call.
    pub(super) fn text(self) -> String {
        let degree = self.degree;
        let rise = if degree < CANCELS_FROM { PLAIN } else { PRECISE };
        let text = [
            include_str!("prelude/pieces/curved_of.wgsl"),
            include_str!("prelude/pieces/common_of.wgsl"),
        ];
        text.join("\n")
            .replace("@rise@", rise)
            .replace("@last@", &(degree - 1).to_string())
            .replace("@behind@", &(degree as i32 - 2).to_string())
            .replace("@twice_all@", &float(single::twice_all(degree)))
            .replace("@degree@", &degree.to_string())
            + &rules(degree)
    }
}

/// Horner's rule where nothing cancels.
const PLAIN: &str = "let x = gsf_pair_round(w);
    var sum = gsf_pair_round((*c)[@last@]);
    for (var j = @behind@; j >= 0; j--) {
        sum = sum * x + gsf_pair_round((*c)[j]);
    }
    return sum * x;";

/// The same in double words.
const PRECISE: &str = "var sum = (*c)[@last@];
    for (var j = @behind@; j >= 0; j--) {
        sum = gsf_pair_add(gsf_pair_mul(sum, w), (*c)[j]);
    }
    return gsf_pair_round(gsf_pair_mul(sum, w));";

/// The nodes of all rules that polynomials of a degree take, and which rule is for which fall of the density.
fn rules(degree: usize) -> String {
    let all = single::twice_all(degree) / 2.0;
    let mut rules: Vec<_> = single::rules(degree).collect();
    let needed = rules.iter().position(|(_, most)| all <= *most).unwrap_or(rules.len() - 1);
    rules.truncate(needed + 1);
    rules.retain(|(_, most)| *most > 0.0);
    let mut rows = String::new();
    let mut tests = String::new();
    let (mut first, count) = (0, rules.len());
    for (i, (nodes, most)) in rules.iter().enumerate() {
        for [node, node_low, weight] in *nodes {
            let [high, low] = in_two([*node, *node_low]);
            let words = [high, low, *weight].map(float).join(", ");
            let _ = writeln!(rows, "    vec3<f32>({words}),");
        }
        let end = first + nodes.len();
        let rule = format!("return gsf_nodes_from({first}, {end});");
        let _ = match i + 1 == count {
            true => writeln!(tests, "    {rule}"),
            false => {
                writeln!(tests, "    if (fall <= {}) {{\n        {rule}\n    }}", float(*most))
            }
        };
        first = end;
    }
    format!(
        "\n// Nodes of rules on [0, 1] in two words, and their weights.\n\
         var<private> gsf_rows_{degree}: array<vec3<f32>, {first}> = array<vec3<f32>, {first}>(\n{rows});\n\n\
         // The rule for a fall of the density.\n\
         fn gsf_rule_{degree}(fall: f32) -> gsf_nodes_from {{\n{tests}}}\n"
    )
}

/// The loops over the pieces of one table.
pub(super) fn walk(name: &str, table: &Table) -> String {
    let (knots, centers, degree) = (table.knots.len(), table.centers.len(), table.degree);
    let (share, bend) = match degree {
        1 => ("gsf_straight_share(panel, constant, c[0], deviation)".to_owned(), "0.0".to_owned()),
        _ => (
            format!("gsf_curved_share_{degree}(panel, &c, unit, constant, deviation, with_slopes)"),
            "(own.unit * own.unit) * gsf_pair_round(own_c[1])".to_owned(),
        ),
    };
    let mut text = include_str!("prelude/pieces/walk.wgsl").to_owned();
    if !table.tangents.is_empty() {
        text += include_str!("prelude/pieces/walk_common.wgsl");
    }
    text.replace("@share@", &share)
        .replace("@bend@", &bend)
        .replace("@cancels@", &float(record::cancels(degree)))
        .replace("@knots@", &knots.to_string())
        .replace("@centers@", &centers.to_string())
        .replace("@degree@", &degree.to_string())
        .replace("@name@", name)
        + "\n"
}
