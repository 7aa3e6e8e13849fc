//! The functions of one kernel in C, which only the interface calls.

use gaussform_runtime::kernel::SafeRange;

use super::Dialect;
use super::block::Block;
use super::language::{Lines, NumberKind};
use super::script::{self, MovingRows};
use super::source::Source;
use super::table::Tabulated;
use super::word;
use crate::ir::AtZeroVariance;
use crate::kernel::{Kernel, Routine};
use crate::rounding::Length;
use crate::script::expression::Expression;
use crate::script::formulas::{Formulas, Inputs, Manner, Read};
use crate::script::graph::Style;
use crate::script::print::print;
use crate::script::routine::{Quantities, Recorder};
use crate::script::rows::Coefficients;
use crate::table::Table;

/// With the bits of the runtime, whose primitives are called.
const MANNER: Manner = Manner { style: Style::Strict, has_calls: true };

/// Words and parameters as formulas read them.
struct InputWriter<'a> {
    numbers: NumberKind,
    source: &'a mut Source,
}

impl Inputs for InputWriter<'_> {
    fn parameter(&self, index: usize) -> String {
        self.field(format!("p[{index}]"))
    }

    fn field(&self, text: String) -> String {
        self.numbers.of(&text)
    }

    fn declare(&mut self, name: &str, read: &Read) {
        let (kind, text) = match read.length {
            Length::Triple => ("gsf_triple", word::place(&read.word)),
            Length::Double => ("gsf_word", word::text(&read.word)),
        };
        self.source.line(&format!("const {kind} {name} = {text};"));
    }
}

/// Prints the functions of one kernel.
pub(super) struct Functions<'a> {
    pub(super) kernel: &'a Kernel,
    /// The prefix of the names of the functions.
    pub(super) prefix: String,
    pub(super) dialect: Dialect,
}

/// The kinds of numbers that a dialect has.
pub(super) fn kinds(dialect: Dialect) -> &'static [NumberKind] {
    match dialect {
        Dialect::C => &[NumberKind::Double, NumberKind::Wide],
        Dialect::Cuda => &[NumberKind::Double],
    }
}

/// The coefficients that stand in the arithmetic of rows. On a processor a power of two is taken out of all coefficients once
/// parameters are known, if any depends on these.
fn known_in_rows(dialect: Dialect, table: &Table) -> Coefficients {
    match dialect {
        Dialect::C if !table.has_known_coefficients() => Coefficients::Zeros,
        Dialect::C | Dialect::Cuda => Coefficients::Known,
    }
}

