//! The functions of one kernel: the sum over its pieces, as it was recorded.

use super::language::{Lines, tables};
use super::routine::interface;
use crate::kernel::Kernel;
use crate::print::Source;
use crate::script::expression::Expression;
use crate::script::graph::Graph;
use crate::script::print::print;
use crate::script::routine::{Recorder, Routine};

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
        let value = self.body(&self.recorder.value::<f32, false>(), &["x"], &mut source);
        source.line(&format!("return {};", value[0]));
        source.close();
        source.line("");
        for of in [Routine::Moments, Routine::Gradients] {
            let (routine, count) = (of.name(), of.count());
            source.open(&format!(
                "fn gsf_{name}_{routine}(gamma: f32, xi2: f32) -> array<f32, {count}>"
            ));
            source.open("if (!gsf_is_valid(gamma, xi2))");
            source.line("let nan = gsf_nan();");
            source.line(&returned(&vec!["nan".to_owned(); count]));
            source.close();
            let graph = self.recorder.routine::<f32, false>(of);
            let results = self.body(&graph, &["gamma", "xi2"], &mut source);
            source.line(&returned(&results));
            source.close();
            source.line("");
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

/// The statement that returns results.
fn returned(results: &[String]) -> String {
    format!("return array<f32, {}>({});", results.len(), results.join(", "))
}
