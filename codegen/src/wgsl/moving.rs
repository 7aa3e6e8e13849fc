//! The numbers of a table that depend on parameters: private memory, and functions that fill it.

use super::number::{triple, words};
use crate::ir::Word;
use crate::source::Source;
use crate::table::Table;

/// Prints the memory of a table with parameters, what fills it and what reads it.
pub(super) struct MovingTable<'a> {
    pub(super) table: &'a Table,
    /// The name of the activation.
    pub(super) name: &'a str,
    /// The parameters as arguments of a function.
    pub(super) parameters: &'a str,
}

impl MovingTable<'_> {
    /// The memory, what fills it, and what reads it.
    pub(super) fn text(&self, source: &mut Source) {
        let Table { degree, knots, widths, centers, tangents, .. } = self.table;
        let row = format!("gsf_row_{degree}");
        let rows = 2 * knots.len() + centers.len();
        let mut lists = vec![
            ("knots", "gsf_triple", knots.len()),
            ("widths", "gsf_pair", widths.len()),
            ("centers", "gsf_center", centers.len()),
            ("rows", &*row, rows),
        ];
        if !tangents.is_empty() {
            lists.extend([("rates", &*row, rows), ("motion", "f32", knots.len())]);
        }
        for (list, kind, count) in lists {
            // An array of WGSL has one element at least.
            let (name, count) = (self.name, count.max(1));
            source.line(&format!("var<private> gsf_{name}_{list}: array<{kind}, {count}>;"));
        }
        source.line("");
        self.fill(source);
        for i in 0..tangents.len() {
            self.rate(i, source);
        }
        self.read(source);
    }

    fn fill(&self, source: &mut Source) {
        let Table { knots, widths, sides, centers, .. } = self.table;
        let name = self.name;
        source.open(&format!("fn gsf_{name}_fill({})", self.parameters));
        for (i, knot) in knots.iter().enumerate() {
            source.line(&format!("gsf_{name}_knots[{i}] = {};", triple(knot)));
        }
        for (i, width) in widths.iter().enumerate() {
            source.line(&format!("gsf_{name}_widths[{i}] = {};", words(width)));
        }
        for (i, center) in centers.iter().enumerate() {
            let (piece, at) = (center.piece, triple(&center.at));
            source.line(&format!("gsf_{name}_centers[{i}] = gsf_center({piece}, {at});"));
        }
        let own: Vec<&[Word]> = centers.iter().map(|center| &center.coefficients[..]).collect();
        self.rows("rows", sides, &own, source);
        source.end();
    }

    /// The function that fills the rates in a parameter.
    fn rate(&self, parameter: usize, source: &mut Source) {
        let (name, tangent) = (self.name, &self.table.tangents[parameter]);
        source.open(&format!("fn gsf_{name}_rate_{parameter}({})", self.parameters));
        let centers: Vec<&[Word]> = tangent.centers.iter().map(|words| &words[..]).collect();
        self.rows("rates", &tangent.sides, &centers, source);
        for (i, motion) in tangent.motion.iter().enumerate() {
            source.line(&format!("gsf_{name}_motion[{i}] = {}.high;", words(motion)));
        }
        source.end();
    }

    fn rows(&self, list: &str, sides: &[Word], centers: &[&[Word]], source: &mut Source) {
        let (name, degree) = (self.name, self.table.degree);
        let rows = sides.chunks(degree + 1).chain(centers.iter().copied());
        for (i, row) in rows.enumerate() {
            let coefficients: Vec<String> = row[1..].iter().map(words).collect();
            // Numbers that move have no unit of their own.
            source.line(&format!(
                "gsf_{name}_{list}[{i}] = gsf_row_{degree}(1.0, {}, array<gsf_pair, {degree}>({}));",
                triple(&row[0]),
                coefficients.join(", ")
            ));
        }
    }

    fn read(&self, source: &mut Source) {
        let (name, degree) = (self.name, self.table.degree);
        let row = format!("gsf_row_{degree}");
        for (function, kind, list) in [
            ("knot", "gsf_triple", "knots"),
            ("width", "gsf_pair", "widths"),
            ("center", "gsf_center", "centers"),
            ("row", &row, "rows"),
        ] {
            source.open(&format!("fn gsf_{name}_{function}(i: i32) -> {kind}"));
            source.line(&format!("return gsf_{name}_{list}[i];"));
            source.end();
        }
        source.open(&format!("fn gsf_{name}_jump(i: i32) -> vec2<f32>"));
        source.line(&format!("let left = gsf_{name}_rows[2 * i];"));
        source.line(&format!("let right = gsf_{name}_rows[2 * i + 1];"));
        source.line(
            "let jump = gsf_above(right.constant, gsf_level(left.constant, gsf_pair(0.0, 0.0)));",
        );
        source.line("let bend = gsf_pair_sub(right.c[0], left.c[0]);");
        source.line("return vec2<f32>(gsf_pair_round(jump), gsf_pair_round(bend));");
        source.end();
    }
}
