//! The text of a graph, by one walk for every language.

use std::collections::{BTreeMap, BTreeSet};

use super::branch::{Step, Steps, steps};
use super::expression::{Binding, Expression};
use super::graph::{Graph, Loop, Node, Operation, Source, Value};

/// The fewest operations that a branch must save.
const LEAST_BRANCH: usize = 6;

/// A target language: how it writes the operations of a graph.
pub(crate) trait Language {
    /// An expression longer than this is not written inside of another one.
    const LONGEST: usize = 56;

    /// Whether there are branches, or selects alone.
    fn has_branches(&self) -> bool {
        true
    }

    /// A number of the precision.
    fn number(&self, value: f64) -> Expression;

    /// A truth value.
    fn truth(&self, value: bool) -> Expression;

    /// An operation on numbers that is not a sum, a product or a change of sign, or that must be rounded by itself.
    fn operation(&self, operation: Operation, operands: &[Expression]) -> Expression;

    /// Whether a node is to be rounded by itself, so that [`rounded`](Self::rounded) writes it.
    fn is_guarded(&self, graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool;

    /// An operation whose result is rounded before anything is done with it.
    fn rounded(&self, operation: Operation, operands: &[Expression]) -> Expression;

    /// A name for a value.
    fn bind(&mut self, name: &str, is_truth: bool, value: &Expression);

    /// Declares names that get their values later, with their values until then, if these are known.
    fn declare(&mut self, names: &[String], values: Option<&[Expression]>);

    /// Begins the statements for where a condition holds. With `next`, ends these and begins the statements for
    /// elsewhere.
    fn open(&mut self, condition: &Expression, next: bool);

    /// Gives names their values, where a condition holds.
    fn assign(
        &mut self,
        names: &[String],
        values: &[Expression],
        condition: &Expression,
        is_yes: bool,
    );

    /// Ends what was begun.
    fn close(&mut self);

    /// A call of a function with one result.
    fn call(&self, function: &str, operands: &[Expression]) -> Expression {
        Expression::call(function, operands)
    }

    /// Binds the results of a call to a name.
    fn bind_call(&mut self, _name: &str, _function: &str, _operands: &[Expression]) {
        unreachable!("functions are written in line")
    }

    /// A result of the call of a function that was bound to a name.
    fn part(&self, _name: &str, _function: &str, _at: usize) -> Expression {
        unreachable!("functions are written in line")
    }

    /// Names for what a loop carries, each a truth value or not, with the values before the first row, and the begin of the
    /// loop over the rows of the table that has a cell of this name.
    fn begin(&mut self, cell: usize, carried: &[(String, bool)], first: &[Expression]);

    /// A cell of the row by its name.
    fn cell(&self, name: usize) -> Expression;

    /// Gives what a loop carries the values after a row, and ends the loop.
    fn end(&mut self, carried: &[(String, bool)], values: &[Expression], cell: usize);
}

/// A sum, a difference, a product, or a product in a sum, with the signs `+`, `-` and `*`, or a comparison.
pub(crate) fn arithmetic(operation: Operation, operands: &[Expression]) -> Expression {
    let infix = |sign, binding| Expression::infix(&operands[0], sign, &operands[1], binding);
    let product = || infix("*", Binding::Product);
    match operation {
        Operation::Add => infix("+", Binding::Sum),
        Operation::Subtract => infix("-", Binding::Sum),
        Operation::Multiply => product(),
        Operation::MultiplyAdd => Expression::infix(&product(), "+", &operands[2], Binding::Sum),
        Operation::MultiplySubtract => {
            Expression::infix(&product(), "-", &operands[2], Binding::Sum)
        }
        Operation::NegateMultiplyAdd => {
            Expression::infix(&operands[2], "-", &product(), Binding::Sum)
        }
        Operation::Less => infix("<", Binding::Test),
        Operation::AtMost => infix("<=", Binding::Test),
        Operation::Equals => infix("==", Binding::Test),
        _ => unreachable!("is no arithmetic"),
    }
}

/// Writes the steps of a graph, and gives its results as expressions.
pub(crate) fn print<L: Language>(
    graph: &Graph,
    inputs: &[Expression],
    language: &mut L,
) -> Vec<Expression> {
    printed(graph, inputs, "v", language)
}

/// The results of a graph likewise, with names that begin with a prefix.
fn printed<L: Language>(
    graph: &Graph,
    inputs: &[Expression],
    prefix: &str,
    language: &mut L,
) -> Vec<Expression> {
    let readers = graph.readers();
    let results: BTreeSet<Value> = graph.results.iter().copied().collect();
    let texts = BTreeMap::new();
    let mut printer = Printer { graph, inputs, prefix, readers, results, texts, language };
    let least = if printer.language.has_branches() { LEAST_BRANCH } else { usize::MAX };
    printer.steps(&steps(graph, least));
    graph.results.iter().map(|result| printer.texts[result].clone()).collect()
}

struct Printer<'a, L> {
    graph: &'a Graph,
    inputs: &'a [Expression],
    prefix: &'a str,
    readers: Vec<Vec<Value>>,
    results: BTreeSet<Value>,
    texts: BTreeMap<Value, Expression>,
    language: &'a mut L,
}

