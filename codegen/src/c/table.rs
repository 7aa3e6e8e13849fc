//! The numbers of a function in C, and the functions that sum over its pieces.

use gaussform_runtime::kernel::pieces::{self, record};
use gaussform_runtime::kernel::sum::MAX_DEGREE;

use super::language::NumberKind;
use super::source::{Source, float, floats};
use super::word;
use crate::ir::Word;
use crate::kernel::Kernel;
use crate::table::Table;

/// Prints what a table adds to the functions of a kernel.
pub(super) struct Tabulated<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) table: &'a Table,
    /// The prefix of the names of the functions.
    pub(super) prefix: &'a str,
}

impl Tabulated<'_> {
    /// The function that makes the table.
    pub(super) fn numbers(&self, source: &mut Source) {
        let prefix = self.prefix;
        source.line("typedef struct {");
        source.line("    gsf_table table;");
        let is_constant = self.kernel.numbers().is_some();
        if !is_constant {
            for (kind, name, count) in self.arrays() {
                if count > 0 {
                    source.line(&format!("    {kind} {name}[{count}];"));
                }
            }
        }
        source.line(&format!("}} {prefix}_numbers;"));
        source.line("");
        source.open(&format!("GSF_FN void {prefix}_fill(const double *p, {prefix}_numbers *n)"));
        match self.kernel.numbers() {
            Some(numbers) => numbers.with(|table| self.given(table, source)),
            None => self.computed(source),
        }
        source.end();
    }

    /// The arrays that are computed from parameters: type, name and length.
    fn arrays(&self) -> [(&'static str, &'static str, usize); 4] {
        let Table { knots, widths, centers, .. } = self.table;
        [
            ("gsf_triple", "knots", knots.len()),
            ("gsf_word", "widths", widths.len()),
            ("gsf_center", "center", centers.len()),
            ("gsf_word", "words", self.words()),
        ]
    }

    /// The number of coefficients around knots and centers.
    fn words(&self) -> usize {
        self.table.coefficients().count()
    }

    /// Takes a power of two out of the coefficients in an array.
    fn take_power(&self, words: &str) -> String {
        let Table { degree, knots, .. } = self.table;
        format!("gsf_take_power({words}, {}, {}, {})", self.words(), degree + 1, knots.len())
    }

    /// Numbers that are known.
    fn given(&self, table: &pieces::Table<'_>, source: &mut Source) {
        source.line("(void)p;");
        let braced = |numbers: &[f64]| format!("{{{}}}", floats(numbers));
        let mut list = |kind: &str, name: &str, rows: Vec<String>| {
            // No array of C is empty: a null pointer stands for it.
            if rows.is_empty() {
                return format!("n->table.{name} = 0;");
            }
            source.line(&format!("static const {kind} {name}[] = {{"));
            rows.iter().for_each(|row| source.line(&format!("    {row},")));
            source.line("};");
            format!("n->table.{name} = {name};")
        };
        let around = table.centers.iter().flat_map(|center| center.coefficients);
        let places = table.centers.iter();
        let places = places.map(|center| format!("{{{}, {}}}", center.piece, braced(&center.at)));
        let set = [
            list("gsf_triple", "at", table.knots.iter().map(|row| braced(row)).collect()),
            list("gsf_word", "widths", table.widths.iter().map(|row| braced(row)).collect()),
            list("gsf_word", "sides", table.sides.iter().map(|row| braced(row)).collect()),
            list("gsf_center", "center", places.collect()),
            list("gsf_word", "around", around.map(|row| braced(row)).collect()),
        ];
        set.iter().for_each(|line| source.line(line));
        source.line(&format!("n->table.exponent = {};", table.exponent));
        self.sizes(source);
    }

    /// Numbers that are computed from parameters.
    fn computed(&self, source: &mut Source) {
        let table = self.table;
        if !table.knots.is_empty() {
            source.line(&format!("{}_knots(p, n->knots);", self.prefix));
        }
        for (i, width) in table.widths.iter().enumerate() {
            source.line(&format!("n->widths[{i}] = {};", word::text(width)));
        }
        for (i, center) in table.centers.iter().enumerate() {
            source.line(&format!("n->center[{i}].piece = {};", center.piece));
            source.line(&format!("n->center[{i}].at = {};", word::place(&center.at)));
        }
        let own: Vec<&[Word]> = table.centers.iter().map(|c| &c.coefficients[..]).collect();
        self.coefficients("n->words", &table.sides, &own, source);
        for (name, array, count) in [
            ("at", "knots", table.knots.len()),
            ("widths", "widths", table.widths.len()),
            ("center", "center", table.centers.len()),
        ] {
            let value = if count > 0 { format!("n->{array}") } else { "0".to_owned() };
            source.line(&format!("n->table.{name} = {value};"));
        }
        source.line("n->table.sides = n->words;");
        source.line(&format!("n->table.around = n->words + {};", table.sides.len()));
        let exponent = match table.has_known_coefficients() {
            true => table.exponent.to_string(),
            false => self.take_power("n->words"),
        };
        source.line(&format!("n->table.exponent = {exponent};"));
        self.sizes(source);
    }

    fn coefficients(&self, name: &str, sides: &[Word], centers: &[&[Word]], source: &mut Source) {
        for (i, word) in sides.iter().chain(centers.iter().copied().flatten()).enumerate() {
            source.line(&format!("{name}[{i}] = {};", word::text(word)));
        }
    }

    /// The sizes of the table, and how it is integrated.
    fn sizes(&self, source: &mut Source) {
        let Table { degree, knots, centers, .. } = self.table;
        for (name, value) in
            [("count", degree + 1), ("knots", knots.len()), ("centers", centers.len())]
        {
            source.line(&format!("n->table.{name} = {value};"));
        }
        let cancels = record::cancels(*degree);
        source.line(&format!("n->table.cancels = {};", float(cancels)));
        // Up to this degree the sum is recorded, and takes no rules.
        let moments = if *degree > MAX_DEGREE { record::rules_for_moments(*degree) } else { 0 };
        source.line(&format!("n->table.rules = {moments};"));
        let twice_all = record::twice_all(*degree);
        source.line(&format!("n->table.twice_all = {};", float(twice_all)));
        let has_tangents = !self.table.tangents.is_empty();
        let count = if has_tangents { record::rules(*degree).count() } else { moments };
        for (i, (rows, most)) in record::rules(*degree).take(count).enumerate() {
            let nodes = rows.len();
            source.line(&format!("n->table.rule[{i}].rows = gsf_rule_of_{nodes}();"));
            source.line(&format!("n->table.rule[{i}].count = {nodes};"));
            source.line(&format!("n->table.rule[{i}].most_fall = {};", float(most)));
        }
    }

    /// g(x) of numbers that are known.
    pub(super) fn value(&self, table: &pieces::Table<'_>, source: &mut Source) {
        let prefix = self.prefix;
        source.open(&format!("GSF_FN double {prefix}_value(double x, const double *p)"));
        let knots = !table.values.is_empty();
        if knots {
            let values = floats(table.values);
            source.line(&format!("static const double values[] = {{{values}}};"));
        }
        source.line(&format!("{prefix}_numbers n;"));
        source.open("if (x != x)");
        source.line("return x;");
        source.close();
        source.line(&format!("{prefix}_fill(p, &n);"));
        if knots {
            source.line("const int place = gsf_place(x, n.table.at, n.table.knots);");
            source.open("if (place % 2 == 1)");
            source.line("return values[place / 2];");
            source.close();
        }
        source.line("return gsf_between_knots(&n.table, x);");
        source.end();
    }

    /// The limits at the knots, of numbers that are known.
    pub(super) fn at_zero_variance(&self, table: &pieces::Table<'_>, source: &mut Source) {
        let prefix = self.prefix;
        let pieces::Limits::Given(limits) = table.limits else { unreachable!("of numbers") };
        source.open(&format!(
            "GSF_FN int {prefix}_gradients_at_zero_variance(double gamma, const double *p, double *out)"
        ));
        source.line("static const double limits[][6] = {");
        for row in limits {
            source.line(&format!("    {{{}}},", floats(row)));
        }
        source.line("};");
        source.line(&format!("{prefix}_numbers n;"));
        source.line(&format!("{prefix}_fill(p, &n);"));
        source.line("const int place = gsf_place(gamma, n.table.at, n.table.knots);");
        source.open("for (int i = 0; i < 6 && place % 2 == 1; i++)");
        source.line("out[i] = limits[place / 2][i];");
        source.close();
        source.line("return place % 2 == 1;");
        source.end();
    }

    /// The functions that fill the derivative of the function in each parameter.
    pub(super) fn rates(&self, source: &mut Source) {
        let (prefix, count) = (self.prefix, self.table.sides.len());
        for (i, tangent) in self.table.tangents.iter().enumerate() {
            source.open(&format!(
                "GSF_FN void {prefix}_rate_{i}(const double *p, gsf_word *words, double *motion, \
                 gsf_table *rate)"
            ));
            source.line("(void)p, (void)motion;");
            let centers: Vec<&[Word]> = tangent.centers.iter().map(|words| &words[..]).collect();
            self.coefficients("words", &tangent.sides, &centers, source);
            for (knot, word) in tangent.motion.iter().enumerate() {
                source.line(&format!("motion[{knot}] = {}.high;", word::text(word)));
            }
            source.line("rate->sides = words;");
            source.line(&format!("rate->around = words + {count};"));
            source.line(&format!("rate->exponent = {};", self.take_power("words")));
            source.end();
        }
    }

    /// A routine for a kind of number.
    pub(super) fn body(&self, name: &str, count: usize, numbers: NumberKind, source: &mut Source) {
        let (prefix, kind) = (self.prefix, numbers.prefix());
        source.line(&format!("{prefix}_numbers n;"));
        source.line(&format!("{prefix}_fill(p, &n);"));
        if name != "parameters" {
            source.line(&format!("{kind}_sum_curved(&n.table, gamma, xi2, {count}, out);"));
            return;
        }
        // An array of C has one element at least.
        let knots = self.table.knots.len().max(1);
        source.line(&format!("gsf_word words[{}];", self.words()));
        source.line(&format!("double motion[{knots}];"));
        source.line("gsf_table rate = n.table;");
        for i in 0..self.table.tangents.len() {
            source.line(&format!("{prefix}_rate_{i}(p, words, motion, &rate);"));
            let out = 3 * i;
            source.line(&format!(
                "{kind}_tangent(&n.table, &rate, motion, gamma, xi2, out + {out});"
            ));
        }
    }
}
