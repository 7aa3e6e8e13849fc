//! The functions of one kernel in WGSL.

use std::fmt::Write as _;

use super::block::Wgsl;
use super::interface::interface;
use super::number::{triple, words};
use super::prelude::most_tails;
use super::table::Tabulated;
use crate::ir::{AtRest, Expr, Function, Stmt, Word};
use crate::kernel::{Kernel, Routine};
use crate::print::{Printer, Source};
use crate::rounding::double;
use crate::script::routine as script;

/// Prints the functions of one kernel.
pub(super) struct Functions<'a> {
    pub(super) kernel: &'a Kernel,
}

impl Functions<'_> {
    /// The text of all functions.
    pub(super) fn text(&self) -> String {
        let kernel = self.kernel;
        let parameters = kernel.activation().parameters.len();
        let mut source = Source::default();
        if let Some(table) = Tabulated::new(kernel) {
            return self.tabulated(&table);
        }
        self.value(&mut source);
        self.routine("moments", kernel.moments(), 2, &mut source);
        self.routine("gradients", kernel.gradient(), 6, &mut source);
        if parameters > 0 {
            self.routine("parameters", kernel.parameters(), 3 * parameters, &mut source);
        }
        source.finish() + &interface(self.kernel)
    }

    /// The sum over pieces.
    fn tabulated(&self, table: &Tabulated<'_>) -> String {
        let kernel = self.kernel;
        let mut source = Source::default();
        if !table.value(&mut source) {
            self.value(&mut source);
        }
        let moving = table.moving_sums();
        if let Some(moving) = &moving {
            let parameters = self.parameters();
            moving.function(parameters.trim_start_matches(", "), &mut source);
        }
        // The first two results of the gradient are those of the moments.
        for of in [script::Routine::Moments, script::Routine::Gradients] {
            let (name, count) = (of.name(), of.count());
            self.open(name, count, &mut source);
            if !table.at_rest(count, &mut source) {
                self.at_rest(kernel.gradient(), count, &mut source);
            }
            match &moving {
                Some(moving) => moving.sum(of, &table.arguments(), &mut source),
                None => table.sum(count, &mut source),
            }
            source.close();
            source.line("");
        }
        let parameters = kernel.activation().parameters.len();
        if parameters > 0 {
            self.open("parameters", 3 * parameters, &mut source);
            self.at_rest(kernel.parameters(), 3 * parameters, &mut source);
            table.tangents(&mut source);
            source.close();
            source.line("");
        }
        table.text() + &source.finish() + &interface(self.kernel)
    }

    fn language(&self, argument: &'static str) -> Wgsl<'_> {
        Wgsl { argument, knots: self.kernel.knots() }
    }

    fn name(&self) -> &str {
        &self.kernel.activation().name
    }

    /// The parameters behind other arguments of a function.
    fn parameters(&self) -> String {
        let count = self.kernel.activation().parameters.len();
        (0..count).map(|i| format!(", theta{i}: f32")).collect()
    }

    fn value(&self, source: &mut Source) {
        let language = self.language("x");
        source.line("// g(x).");
        let (name, parameters) = (self.name(), self.parameters());
        source.open(&format!("fn {name}_value(x: f32{parameters}) -> f32"));
        let results = Printer::plain(&language).block(self.kernel.value(), source);
        source.line(&format!("return {};", results[0]));
        source.close();
        source.line("");
    }

    fn routine(&self, name: &str, routine: &Routine, count: usize, source: &mut Source) {
        let (language, block) = (self.language("gamma"), &routine.function.block);
        self.open(name, count, source);
        self.at_rest(routine, count, source);
        self.sight(routine, source);
        let pairs = block.pairs();
        let printer = Printer::new(&language, &pairs, self.kernel.is_precise());
        let results = printer.block(block, source);
        source.line(&returned(&results));
        source.close();
        source.line("");
    }

    /// The head of a routine.
    fn open(&self, name: &str, count: usize, source: &mut Source) {
        source.open(&format!(
            "fn gsf_{}_{name}(gamma: f32, xi2: f32{}) -> array<f32, {count}>",
            self.name(),
            self.parameters()
        ));
        source.open("if (!gsf_is_valid(gamma, xi2))");
        source.line("let nan = gsf_nan();");
        source.line(&returned(&vec!["nan".to_owned(); count]));
        source.close();
    }

    /// Writes the return of `count` limits for ξ² = 0 if γ is on a knot.
    fn at_rest(&self, routine: &Routine, count: usize, source: &mut Source) {
        let language = self.language("gamma");
        let knots = self.kernel.knots();
        for AtRest { first, last, block } in &routine.on_knots {
            // A knot between two numbers is never hit.
            let between = |value| double::<f32>(value)[1] != 0.0;
            if knots[*first].as_constant().is_some_and(between) {
                continue;
            }
            let place = triple(&knots[*first]);
            let mut test = format!("xi2 == 0.0 && gsf_is_at(gamma, {place})");
            if first != last {
                let _ = write!(test, " && gsf_have_met({place}, {})", triple(&knots[*last]));
            }
            source.open(&format!("if ({test})"));
            let results = Printer::plain(&language).block(block, source);
            source.line(&returned(&results[..count]));
            source.close();
        }
    }

    /// ξ, the knots seen from γ with their tails, and the narrow pieces with their integrals.
    fn sight(&self, routine: &Routine, source: &mut Source) {
        let (function, knots) = (&routine.function, self.kernel.knots());
        if knots.is_empty() {
            return;
        }
        let precise = self.kernel.is_precise();
        source.line("let deviation = gsf_deviation_of(xi2);");
        let tails = most_tails(function);
        for (i, knot) in knots.iter().enumerate() {
            let place = triple(knot);
            source
                .line(&format!("let edge{i} = gsf_edge_at({precise}, gamma, {place}, deviation);"));
            if tails > 0 {
                let method = if precise { "precise_tails" } else { "tails" };
                source.line(&format!("let tails{i} = gsf_{method}_{tails}(edge{i});"));
            }
        }
        if function.block.any(&|s| matches!(s, Stmt::Let(_, Expr::Seen(_)))) {
            let seen: Vec<String> =
                (0..knots.len()).map(|i| format!("gsf_is_seen(edge{i})")).collect();
            source.line(&format!("let seen = {};", seen.join(" || ")));
        }
        for (piece, width) in (1..).zip(self.kernel.widths()) {
            let edges = format!("edge{}, edge{piece}", piece - 1);
            source.line(&format!("let narrow{piece} = gsf_is_narrow({edges}, deviation);"));
            self.strip(piece, width, &edges, function, source);
        }
    }

    /// The integrals of powers on a piece, as far as they are used.
    fn strip(
        &self,
        piece: usize,
        width: &Word,
        edges: &str,
        function: &Function,
        source: &mut Source,
    ) {
        let integrals = function.integrals[piece];
        let products = |s: &Stmt| matches!(s, Stmt::Integrate { piece: p, .. } if *p == piece);
        if !integrals && !function.block.any(&products) {
            return;
        }
        let width = words(width);
        source.line(&format!(
            "let strip{piece} = gsf_powers_on(narrow{piece}, {edges}, {width}, deviation);"
        ));
        if integrals {
            source.line(&format!("let integrals{piece} = gsf_powers_integrals(strip{piece});"));
        }
    }
}

/// The statement that returns results.
fn returned(results: &[String]) -> String {
    format!("return array<f32, {}>({});", results.len(), results.join(", "))
}
