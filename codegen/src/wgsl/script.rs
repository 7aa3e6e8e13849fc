//! The functions of one kernel: the sum over its pieces, as it was recorded.

use gaussform_runtime::kernel::sum::MAX_DEGREE;

use super::interface::interface;
use super::language::{Lines, open, returned, tables};
use super::number::in_words;
use crate::kernel::Kernel;
use crate::script::expression::Expression;
use crate::script::graph::{Graph, Style};
use crate::script::print::print;
use crate::script::routine::{Quantities, Recorder, with_names};
use crate::script::rows::{Coefficients, NamedRows, declared};
use crate::source::Source;
use crate::table::Table;

/// Prints the functions of one kernel.
pub(super) struct Scripts<'a> {
    kernel: &'a Kernel,
    recorder: Recorder,
}

impl<'a> Scripts<'a> {
    /// The functions of a kernel without parameters and with a low degree.
    pub(super) fn of(kernel: &'a Kernel) -> Option<Self> {
        Some(Self { kernel, recorder: Recorder::of(kernel)? })
    }

    /// The text of all functions.
    pub(super) fn text(&self) -> String {
        let name = &self.kernel.activation().name;
        let mut source = Source::default();
        if let Some(columns) = self.recorder.columns::<f32>() {
            tables(columns, name, &mut source);
        }
        source.line("// g(x).");
        source.open(&format!("fn {name}_value(x: f32) -> f32"));
        let value = self.body(&self.recorder.value::<f32>(), &["x"], &mut source);
        source.line(&format!("return {};", value[0]));
        source.end();
        for of in [Quantities::Moments, Quantities::Gradients] {
            open(&format!("gsf_{name}_{}", of.name()), "", of.count(), &mut source);
            let graph = self.recorder.routine::<f32>(of, Style::Free);
            let results = self.body(&graph, &["gamma", "xi2"], &mut source);
            source.line(&returned(&results));
            source.end();
        }
        source.finish() + &interface(self.kernel)
    }

    /// Writes a graph, and gives its results.
    fn body(&self, graph: &Graph, inputs: &[&str], source: &mut Source) -> Vec<String> {
        let inputs: Vec<Expression> = inputs.iter().copied().map(Expression::atom).collect();
        let name = &*self.kernel.activation().name;
        let tables = self.recorder.columns::<f32>().map(|columns| (columns, name));
        let results = print(graph, &inputs, &mut Lines { source, tables });
        results.into_iter().map(|result| result.text).collect()
    }
}

/// The rows of a function with parameters, and the sums over them.
pub(super) struct MovingRows<'a> {
    table: &'a Table,
    name: &'a str,
    arithmetic: Graph,
    /// Of the moments, and with derivatives.
    sums: [Graph; 2],
}

impl<'a> MovingRows<'a> {
    /// The rows of a table with a low degree; `None` for other tables.
    pub(super) fn of(table: &'a Table, name: &'a str) -> Option<Self> {
        if table.degree > MAX_DEGREE {
            return None;
        }
        let rows = NamedRows::new::<f32>(table, Style::Free, Coefficients::Known);
        let mut sums = [Quantities::Moments, Quantities::Gradients]
            .map(|of| with_names::<f32>(&rows, table.degree, of, Style::Free));
        let arithmetic = rows.read_by(&mut sums);
        Some(Self { table, name, arithmetic, sums })
    }

    /// The numbers of the rows, and the function that computes them from the parameters.
    pub(super) fn function(&self, parameters: &str, source: &mut Source) {
        let (table, name) = (self.table, self.name);
        // An array of WGSL has one element at least.
        let count = self.arithmetic.results.len().max(1);
        source.line(&format!("var<private> gsf_{name}_numbers: array<f32, {count}>;"));
        source.line("");
        source.open(&format!("fn gsf_{name}_fill_numbers({parameters})"));
        let words = declared(table, |length, name, word| {
            source.line(&format!("let {name} = {};", in_words(length, word)));
        });
        let results = print(&self.arithmetic, &words, &mut Lines { source, tables: None });
        for (i, result) in results.iter().enumerate() {
            source.line(&format!("gsf_{name}_numbers[{i}] = {};", result.text));
        }
        source.end();
    }

    /// Writes the return of the moments, or of the moments with derivatives.
    pub(super) fn sum(&self, of: Quantities, arguments: &str, source: &mut Source) {
        let name = self.name;
        source.line(&format!("gsf_{name}_fill_numbers({arguments});"));
        let graph = &self.sums[usize::from(of == Quantities::Gradients)];
        let numbers =
            (0..self.arithmetic.results.len()).map(|i| format!("gsf_{name}_numbers[{i}]"));
        let inputs = ["gamma", "xi2"].map(str::to_owned).into_iter().chain(numbers);
        let inputs: Vec<Expression> = inputs.map(Expression::atom).collect();
        let results = print(graph, &inputs, &mut Lines { source, tables: None });
        source.line(&returned(&results.into_iter().map(|r| r.text).collect::<Vec<_>>()));
    }
}
