//! A computation as a graph of floating-point operations.
//!
//! Nodes stand after their operands. An operation stands there once: the same operation on the same operands is the
//! same node. Operations on constants are done as the precision does them.
//!
//! A loop over the rows of a table is a node, with a graph of its own for the step of a row ([`Loop`]). While it is recorded,
//! its step stands among the other nodes: it is the nodes that read a cell of a row or what the loop carries. So what does not
//! depend on the row is computed once, before the loop.

use std::collections::{BTreeMap, BTreeSet};

/// A node by its index.
pub type Value = usize;

/// The operation of a node on its operands a, b and c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// A number or a truth value from outside. Behind the first two is a cell of a row, or a number of rows that parameters move.
    Input(usize),
    /// While a loop is recorded, a number or a truth value that it carries from row to row.
    Carried {
        /// The loop.
        of: usize,
        /// The place among all that it carries.
        at: usize,
    },
    /// A loop. Its operands are the values that it starts with and the values from outside that a step reads; while it is
    /// recorded, the former and the values that a step ends with.
    Loop(usize),
    /// A value that a loop, a, ends with.
    Last(usize),
    /// A call of a function of numbers.
    Call {
        /// The function.
        name: &'static str,
        /// How many results it has. One result is the value of the node.
        results: usize,
    },
    /// A result of a call, a, of several.
    Part(usize),
    /// A number of the precision, by its bits in double precision.
    Constant(u64),
    /// A truth value that is known.
    Truth(bool),
    /// −a
    Negate,
    /// |a|
    Abs,
    /// √a
    Root,
    /// 1/√a within two units in the last place, as a card has it.
    InverseRoot,
    /// 1/a likewise.
    Inverse,
    /// a + b
    Add,
    /// a − b
    Subtract,
    /// a · b
    Multiply,
    /// a/b
    Divide,
    /// a · b + c, rounded once where the machine does so.
    MultiplyAdd,
    /// a · b − c likewise.
    MultiplySubtract,
    /// c − a · b likewise.
    NegateMultiplyAdd,
    /// a · 2ⁿ with gradual underflow; b is n plus the constant that rounds to an integer.
    Scale,
    /// a · 2ⁿ where the result is a normal number, or may be 0.
    Raise,
    /// a < b
    Less,
    /// a ≤ b
    AtMost,
    /// a = b
    Equals,
    /// a and b
    And,
    /// a or b
    Or,
    /// not a
    Not,
    /// The larger one; b if a is NaN.
    Larger,
    /// The smaller one; b if a is NaN.
    Smaller,
    /// b where a is true, c elsewhere.
    Select,
    /// b where a is true, c elsewhere; b is computed only where a is true, and c only elsewhere.
    Branch,
}

impl Operation {
    /// Whether it gives a truth value; of an input only its kind says so.
    pub(crate) fn is_test(self) -> bool {
        use Operation::{And, AtMost, Equals, Less, Not, Or, Truth};
        matches!(self, Less | AtMost | Equals | And | Or | Not | Truth(_))
    }
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The operation.
    pub operation: Operation,
    /// The nodes that it works on.
    pub operands: Vec<Value>,
    /// Whether it is part of an error-free transformation: it is rounded by itself, and no algebra may touch it.
    pub exact: bool,
}

/// A computation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The nodes, each after its operands.
    pub nodes: Vec<Node>,
    /// The nodes that are the results.
    pub results: Vec<Value>,
    /// The loops by their numbers.
    pub loops: BTreeMap<usize, Loop>,
}

/// A loop over the rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Whether each value that it carries is a truth value.
    pub carried: Vec<bool>,
    /// The inputs of the step.
    pub inputs: Vec<Source>,
    /// The step: its results are the values that go on to the next row.
    pub step: Graph,
}

/// Where an input of a step comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An operand of the loop behind those that it starts with.
    Outside(usize),
    /// A value that the loop carries.
    Carried(usize),
    /// A cell of the row, by its name.
    Cell(usize),
}

impl Graph {
    /// The nodes that read each node.
    pub(crate) fn readers(&self) -> Vec<Vec<Value>> {
        let mut readers = vec![Vec::new(); self.nodes.len()];
        for (reader, node) in self.nodes.iter().enumerate() {
            for operand in &node.operands {
                readers[*operand].push(reader);
            }
        }
        readers
    }

