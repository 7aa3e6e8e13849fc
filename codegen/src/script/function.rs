//! Functions of numbers, each a graph, that call each other.

use super::graph::{Graph, Operation};

/// Numbers that belong together, by their names.
#[derive(Debug, PartialEq)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [&'static str],
    /// Whether they are the words of one number in double precision, whatever a kernel computes with.
    pub(crate) is_word: bool,
}

/// A number to twice the precision.
pub(crate) const PAIR: Group = Group { name: "pair", fields: &["high", "low"], is_word: false };

/// The kind of a parameter or of a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Number,
    Truth,
    Group(&'static Group),
    /// A list of this many numbers.
    List(usize),
}

impl Shape {
    /// How many numbers and truth values it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Number | Self::Truth => 1,
            Self::Group(record) => record.fields.len(),
            Self::List(count) => *count,
        }
    }

    fn is_word(&self) -> bool {
        matches!(self, Self::Group(record) if record.is_word)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) shape: Shape,
}

/// A function. The inputs of its graph are the numbers and truth values of all parameters, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) shape: Shape,
    pub(crate) graph: Graph,
}

impl Function {
    /// Whether it is arithmetic of words, in double precision.
    pub(crate) fn is_of_words(&self) -> bool {
        self.shape.is_word()
    }

    /// The functions that it calls.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'static str> {
        self.graph.nodes.iter().filter_map(|node| match node.operation {
            Operation::Call { name, .. } => Some(name),
            _ => None,
        })
    }

    /// Keeps the first `count` results, and leaves out the nodes that only others need.
    pub(crate) fn keep(&mut self, count: usize) {
        self.graph.results.truncate(count);
        self.graph = std::mem::take(&mut self.graph).pruned();
    }
}
