//! How NumPy, JAX and PyTorch write a graph.
//!
//! A value is an array, and both sides of a choice are computed and selected; NumPy computes a side only where some element
//! needs it. The compilers of JAX and PyTorch may fuse and simplify: what must be rounded by itself passes through `_rounded`.

use std::collections::{BTreeMap, BTreeSet};

use gaussform_runtime::Float;

use super::Target;
use super::library::{is_handwritten, signature};
use super::number::float;
use super::text::Text;
use crate::script::columns::{Columns, TABLES};
use crate::script::expression::{Binding, Expression};
use crate::script::function::{Function, Parameter, Shape};
use crate::script::graph::{Graph, Operation, Value};
use crate::script::print::{self, Language};

/// Writes lines of Python, in a precision.
pub(super) struct Lines<'a> {
    pub(super) target: Target,
    pub(super) is_single: bool,
    pub(super) text: &'a mut Text,
    /// An array of zeros like the inputs.
    pub(super) zero: &'a str,
    /// The primitives that it calls, if it calls some.
    pub(super) callees: Option<Callees<'a>>,
    /// The conditions that hold for some element where the text is.
    pub(super) conditions: Vec<String>,
    /// The names that are 0 until they get a value.
    pub(super) zeros: BTreeSet<String>,
    /// The names of constants that have one.
    pub(super) names: BTreeMap<u64, String>,
    /// The tables that loops go over.
    pub(super) columns: Option<&'a Columns>,
}

/// The primitives that a function calls.
#[derive(Clone, Copy)]
pub(super) struct Callees<'a> {
    /// The name of a primitive.
    pub(super) name: &'a dyn Fn(&str) -> String,
    /// Whether a primitive calls them, which has no branches.
    pub(super) is_primitive: bool,
}

/// The kind of all records.
pub(super) const TUPLE: &str = "tuple";

/// The name of a table.
fn table_name(table: usize, is_single: bool) -> String {
    format!("_{}_F{}", TABLES[table].to_uppercase(), if is_single { 32 } else { 64 })
}

/// The tables of a function, a tuple for each row.
pub(super) fn tables(columns: &Columns, is_single: bool) -> String {
    let mut text = String::new();
    for (table, rows) in (0..TABLES.len()).map(|table| (table, columns.table(table))) {
        if rows.is_empty() {
            continue;
        }
        text += &format!("{} = (\n", table_name(table, is_single));
        for row in rows {
            text += &tuple(row.into_iter().map(float).collect());
        }
        text += ")\n";
    }
    text
}

impl<'a> Lines<'a> {
    /// The lines of a function of its own, which has an array `zero`.
    pub(super) fn new(
        target: Target,
        is_single: bool,
        text: &'a mut Text,
        columns: Option<&'a Columns>,
    ) -> Self {
        Self {
            target,
            is_single,
            text,
            zero: "zero",
            callees: None,
            conditions: Vec::new(),
            zeros: BTreeSet::new(),
            names: BTreeMap::new(),
            columns,
        }
    }

    /// The numbers of an argument, in a tuple where it is a record.
    fn argument(&self, shape: &Shape, numbers: &[Expression]) -> Expression {
        let text = |number: &Expression| match self.target {
            // Numbers of Python would not be rounded to the precision.
            Target::Jax | Target::PyTorch => self.array(number).text,
            Target::Numpy => number.text.clone(),
        };
        Expression::atom(match (shape, Expression::record(numbers, TUPLE)) {
            (Shape::Number | Shape::Truth, _) => text(&numbers[0]),
            (_, Some(name)) => name.to_owned(),
            _ => format!("({})", numbers.iter().map(text).collect::<Vec<_>>().join(", ")),
        })
    }

    /// A number as an array like the inputs, in the precision of these.
    pub(super) fn array(&self, value: &Expression) -> Expression {
        match value.text.as_str() {
            _ if !value.is_number() => value.clone(),
            "0.0" => Expression::atom(self.zero),
            _ => Expression::infix(&Expression::atom(self.zero), "+", value, Binding::Sum),
        }
    }
}

