//! Functions of floating-point operations.

/// A node of a function, by its index.
pub(crate) type Value = usize;

/// The operation of a node on its operands a, b and c.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    /// A number or a truth value among the inputs, which are counted through all parameters.
    Input(usize),
    /// A constant, by its bits in double precision.
    Constant(u64),
    /// −a
    Negate,
    /// |a|
    Abs,
    /// √a
    Root,
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
    /// a · b − c, rounded once where the machine does so.
    MultiplySubtract,
    /// c − a · b, rounded once where the machine does so.
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
    /// b where a is true, c elsewhere.
    Select,
    /// A call of another function of numbers, by its name.
    Call(String),
    /// A result of a call, by its index.
    Part(usize),
}

/// An operation with its operands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) operands: Vec<Value>,
}

impl Node {
    /// Whether it is a truth value.
    pub(crate) fn is_truth(&self) -> bool {
        use Operation::{And, AtMost, Equals, Less, Not, Or};
        matches!(self.operation, Less | AtMost | Equals | And | Or | Not)
    }
}

/// Numbers that belong together, by their names.
#[derive(Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [&'static str],
    /// Whether they are the words of one number in double precision, whatever a kernel computes with.
    pub(crate) is_word: bool,
}

/// The kind of a parameter or of a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Number,
    Truth,
    Record(&'static Record),
    /// A list of this many numbers.
    List(usize),
    /// A list of this many pairs of numbers.
    Pairs(usize),
}

impl Shape {
    /// How many numbers and truth values it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Number | Self::Truth => 1,
            Self::Record(record) => record.fields.len(),
            Self::List(count) => *count,
            Self::Pairs(count) => 2 * count,
        }
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Record(record) if record.is_word)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// A function: each node has its operands before it, and is needed for the results.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) results: Vec<Value>,
    pub(crate) shape: Shape,
}

impl Function {
    /// Whether it is arithmetic of words, in double precision.
    pub(crate) fn is_of_words(&self) -> bool {
        self.shape.is_word()
    }

    /// How often each node is read.
    pub(crate) fn reads(&self) -> Vec<usize> {
        let mut reads = vec![0; self.nodes.len()];
        let operands = self.nodes.iter().flat_map(|node| &node.operands);
        for value in operands.chain(&self.results) {
            reads[*value] += 1;
        }
        reads
    }

    /// The functions that it calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.operation {
            Operation::Call(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Keeps the first `count` results, and leaves out the nodes that only others need.
    pub(crate) fn keep(&mut self, count: usize) {
        self.results.truncate(count);
        self.prune();
    }

    /// Leaves out the nodes that no result needs.
    pub(super) fn prune(&mut self) {
        let mut needed = vec![false; self.nodes.len()];
        for result in &self.results {
            needed[*result] = true;
        }
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if needed[i] {
                node.operands.iter().for_each(|operand| needed[*operand] = true);
            }
        }
        let mut places = vec![0; self.nodes.len()];
        let mut nodes = Vec::new();
        for (i, mut node) in std::mem::take(&mut self.nodes).into_iter().enumerate() {
            places[i] = nodes.len();
            if needed[i] {
                node.operands.iter_mut().for_each(|operand| *operand = places[*operand]);
                nodes.push(node);
            }
        }
        self.nodes = nodes;
        self.results.iter_mut().for_each(|result| *result = places[*result]);
    }
}
