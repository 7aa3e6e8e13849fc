//! C and CUDA as languages of a recorded graph, and the primitives of the runtime as they are called there.

use std::sync::LazyLock;

use super::source::{Source, float, statement};
use crate::record::Library;
use crate::script::columns::{Columns, TABLES};
use crate::script::expression::{Binding, Expression};
use crate::script::function::{Function, Group, Shape};
use crate::script::graph::{Graph, Operation, Value};
use crate::script::print::{self, Language};

/// The primitives on a machine that rounds products by themselves.
pub(super) static LIBRARY: LazyLock<Library> = LazyLock::new(Library::new::<f64>);

/// A function that kernels call.
fn signature(name: &str) -> &'static Function {
    LIBRARY.get(name).expect("what is called was recorded")
}

/// The type of the numbers that a text computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    /// `double`, each operation rounded by itself.
    Double,
    /// `gsf_wide`, numbers with a wide exponent, by calls.
    Wide,
    /// `gsf_lanes`, several doubles side by side, by calls.
    Lanes,
    /// `double` on a card, products fused with sums where it is written.
    DoubleOnCard,
    /// `float` on a card, products fused with sums where it is written.
    SingleOnCard,
    /// `gsf_num`, which stands for each type of a header in turn, by calls.
    Any,
    /// `gsf_f64`, the words of numbers, by calls.
    Words,
}

impl NumberKind {
    /// The type.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Double | Self::DoubleOnCard => "double",
            Self::Wide => "gsf_wide",
            Self::Lanes => "gsf_lanes",
            Self::SingleOnCard => "float",
            Self::Any | Self::Words => self.prefix(),
        }
    }

    /// The prefix of the names of its operations.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Double | Self::DoubleOnCard | Self::Words => "gsf_f64",
            Self::Wide => "gsf_wide",
            Self::Lanes => "gsf_lanes",
            Self::SingleOnCard => "gsf_f32",
            Self::Any => "gsf_num",
        }
    }

    /// The type of truth values.
    pub(super) fn truth(self) -> &'static str {
        if self == Self::Lanes { "gsf_lanes_mask" } else { "int" }
    }

    /// A number in double precision as one of these.
    pub(super) fn of(self, text: &str) -> String {
        match self {
            Self::Wide | Self::Lanes => format!("{}_of({text})", self.prefix()),
            _ => text.to_owned(),
        }
    }

    /// Whether each operation is a call.
    fn are_by_calls(self) -> bool {
        matches!(self, Self::Wide | Self::Lanes) || self.are_of_function()
    }

    /// Whether they are those of a function that every kernel calls.
    fn are_of_function(self) -> bool {
        matches!(self, Self::Any | Self::Words)
    }

    fn is_on_card(self) -> bool {
        matches!(self, Self::DoubleOnCard | Self::SingleOnCard)
    }
}

/// Writes lines of C.
pub(super) struct Lines<'a> {
    pub(super) numbers: NumberKind,
    pub(super) source: &'a mut Source,
    /// The tables that loops go over.
    pub(super) tables: Option<Tables<'a>>,
}

/// The tables of a function.
#[derive(Clone, Copy)]
pub(super) struct Tables<'a> {
    pub(super) columns: &'a Columns,
    /// The prefix of the names of the functions.
    pub(super) prefix: &'a str,
    pub(super) is_single: bool,
}