/// A row of a table, in lines as full as they can be.
fn tuple(row: Vec<String>) -> String {
    let comma = if row.len() == 1 { "," } else { "" };
    let (mut text, mut start) = ("    (".to_owned(), 0);
    for (i, number) in row.iter().enumerate() {
        if i > 0 {
            text += ",";
            let is_full = text.len() - start + number.len() > FULL - 4;
            text += if is_full { "\n     " } else { " " };
            start = if is_full { text.len() - 5 } else { start };
        }
        text += number;
    }
    text + comma + "),\n"
}

/// The most names that get a value in one statement.
const MOST_NAMES: usize = 8;

/// The columns of a full line.
const FULL: usize = 100;

/// The constant that rounds a number to an integer if it is added to it.
fn shifter<T: Float>() -> Expression {
    Expression::atom(float(T::SHIFTER))
}

impl Language for Lines<'_> {
    const LONGEST: usize = 24;

    fn has_branches(&self) -> bool {
        !self.target.has_single() && self.callees.is_none_or(|callees| !callees.is_primitive)
    }

    fn number(&self, value: f64) -> Expression {
        if let Some(name) = self.names.get(&value.to_bits()) {
            return Expression::number(name.clone());
        }
        Expression::number(match self.is_single {
            // The shortest literal of the largest number is above it.
            true if value.abs() < f64::from(f32::MAX) => float(value as f32),
            _ => float(value),
        })
    }

    fn truth(&self, value: bool) -> Expression {
        Expression::atom(if value { "True" } else { "False" })
    }

    fn operation(&self, operation: Operation, operands: &[Expression]) -> Expression {
        let infix = |sign, binding| Expression::infix(&operands[0], sign, &operands[1], binding);
        // `&` and `|` bind more tightly than comparisons do.
        let joined = |sign: &str| {
            let [a, b] = [0, 1].map(|i| operands[i].at_least(Binding::Sum));
            Expression::new(format!("{a} {sign} {b}"), Binding::Test)
        };
        match operation {
            Operation::Divide => infix("/", Binding::Product),
            Operation::Root => Expression::call("xp.sqrt", operands),
            Operation::Abs => Expression::call("abs", operands),
            Operation::Raise | Operation::Scale => {
                let shifter = match self.is_single {
                    true => shifter::<f32>(),
                    false => shifter::<f64>(),
                };
                let power = Expression::infix(&operands[1], "-", &shifter, Binding::Sum);
                Expression::call("_raise", &[self.array(&operands[0]), power])
            }
            Operation::Larger => Expression::call("_larger", operands),
            Operation::Smaller => Expression::call("_smaller", operands),
            Operation::And => joined("&"),
            Operation::Or => joined("|"),
            Operation::Not => Expression::prefix("~", &operands[0]),
            Operation::Select => {
                let [mask, yes, no] = operands else { unreachable!("three operands") };
                // Two numbers would be of a precision of their own.
                let yes = if no.is_number() { self.array(yes) } else { yes.clone() };
                Expression::call("xp.where", &[mask.clone(), yes, no.clone()])
            }
            operation => print::arithmetic(operation, operands),
        }
    }

    fn is_guarded(&self, graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool {
        // No compiler stands between NumPy and the machine.
        self.target != Target::Numpy && print::is_delicate(graph, value, readers)
    }

    fn rounded(&self, operation: Operation, operands: &[Expression]) -> Expression {
        Expression::call("_rounded", &[print::arithmetic(operation, operands)])
    }

    fn bind(&mut self, name: &str, _: bool, value: &Expression) {
        self.text.line(&format!("{name} = {}", value.text));
    }

    fn declare(&mut self, names: &[String], values: Option<&[Expression]>) {
        let Some(values) = values else {
            // Arrays are replaced and never changed, so names may share one.
            for names in names.chunks(MOST_NAMES) {
                self.text.line(&format!("{} = {}", names.join(" = "), self.zero));
            }
            self.zeros.extend(names.iter().cloned());
            return;
        };
        for (name, value) in names.iter().zip(values) {
            self.text.line(&format!("{name} = {}", self.array(value).text));
        }
    }

    fn open(&mut self, condition: &Expression, next: bool) {
        if next {
            self.close();
        }
        self.conditions.push(if next { String::new() } else { condition.text.clone() });
        // Some elements may be on either side, so the second side has a test of its own.
        let test = if next { Expression::prefix("~", condition) } else { condition.clone() };
        self.text.open(&format!("if xp.any({}):", test.text));
    }

    fn assign(&mut self, names: &[String], values: &[Expression], test: &Expression, yes: bool) {
        for (name, value) in names.iter().zip(values) {
            // It is 0 already.
            if value.text == "0.0" && self.zeros.contains(name) {
                continue;
            }
            let sides = if yes { [&value.text, name] } else { [name, &value.text] };
            self.text
                .line(&format!("{name} = xp.where({}, {}, {})", test.text, sides[0], sides[1]));
        }
    }

    fn close(&mut self) {
        self.conditions.pop();
        self.text.close();
    }

    fn call(&self, function: &str, operands: &[Expression]) -> Expression {
        let callees = self.callees.expect("a function that calls others");
        let (mut arguments, mut rest) = (Vec::new(), operands);
        for Parameter { shape, .. } in &signature(function).parameters {
            let (own, behind) = rest.split_at(shape.size());
            arguments.push(self.argument(shape, own));
            rest = behind;
        }
        Expression::call(&(callees.name)(function), &arguments)
    }

    fn bind_call(&mut self, name: &str, function: &str, operands: &[Expression]) {
        let mut call = self.call(function, operands).text;
        let Function { parameters, graph, .. } = signature(function);
        let is_of_condition = parameters[0].shape == Shape::Truth;
        if is_of_condition && self.has_branches() && !self.conditions.contains(&operands[0].text) {
            let (condition, count) = (&operands[0].text, graph.results.len());
            call += &format!(" if xp.any({condition}) else ({},) * {count}", self.zero);
        }
        self.text.line(&format!("{name} = {call}"));
    }

    fn part(&self, name: &str, function: &str, at: usize) -> Expression {
        match is_handwritten(function) {
            true => Expression::atom(name),
            false => Expression::field(format!("{name}[{at}]"), name, TUPLE, at),
        }
    }

    fn begin(&mut self, cell: usize, carried: &[(String, bool)], first: &[Expression]) {
        let columns = self.columns.expect("loops have tables");
        let table = table_name(columns.cell(cell).0, self.is_single);
        let first = carried.iter().zip(first).map(|((_, is_truth), value)| match is_truth {
            // A truth value that is carried is an array like the numbers.
            true => format!("(zero == zero) & {}", value.at_least(Binding::Sum)),
            false => self.array(value).text,
        });
        let first: Vec<String> = first.collect();
        if self.target == Target::Jax {
            self.text.line(&format!("first = ({},)", first.join(", ")));
            self.text.open(&format!("def step_{}(carried, row):", carried[0].0));
            for (i, (name, _)) in carried.iter().enumerate() {
                self.text.line(&format!("{name} = carried[{i}]"));
            }
        } else {
            for ((name, _), first) in carried.iter().zip(first) {
                self.text.line(&format!("{name} = {first}"));
            }
            let rows = match self.target {
                // Two numbers of Python would be of a precision of their own where one of them is chosen.
                Target::PyTorch => {
                    format!("torch.tensor({table}, dtype=zero.dtype, device=zero.device)")
                }
                _ => table,
            };
            self.text.open(&format!("for row in {rows}:"));
        }
    }

    fn cell(&self, name: usize) -> Expression {
        let (_, at) = self.columns.expect("loops have tables").cell(name);
        Expression::atom(format!("row[{at}]"))
    }

    fn end(&mut self, carried: &[(String, bool)], values: &[Expression], cell: usize) {
        let columns = self.columns.expect("loops have tables");
        let table = table_name(columns.cell(cell).0, self.is_single);
        if self.target == Target::Jax {
            let values: Vec<&str> = values.iter().map(|value| &*value.text).collect();
            self.text.line(&format!("return ({},), None", values.join(", ")));
            self.text.close();
            let rows = format!("jnp.array({table}, zero.dtype)");
            let step = format!("step_{}", carried[0].0);
            self.text.line(&format!("last, _ = jax.lax.scan({step}, first, {rows})"));
            for (i, (name, _)) in carried.iter().enumerate() {
                self.text.line(&format!("{name} = last[{i}]"));
            }
        } else {
            for ((name, _), value) in carried.iter().zip(values) {
                self.text.line(&format!("{name} = {}", value.text));
            }
            self.text.close();
        }
    }
}
