//! How WGSL writes a graph.
//!
//! A compiler may fuse, reorder and simplify sums and products: what must be rounded by itself passes through
//! `gsf_rounded`. Quotients and roots of a device may be some units wrong: `gsf_divide` and `gsf_sqrt` correct them.

use super::number::{float, floats};
use crate::script::columns::{Columns, TABLES};
use crate::script::expression::{Binding, Expression};
use crate::script::graph::{Graph, Operation, Value};
use crate::script::print::{self, Language};
use crate::source::Source;

/// Writes lines of WGSL.
pub(super) struct Lines<'a> {
    pub(super) source: &'a mut Source,
    /// The tables that loops go over, with the name of the function that they are of.
    pub(super) tables: Option<(&'a Columns, &'a str)>,
}

/// The tables of a function as arrays, row by row.
pub(super) fn tables(columns: &Columns, name: &str, source: &mut Source) {
    for (table, rows) in (0..TABLES.len()).map(|table| (table, columns.table(table))) {
        let count: usize = rows.iter().map(Vec::len).sum();
        if count == 0 {
            continue;
        }
        let kind = format!("array<f32, {count}>");
        source.line(&format!("var<private> {}: {kind} = {kind}(", table_name(name, table)));
        for row in rows {
            source.line(&format!("    {},", floats(&row)));
        }
        source.line(");");
        source.line("");
    }
}

/// The head of a function of γ, ξ² and parameters with so many results, which are NaN where γ and ξ² are no distribution.
pub(super) fn open(function: &str, parameters: &str, count: usize, source: &mut Source) {
    source.open(&format!("fn {function}(gamma: f32, xi2: f32{parameters}) -> array<f32, {count}>"));
    source.open("if (!gsf_is_valid(gamma, xi2))");
    source.line("let nan = gsf_nan();");
    source.line(&returned(&vec!["nan".to_owned(); count]));
    source.close();
}

/// The statement that returns results.
pub(super) fn returned(results: &[String]) -> String {
    format!("return array<f32, {}>({});", results.len(), results.join(", "))
}

fn table_name(name: &str, table: usize) -> String {
    format!("gsf_{name}_{}", TABLES[table])
}

impl Language for Lines<'_> {
    fn number(&self, value: f64) -> Expression {
        match value {
            // No constant is infinite: it is made of bits.
            f64::INFINITY => Expression::atom("gsf_pole(1.0, 0.0)"),
            f64::NEG_INFINITY => Expression::atom("gsf_pole(-1.0, 0.0)"),
            value => Expression::number(float(value)),
        }
    }

    fn truth(&self, value: bool) -> Expression {
        Expression::atom(if value { "true" } else { "false" })
    }

    fn operation(&self, operation: Operation, operands: &[Expression]) -> Expression {
        let infix = |sign, binding| Expression::infix(&operands[0], sign, &operands[1], binding);
        // In parentheses: operators of logic do not mix.
        let joined = |sign| Expression::atom(format!("({})", infix(sign, Binding::Logic).text));
        match operation {
            Operation::Divide => Expression::call("gsf_divide", operands),
            Operation::Root => Expression::call("gsf_sqrt", operands),
            Operation::Abs => Expression::call("abs", operands),
            Operation::Raise | Operation::Scale => Expression::call("gsf_raise", operands),
            Operation::Larger => Expression::call("max", operands),
            Operation::Smaller => Expression::call("min", operands),
            Operation::And => joined("&&"),
            Operation::Or => joined("||"),
            Operation::Not => Expression::prefix("!", &operands[0]),
            Operation::Select => {
                let [mask, yes, no] = operands else { unreachable!("three operands") };
                // `select` takes the value for false first.
                Expression::call("select", &[no.clone(), yes.clone(), mask.clone()])
            }
            operation => print::arithmetic(operation, operands),
        }
    }

    fn is_guarded(&self, graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool {
        print::is_delicate(graph, value, readers)
    }

    fn rounded(&self, operation: Operation, operands: &[Expression]) -> Expression {
        Expression::call("gsf_rounded", &[print::arithmetic(operation, operands)])
    }

    fn bind(&mut self, name: &str, _: bool, value: &Expression) {
        self.source.line(&format!("let {name} = {};", value.text));
    }

    fn declare(&mut self, names: &[String], values: Option<&[Expression]>) {
        for (i, name) in names.iter().enumerate() {
            let value = values.map(|values| format!(" = {}", values[i].text));
            self.source.line(&format!("var {name}: f32{};", value.unwrap_or_default()));
        }
    }

    fn open(&mut self, condition: &Expression, next: bool) {
        self.source.choice(next, (!next).then_some(&*condition.text));
    }

    fn assign(&mut self, names: &[String], values: &[Expression], _: &Expression, _: bool) {
        for (name, value) in names.iter().zip(values) {
            self.source.line(&format!("{name} = {};", value.text));
        }
    }

    fn close(&mut self) {
        self.source.close();
    }

    fn begin(&mut self, cell: usize, carried: &[(String, bool)], first: &[Expression]) {
        for ((name, is_truth), value) in carried.iter().zip(first) {
            let kind = if *is_truth { "bool" } else { "f32" };
            self.source.line(&format!("var {name}: {kind} = {};", value.text));
        }
        let (columns, _) = self.tables.expect("loops have tables");
        let rows = columns.table(columns.cell(cell).0);
        let (count, length) = (rows.len(), rows[0].len());
        self.source.open(&format!("for (var i = 0; i < {count}; i++)"));
        self.source.line(&format!("let row = {length} * i;"));
    }

    fn cell(&self, name: usize) -> Expression {
        let (columns, function) = self.tables.expect("loops have tables");
        let (table, at) = columns.cell(name);
        Expression::atom(format!("{}[row + {at}]", table_name(function, table)))
    }

    fn end(&mut self, carried: &[(String, bool)], values: &[Expression], _: usize) {
        for ((name, _), value) in carried.iter().zip(values) {
            self.source.line(&format!("{name} = {};", value.text));
        }
        self.source.close();
    }
}
