//! Kernels of single precision as graphs of operations, for a program that builds its own kernels from them.
//!
//! Up to five knots the numbers of the function are constants of the graph, which has no loops. Beyond, it has a loop over the rows of
//! each table of the function. A compiler of a card may fuse and reorder sums and products, so [`is_rounded`] says which results
//! are to be rounded by themselves.
//!
//! ```
//! use gaussform_codegen::{Kernel, recorded};
//! use gaussform_symbolic::Activation;
//!
//! let relu = Kernel::with_table(&Activation::parse("relu(x) = max(0, x)")?)?;
//! let numbers = relu.numbers().expect("it has no parameters");
//! let moments = numbers.with(recorded::moments).expect("it has one knot");
//! assert_eq!(moments.graph.results.len(), 2);
//! assert!(moments.graph.loops.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::kernel::sum::MAX_DEGREE;

use crate::script::columns::Columns;
pub use crate::script::graph::{Graph, Loop, Node, Operation, Source, Value};
use crate::script::print::is_delicate;
use crate::script::routine::{self, Quantities};
use crate::script::slopes;

/// A kernel as a graph, with the numbers that its loops read.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The graph. A loop goes over all rows of the cells that it reads.
    pub graph: Graph,
    /// Of each cell by its name ([`Source::Cell`]), the numbers from the first row to the last.
    pub cells: Vec<Vec<f64>>,
}

impl Recorded {
    fn new((graph, columns): (Graph, Option<Columns>)) -> Self {
        Self { graph, cells: columns.map(Columns::words).unwrap_or_default() }
    }
}

/// E\[g(u)\] and Var g(u) for the inputs γ and ξ² of u ~ N(γ, ξ²), both finite and ξ² ≥ 0. A variance is
/// infinite where E\[g²\] is above 2⁶².
///
/// `None` if the function has a degree above 3.
#[must_use]
pub fn moments(table: &Table<'_>) -> Option<Recorded> {
    is_possible(table).then(|| Recorded::new(routine::of_table(table, Quantities::Moments)))
}

/// E\[g(u)\], Var g(u), ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ² for the inputs of [`moments`].
///
/// `None` in the cases of [`moments`].
#[must_use]
pub fn gradients(table: &Table<'_>) -> Option<Recorded> {
    is_possible(table).then(|| Recorded::new(routine::of_table(table, Quantities::Gradients)))
}

/// g(x), g′(x) and g″(x) for the input x. On a knot a derivative is the mean of both sides, or 0 where the function or a lower
/// derivative jumps.
///
/// `None` in the cases of [`moments`].
#[must_use]
pub fn slopes(table: &Table<'_>) -> Option<Recorded> {
    is_possible(table).then(|| Recorded::new(slopes::slopes(table)))
}

/// For each node, whether its result is to be rounded before anything is done with it. The step of a loop is a graph of its own.
#[must_use]
pub fn is_rounded(graph: &Graph) -> Vec<bool> {
    let readers = graph.readers();
    (0..graph.nodes.len()).map(|value| is_delicate(graph, value, &readers)).collect()
}

fn is_possible(table: &Table<'_>) -> bool {
    table.degree <= MAX_DEGREE && !table.rows.places.is_empty()
}