impl Tables<'_> {
    /// The name of the function that gives a row of a table.
    fn name(self, table: usize) -> String {
        let suffix = if self.is_single { "_f32" } else { "" };
        format!("{}_{}{suffix}", self.prefix, TABLES[table])
    }

    fn real(self) -> &'static str {
        if self.is_single { "float" } else { "double" }
    }

    /// The functions that give the rows.
    pub(super) fn functions(self, source: &mut Source) {
        for table in 0..TABLES.len() {
            let (name, real, rows) = (self.name(table), self.real(), self.columns.table(table));
            let Some(first) = rows.first() else { continue };
            source.open(&format!("GSF_FN const {real} *{name}(int i)"));
            source.line(&format!("static const {real} rows[][{}] = {{", first.len()));
            for row in rows {
                let number = |value: &f64| match self.is_single {
                    true => single_literal(*value),
                    false => float(*value),
                };
                let row: Vec<String> = row.iter().map(number).collect();
                source.line(&format!("    {{{}}},", row.join(", ")));
            }
            source.line("};");
            source.line("return rows[i];");
            source.end();
        }
    }
}

impl Lines<'_> {
    /// Operations by their names.
    fn by_prefix(&self, name: &str, operands: &[Expression]) -> Expression {
        Expression::call(&format!("{}_{name}", self.numbers.prefix()), operands)
    }

    /// The arguments of a function, in each of which the numbers of a record are together.
    fn arguments(&self, function: &Function, operands: &[Expression]) -> Vec<Expression> {
        let mut rest = operands;
        let of = |shape: &Shape| {
            let (own, behind) = rest.split_at(shape.size());
            rest = behind;
            match shape {
                Shape::Group(record) => self.record(record, own),
                _ => own[0].clone(),
            }
        };
        function.parameters.iter().map(|parameter| &parameter.shape).map(of).collect()
    }

    /// A record of some numbers: its name, where they are all that one has.
    fn record(&self, record: &Group, numbers: &[Expression]) -> Expression {
        let kind = if record.is_word { "gsf" } else { self.numbers.prefix() };
        // Words are numbers in double precision.
        let number = |number: &Expression| {
            let inside = number.text.strip_prefix(self.numbers.prefix());
            let inside = inside.and_then(|text| text.strip_prefix("_of("));
            let inside = inside.and_then(|text| text.strip_suffix(')'));
            Expression::atom(inside.filter(|_| record.is_word).unwrap_or(&number.text))
        };
        match Expression::record(numbers, record.name) {
            Some(name) => Expression::atom(name),
            None => {
                let numbers: Vec<Expression> = numbers.iter().map(number).collect();
                Expression::call(&format!("{kind}_{}_of", record.name), &numbers)
            }
        }
    }

    /// a · b + c of a card, rounded once, with the signs of the product and of c.
    fn fused(&self, [a, b, c]: &[Expression; 3], signs: [bool; 2]) -> Expression {
        let signed = |minus: bool, a: &Expression| match minus {
            true => Expression::prefix("-", a),
            false => a.clone(),
        };
        let function = if self.numbers == NumberKind::SingleOnCard { "fmaf" } else { "fma" };
        Expression::call(function, &[signed(signs[0], a), b.clone(), signed(signs[1], c)])
    }

    fn line(&mut self, text: &str) {
        match self.numbers.are_of_function() {
            true => statement(self.source, text),
            false => self.source.line(text),
        }
    }
}

