//! The numbers of a function in WGSL, and the functions that sum over its pieces.

use std::borrow::Cow;

use gaussform_runtime::kernel::SafeRange;
use gaussform_runtime::kernel::pieces::Limits;
use gaussform_symbolic::exact::Rational;

use super::language::returned;
use super::moving::MovingTable;
use super::number::{float, floats, singles};
use super::pieces;
use super::range;
use super::script;
use super::single_pieces::{Row, SinglePieces};
use crate::ir::Word;
use crate::kernel::Kernel;
use crate::rounding::Length;
use crate::source::Source;
use crate::table::Table;

/// Prints what a table adds to the functions of a kernel.
pub(super) struct Tabulated<'a> {
    kernel: &'a Kernel,
    table: Cow<'a, Table>,
    scaled: Option<SinglePieces>,
}

impl<'a> Tabulated<'a> {
    pub(super) fn new(kernel: &'a Kernel) -> Self {
        let table = kernel.table().expect("a kernel of WGSL is a table");
        let scaled = kernel.numbers().and_then(|_| SinglePieces::new(table));
        Self { kernel, table: table.unscaled(), scaled }
    }

    fn name(&self) -> &str {
        &self.kernel.activation().name
    }

    /// The inputs for which it is right.
    pub(super) fn range(&self) -> SafeRange {
        match &self.scaled {
            Some(scaled) => range::of_table(scaled, &self.table),
            None => self.kernel.safe_range::<f32>(),
        }
    }

    /// The numbers, and the loops over them.
    pub(super) fn text(&self) -> String {
        let mut source = Source::default();
        match &self.scaled {
            Some(scaled) => self.given(scaled, &mut source),
            None => self.moving(&mut source),
        }
        source.finish() + &pieces::walk(self.name(), &self.table)
    }

    /// Numbers that depend on parameters.
    fn moving(&self, source: &mut Source) {
        let count = self.kernel.activation().parameters.len();
        let parameters: Vec<String> = (0..count).map(|i| format!("theta{i}: f32")).collect();
        let parameters = parameters.join(", ");
        MovingTable { table: &self.table, name: self.name(), parameters: &parameters }.text(source);
    }

