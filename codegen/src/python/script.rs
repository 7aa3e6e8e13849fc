//! A module of a function whose numbers are known: the sum over its pieces, as it was recorded.

use super::Target;
use super::language::{Lines, tables};
use super::lines::Lines as Text;
use super::prelude::Part;
use crate::kernel::Kernel;
use crate::script::expression::Expression;
use crate::script::graph::Graph;
use crate::script::print::print;
use crate::script::routine::{Recorder, Routine};

/// The parts of the prelude that the functions call.
pub(super) const PARTS: [Part; 3] = [Part::Support, Part::Operations, Part::Finish];

/// Prints the functions of one kernel.
pub(super) struct Scripts {
    recorder: Recorder,
    target: Target,
}

impl Scripts {
    /// The functions of a kernel without parameters and with a low degree.
    pub(super) fn of(kernel: &Kernel, target: Target) -> Option<Self> {
        Some(Self { recorder: Recorder::of(kernel)?, target })
    }

    /// The kernels, each for the precisions that the target has.
    pub(super) fn kernels(&self) -> Vec<String> {
        let mut kernels = Vec::new();
        let value = |is_single: bool| match is_single {
            true => self.recorder.value::<f32, false>(),
            false => self.recorder.value::<f64, false>(),
        };
        self.of_precisions("value", &["x"], &value, &mut kernels);
        for of in [Routine::Moments, Routine::Gradients] {
            let graph = |is_single: bool| match is_single {
                true => self.recorder.routine::<f32, false>(of),
                false => self.recorder.routine::<f64, false>(of),
            };
            self.of_precisions(of.name(), &["gamma", "xi2"], &graph, &mut kernels);
        }
        kernels
    }

    fn of_precisions(
        &self,
        name: &str,
        inputs: &[&str],
        graph: &dyn Fn(bool) -> Graph,
        kernels: &mut Vec<String>,
    ) {
        let precisions: &[bool] = if self.target.has_single() { &[false, true] } else { &[false] };
        for is_single in precisions {
            let bits = if *is_single { 32 } else { 64 };
            let head = format!("def _{name}_f{bits}({}):", inputs.join(", "));
            kernels.push(self.function(&head, inputs, &graph(*is_single), *is_single));
        }
        let arguments = inputs.join(", ");
        let results = match self.target.has_single() {
            true => format!("(_{name}_f64 if p is _F64 else _{name}_f32)({arguments})"),
            false => format!("_{name}_f64({arguments})"),
        };
        let results = match name {
            "value" => results,
            _ => format!("_finish({arguments}, {results})"),
        };
        kernels.push(format!("def _{name}_kernel(p, {arguments}):\n    return {results}\n"));
    }

    fn function(&self, head: &str, inputs: &[&str], graph: &Graph, is_single: bool) -> String {
        let mut text = Text::default();
        text.open(head);
        text.line(&format!("zero = xp.zeros_like({})", inputs[0]));
        let inputs: Vec<Expression> = inputs.iter().copied().map(Expression::atom).collect();
        let columns = match is_single {
            true => self.recorder.columns::<f32>(),
            false => self.recorder.columns::<f64>(),
        };
        let mut lines = Lines { target: self.target, is_single, text: &mut text, columns };
        let results = print(graph, &inputs, &mut lines);
        let results: Vec<String> = results.iter().map(|result| lines.array(result).text).collect();
        let comma = if results.len() == 1 { "," } else { "" };
        text.line(&format!("return ({}{comma})", results.join(", ")));
        text.finish()
    }

    /// The precisions, and the tables that loops go over.
    pub(super) fn constants(&self) -> String {
        let has_single = self.target.has_single();
        let mut text = match has_single {
            true => "# The precisions.\n_F64, _F32 = 64, 32\n".to_owned(),
            false => "# The precision.\n_F64 = 64\n".to_owned(),
        };
        if let Some(columns) = self.recorder.columns::<f64>() {
            text += &tables(columns, false);
        }
        if let (true, Some(columns)) = (has_single, self.recorder.columns::<f32>()) {
            text += &tables(columns, true);
        }
        text
    }
}