impl Language for Lines<'_> {
    fn has_branches(&self) -> bool {
        // Lanes do not agree on which way to go.
        !self.numbers.are_of_function() && self.numbers != NumberKind::Lanes
    }

    fn number(&self, value: f64) -> Expression {
        match self.numbers {
            numbers if numbers.are_by_calls() => {
                Expression::atom(format!("{}_of({})", numbers.prefix(), float(value)))
            }
            NumberKind::SingleOnCard => Expression::number(single_literal(value)),
            _ => Expression::number(float(value)),
        }
    }

    fn truth(&self, value: bool) -> Expression {
        let text = if value { "1" } else { "0" };
        Expression::atom(match self.numbers {
            NumberKind::Lanes => format!("gsf_lanes_truth({text})"),
            _ => text.to_owned(),
        })
    }

    fn operation(&self, operation: Operation, operands: &[Expression]) -> Expression {
        let infix = |sign, binding| Expression::infix(&operands[0], sign, &operands[1], binding);
        if self.numbers == NumberKind::Lanes {
            return self.by_prefix(by_name(operation), operands);
        }
        match operation {
            Operation::And => return infix("&&", Binding::Logic),
            Operation::Or => {
                // In parentheses: compilers warn where it stands beside &&.
                let either = Expression::infix(&operands[0], "||", &operands[1], Binding::Logic);
                return Expression::atom(format!("({})", either.text));
            }
            Operation::Not => return Expression::prefix("!", &operands[0]),
            _ => {}
        }
        if self.numbers.are_by_calls() {
            return self.by_prefix(by_name(operation), operands);
        }
        let is_on_card = self.numbers.is_on_card();
        let is_single = self.numbers == NumberKind::SingleOnCard;
        let of_library = |double, single| if is_single { single } else { double };
        let three = || operands.try_into().expect("three operands");
        match operation {
            Operation::Divide => infix("/", Binding::Product),
            Operation::MultiplyAdd if is_on_card => self.fused(three(), [false, false]),
            Operation::MultiplySubtract if is_on_card => self.fused(three(), [false, true]),
            Operation::NegateMultiplyAdd if is_on_card => self.fused(three(), [true, false]),
            Operation::MultiplyAdd
            | Operation::MultiplySubtract
            | Operation::NegateMultiplyAdd
            | Operation::Less
            | Operation::AtMost
            | Operation::Equals => print::arithmetic(operation, operands),
            Operation::Abs => Expression::call(of_library("fabs", "fabsf"), operands),
            Operation::Root => Expression::call(of_library("sqrt", "sqrtf"), operands),
            Operation::Larger | Operation::Smaller if is_on_card => {
                let name = match operation {
                    Operation::Larger => of_library("fmax", "fmaxf"),
                    _ => of_library("fmin", "fminf"),
                };
                Expression::call(name, operands)
            }
            Operation::Select => {
                let [mask, yes, no] = three();
                let [mask, yes, no] = [mask, yes, no].map(|side| side.at_least(Binding::Logic));
                Expression::new(format!("{mask} ? {yes} : {no}"), Binding::Choice)
            }
            Operation::Raise if self.numbers == NumberKind::DoubleOnCard => {
                Expression::call("gsf_card_raise", operands)
            }
            operation => self.by_prefix(by_name(operation), operands),
        }
    }

    fn is_guarded(&self, graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool {
        let operation = graph.nodes[value].operation;
        match self.numbers {
            NumberKind::Double => false,
            numbers if numbers.are_by_calls() => {
                // These numbers have no operators in C, so that sums and products are calls too.
                use Operation::{Add, Multiply, Negate, Subtract};
                matches!(operation, Add | Subtract | Multiply | Negate)
            }
            _ => {
                operation == Operation::Multiply && print::is_shared_product(graph, value, readers)
            }
        }
    }

    fn rounded(&self, operation: Operation, operands: &[Expression]) -> Expression {
        self.by_prefix(by_name(operation), operands)
    }

    fn bind(&mut self, name: &str, is_truth: bool, value: &Expression) {
        let kind = if is_truth { self.numbers.truth() } else { self.numbers.name() };
        self.line(&format!("const {kind} {name} = {};", value.text));
    }

    fn declare(&mut self, names: &[String], values: Option<&[Expression]>) {
        let kind = self.numbers.name();
        match values {
            Some(values) => {
                for (name, value) in names.iter().zip(values) {
                    self.line(&format!("{kind} {name} = {};", value.text));
                }
            }
            None => self.line(&format!("{kind} {};", names.join(", "))),
        }
    }

    fn open(&mut self, condition: &Expression, next: bool) {
        let test = (!next).then_some(&*condition.text);
        self.source.choice(next, test);
    }

    fn assign(&mut self, names: &[String], values: &[Expression], _: &Expression, _: bool) {
        for (name, value) in names.iter().zip(values) {
            self.line(&format!("{name} = {};", value.text));
        }
    }

    fn close(&mut self) {
        self.source.close();
    }

    fn call(&self, function: &str, operands: &[Expression]) -> Expression {
        self.by_prefix(function, &self.arguments(signature(function), operands))
    }

    fn bind_call(&mut self, name: &str, function: &str, operands: &[Expression]) {
        let kind = self.numbers.prefix();
        let function = signature(function);
        let mut arguments = self.arguments(function, operands);
        let array = match &function.shape {
            Shape::List(count) => format!("{kind} {name}[{count}]"),
            shape => {
                let Shape::Group(record) = shape else { unreachable!("has several results") };
                let call = self.by_prefix(&function.name, &arguments).text;
                return self.line(&format!("const {kind}_{} {name} = {call};", record.name));
            }
        };
        // A function of C returns no array: it writes to that of the caller.
        self.line(&format!("{array};"));
        arguments.push(Expression::atom(name));
        let call = self.by_prefix(&function.name, &arguments).text;
        self.line(&format!("{call};"));
    }

    fn part(&self, name: &str, function: &str, at: usize) -> Expression {
        match &signature(function).shape {
            Shape::Group(record) => {
                Expression::field(format!("{name}.{}", record.fields[at]), name, record.name, at)
            }
            _ => Expression::atom(format!("{name}[{at}]")),
        }
    }

    fn begin(&mut self, cell: usize, carried: &[(String, bool)], first: &[Expression]) {
        for ((name, is_truth), value) in carried.iter().zip(first) {
            let kind = if *is_truth { self.numbers.truth() } else { self.numbers.name() };
            self.line(&format!("{kind} {name} = {};", value.text));
        }
        let tables = self.tables.expect("loops have tables");
        let (table, _) = tables.columns.cell(cell);
        let count = tables.columns.table(table).len();
        self.source.open(&format!("for (int i = 0; i < {count}; i++)"));
        self.line(&format!("const {} *row = {}(i);", tables.real(), tables.name(table)));
    }

    fn cell(&self, name: usize) -> Expression {
        let (_, at) = self.tables.expect("loops have tables").columns.cell(name);
        Expression::atom(self.numbers.of(&format!("row[{at}]")))
    }

    fn end(&mut self, carried: &[(String, bool)], values: &[Expression], _: usize) {
        for ((name, _), value) in carried.iter().zip(values) {
            self.line(&format!("{name} = {};", value.text));
        }
        self.source.close();
    }
}