impl<L: Language> Printer<'_, L> {
    fn steps(&mut self, steps: &Steps) {
        for step in &steps.0 {
            match step {
                Step::Compute(value) => self.compute(*value, steps),
                Step::Same(value, other) => {
                    let text = self.texts[other].clone();
                    self.texts.insert(*value, text);
                }
                Step::Choose { condition, selects, sides } => {
                    self.choose(*condition, selects, sides)
                }
            }
        }
    }

    fn compute(&mut self, value: Value, within: &Steps) {
        let node = &self.graph.nodes[value];
        if let Operation::Loop(at) = node.operation {
            return self.repeat(value, &self.graph.loops[&at]);
        }
        if let Operation::Call { name, results } = node.operation
            && results > 1
        {
            let operands = self.operands(node);
            return self.language.bind_call(&self.name(value), name, &operands);
        }
        let expression = self.expression(value, node);
        // These cost nothing, so they are written wherever they are read.
        let is_place = matches!(
            node.operation,
            Operation::Input(_)
                | Operation::Constant(_)
                | Operation::Truth(_)
                | Operation::Last(_)
                | Operation::Part(_)
        );
        let is_short = expression.text.len() <= L::LONGEST;
        // A loop that reads a text would compute it again in each row.
        let is_of_loop =
            |reader: &Value| matches!(self.graph.nodes[*reader].operation, Operation::Loop(_));
        let readers = &self.readers[value];
        let is_once =
            readers.len() <= 1 && !self.results.contains(&value) && !readers.iter().any(is_of_loop);
        let expression = if is_place || is_once && is_short && self.is_read_within(value, within) {
            expression
        } else {
            let name = self.name(value);
            self.language.bind(&name, self.is_truth(value), &expression);
            Expression::atom(name)
        };
        self.texts.insert(value, expression);
    }

    /// Whether what reads a node stands beside it, and not in a branch or behind one.
    fn is_read_within(&self, value: Value, within: &Steps) -> bool {
        let Some(reader) = self.readers[value].first() else { return false };
        within.0.iter().any(|step| matches!(step, Step::Compute(other) if other == reader))
    }

    fn is_truth(&self, value: Value) -> bool {
        let node = &self.graph.nodes[value];
        node.operation.is_test()
            || matches!(node.operation, Operation::Select | Operation::Branch)
                && self.is_truth(node.operands[1])
    }

    fn expression(&self, value: Value, node: &Node) -> Expression {
        if let Operation::Last(at) = node.operation {
            return Expression::atom(self.carried(node.operands[0], at));
        }
        if let Operation::Part(at) = node.operation {
            let call = node.operands[0];
            let Operation::Call { name, .. } = self.graph.nodes[call].operation else {
                unreachable!("a part is one of a call")
            };
            return self.language.part(&self.name(call), name, at);
        }
        let operands = self.operands(node);
        let infix = |sign, binding| Expression::infix(&operands[0], sign, &operands[1], binding);
        match node.operation {
            Operation::Input(at) => self.inputs[at].clone(),
            Operation::Constant(bits) => self.language.number(f64::from_bits(bits)),
            Operation::Truth(truth) => self.language.truth(truth),
            // This comes before the signs, among which a compiler might fuse or reorder it.
            operation if self.language.is_guarded(self.graph, value, &self.readers) => {
                self.language.rounded(operation, &operands)
            }
            Operation::Add => infix("+", Binding::Sum),
            Operation::Subtract => infix("-", Binding::Sum),
            Operation::Multiply => infix("*", Binding::Product),
            Operation::Negate => Expression::prefix("-", &operands[0]),
            // A branch that saves too little is a select.
            Operation::Branch => self.language.operation(Operation::Select, &operands),
            Operation::Call { name, .. } => self.language.call(name, &operands),
            operation => self.language.operation(operation, &operands),
        }
    }

    fn operands(&self, node: &Node) -> Vec<Expression> {
        node.operands.iter().map(|operand| self.texts[operand].clone()).collect()
    }

    fn name(&self, value: Value) -> String {
        format!("{}{value}", self.prefix)
    }

    /// The name of what a loop carries.
    fn carried(&self, value: Value, at: usize) -> String {
        format!("c{value}_{at}")
    }

    fn repeat(&mut self, value: Value, Loop { carried, inputs, step }: &Loop) {
        let operands = &self.graph.nodes[value].operands;
        let text = |operand: &Value| self.texts[operand].clone();
        let (first, outside) = operands.split_at(carried.len());
        let first: Vec<Expression> = first.iter().map(text).collect();
        let outside: Vec<Expression> = outside.iter().map(text).collect();
        let names: Vec<(String, bool)> =
            (0..).map(|at| self.carried(value, at)).zip(carried.iter().copied()).collect();
        // All cells of a loop are of one table, so any of them names it.
        let cell = inputs.iter().find_map(|source| match source {
            Source::Cell(name) => Some(*name),
            _ => None,
        });
        let cell = cell.expect("a loop reads its rows");
        self.language.begin(cell, &names, &first);
        let inputs = inputs.iter().map(|source| match *source {
            Source::Outside(at) => outside[at].clone(),
            Source::Carried(at) => Expression::atom(&names[at].0),
            Source::Cell(name) => self.language.cell(name),
        });
        let inputs: Vec<Expression> = inputs.collect();
        // The nodes of a step are numbered from 0 too, and must not share the names of those
        // outside.
        let prefix = format!("{}_", self.name(value));
        let mut ends = printed(step, &inputs, &prefix, self.language);
        // All names change at once.
        for (at, end) in ends.iter_mut().enumerate() {
            if names.iter().enumerate().any(|(other, (name, _))| other != at && *name == end.text) {
                let name = format!("{prefix}end{at}");
                self.language.bind(&name, carried[at], end);
                *end = Expression::atom(name);
            }
        }
        self.language.end(&names, &ends, cell);
    }

    fn choose(&mut self, condition: Value, selects: &[Value], sides: &[Steps; 2]) {
        let condition = self.texts[&condition].clone();
        let names: Vec<String> = selects.iter().map(|value| self.name(*value)).collect();
        let side = |printer: &Self, at: usize| -> Vec<Expression> {
            let operand = |value: &Value| printer.graph.nodes[*value].operands[1 + at];
            selects.iter().map(|value| printer.texts[&operand(value)].clone()).collect()
        };
        // Nothing is computed where the condition fails, so the names may begin with these
        // values.
        let is_known = sides[1].0.is_empty();
        let other = is_known.then(|| side(self, 1));
        self.language.declare(&names, other.as_deref());
        self.language.open(&condition, false);
        self.steps(&sides[0]);
        self.language.assign(&names, &side(self, 0), &condition, true);
        if !is_known {
            self.language.open(&condition, true);
            self.steps(&sides[1]);
            self.language.assign(&names, &side(self, 1), &condition, false);
        }
        self.language.close();
        self.texts.extend(selects.iter().zip(names).map(|(v, name)| (*v, Expression::atom(name))));
    }
}