    /// The graph without the nodes that no result needs.
    pub(crate) fn pruned(self) -> Self {
        let mut needed = vec![false; self.nodes.len()];
        for result in &self.results {
            needed[*result] = true;
        }
        // Nodes stand after their operands, so one walk from the end finds all that is needed.
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if needed[i] {
                node.operands.iter().for_each(|operand| needed[*operand] = true);
            }
        }
        let mut places = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for (i, mut node) in self.nodes.into_iter().enumerate() {
            places[i] = nodes.len();
            if needed[i] {
                node.operands.iter_mut().for_each(|operand| *operand = places[*operand]);
                nodes.push(node);
            }
        }
        let results = self.results.into_iter().map(|result| places[result]).collect();
        let mut loops = self.loops;
        // A loop may have lost its node: then its step goes too.
        loops.retain(|at, _| nodes.iter().any(|node| node.operation == Operation::Loop(*at)));
        Self { nodes, results, loops }
    }

    /// The constants of this graph and of another one, which is the same but for these.
    pub(crate) fn constants_beside(&self, other: &Self) -> Option<Vec<[f64; 2]>> {
        if (self.nodes.len(), &self.results) != (other.nodes.len(), &other.results) {
            return None;
        }
        let mut constants = Vec::new();
        for (own, other) in self.nodes.iter().zip(&other.nodes) {
            match (own.operation, other.operation) {
                (Operation::Constant(a), Operation::Constant(b)) => {
                    constants.push([a, b].map(f64::from_bits));
                }
                _ if own == other => {}
                _ => return None,
            }
        }
        Some(constants)
    }

    /// The names that are read among the inputs.
    pub(crate) fn cells(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().filter_map(|node| match node.operation {
            Operation::Input(at) => at.checked_sub(FIRST_CELL),
            _ => None,
        })
    }

    /// Reads other places in place of names.
    pub(crate) fn move_cells(&mut self, places: &BTreeMap<usize, usize>) {
        for node in &mut self.nodes {
            if let Operation::Input(at) = &mut node.operation
                && let Some(name) = at.checked_sub(FIRST_CELL)
            {
                *at = FIRST_CELL + places[&name];
            }
        }
    }

    /// How many operations a node is.
    pub(crate) fn size(&self, value: Value) -> usize {
        match self.nodes[value].operation {
            Operation::Loop(at) => self.loops[&at].step.nodes.len(),
            _ => 1,
        }
    }

    /// The graph with the step of each loop in a graph of its own. `carried` has for each loop whether each value that it
    /// carries is a truth value.
    fn nested(mut self, carried: &[Vec<bool>]) -> Self {
        let mut is_of_row = vec![false; self.nodes.len()];
        for value in 0..self.nodes.len() {
            let Node { operation, operands, .. } = &self.nodes[value];
            is_of_row[value] = match operation {
                Operation::Input(at) => *at >= FIRST_CELL,
                Operation::Carried { .. } => true,
                // A loop reads the values that its step ends with, but it stands outside of the
                // step.
                Operation::Loop(_) => false,
                _ => operands.iter().any(|operand| is_of_row[*operand]),
            };
        }
        for value in 0..self.nodes.len() {
            let Operation::Loop(at) = self.nodes[value].operation else { continue };
            let carried = carried[at].clone();
            let (first, ends) = self.nodes[value].operands.split_at(carried.len());
            let (mut operands, ends) = (first.to_vec(), ends.to_vec());
            let (inputs, step, outside) = self.step(&ends, &is_of_row);
            operands.extend(outside);
            self.nodes[value].operands = operands;
            self.loops.insert(at, Loop { carried, inputs, step });
        }
        self.pruned()
    }

    /// The nodes of a row that lead to some values as a graph, with its inputs and with what it reads from outside.
    fn step(&self, ends: &[Value], is_of_row: &[bool]) -> (Vec<Source>, Self, Vec<Value>) {
        let mut inside = BTreeSet::new();
        let mut open = ends.to_vec();
        while let Some(value) = open.pop() {
            let node = &self.nodes[value];
            let is_known = matches!(node.operation, Operation::Constant(_) | Operation::Truth(_));
            // Constants are copied into the step: printers look for them among the nodes of the
            // same graph.
            if (is_of_row[value] || is_known) && inside.insert(value) {
                open.extend(&node.operands);
            }
        }
        let mut step = Self::default();
        let (mut inputs, mut outside) = (Vec::new(), Vec::new());
        let mut places: BTreeMap<Value, Value> = BTreeMap::new();
        let reads = inside.iter().flat_map(|value| &self.nodes[*value].operands).chain(ends);
        let read: BTreeSet<Value> =
            reads.copied().filter(|value| !inside.contains(value)).collect();
        // Inputs from outside come first, because nodes stand after their operands.
        for value in read {
            inputs.push(Source::Outside(outside.len()));
            outside.push(value);
            places.insert(value, step.push_input(inputs.len() - 1));
        }
        for value in inside {
            let node = &self.nodes[value];
            let source = match node.operation {
                Operation::Carried { at, .. } => Some(Source::Carried(at)),
                // Inputs below the first cell do not vary with the row, so they were read from
                // outside.
                Operation::Input(at) => Some(Source::Cell(at - FIRST_CELL)),
                _ => None,
            };
            if let Some(source) = source {
                inputs.push(source);
                places.insert(value, step.push_input(inputs.len() - 1));
                continue;
            }
            let operands = node.operands.iter().map(|operand| places[operand]).collect();
            step.nodes.push(Node { operands, ..node.clone() });
            places.insert(value, step.nodes.len() - 1);
        }
        step.results = ends.iter().map(|value| places[value]).collect();
        (inputs, step, outside)
    }

    fn push_input(&mut self, at: usize) -> Value {
        self.nodes.push(Node {
            operation: Operation::Input(at),
            operands: Vec::new(),
            exact: false,
        });
        self.nodes.len() - 1
    }
}

