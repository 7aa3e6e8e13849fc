//! The functions of one kernel in C, which only the interface calls.

use gaussform_runtime::kernel::SafeRange;

use super::Dialect;
use super::block::{C, Kind};
use super::script::{self, Moving};
use super::source::Source;
use super::table::Tabulated;
use super::word;
use crate::ir::{AtZeroVariance, Block, Expr, Function, Stmt};
use crate::kernel::{Kernel, Routine};
use crate::print::Printer;
use crate::record::tails_size;

/// Prints the functions of one kernel.
pub(super) struct Functions<'a> {
    pub(super) kernel: &'a Kernel,
    /// The prefix of the names of the functions.
    pub(super) prefix: String,
    pub(super) dialect: Dialect,
}

/// The kinds of numbers that a dialect has.
pub(super) fn kinds(dialect: Dialect) -> &'static [Kind] {
    match dialect {
        Dialect::C => &[Kind::Double, Kind::Wide],
        Dialect::Cuda => &[Kind::Double],
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
        self.routine("moments", kernel.moments(), 2, &mut source);
        self.routine("gradients", kernel.gradient(), 6, &mut source);
        let parameters = kernel.activation().parameters.len();
        if parameters > 0 {
            self.routine("parameters", kernel.parameters(), 3 * parameters, &mut source);
        }
        source.finish()
    }

    /// The text of all functions for cards, by the table of a function with parameters; none if it has many knots or
    /// a high degree.
    pub(super) fn on_card(&self) -> Option<String> {
        let (kernel, prefix) = (self.kernel, &*self.prefix);
        let table = kernel.table()?;
        if kernel.numbers().is_some() || Moving::of(table, prefix).is_none() {
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
            _ => {
                self.places(&mut source);
                self.value(&mut source);
            }
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
            by.moments_at_zero_variance(source);
        }
        let parameters = kernel.activation().parameters.len();
        if at_zero_variance && parameters > 0 {
            self.at_zero_variance("parameters", kernel.parameters(), source);
        }
        use super::language::Numbers::{Double, Wide};
        use crate::script::routine::Recorder;
        use crate::script::routine::Routine::{Gradients, Moments};
        let mut routines = vec![("moments", 2), ("gradients", 6)];
        if parameters > 0 {
            routines.push(("parameters", 3 * parameters));
        }
        let moving = match kernel.numbers() {
            Some(_) => None,
            None => Moving::of(by.table, &self.prefix),
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
                "moments" => Some(Moments),
                "gradients" => Some(Gradients),
                _ => None,
            };
            if let (Dialect::Cuda, Some(moving), Some(of)) = (dialect, &moving, of) {
                moving.on_card(of, at_zero_variance, source);
                continue;
            }
            for &numbers in kinds(dialect) {
                self.open_body(name, numbers, source);
                let kind = if numbers == Kind::Double { Double } else { Wide };
                match (of, &recorder, &moving) {
                    (Some(of), Some(recorder), _) => {
                        script::body(recorder, &self.prefix, of, kind, source);
                    }
                    (Some(of), _, Some(moving)) => moving.body(of, kind, source),
                    _ => by.body(name, count, numbers, source),
                }
                source.close();
                source.line("");
            }
            self.dispatch(name, count, source);
        }
    }

    fn knots(&self) -> usize {
        self.kernel.knots().len()
    }

    /// The language for numbers of a kind, with the name of the input γ.
    fn language(&self, number: Kind, argument: &'static str) -> C {
        C { number, argument, knots: self.knots() }
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
            source.close();
            source.line("");
        }
    }

    /// The knots as a local variable.
    fn declare_knots(&self, source: &mut Source) {
        if self.knots() > 0 {
            source.line(&format!("gsf_triple knots[{}];", self.knots()));
            source.line(&format!("{}_knots(p, knots);", self.prefix));
        }
    }

    fn value(&self, source: &mut Source) {
        let block = self.kernel.value();
        source.open(&format!("GSF_FN double {}_value(double x, const double *p)", self.prefix));
        source.line("(void)p;");
        if needs_knots(block) {
            self.declare_knots(source);
        }
        let language = self.language(Kind::Double, "x");
        let results = Printer::plain(&language).block(block, source);
        source.line(&format!("return x != x ? x : {};", results[0]));
        source.close();
        source.line("");
    }

    /// The function for each kind of numbers, the one for ξ² = 0 on a knot, and the one that
    /// decides between them.
    fn routine(&self, name: &str, routine: &Routine, count: usize, source: &mut Source) {
        for numbers in kinds(self.dialect) {
            self.body(name, routine, *numbers, source);
        }
        if self.knots() > 0 {
            self.at_zero_variance(name, routine, source);
        }
        self.dispatch(name, count, source);
    }

    /// The function that decides between them.
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
            source.close();
            source.line("");
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
        source.close();
        source.line("");
    }

    fn open_body(&self, name: &str, numbers: Kind, source: &mut Source) {
        let (kind, number) = (numbers.kind().trim_start_matches("gsf_"), numbers.name());
        let prefix = &self.prefix;
        source.open(&format!(
            "GSF_FN void {prefix}_{name}_{kind}({number} gamma, {number} xi2, const double *p, {number} *out)"
        ));
    }

    fn body(&self, name: &str, routine: &Routine, numbers: Kind, source: &mut Source) {
        let kind = numbers.kind();
        self.open_body(name, numbers, source);
        source.line("(void)gamma, (void)xi2, (void)p;");
        let block = &routine.function.block;
        self.knot_tails(routine, numbers, source);
        if block.any(&|s| matches!(s, Stmt::Let(_, Expr::Seen(_)))) {
            source.line(&format!("const int seen = {kind}_is_seen(edges, {});", self.knots()));
        }
        let (language, pairs) = (self.language(numbers, "gamma"), block.pairs());
        let printer = Printer::new(&language, &pairs, self.kernel.is_precise());
        let results = printer.block(block, source);
        for (i, result) in results.iter().enumerate() {
            source.line(&format!("out[{i}] = {result};"));
        }
        source.close();
        source.line("");
    }

    /// ξ, the knots seen from γ with their tails, and the narrow pieces with their integrals.
    fn knot_tails(&self, routine: &Routine, numbers: Kind, source: &mut Source) {
        let knots = self.knots();
        if knots == 0 {
            return;
        }
        let (kind, number) = (numbers.kind(), numbers.name());
        self.declare_knots(source);
        source.line(&format!("const {kind}_deviation deviation = {kind}_deviation_of(xi2);"));
        source.line(&format!("{kind}_edge edges[{knots}];"));
        let tails = routine.function.tails.iter().copied().max().unwrap_or(0);
        let tails = if tails > 0 { tails_size(tails) } else { 0 };
        if tails > 0 {
            let pair =
                if self.kernel.is_precise() { format!("{kind}_pair") } else { number.into() };
            source.line(&format!("{pair} tails[{knots}][{tails}];"));
        }
        source.open(&format!("for (int i = 0; i < {knots}; i++)"));
        let precise = if self.kernel.is_precise() { "precise_" } else { "" };
        source.line(&format!("edges[i] = {kind}_{precise}edge_at(gamma, knots[i], deviation);"));
        if tails > 0 {
            source.line(&format!("{kind}_{precise}tails_{tails}(edges[i], tails[i]);"));
        }
        source.close();
        if knots == 1 {
            return;
        }
        source.line(&format!("int narrow[{knots}] = {{0}};"));
        source.open(&format!("for (int i = 1; i < {knots}; i++)"));
        source.line(&format!("narrow[i] = {kind}_is_narrow(edges[i - 1], edges[i]);"));
        source.close();
        for piece in 1..knots {
            self.powers(piece, &routine.function, numbers, source);
        }
    }

    /// The integrals of powers on a piece, as far as they are used.
    fn powers(&self, piece: usize, function: &Function, numbers: Kind, source: &mut Source) {
        let integrals = function.integrals[piece];
        let products = |s: &Stmt| matches!(s, Stmt::Integrate { piece: p, .. } if *p == piece);
        if !integrals && !function.block.any(&products) {
            return;
        }
        let (kind, number) = (numbers.kind(), numbers.name());
        let left = piece - 1;
        let width = word::text(&self.kernel.widths()[left]);
        source.line(&format!(
            "const {kind}_powers powers{piece} = {kind}_powers_if(narrow[{piece}], edges[{left}], edges[{piece}], \
             {kind}_of_word({width}), deviation);"
        ));
        if integrals {
            source.line(&format!("{number} integrals{piece}[2];"));
            source.line(&format!("{kind}_powers_basis(powers{piece}, integrals{piece});"));
        }
    }

    /// Writes the limits for ξ² = 0 if γ is on a knot, and says whether it is.
    fn at_zero_variance(&self, name: &str, routine: &Routine, source: &mut Source) {
        source.open(&format!(
            "GSF_FN int {}_{name}_at_zero_variance(double gamma, const double *p, double *out)",
            self.prefix
        ));
        source.line("const gsf_triple place = gsf_triple_of(gamma, 0.0, 0.0);");
        self.declare_knots(source);
        let language = self.language(Kind::Double, "gamma");
        for AtZeroVariance { first, last, block } in &routine.on_knots {
            let met = if first == last {
                String::new()
            } else {
                format!(" && gsf_triple_equals(place, knots[{last}])")
            };
            source.open(&format!("if (gsf_triple_equals(place, knots[{first}]){met})"));
            let results = Printer::plain(&language).block(block, source);
            for (i, result) in results.iter().enumerate() {
                source.line(&format!("out[{i}] = {result};"));
            }
            source.line("return 1;");
            source.close();
        }
        source.line("return 0;");
        source.close();
        source.line("");
    }
}

/// Whether a block asks where its argument lies among the knots.
fn needs_knots(block: &Block) -> bool {
    block.any(&|statement| {
        matches!(statement, Stmt::Branch { .. } | Stmt::Let(_, Expr::Polynomial(Some(_), _)))
    })
}