    /// Numbers that are known.
    fn given(&self, scaled: &SinglePieces, source: &mut Source) {
        let Table { degree, knots, widths, centers, .. } = &*self.table;
        let three = |word: &Word| {
            let value = word.as_constant().expect("a number");
            singles(&Length::Triple.of::<f32>(value))
        };
        let two = |value: &Rational| singles(&Length::Double.of::<f32>(value));
        let row = |row: &Row| {
            let mut text = vec![float(f64::from(row.unit).exp2())];
            text.push(singles(&Length::Triple.of::<f32>(&row.constant)));
            text.extend(row.coefficients.iter().map(two));
            text.join(", ")
        };
        let width = |word: &Word| two(word.as_constant().expect("a number"));
        let jumps =
            |jumps: &[Rational; 2]| singles(&jumps.each_ref().map(crate::rounding::nearest::<f32>));
        let place = |center: &crate::table::Center| {
            format!("{}, {}", float(center.piece as f64), three(&center.at))
        };
        if scaled.exponent != 0 {
            let exponent = scaled.exponent;
            source.line(&format!("// The numbers of g less 2^{exponent}, but for those at knots."));
        }
        self.list("rows", scaled.rows.iter().map(row).collect(), source);
        self.list("knots", knots.iter().map(three).collect(), source);
        self.list("widths", widths.iter().map(width).collect(), source);
        self.list("jumps", scaled.jumps.iter().map(jumps).collect(), source);
        let at_knots = self.kernel.numbers().expect("the kernel has numbers");
        let (values, limits) = at_knots.with(|table| {
            let Limits::Given(limits) = table.limits else { unreachable!("of numbers") };
            // A knot between two numbers is never hit.
            let limit = |value: &f64| if value.is_nan() { 0.0 } else { *value };
            let row = |row: &[f64; 6]| floats(&row.each_ref().map(limit));
            let values = table.values.iter().map(|value| float(*value)).collect();
            (values, limits.iter().map(row).collect())
        });
        self.list("values", values, source);
        self.list("limits", limits, source);
        self.list("centers", centers.iter().map(place).collect(), source);
        source.line("");
        let name = self.name();
        let get = |list: &str, count: usize, of: &dyn Fn(&[String]) -> String| {
            let entry = |i| format!("gsf_{name}_{list}[{count} * i + {i}]");
            of(&(0..count).map(entry).collect::<Vec<_>>())
        };
        let triple = |e: &[String]| format!("gsf_triple({})", e.join(", "));
        let pair = |e: &[String]| format!("gsf_pair({})", e.join(", "));
        let vector = |e: &[String]| format!("vec2<f32>({})", e.join(", "));
        let center =
            |e: &[String]| format!("gsf_center(i32({}), gsf_triple({}))", e[0], e[1..].join(", "));
        let none = [
            ("knot", "gsf_triple", get("knots", 3, &triple), knots.is_empty()),
            ("width", "gsf_pair", get("widths", 2, &pair), widths.is_empty()),
            ("jump", "vec2<f32>", get("jumps", 2, &vector), knots.is_empty()),
            ("center", "gsf_center", get("centers", 4, &center), centers.is_empty()),
        ];
        for (function, kind, value, is_empty) in none {
            source.open(&format!("fn gsf_{name}_{function}(i: i32) -> {kind}"));
            // No array is empty, so there is none to read. The loops call the function
            // nonetheless.
            let value = if is_empty { format!("{kind}()") } else { value };
            source.line(&format!("return {value};"));
            source.end();
        }
        let stride = 4 + 2 * degree;
        source.open(&format!("fn gsf_{name}_row(i: i32) -> gsf_row_{degree}"));
        source.line(&format!("let at = {stride} * i;"));
        let [unit, high, middle, low] =
            ["", " + 1", " + 2", " + 3"].map(|step| format!("gsf_{name}_rows[at{step}]"));
        source.line(&format!("var row: gsf_row_{degree};"));
        source.line(&format!("row.unit = {unit};"));
        source.line(&format!("row.constant = gsf_triple({high}, {middle}, {low});"));
        source.open(&format!("for (var j = 0; j < {degree}; j++)"));
        source.line(&format!(
            "row.c[j] = gsf_pair(gsf_{name}_rows[at + 4 + 2 * j], gsf_{name}_rows[at + 5 + 2 * j]);"
        ));
        source.close();
        source.line("return row;");
        source.end();
    }

    /// An array with a line for each item.
    fn list(&self, list: &str, rows: Vec<String>, source: &mut Source) {
        if rows.is_empty() {
            return;
        }
        let count: usize = rows.iter().map(|row| row.split(", ").count()).sum();
        let (_, comment) = COMMENTS.iter().find(|(of, _)| *of == list).expect("a comment");
        source.line(&format!("// {comment}"));
        source.line(&format!(
            "var<private> gsf_{}_{list}: array<f32, {count}> = array<f32, {count}>(",
            self.name()
        ));
        rows.iter().for_each(|row| source.line(&format!("    {row},")));
        source.line(");");
    }

    /// g(x) of numbers that are known; whether they are.
    pub(super) fn value(&self, source: &mut Source) -> bool {
        let name = self.name();
        let Some(scaled) = &self.scaled else { return false };
        source.line("// g(x).");
        source.open(&format!("fn {name}_value(x: f32) -> f32"));
        if !self.table.knots.is_empty() {
            self.on_knots("x", &format!("return gsf_{name}_values[i];"), source);
        }
        source.line(&format!("let results = gsf_{name}_sum(x, 0.0, false);"));
        source.line(&format!("return {};", self.raised("results[0]", scaled, 1)));
        source.end();
        true
    }