/// The inputs from this one on are cells of a row, or numbers of rows that parameters move.
pub(crate) const FIRST_CELL: usize = 2;

/// For which machine a graph is, and how freely it may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The bits of the runtime for one number: each product is rounded by itself.
    Strict,
    /// The bits of the runtime on a machine that rounds a product and a sum once.
    Fused,
    /// As short as can be: 0 a = 0 and a + 0 = a, which is true but for infinities and the sign of 0.
    Free,
    /// As short as can be, for a card: a product and a sum are rounded once, and in single precision roots and reciprocals have
    /// fast approximations.
    OnCard,
}

/// How constants are computed, and what may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arithmetic {
    /// Single instead of double precision.
    pub(crate) is_single: bool,
    pub(crate) style: Style,
}

impl Arithmetic {
    /// The arithmetic of a precision.
    pub(crate) fn of<T>(style: Style) -> Self {
        Self { is_single: size_of::<T>() == size_of::<f32>(), style }
    }

    fn is_free(self) -> bool {
        matches!(self.style, Style::Free | Style::OnCard)
    }

    fn round(self, value: f64) -> f64 {
        if self.is_single { f64::from(value as f32) } else { value }
    }

    /// A sum or product of numbers of the precision is rounded once, through double precision too: that has more
    /// than twice the digits of single precision.
    fn apply(self, operation: Operation, operands: &[f64]) -> Option<f64> {
        let value = match (operation, operands) {
            (Operation::Negate, [a]) => -a,
            (Operation::Abs, [a]) => a.abs(),
            (Operation::Add, [a, b]) => a + b,
            (Operation::Subtract, [a, b]) => a - b,
            (Operation::Multiply, [a, b]) => a * b,
            (Operation::Divide, [a, b]) => a / b,
            (Operation::Larger, [a, b]) => a.max(*b),
            (Operation::Smaller, [a, b]) => a.min(*b),
            _ => return None,
        };
        Some(self.round(value)).filter(|value| value.is_finite())
    }
}

/// A graph that is being written.
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) arithmetic: Arithmetic,
    nodes: Vec<Node>,
    places: BTreeMap<(Operation, Vec<Value>), Value>,
    /// Within how many error-free transformations.
    pub(crate) depth: usize,
    /// Whether the rows of tables are not known, so that a loop over them is a loop.
    pub(crate) has_loops: bool,
    /// Whether a function with a name is called, and not written in line.
    pub(crate) has_calls: bool,
    /// For each loop, whether each value that it carries is a truth value.
    loops: Vec<Vec<bool>>,
}

impl Builder {
    pub(crate) fn new(arithmetic: Arithmetic) -> Self {
        Self {
            arithmetic,
            nodes: Vec::new(),
            places: BTreeMap::new(),
            depth: 0,
            has_loops: false,
            has_calls: false,
            loops: Vec::new(),
        }
    }

    /// The number of a new loop.
    pub(crate) fn new_loop(&mut self) -> usize {
        self.loops.push(Vec::new());
        self.loops.len() - 1
    }

