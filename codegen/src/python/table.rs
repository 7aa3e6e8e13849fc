//! The numbers of a function, and the functions that sum over its pieces.
//!
//! The steps of the sum come from the runtime's record (`primitive`). The loops around them stand in
//! `prelude/pieces`, once for all libraries; what differs between these has a file for each.

use gaussform_runtime::kernel::pieces;
use gaussform_runtime::kernel::pieces::record;
use gaussform_runtime::kernel::sum::MAX_DEGREE;

use super::Target;
use super::body::{Body, Content};
use super::layout::statement;
use super::number::{float, tuple, tuple_of};
use super::routine::{self, parameters};
use super::script::MovingRows;
use crate::ir::Word;
use crate::kernel::{Kernel, Routine};
use crate::rounding::Length;
use crate::script::routine::Quantities;
use crate::table::Table;

/// Prints what a table adds to a module.
pub(super) struct Tabulated<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) table: &'a Table,
    pub(super) target: Target,
}

impl Tabulated<'_> {
    /// Whether moments are sums that are recorded, of a function with parameters.
    fn is_summed(&self) -> bool {
        self.table.degree <= MAX_DEGREE
    }

    /// The numbers as constants.
    pub(super) fn constants(&self) -> String {
        let mut text = String::new();
        let degree = self.table.degree;
        let mut constant = |name: &str, value: String| text += &format!("_{name} = {value}\n");
        constant("COUNT", (degree + 1).to_string());
        constant("CANCELS", float(record::cancels(degree)));
        constant("CANCELS_FROM", record::CANCELS_FROM.to_string());
        constant("TWICE_ALL", float(record::twice_all(degree)));
        if let Some(numbers) = self.kernel.numbers() {
            numbers.with(|table| text += &given(table));
        } else {
            text += "_EXPONENT = 0\n";
            let pieces = self.table.centers.iter().map(|center| center.piece.to_string());
            text += &list("PIECES", pieces);
        }
        text + &self.rules()
    }

    /// The rules of quadrature, the last one for whatever the others do not serve.
    fn rules(&self) -> String {
        let has_tangents = !self.table.tangents.is_empty();
        let degree = self.table.degree;
        let count = match has_tangents {
            true => record::rules(degree).count(),
            false => record::rules_for_moments(degree),
        };
        let mut rules: Vec<_> = record::rules(degree).take(count).collect();
        // How far the density falls at the most.
        let all = record::twice_all(degree) / 2.0;
        let needed = rules.iter().position(|(_, most)| all <= *most).unwrap_or(count - 1);
        rules.truncate(needed + 1);
        if let Some((_, most)) = rules.last_mut() {
            *most = f64::INFINITY;
        }
        // No panel is as flat as that, or one rule serves all elements.
        rules.retain(|(_, most)| *most > 0.0 && (!self.target.has_single() || most.is_infinite()));
        let mut text = String::new();
        for (rows, _) in &rules {
            let nodes = rows.iter().map(|[node, low, _]| tuple(&[*node, *low]));
            text += &list(&format!("NODES_{}", rows.len()), nodes);
            text += &list(&format!("WEIGHTS_{}", rows.len()), rows.iter().map(|row| float(row[2])));
        }
        let rules = rules.iter().map(|(rows, most)| {
            format!("(_NODES_{0}, _WEIGHTS_{0}, {1})", rows.len(), float(*most))
        });
        text + &list("RULES", rules)
    }

    /// The kernels.
    pub(super) fn kernels(&self) -> Vec<String> {
        let value = match self.kernel.numbers() {
            Some(_) => Self::value(),
            None => routine::value(self.kernel, self.target),
        };
        let mut kernels = vec![value];
        if self.is_summed() {
            let moving = MovingRows { table: self.table, target: self.target };
            kernels.extend(moving.functions());
            kernels.extend(
                [Quantities::Moments, Quantities::Gradients].map(|of| self.recorded(&moving, of)),
            );
        } else {
            kernels.extend([self.sum("_moments_kernel", 2), self.sum("_gradients_kernel", 6)]);
        }
        if !self.table.tangents.is_empty() {
            kernels.push(self.in_parameters());
        }
        kernels
    }

    /// A kernel that computes the rows and calls the sum over them.
    fn recorded(&self, moving: &MovingRows<'_>, of: Quantities) -> String {
        let kernel = self.kernel;
        let arguments = parameters(kernel, &["p", "gamma", "xi2"]);
        let head = format!("def _{}_kernel({arguments}):", of.name());
        let mut body = Body::new(kernel, self.target, "gamma", &head);
        let words = self.table.words().filter(|(_, _, word)| word.as_constant().is_none());
        let words: Vec<String> =
            words.map(|(length, _, word)| format!("*{}", body.word(length, word))).collect();
        body.line(&format!("words = {}", tuple_of(&words)));
        body.line(&format!("results = {}", moving.call(of)));
        limits(kernel.gradient(), of.count(), &mut body);
        body.line("return _finish(gamma, xi2, results)");
        body.finish()
    }

    /// g itself, of numbers that are known.
    fn value() -> String {
        "def _value_kernel(p, x):\n    value = _value_by_table(p, _given(p, x), x)\n    return \
         (xp.where(xp.isnan(x), x, value),)\n"
            .to_owned()
    }

    fn sum(&self, name: &str, count: usize) -> String {
        let slopes = if count > 2 { "True" } else { "False" };
        let sum = format!("results = _sum(p, t, gamma, xi2, {slopes})");
        if self.kernel.numbers().is_some() {
            let mut text = format!("def {name}(p, gamma, xi2):\n    t = _given(p, gamma)\n");
            text += &format!("    {sum}\n");
            if !self.table.knots.is_empty() {
                text += "    results = _at_zero_variance(p, t, gamma, xi2, results)\n";
            }
            return text + "    return _finish(gamma, xi2, results)\n";
        }
        self.moving(name, self.kernel.gradient(), count, &mut |body| body.line(&sum))
    }

    /// The derivatives in the parameters.
    fn in_parameters(&self) -> String {
        let routine = self.kernel.parameters();
        self.moving("_parameters_kernel", routine, routine.quantities.len(), &mut |body| {
            body.line("results = ()");
            for tangent in &self.table.tangents {
                let centers: Vec<&[Word]> = tangent.centers.iter().map(|c| &c[..]).collect();
                let rows = self.rows(&tangent.sides, &centers, body);
                body.line(&format!("rate = _moving_rows(gamma, {rows})"));
                let motion: Vec<String> = tangent
                    .motion
                    .iter()
                    .map(|word| format!("{}[0]", word_of(word, body)))
                    .collect();
                body.line(&format!("motion = [{}]", motion.join(", ")));
                body.line("results += _tangent(p, t, rate, motion, gamma, xi2)");
            }
        })
    }

    /// A kernel of numbers that depend on parameters.
    fn moving(
        &self,
        name: &str,
        routine: &Routine,
        count: usize,
        results: &mut dyn FnMut(&mut Body<'_>),
    ) -> String {
        let kernel = self.kernel;
        let head = format!("def {name}({}):", parameters(kernel, &["p", "gamma", "xi2"]));
        let mut body = Body::new(kernel, self.target, "gamma", &head);
        body.places();
        let widths = self.table.widths.iter().map(|w| word_of(w, &mut body)).collect::<Vec<_>>();
        let own = self.table.centers.iter().map(|center| &center.coefficients[..]);
        let own: Vec<&[Word]> = own.collect();
        let rows = self.rows(&self.table.sides, &own, &mut body);
        let places: Vec<String> =
            self.table.centers.iter().map(|center| body.word(Length::Triple, &center.at)).collect();
        body.line(&format!("widths = [{}]", widths.join(", ")));
        body.line(&format!("rows = {rows}"));
        body.line(&format!("places = [{}]", places.join(", ")));
        body.line("t = _moving(p, gamma, knots, widths, rows, places)");
        results(&mut body);
        limits(routine, count, &mut body);
        body.line("return _finish(gamma, xi2, results)");
        body.finish()
    }

    /// Polynomials around knots, around a knot that is not there, and around centers.
    fn rows(&self, sides: &[Word], centers: &[&[Word]], body: &mut Body<'_>) -> String {
        let count = self.table.degree + 1;
        let zeros = vec![Word::Constant(num_traits::Zero::zero()); count];
        let mut rows: Vec<&[Word]> = sides.chunks(count).collect();
        // Behind the last knot there is one more, which no piece ends at. It has two sides too.
        rows.extend([&zeros[..], &zeros[..]]);
        rows.extend(centers);
        let mut row = |words: &[Word]| {
            let words: Vec<String> = words.iter().map(|word| word_of(word, body)).collect();
            format!("[{}]", words.join(", "))
        };
        let rows: Vec<String> = rows.into_iter().map(&mut row).collect();
        format!("[{}]", rows.join(", "))
    }
}

