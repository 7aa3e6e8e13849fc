//! The graphs of an activation, as values that kernels are built from.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use gaussform_codegen::recorded::{self, Graph, Loop, Node, Operation, Recorded, Source};
use gaussform_runtime::kernel::pieces::{Limits, Table};

/// A graph of operations, by which a kernel is told from others, with the numbers that its loops read.
#[derive(Clone)]
pub(crate) struct Program {
    contents: Arc<Contents>,
}

pub(crate) struct Contents {
    pub(crate) graph: Graph,
    /// For each node, whether it is rounded by itself.
    pub(crate) is_rounded: Vec<bool>,
    /// The loops of the graph, by their numbers.
    pub(crate) loops: BTreeMap<usize, Rows>,
    /// The rows of all loops, one after the other. The kernel is the same for all numbers.
    pub(crate) numbers: Vec<f32>,
    /// Of all nodes, results and loops.
    digest: u64,
}

/// The rows that a loop goes over.
#[derive(Debug, PartialEq)]
pub(crate) struct Rows {
    /// The place of the first row among the numbers of all loops.
    pub(crate) first: usize,
    /// How many rows there are.
    pub(crate) count: usize,
    /// The cells of a row by their names, in order.
    pub(crate) cells: Vec<usize>,
    /// For each node of the step, whether it is rounded by itself.
    pub(crate) is_rounded: Vec<bool>,
    /// For each node of the step, whether it is a number of the row, or a choice between such numbers.
    pub(crate) is_of_row: Vec<bool>,
}

impl Program {
    fn new(recorded: Recorded) -> Self {
        let Recorded { graph, cells } = recorded;
        let mut numbers = Vec::new();
        let rows =
            |(number, looped): (&usize, &Loop)| (*number, Rows::new(looped, &cells, &mut numbers));
        let loops: BTreeMap<usize, Rows> = graph.loops.iter().map(rows).collect();
        let mut hasher = DefaultHasher::new();
        format!("{graph:?}{loops:?}").hash(&mut hasher);
        let (digest, is_rounded) = (hasher.finish(), recorded::is_rounded(&graph));
        Self { contents: Arc::new(Contents { graph, is_rounded, loops, numbers, digest }) }
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }
}

impl Rows {
    /// The rows of a loop, which are appended to the numbers of the loops before it.
    fn new(looped: &Loop, columns: &[Vec<f64>], numbers: &mut Vec<f32>) -> Self {
        let cells = looped.inputs.iter().filter_map(|source| match source {
            Source::Cell(name) => Some(*name),
            _ => None,
        });
        let cells: Vec<usize> = cells.collect();
        let (first, count) = (numbers.len(), cells.first().map_or(0, |name| columns[*name].len()));
        let row = |at: usize| cells.iter().map(move |name| columns[*name][at] as f32);
        numbers.extend((0..count).flat_map(row));
        let mut is_rounded = recorded::is_rounded(&looped.step);
        // The next row may do anything with what the loop carries.
        looped.step.results.iter().for_each(|value| is_rounded[*value] = true);
        Self { first, count, cells, is_rounded, is_of_row: Self::of_row(looped) }
    }

    /// For each node of a step, whether it is a number of the row, or a choice between such numbers.
    fn of_row(looped: &Loop) -> Vec<bool> {
        let mut is_of_row: Vec<bool> = Vec::new();
        for Node { operation, operands, .. } in &looped.step.nodes {
            let among = |operands: &[usize]| operands.iter().all(|operand| is_of_row[*operand]);
            let is_one = match operation {
                Operation::Input(at) => matches!(looped.inputs[*at], Source::Cell(_)),
                Operation::Constant(_) => true,
                Operation::Negate => among(operands),
                Operation::Select | Operation::Branch => among(&operands[1..]),
                _ => false,
            };
            is_of_row.push(is_one);
        }
        is_of_row
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        let (own, other) = (&self.contents, &other.contents);
        Arc::ptr_eq(own, other) || (&own.graph, &own.loops) == (&other.graph, &other.loops)
    }
}

impl Eq for Program {}

impl Hash for Program {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.contents.digest.hash(state);
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({:016x})", self.contents.digest)
    }
}

/// The graphs of an activation.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// Mean and variance.
    pub(crate) moments: Program,
    /// Mean, variance and their four derivatives.
    pub(crate) gradients: Program,
    /// g, g′ and g″.
    pub(crate) slopes: Program,
}

/// The graphs of each table that was asked for, by its numbers.
type Known = BTreeMap<Vec<u64>, Option<Programs>>;

/// Recording takes milliseconds; a step asks each time.
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

/// The graphs of an activation; `None` if it has a degree above 3 or numbers near the ends of single precision.
pub(crate) fn recorded(table: &Table<'_>) -> Option<Programs> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let record = || {
        Some(Programs {
            moments: Program::new(recorded::moments(table)?),
            gradients: Program::new(recorded::gradients(table)?),
            slopes: Program::new(recorded::slopes(table)?),
        })
    };
    known.entry(numbers(table)).or_insert_with(record).clone()
}

/// All numbers of a table, as bits.
fn numbers(table: &Table<'_>) -> Vec<u64> {
    let mut out = vec![table.degree as u64, i64::from(table.exponent) as u64];
    let mut add = |numbers: &[f64]| {
        // The length keeps lists apart that have the same numbers in a row.
        out.push(numbers.len() as u64);
        out.extend(numbers.iter().map(|number| number.to_bits()));
    };
    add(table.knots.as_flattened());
    add(table.widths.as_flattened());
    add(table.sides.as_flattened());
    add(table.values);
    for center in table.centers {
        add(&[center.piece as f64]);
        add(&center.at);
        add(center.coefficients.as_flattened());
    }
    for (i, knot) in table.knots.iter().enumerate() {
        let limits = match table.limits {
            Limits::Given(limits) => limits.get(i).copied(),
            Limits::Computed(limits) => limits(knot[0]),
        };
        add(&limits.unwrap_or_default());
    }
    out
}