    /// The loop of that number, which carries some values, each of which is a truth value or not: what it starts with, and
    /// what a step ends with. Its operands are rounded by themselves: the step may do anything with them.
    pub(crate) fn close_loop(
        &mut self,
        at: usize,
        carried: Vec<bool>,
        first: &[Value],
        ends: &[Value],
    ) -> Value {
        self.loops[at] = carried;
        let value = self.insert(Operation::Loop(at), [first, ends].concat());
        self.nodes[value].exact = true;
        value
    }

    pub(crate) fn constant(&mut self, value: f64) -> Value {
        let value = self.arithmetic.round(value);
        self.insert(Operation::Constant(value.to_bits()), Vec::new())
    }

    pub(crate) fn truth(&mut self, value: bool) -> Value {
        self.insert(Operation::Truth(value), Vec::new())
    }

    /// The number that a node is known to be.
    pub(crate) fn known(&self, value: Value) -> Option<f64> {
        match self.nodes[value].operation {
            Operation::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The truth value that a node is known to be.
    pub(crate) fn known_truth(&self, value: Value) -> Option<bool> {
        match self.nodes[value].operation {
            Operation::Truth(truth) => Some(truth),
            _ => None,
        }
    }

    fn insert(&mut self, operation: Operation, operands: Vec<Value>) -> Value {
        let exact = self.depth > 0;
        // A key of the map is a pair that owns its operands, hence the copy.
        if let Some(value) = self.places.get(&(operation, operands.clone())) {
            // One reader that needs the node rounded by itself is enough: all readers share it.
            self.nodes[*value].exact |= exact;
            return *value;
        }
        self.nodes.push(Node { operation, operands: operands.clone(), exact });
        let value = self.nodes.len() - 1;
        self.places.insert((operation, operands), value);
        value
    }

    /// The node for an operation.
    pub(crate) fn of(&mut self, operation: Operation, operands: &[Value]) -> Value {
        if let Some(value) = self.simpler(operation, operands) {
            return value;
        }
        self.insert(operation, operands.to_vec())
    }

    /// A node that is there already or is a constant, in place of an operation.
    fn simpler(&mut self, operation: Operation, operands: &[Value]) -> Option<Value> {
        let known: Vec<Option<f64>> = operands.iter().map(|value| self.known(*value)).collect();
        if let Some(numbers) = known.iter().copied().collect::<Option<Vec<f64>>>() {
            if let Some(value) = self.arithmetic.apply(operation, &numbers) {
                return Some(self.constant(value));
            }
            let test = match (operation, &*numbers) {
                (Operation::Less, [a, b]) => Some(a < b),
                (Operation::AtMost, [a, b]) => Some(a <= b),
                (Operation::Equals, [a, b]) => Some(a == b),
                _ => None,
            };
            if let Some(test) = test {
                return Some(self.truth(test));
            }
        }
        match operation {
            Operation::And
            | Operation::Or
            | Operation::Not
            | Operation::Select
            | Operation::Branch => self.simpler_choice(operation, operands),
            _ => self.simpler_number(operation, operands, &known),
        }
    }

    fn simpler_choice(&mut self, operation: Operation, operands: &[Value]) -> Option<Value> {
        let truth = |value: Value| self.known_truth(value);
        match (operation, operands) {
            (Operation::Not, &[a]) => match (truth(a), self.nodes[a].operation) {
                (Some(known), _) => Some(self.truth(!known)),
                (None, Operation::Not) => Some(self.nodes[a].operands[0]),
                _ => None,
            },
            (Operation::And | Operation::Or, &[a, b]) => {
                // The value that the other one decides beside.
                let neutral = operation == Operation::And;
                match (truth(a), truth(b)) {
                    (Some(known), _) => Some(if known == neutral { b } else { a }),
                    (_, Some(known)) => Some(if known == neutral { a } else { b }),
                    _ => (a == b).then_some(a),
                }
            }
            (Operation::Select | Operation::Branch, &[mask, yes, no]) => match truth(mask) {
                Some(known) => Some(if known { yes } else { no }),
                None if yes == no => Some(yes),
                None if self.nodes[mask].operation == Operation::Not => {
                    // Branches are gathered by their condition. One by the opposite joins them
                    // with its sides exchanged.
                    let mask = self.nodes[mask].operands[0];
                    Some(self.of(operation, &[mask, no, yes]))
                }
                None => {
                    let [inner_yes, inner_no] = [self.side(mask, yes, 1), self.side(mask, no, 2)];
                    let is_same = (inner_yes, inner_no) == (yes, no);
                    (!is_same).then(|| self.of(operation, &[mask, inner_yes, inner_no]))
                }
            },
            _ => None,
        }
    }

    /// The value on one side of a choice. A choice by the same condition is replaced by its own side.
    fn side(&self, mask: Value, value: Value, side: usize) -> Value {
        let node = &self.nodes[value];
        let is_choice = matches!(node.operation, Operation::Select | Operation::Branch);
        if is_choice && node.operands[0] == mask { node.operands[side] } else { value }
    }

    fn simpler_number(
        &mut self,
        operation: Operation,
        operands: &[Value],
        known: &[Option<f64>],
    ) -> Option<Value> {
        let is = |at: usize, number: f64| known[at] == Some(number);
        let is_positive = |at: usize| known[at].is_some_and(f64::is_sign_positive);
        let free = self.arithmetic.is_free();
        let negated = |value: Value| match self.nodes[value].operation {
            Operation::Negate => Some(self.nodes[value].operands[0]),
            _ => None,
        };
        match operation {
            Operation::Negate => negated(operands[0]),
            Operation::Add if free && is(0, 0.0) => Some(operands[1]),
            Operation::Add if free && is(1, 0.0) => Some(operands[0]),
            Operation::Add => {
                negated(operands[1]).map(|b| self.of(Operation::Subtract, &[operands[0], b]))
            }
            // a − 0 is a for a = −0 too. In sums this needs freedom, since −0 + 0 is 0, and so it does for −0 − (−0).
            Operation::Subtract if is(1, 0.0) && (free || is_positive(1)) => Some(operands[0]),
            Operation::Subtract if free && is(0, 0.0) => {
                Some(self.of(Operation::Negate, &operands[1..]))
            }
            Operation::Subtract => {
                negated(operands[1]).map(|b| self.of(Operation::Add, &[operands[0], b]))
            }
            // Products with 1 and −1 are exact, so they need no freedom.
            Operation::Multiply if is(0, 1.0) => Some(operands[1]),
            Operation::Multiply | Operation::Divide if is(1, 1.0) => Some(operands[0]),
            Operation::Multiply if is(0, -1.0) => Some(self.of(Operation::Negate, &operands[1..])),
            Operation::Multiply if is(1, -1.0) => Some(self.of(Operation::Negate, &operands[..1])),
            Operation::Multiply if free && (is(0, 0.0) || is(1, 0.0)) => Some(self.constant(0.0)),
            Operation::MultiplyAdd | Operation::MultiplySubtract | Operation::NegateMultiplyAdd => {
                self.simpler_fused(operation, operands, known)
            }
            _ => None,
        }
    }

    /// A product with a sum of which one operation has nothing to do, so that rounding once is rounding twice.
    fn simpler_fused(
        &mut self,
        operation: Operation,
        operands: &[Value],
        known: &[Option<f64>],
    ) -> Option<Value> {
        let [a, b, c] = operands.try_into().expect("three operands");
        let is = |at: usize, number: f64| known[at] == Some(number);
        let unit = |sign: f64| is(0, sign) || is(1, sign);
        let product = if unit(1.0) {
            Some(if is(0, 1.0) { b } else { a })
        } else if unit(-1.0) {
            Some(self.of(Operation::Negate, &[if is(0, -1.0) { b } else { a }]))
        } else if self.arithmetic.is_free() && unit(0.0) {
            Some(self.constant(0.0))
        } else if self.arithmetic.is_free() && is(2, 0.0) {
            let product = self.of(Operation::Multiply, &[a, b]);
            return Some(match operation {
                Operation::NegateMultiplyAdd => self.of(Operation::Negate, &[product]),
                _ => product,
            });
        } else {
            None
        }?;
        Some(match operation {
            Operation::MultiplyAdd => self.of(Operation::Add, &[product, c]),
            Operation::MultiplySubtract => self.of(Operation::Subtract, &[product, c]),
            _ => self.of(Operation::Subtract, &[c, product]),
        })
    }

    /// The graph of some results, without the nodes that none of them needs.
    pub(crate) fn finish(self, results: Vec<Value>) -> Graph {
        let graph = Graph { nodes: self.nodes, results, loops: BTreeMap::new() };
        if self.has_loops { graph.nested(&self.loops) } else { graph.pruned() }
    }
}
