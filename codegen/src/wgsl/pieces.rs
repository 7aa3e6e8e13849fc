//! The sum over the pieces of a table: loops that are written in WGSL.

use std::fmt::Write as _;

use gaussform_runtime::kernel::pieces::record::{self, CANCELS_FROM, single};
use gaussform_runtime::kernel::sum::MAX_DEGREE;

use super::number::{float, floats};
use super::tables::in_two;
use crate::table::Table;

/// The text that all sums call.
pub(super) const SHARED: [&str; 3] = [
    include_str!("prelude/pieces/contribution.wgsl"),
    include_str!("prelude/pieces/curved.wgsl"),
    include_str!("prelude/pieces/common.wgsl"),
];

/// The text that sums over polynomials of a degree call.
pub(super) fn of_degree(degree: usize) -> String {
    let text = [
        include_str!("prelude/pieces/curved_of.wgsl"),
        include_str!("prelude/pieces/common_of.wgsl"),
    ];
    text.join("\n")
        .replace("@rise@", &rise(degree))
        .replace("@derivatives@", &derivatives(degree))
        .replace("@twice_all@", &float(single::twice_all(degree)))
        .replace("@degree@", &degree.to_string())
        + &rules(degree)
}

/// How many steps of Horner's rule stand in a loop: devices in software count its turns.
const STEPS: usize = 8;

/// The statements of steps for an index from `first` down to `last`, with what follows a line.
fn steps(first: usize, last: usize, step: &dyn Fn(&str) -> Vec<String>) -> String {
    let count = (first + 1).saturating_sub(last);
    let single = if count < 2 * STEPS { count } else { count % STEPS };
    let mut lines: Vec<String> = (0..single).flat_map(|i| step(&(first - i).to_string())).collect();
    if single < count {
        lines.push(format!("for (var j = {}; j >= {last}; j -= {STEPS}) {{", first - single));
        let index = |i: usize| if i == 0 { "j".to_owned() } else { format!("(j - {i})") };
        let inner = (0..STEPS).flat_map(|i| step(&index(i)));
        lines.extend(inner.map(|line| format!("    {line}")));
        lines.push("}".to_owned());
    }
    lines.into_iter().map(|line| format!("{line}\n    ")).collect()
}

/// The polynomial less its constant: in double words where its terms may cancel.
fn rise(degree: usize) -> String {
    let last = degree - 1;
    let below = |step: &dyn Fn(&str) -> Vec<String>| match last.checked_sub(1) {
        Some(first) => steps(first, 0, step),
        None => String::new(),
    };
    if degree < CANCELS_FROM {
        let step = |j: &str| vec![format!("sum = sum * x + gsf_pair_round((*c)[{j}]);")];
        let start = format!("var sum = gsf_pair_round((*c)[{last}]);\n    ");
        format!("let x = gsf_pair_round(w);\n    {start}{}return sum * x;", below(&step))
    } else {
        let step = |j: &str| vec![format!("sum = gsf_pair_add(gsf_pair_mul(sum, w), (*c)[{j}]);")];
        let steps = below(&step);
        format!("var sum = (*c)[{last}];\n    {steps}return gsf_pair_round(gsf_pair_mul(sum, w));")
    }
}

/// The steps for its derivatives, but the last one of the first derivative.
fn derivatives(degree: usize) -> String {
    let step = |j: &str| {
        vec![
            format!("value = gsf_pair_round((*c)[{j} - 1]);"),
            format!("second = second * w + f32({j} * ({j} - 1)) * value;"),
            format!("first = first * w + f32({j}) * value;"),
        ]
    };
    steps(degree, 2, &step).trim_end().to_owned()
}

/// The nodes of all rules that polynomials of a degree take, and which rule is for which fall of the density.
fn rules(degree: usize) -> String {
    let all = single::twice_all(degree) / 2.0;
    let mut rules: Vec<_> = single::rules(degree).collect();
    let needed = rules.iter().position(|(_, most)| all <= *most).unwrap_or(rules.len() - 1);
    rules.truncate(needed + 1);
    // A rule for no fall at all is never asked for.
    rules.retain(|(_, most)| *most > 0.0);
    let mut rows = String::new();
    let mut tests = String::new();
    let (mut first, count) = (0, rules.len());
    for (i, (nodes, most)) in rules.iter().enumerate() {
        for [node, node_low, weight] in *nodes {
            let [high, low] = in_two([*node, *node_low]);
            let words = floats(&[high, low, *weight]);
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
    let mut text = include_str!("prelude/pieces/walk.wgsl").to_owned();
    if degree > MAX_DEGREE {
        text += include_str!("prelude/pieces/sum.wgsl");
    }
    if !table.tangents.is_empty() {
        text += include_str!("prelude/pieces/walk_common.wgsl");
    }
    text.replace("@cancels@", &float(record::cancels(degree)))
        .replace("@knots@", &knots.to_string())
        .replace("@centers@", &centers.to_string())
        .replace("@degree@", &degree.to_string())
        .replace("@name@", name)
        + "\n"
}
