//! The functions of one kernel for a card: the sum over its pieces, as it was recorded.

use super::language::{Lines, Numbers};
use super::source::Source;
use crate::kernel::Kernel;
use crate::script::expression::Expression;
use crate::script::graph::Graph;
use crate::script::print::print;
use crate::script::routine::{MOST_DEGREE, MOST_KNOTS, Routine, routine, strict};
use crate::table::Numbers as Table;

/// Whether a function has few knots and a low degree.
pub(super) fn is_short(table: &Table) -> bool {
    let [knots, degree] = table.with(|table| [table.knots.len(), table.degree]);
    knots <= MOST_KNOTS && degree <= MOST_DEGREE
}

/// The body of a routine in C, with the bits of the runtime.
pub(super) fn body(table: &Table, of: Routine, numbers: Numbers, source: &mut Source) {
    source.line("(void)p;");
    results(&strict(table, of), numbers, source);
}

fn results(graph: &Graph, numbers: Numbers, source: &mut Source) {
    let inputs = ["gamma", "xi2"].map(Expression::atom);
    let results = print(graph, &inputs, &mut Lines { numbers, source: &mut *source });
    for (i, result) in results.iter().enumerate() {
        source.line(&format!("out[{i}] = {};", result.text));
    }
}

/// Prints the functions of one kernel.
pub(super) struct Scripts {
    table: Table,
    /// What their names start with.
    prefix: String,
}

impl Scripts {
    /// Those of a function of numbers with few knots and a low degree.
    pub(super) fn of(kernel: &Kernel, prefix: String) -> Option<Self> {
        if !kernel.activation().parameters.is_empty() {
            return None;
        }
        let table = match kernel.numbers() {
            Some(numbers) => numbers.clone(),
            None => Kernel::table_of(kernel.activation()).ok()?,
        };
        is_short(&table).then_some(Self { table, prefix })
    }

    /// All of them.
    pub(super) fn text(&self) -> String {
        let mut source = Source::default();
        for of in [Routine::Moments, Routine::Gradients] {
            let double = routine::<f64, true>(&self.table, of);
            self.function(of, Numbers::DoubleOnCard, &double, &mut source);
            let single = routine::<f32, true>(&self.table, of);
            self.function(of, Numbers::SingleOnCard, &single, &mut source);
        }
        source.finish()
    }

    fn function(&self, of: Routine, numbers: Numbers, graph: &Graph, source: &mut Source) {
        let (prefix, name, real) = (&self.prefix, of.name(), numbers.name());
        let suffix = if numbers == Numbers::SingleOnCard { "_f32" } else { "" };
        let constant = if suffix.is_empty() { "GSF_NAN" } else { "(float)GSF_NAN" };
        source.open(&format!(
            "GSF_FN void {prefix}_{name}{suffix}({real} gamma, {real} xi2, const double *p, {real} *out)"
        ));
        source.line("(void)p;");
        source.open(&format!("if (!gsf_is_valid{suffix}(gamma, xi2))"));
        source.open(&format!("for (int i = 0; i < {}; i++)", of.count()));
        source.line(&format!("out[i] = {constant};"));
        source.close();
        source.line("return;");
        source.close();
        results(graph, numbers, source);
        source.close();
        source.line("");
    }
}
