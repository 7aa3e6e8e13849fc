//! The sum over the pieces of a function, as it was recorded: a module where its numbers are known, functions of a module where
//! they depend on parameters.

use gaussform_runtime::Float;

use super::Target;
use super::language::{Lines, tables};
use super::number::tuple_of;
use super::text::Text;
use crate::kernel::Kernel;
use crate::script::expression::Expression;
use crate::script::graph::{Graph, Style};
use crate::script::print::print;
use crate::script::routine::{Quantities, Recorder, with_names};
use crate::script::rows::{Coefficients, NamedRows};
use crate::table::Table;

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
            true => self.recorder.value::<f32>(),
            false => self.recorder.value::<f64>(),
        };
        self.of_precisions("value", &["x"], &value, &mut kernels);
        for of in [Quantities::Moments, Quantities::Gradients] {
            let graph = |is_single: bool| match is_single {
                true => self.recorder.routine::<f32>(of, Style::Free),
                false => self.recorder.routine::<f64>(of, Style::Free),
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
        let mut lines = Lines::new(self.target, is_single, &mut text, columns);
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

/// The rows of a function with parameters, and the sums over them.
pub(super) struct MovingRows<'a> {
    pub(super) table: &'a Table,
    pub(super) target: Target,
}

impl MovingRows<'_> {
    /// The rows and the sums over them, for each precision that the target has.
    pub(super) fn functions(&self) -> Vec<String> {
        let mut functions = self.of_precision::<f64>();
        if self.target.has_single() {
            functions.extend(self.of_precision::<f32>());
        }
        functions
    }

    fn of_precision<T: Float>(&self) -> Vec<String> {
        let is_single = !T::IS_DOUBLE;
        let bits = if is_single { 32 } else { 64 };
        let rows = NamedRows::new::<T>(self.table, Style::Free, Coefficients::Known);
        let of = [Quantities::Moments, Quantities::Gradients];
        let mut sums = of.map(|of| with_names::<T>(&rows, self.table.degree, of, Style::Free));
        let arithmetic = rows.read_by(&mut sums);
        // Numbers that are known stand in the arithmetic.
        let mut next = 0;
        let mut inputs = Vec::new();
        for (length, _, word) in self.table.words() {
            let is_known = word.as_constant().is_some();
            let count = length.count();
            inputs.extend((next..next + count).map(|i| Expression::atom(format!("words[{i}]"))));
            next += if is_known { 0 } else { count };
        }
        let print = |head: String, start: &[String], inputs: &[Expression], graph: &Graph| {
            let mut text = Text::default();
            text.open(&head);
            start.iter().for_each(|line| text.line(line));
            let mut lines = Lines::new(self.target, is_single, &mut text, None);
            let results = print(graph, inputs, &mut lines);
            let results: Vec<String> = results.into_iter().map(|result| result.text).collect();
            text.line(&format!("return {}", tuple_of(&results)));
            text.finish()
        };
        let head = format!("def _row_numbers_f{bits}(zero, words):");
        let mut functions = vec![print(head, &[], &inputs, &arithmetic)];
        let numbers = (0..arithmetic.results.len()).map(|i| format!("numbers[{i}]"));
        let inputs = ["gamma", "xi2"].map(str::to_owned).into_iter().chain(numbers);
        let inputs: Vec<Expression> = inputs.map(Expression::atom).collect();
        for (of, graph) in of.iter().zip(&sums) {
            let head = format!("def _{}_f{bits}(gamma, xi2, words):", of.name());
            let start = [
                "zero = xp.zeros_like(gamma)".to_owned(),
                format!("numbers = _row_numbers_f{bits}(zero, words)"),
            ];
            functions.push(print(head, &start, &inputs, graph));
        }
        functions
    }

    /// The call of a sum in the precision of the arguments.
    pub(super) fn call(&self, of: Quantities) -> String {
        let name = of.name();
        match self.target.has_single() {
            true => format!("(_{name}_f64 if p is _F64 else _{name}_f32)(gamma, xi2, words)"),
            false => format!("_{name}_f64(gamma, xi2, words)"),
        }
    }
}