/// Whether a product is read by a sum and by something else, or by a loop or a function, which may do anything with it: rounded
/// with the one and not with the other it would be two numbers.
pub(crate) fn is_shared_product(graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool {
    let is_sum = |reader: &Value| {
        matches!(graph.nodes[*reader].operation, Operation::Add | Operation::Subtract)
    };
    let is_inside = |reader: &Value| {
        matches!(graph.nodes[*reader].operation, Operation::Loop(_) | Operation::Call { .. })
    };
    graph.nodes[value].exact
        || readers[value].iter().any(is_inside)
        || readers[value].len() > 1 && readers[value].iter().any(is_sum)
}

/// Whether a node must be rounded by itself where a compiler may reorder sums: it is part of an error-free
/// transformation, but for what that ends with, or goes into one, it is a product that is read by more than one sum, or a large number rounds it to an integer and is
/// taken from it again.
pub(crate) fn is_delicate(graph: &Graph, value: Value, readers: &[Vec<Value>]) -> bool {
    let node = &graph.nodes[value];
    let is_arithmetic = matches!(
        node.operation,
        Operation::Add
            | Operation::Subtract
            | Operation::Multiply
            | Operation::MultiplyAdd
            | Operation::MultiplySubtract
            | Operation::NegateMultiplyAdd
    );
    let constants = |value: Value| {
        let operands = graph.nodes[value].operands.iter();
        operands.copied().filter(|v| matches!(graph.nodes[*v].operation, Operation::Constant(_)))
    };
    let is_taken_again = |reader: &Value| {
        graph.nodes[*reader].operation == Operation::Subtract
            && constants(*reader).any(|constant| constants(value).any(|own| own == constant))
    };
    let is_exact = |reader: &Value| graph.nodes[*reader].exact;
    is_arithmetic
        && (node.exact && !readers[value].is_empty()
            || readers[value].iter().any(is_exact)
            || readers[value].iter().any(is_taken_again)
            || node.operation == Operation::Multiply && is_shared_product(graph, value, readers))
}
