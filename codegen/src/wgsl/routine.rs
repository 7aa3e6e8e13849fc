//! The functions of one kernel in WGSL.

use std::fmt::Write as _;

use super::interface::interface;
use super::language::{Lines, open, returned};
use super::number::{in_words, triple};
use super::table::Tabulated;
use crate::ir::{AtZeroVariance, Block};
use crate::kernel::{Kernel, Routine};
use crate::rounding::double;
use crate::script::formulas::{Formulas, Inputs, Manner, Read};
use crate::script::graph::Style;
use crate::script::print::print;
use crate::script::routine::Quantities;
use crate::source::Source;

/// As short as can be, in one function.
const MANNER: Manner = Manner { style: Style::Free, has_calls: false };

/// Words and parameters as formulas read them.
struct InputWriter<'a> {
    source: &'a mut Source,
}

impl Inputs for InputWriter<'_> {
    fn parameter(&self, index: usize) -> String {
        format!("theta{index}")
    }

    fn field(&self, text: String) -> String {
        text
    }

    fn declare(&mut self, name: &str, read: &Read) {
        let text = in_words(read.length, &read.word);
        self.source.line(&format!("let {name} = {text};"));
    }
}

/// Prints the functions of one kernel.
pub(super) struct Functions<'a> {
    pub(super) kernel: &'a Kernel,
}

impl Functions<'_> {
    /// The text of all functions.
    pub(super) fn text(&self) -> String {
        let (kernel, table) = (self.kernel, Tabulated::new(self.kernel));
        let mut source = Source::default();
        if !table.value(&mut source) {
            self.value(&mut source);
        }
        let moving = table.moving_sums();
        if let Some(moving) = &moving {
            let parameters = self.parameters();
            // Here no argument stands before the parameters.
            moving.function(parameters.trim_start_matches(", "), &mut source);
        }
        // The first two results of the gradient are those of the moments.
        for of in [Quantities::Moments, Quantities::Gradients] {
            let count = of.count();
            self.open(of.name(), count, &mut source);
            if !table.at_zero_variance(count, &mut source) {
                self.at_zero_variance(kernel.gradient(), count, &mut source);
            }
            match &moving {
                Some(moving) => moving.sum(of, &table.arguments(), &mut source),
                None => table.sum(count, &mut source),
            }
            source.end();
        }
        let parameters = kernel.activation().parameters.len();
        if parameters > 0 {
            self.open("parameters", 3 * parameters, &mut source);
            self.at_zero_variance(kernel.parameters(), 3 * parameters, &mut source);
            table.tangents(&mut source);
            source.end();
        }
        table.text() + &source.finish() + &interface(self.kernel)
    }

    /// Writes a block of formulas that reads one number, and gives its results.
    fn block(&self, block: &Block, argument: &str, source: &mut Source) -> Vec<String> {
        let formulas = Formulas::block::<f32>(self.kernel, block, MANNER);
        let inputs = formulas.inputs(argument, &mut InputWriter { source });
        let results = print(&formulas.graph, &inputs, &mut Lines { source, tables: None });
        results.into_iter().map(|result| result.text).collect()
    }

    fn name(&self) -> &str {
        &self.kernel.activation().name
    }

    /// The parameters behind other arguments of a function.
    fn parameters(&self) -> String {
        let count = self.kernel.activation().parameters.len();
        (0..count).map(|i| format!(", theta{i}: f32")).collect()
    }

    fn open(&self, routine: &str, count: usize, source: &mut Source) {
        open(&format!("gsf_{}_{routine}", self.name()), &self.parameters(), count, source);
    }

    fn value(&self, source: &mut Source) {
        source.line("// g(x).");
        let (name, parameters) = (self.name(), self.parameters());
        source.open(&format!("fn {name}_value(x: f32{parameters}) -> f32"));
        let results = self.block(self.kernel.value(), "x", source);
        source.line(&format!("return {};", results[0]));
        source.end();
    }

    /// Writes the return of `count` limits for ξ² = 0 if γ is on a knot.
    fn at_zero_variance(&self, routine: &Routine, count: usize, source: &mut Source) {
        let knots = self.kernel.knots();
        for AtZeroVariance { first, last, block } in &routine.on_knots {
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
            let results = self.block(block, "gamma", source);
            source.line(&returned(&results[..count]));
            source.close();
        }
    }
}