impl Functions<'_> {
    /// The text of all functions.
    pub(super) fn text(&self) -> String {
        let mut source = Source::default();
        let kernel = self.kernel;
        if let Some(table) = kernel.table() {
            let prefix = &*self.prefix;
            self.tabulated(&Tabulated { kernel, table, prefix }, &mut source);
            return source.finish();
        }
        self.places(&mut source);
        self.value(&mut source);
        if self.knots() > 0 {
            self.at_zero_variance("gradients", kernel.gradient(), &mut source);
            self.moments_at_zero_variance(&mut source);
        }
        self.routine("moments", kernel.moments(), 2, &mut source);
        self.routine("gradients", kernel.gradient(), 6, &mut source);
        let parameters = kernel.activation().parameters.len();
        if parameters > 0 {
            if self.knots() > 0 {
                self.at_zero_variance("parameters", kernel.parameters(), &mut source);
            }
            self.routine("parameters", kernel.parameters(), 3 * parameters, &mut source);
        }
        source.finish()
    }

    /// The text of all functions for cards, by the table of a function with parameters; none if it has many knots or
    /// a high degree.
    pub(super) fn on_card(&self) -> Option<String> {
        let (kernel, prefix) = (self.kernel, &*self.prefix);
        let table = &kernel.table()?.unscaled();
        if kernel.numbers().is_some()
            || MovingRows::of(table, prefix, known_in_rows(self.dialect, table)).is_none()
        {
            return None;
        }
        let mut source = Source::default();
        self.tabulated(&Tabulated { kernel, table, prefix }, &mut source);
        Some(source.finish())
    }

    /// g(x).
    pub(super) fn value_alone(&self) -> String {
        let mut source = Source::default();
        match (self.kernel.table(), self.kernel.numbers()) {
            (Some(table), Some(numbers)) => {
                let by = Tabulated { kernel: self.kernel, table, prefix: &self.prefix };
                by.numbers(&mut source);
                numbers.with(|table| by.value(table, &mut source));
            }
            _ => self.value(&mut source),
        }
        source.finish()
    }

    /// The functions by a table.
    fn tabulated(&self, by: &Tabulated<'_>, source: &mut Source) {
        let Self { kernel, dialect, .. } = *self;
        let at_zero_variance = self.knots() > 0;
        match kernel.numbers() {
            Some(numbers) => {
                by.numbers(source);
                numbers.with(|table| by.value(table, source));
                if at_zero_variance {
                    numbers.with(|table| by.at_zero_variance(table, source));
                }
            }
            None => {
                self.places(source);
                by.numbers(source);
                by.rates(source);
                self.value(source);
                if at_zero_variance {
                    self.at_zero_variance("gradients", kernel.gradient(), source);
                }
            }
        }
        if at_zero_variance {
            self.moments_at_zero_variance(source);
        }
        let parameters = kernel.activation().parameters.len();
        if at_zero_variance && parameters > 0 {
            self.at_zero_variance("parameters", kernel.parameters(), source);
        }
        let mut routines = vec![("moments", 2), ("gradients", 6)];
        if parameters > 0 {
            routines.push(("parameters", 3 * parameters));
        }
        let moving = match kernel.numbers() {
            Some(_) => None,
            None => MovingRows::of(by.table, &self.prefix, known_in_rows(dialect, by.table)),
        };
        match (&moving, dialect) {
            (Some(moving), Dialect::C) => moving.function(source),
            (Some(moving), Dialect::Cuda) => moving.function_on_card(by.table, source),
            (None, _) => {}
        }
        let recorder = kernel.numbers().and_then(|numbers| Recorder::new(numbers.clone()));
        if let Some(recorder) = &recorder
            && let Some(tables) = script::tables::<f64>(recorder, &self.prefix)
        {
            tables.functions(source);
        }
        for (name, count) in routines {
            let of = match name {
                "moments" => Some(Quantities::Moments),
                "gradients" => Some(Quantities::Gradients),
                _ => None,
            };
            if let (Dialect::Cuda, Some(moving), Some(of)) = (dialect, &moving, of) {
                moving.on_card(of, at_zero_variance, source);
                continue;
            }
            for &numbers in kinds(dialect) {
                self.open_body(name, numbers, source);
                match (of, &recorder, &moving) {
                    (Some(of), Some(recorder), _) => {
                        script::body(recorder, &self.prefix, of, numbers, source);
                    }
                    (Some(of), _, Some(moving)) => moving.body(of, numbers, source),
                    _ => by.body(name, count, numbers, source),
                }
                source.end();
            }
            self.dispatch(name, count, source);
            let (Some(of), Dialect::C) = (of, dialect) else { continue };
            let row_numbers = moving.as_ref().map(MovingRows::count);
            let block = self.block(name, count, row_numbers);
            match (&recorder, &moving) {
                (Some(recorder), _) => block.with_lanes(source, |source| {
                    script::body(recorder, &self.prefix, of, NumberKind::Lanes, source);
                }),
                (None, Some(moving)) => {
                    block.with_lanes(source, |source| moving.body(of, NumberKind::Lanes, source));
                }
                (None, None) => block.alone(source),
            }
        }
    }

    fn block<'a>(&'a self, name: &'a str, count: usize, row_numbers: Option<usize>) -> Block<'a> {
        let range = self.kernel.safe_range::<f64>();
        Block { prefix: &self.prefix, name, count, range, row_numbers }
    }

    fn knots(&self) -> usize {
        self.kernel.knots().len()
    }

    /// The function that computes the knots.
    fn places(&self, source: &mut Source) {
        let prefix = &self.prefix;
        if self.knots() > 0 {
            source.open(&format!("GSF_FN void {prefix}_knots(const double *p, gsf_triple *knots)"));
            source.line("(void)p;");
            for (i, knot) in self.kernel.knots().iter().enumerate() {
                source.line(&format!("knots[{i}] = {};", word::place(knot)));
            }
            source.end();
        }
    }

    /// Writes a computation of formulas, and gives its results.
    fn formulas(
        &self,
        formulas: &Formulas,
        argument: &str,
        numbers: NumberKind,
        source: &mut Source,
    ) -> Vec<Expression> {
        let inputs = formulas.inputs(argument, &mut InputWriter { numbers, source });
        print(&formulas.graph, &inputs, &mut Lines { numbers, source, tables: None })
    }

    fn value(&self, source: &mut Source) {
        source.open(&format!("GSF_FN double {}_value(double x, const double *p)", self.prefix));
        source.line("(void)p;");
        let (kernel, numbers) = (self.kernel, NumberKind::Double);
        let formulas = Formulas::block::<f64>(kernel, kernel.value(), MANNER);
        let results = self.formulas(&formulas, "x", numbers, source);
        source.line(&format!("return x != x ? x : {};", results[0].text));
        source.end();
    }

    /// The function for each kind of numbers, and the one that decides between them.
    fn routine(&self, name: &str, routine: &Routine, count: usize, source: &mut Source) {
        let formulas = Formulas::routine::<f64>(self.kernel, routine, MANNER);
        for &numbers in kinds(self.dialect) {
            self.open_body(name, numbers, source);
            // An input that is not read would be a warning.
            source.line("(void)gamma, (void)xi2, (void)p;");
            let results = self.formulas(&formulas, "gamma", numbers, source);
            source.assign("out", results);
            source.end();
        }
        self.dispatch(name, count, source);
        if self.dialect == Dialect::C && name != "parameters" {
            self.block(name, count, None).with_lanes(source, |source| {
                let results = self.formulas(&formulas, "gamma", NumberKind::Lanes, source);
                source.assign("out", results);
            });
        }
    }

    /// The function that decides between those for each kind of numbers and that for ξ² = 0 on a knot.
    fn dispatch(&self, name: &str, count: usize, source: &mut Source) {
        let at_zero_variance = self.knots() > 0;
        let prefix = &self.prefix;
        source.open(&format!(
            "GSF_FN void {prefix}_{name}(double gamma, double xi2, const double *p, double *out)"
        ));
        source.open("if (!gsf_is_valid(gamma, xi2))");
        source.open(&format!("for (int i = 0; i < {count}; i++)"));
        source.line("out[i] = GSF_NAN;");
        source.close();
        source.line("return;");
        source.close();
        if at_zero_variance {
            source.open(&format!(
                "if (xi2 == 0.0 && {prefix}_{name}_at_zero_variance(gamma, p, out))"
            ));
            source.line("return;");
            source.close();
        }
        if self.dialect == Dialect::Cuda {
            source.line(&format!("{prefix}_{name}_f64(gamma, xi2, p, out);"));
            source.end();
            return;
        }
        let SafeRange { size, least, most } = self.kernel.safe_range::<f64>();
        source.open(&format!("if (gsf_is_safe(gamma, xi2, {size}, {least}, {most}))"));
        source.line(&format!("{prefix}_{name}_f64(gamma, xi2, p, out);"));
        source.open(&format!("if (gsf_are_finite(out, {count}))"));
        source.line("return;");
        source.close();
        source.close();
        source.line(&format!("gsf_wide wide[{count}];"));
        source.line("const gsf_wide wide_xi2 = gsf_wide_variance(xi2);");
        source.line(&format!("{prefix}_{name}_wide(gsf_wide_of(gamma), wide_xi2, p, wide);"));
        source.open(&format!("for (int i = 0; i < {count}; i++)"));
        source.line("out[i] = gsf_wide_to_f64(wide[i]);");
        source.close();
        source.end();
    }

    fn open_body(&self, name: &str, numbers: NumberKind, source: &mut Source) {
        let (kind, number) = (numbers.prefix().trim_start_matches("gsf_"), numbers.name());
        let prefix = &self.prefix;
        source.open(&format!(
            "GSF_FN void {prefix}_{name}_{kind}({number} gamma, {number} xi2, const double *p, {number} *out)"
        ));
    }

    /// Mean and variance for ξ² = 0 and γ on a knot: the first two of the results with derivatives.
    fn moments_at_zero_variance(&self, source: &mut Source) {
        let prefix = &self.prefix;
        source.open(&format!(
            "GSF_FN int {prefix}_moments_at_zero_variance(double gamma, const double *p, double *out)"
        ));
        source.line("double all[6];");
        source.open(&format!("if (!{prefix}_gradients_at_zero_variance(gamma, p, all))"));
        source.line("return 0;");
        source.close();
        source.line("out[0] = all[0];");
        source.line("out[1] = all[1];");
        source.line("return 1;");
        source.end();
    }

    /// Writes the limits for ξ² = 0 if γ is on a knot, and says whether it is.
    fn at_zero_variance(&self, name: &str, routine: &Routine, source: &mut Source) {
        source.open(&format!(
            "GSF_FN int {}_{name}_at_zero_variance(double gamma, const double *p, double *out)",
            self.prefix
        ));
        source.line("const gsf_triple place = gsf_triple_of(gamma, 0.0, 0.0);");
        source.line(&format!("gsf_triple knots[{}];", self.knots()));
        source.line(&format!("{}_knots(p, knots);", self.prefix));
        for AtZeroVariance { first, last, block } in &routine.on_knots {
            let met = if first == last {
                String::new()
            } else {
                format!(" && gsf_triple_equals(place, knots[{last}])")
            };
            source.open(&format!("if (gsf_triple_equals(place, knots[{first}]){met})"));
            let formulas = Formulas::block::<f64>(self.kernel, block, MANNER);
            let results = self.formulas(&formulas, "gamma", NumberKind::Double, source);
            source.assign("out", results);
            source.line("return 1;");
            source.close();
        }
        source.line("return 0;");
        source.end();
    }
}