    fn raised(&self, value: &str, scaled: &SinglePieces, times: i32) -> String {
        let mut text = value.to_owned();
        if scaled.exponent != 0 {
            text = format!("gsf_raised({text}, {})", times * scaled.exponent);
        }
        // The base is a part of all constants: the value has it, and derivatives do not.
        if times == 1 && value.ends_with("[0]") && !num_traits::Zero::is_zero(&scaled.base) {
            text = format!("{text} + {}", float(crate::rounding::nearest::<f64>(&scaled.base)));
        }
        text
    }

    /// A statement with i the number of the knot that an argument is, if it is one.
    fn on_knots(&self, argument: &str, statement: &str, source: &mut Source) {
        source.open(&format!("for (var i = 0; i < {}; i++)", self.table.knots.len()));
        source.open(&format!("if (gsf_is_at({argument}, gsf_{}_knot(i)))", self.name()));
        source.line(statement);
        source.close();
        source.close();
    }

    /// The limits for ξ² = 0 with γ on a knot, of numbers that are known; whether they are.
    pub(super) fn at_zero_variance(&self, count: usize, source: &mut Source) -> bool {
        let name = self.name();
        if self.scaled.is_some() && !self.table.knots.is_empty() {
            let limit = |k: usize| format!("gsf_limit(gsf_{name}_limits[6 * i + {k}])");
            let limits: Vec<String> = (0..count).map(limit).collect();
            source.open("if (xi2 == 0.0)");
            self.on_knots("gamma", &returned(&limits), source);
            source.close();
        }
        self.scaled.is_some()
    }

    /// Moments, with derivatives if there are six results.
    pub(super) fn sum(&self, count: usize, source: &mut Source) {
        let name = self.name();
        self.fill(source);
        source.line(&format!("let v = gsf_{name}_sum(gamma, xi2, {});", count > 2));
        let times = [1, 2, 1, 1, 2, 2];
        let result = |i: usize| {
            let value = format!("v[{i}]");
            match &self.scaled {
                Some(scaled) => self.raised(&value, scaled, times[i]),
                None => value,
            }
        };
        let results: Vec<String> = (0..count).map(result).collect();
        source.line(&returned(&results));
    }

    /// The derivatives in the parameters.
    pub(super) fn tangents(&self, source: &mut Source) {
        let name = self.name();
        self.fill(source);
        let mut results = Vec::new();
        for i in 0..self.table.tangents.len() {
            source.line(&format!("gsf_{name}_rate_{i}({});", self.arguments()));
            source.line(&format!("let v{i} = gsf_{name}_tangent(gamma, xi2);"));
            results.extend((0..3).map(|k| format!("v{i}[{k}]")));
        }
        source.line(&returned(&results));
    }

    /// Computes the numbers.
    fn fill(&self, source: &mut Source) {
        if self.scaled.is_none() {
            source.line(&format!("gsf_{}_fill({});", self.name(), self.arguments()));
        }
    }

    /// The sums over rows that depend on parameters, if the degree is low.
    pub(super) fn moving_sums(&self) -> Option<script::MovingRows<'_>> {
        match self.scaled {
            Some(_) => None,
            None => script::MovingRows::of(&self.table, self.name()),
        }
    }

    pub(super) fn arguments(&self) -> String {
        let count = self.kernel.activation().parameters.len();
        (0..count).map(|i| format!("theta{i}")).collect::<Vec<_>>().join(", ")
    }
}

/// The comment of each array: its name, and the numbers that it holds.
const COMMENTS: [(&str, &str); 7] = [
    (
        "rows",
        "Pieces around knots, left and right, and around centers: the unit of distances, the constant and the others.",
    ),
    ("knots", "The knots in three words."),
    ("widths", "The widths of bounded pieces in two words."),
    ("jumps", "How g and its slope jump at each knot."),
    ("values", "g at each knot."),
    ("limits", "The limits for xi2 -> 0 on each knot; the largest number is infinity."),
    (
        "centers",
        "Other places around which a piece is given: its number, and the place in three words.",
    ),
];