/// An operation as it is called.
fn by_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Negate => "neg",
        Operation::Abs => "abs",
        Operation::Root => "sqrt",
        Operation::InverseRoot => "inverse_root",
        Operation::Inverse => "inverse",
        Operation::Add => "add",
        Operation::Subtract => "sub",
        Operation::Multiply => "mul",
        Operation::Divide => "div",
        Operation::MultiplyAdd => "mul_add",
        Operation::MultiplySubtract => "mul_sub",
        Operation::NegateMultiplyAdd => "neg_mul_add",
        Operation::Scale => "scale",
        Operation::Raise => "raise",
        Operation::Less => "lt",
        Operation::AtMost => "le",
        Operation::Equals => "equals",
        Operation::Select | Operation::Branch => "select",
        Operation::Larger => "max",
        Operation::Smaller => "min",
        Operation::And => "and",
        Operation::Or => "or",
        Operation::Not => "not",
        Operation::Input(_)
        | Operation::Carried { .. }
        | Operation::Loop(_)
        | Operation::Last(_)
        | Operation::Call { .. }
        | Operation::Part(_)
        | Operation::Constant(_)
        | Operation::Truth(_) => unreachable!("has a sign or a place"),
    }
}

/// A number of single precision.
fn single_literal(value: f64) -> String {
    match value as f32 {
        value if value.is_finite() => format!("{value:?}f"),
        _ => format!("(float)({})", float(value)),
    }
}