/// A word of two parts.
fn word_of(word: &Word, body: &mut Body<'_>) -> String {
    body.word(Length::Double, word)
}

/// The limits for ξ² = 0 on knots in place of results.
fn limits(routine: &Routine, count: usize, body: &mut Body<'_>) {
    if !routine.on_knots.is_empty() {
        body.results(Content::Limits(routine, count));
    }
}

/// Numbers that are known.
fn given(table: &pieces::Table<'_>) -> String {
    let count = table.degree + 1;
    let polynomial = |words: &[[f64; 2]]| {
        let words: Vec<String> = words.iter().map(|word| tuple(word)).collect();
        format!("[{}]", words.join(", "))
    };
    let centers = table.centers.iter();
    let pieces::Limits::Given(limits) = table.limits else { unreachable!("of numbers") };
    let mut text = format!("_EXPONENT = {}\n", table.exponent);
    text += &list("KNOTS", table.knots.iter().map(|knot| tuple(knot)));
    text += &list("WIDTHS", table.widths.iter().map(|width| tuple(width)));
    text += &list("SIDES", table.sides.chunks(count).map(polynomial));
    text += &list("PIECES", centers.clone().map(|center| center.piece.to_string()));
    text += &list("PLACES", centers.clone().map(|center| tuple(&center.at)));
    text += &list("AROUND", centers.map(|center| polynomial(center.coefficients)));
    text += &list("VALUES", table.values.iter().map(|value| float(*value)));
    text + &list("LIMITS", limits.iter().map(|row| tuple(row)))
}

/// A list with a line for each item, or in one line.
fn list(name: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    statement(0, &format!("_{name} = [{}]", items.join(", ")))
}
