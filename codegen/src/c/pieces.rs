//! The sum over the pieces of a table: its types and its loops, which are written in C.
//!
//! A loop is there for one function, and one for two functions at once. So a header has what its
//! activations need.

use std::fmt::Write as _;

use gaussform_runtime::kernel::pieces::MAX_DEGREE;
use gaussform_runtime::kernel::pieces::record::{self, CANCELS_FROM, MAX_NODES};

use super::source::floats;

/// The types that the steps read and give, each with whether it is there for each kind of number.
pub(super) fn types() -> [(String, bool); 2] {
    let mut table = String::new();
    let rules = record::rules(MAX_DEGREE).count();
    for (name, value) in [
        ("RULES", rules),
        ("MAX_COUNT", MAX_DEGREE + 1),
        ("MAX_NODES", MAX_NODES),
        ("CANCELS_FROM", CANCELS_FROM),
        ("DENSITY_EXPONENT", record::DENSITY_EXPONENT),
        ("MOST_EXPONENT", record::MOST_EXPONENT),
    ] {
        let _ = writeln!(table, "#define GSF_{name} {value}");
    }
    table.push('\n');
    table.push_str(include_str!("prelude/pieces/table.h"));
    [(table, false), (include_str!("prelude/pieces/types.h").to_owned(), true)]
}

/// The rules and the loops, each after the texts that it calls, with whether it is there for each kind of number.
pub(super) fn loops() -> Vec<(String, bool)> {
    let mut texts: Vec<(String, bool)> =
        record::rules(MAX_DEGREE).map(|(r, _)| (rule(r), false)).collect();
    texts.push((include_str!("prelude/pieces/value.h").to_owned(), false));
    let walk = include_str!("prelude/pieces/walk.h");
    let walk = |kind: &str, functions: &str| {
        walk.replace("@kind@", kind).replace("@functions@", functions)
    };
    let for_each = [
        include_str!("prelude/pieces/sum.h").to_owned(),
        include_str!("prelude/pieces/expand.h").to_owned(),
        include_str!("prelude/pieces/nodes.h").to_owned(),
        include_str!("prelude/pieces/curved.h").to_owned(),
        walk("curved", "1"),
        include_str!("prelude/pieces/moments.h").to_owned(),
        include_str!("prelude/pieces/common.h").to_owned(),
        walk("common", "2"),
        include_str!("prelude/pieces/tangent.h").to_owned(),
    ];
    texts.extend(for_each.map(|text| (text, true)));
    texts
}

/// A rule as a function.
fn rule(rows: &[[f64; 3]]) -> String {
    let count = rows.len();
    let mut text = format!(
        "/* The rule of {count} nodes. */\nGSF_FN const gsf_row *gsf_rule_of_{count}(void) {{\n    \
         static const gsf_row rows[] = {{\n"
    );
    for row in rows {
        let _ = writeln!(text, "        {{{}}},", floats(row));
    }
    text + "    };\n    return rows;\n}\n"
}
