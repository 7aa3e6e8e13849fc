//! Kernels of single precision as graphs of operations, for a program that builds its own kernels from them.
//!
//! The numbers of the function are constants of the graph, which has no loops. A compiler of a card may fuse and reorder sums and products, so
//! [`is_rounded`] says which results are to be rounded by themselves.
//!
//! ```
//! use gaussform_codegen::{Kernel, recorded};
//! use gaussform_symbolic::Activation;
//!
//! let relu = Kernel::with_table(&Activation::parse("relu(x) = max(0, x)")?)?;
//! let numbers = relu.numbers().expect("it has no parameters");
//! let moments = numbers.with(recorded::moments).expect("it has one knot");
//! assert_eq!(moments.results.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use gaussform_runtime::kernel::pieces::Table;

pub use crate::script::graph::{Graph, Loop, Node, Operation, Source, Value};
use crate::script::print::is_delicate;
use crate::script::routine::{self, MOST_DEGREE, MOST_KNOTS, Routine};
use crate::script::slopes;

/// E\[g(u)\] and Var g(u) for the inputs γ and ξ² of u ~ N(γ, ξ²), both finite and ξ² ≥ 0. A variance is
/// infinite where E\[g²\] is above 2⁶².
///
/// `None` if the function has more than five knots or a degree above 3.
#[must_use]
pub fn moments(table: &Table<'_>) -> Option<Graph> {
    is_possible(table).then(|| routine::of_table(table, Routine::Moments))
}

/// E\[g(u)\], Var g(u), ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ and ∂variance/∂ξ² for the inputs of [`moments`].
///
/// `None` in the cases of [`moments`].
#[must_use]
pub fn gradients(table: &Table<'_>) -> Option<Graph> {
    is_possible(table).then(|| routine::of_table(table, Routine::Gradients))
}

/// g(x), g′(x) and g″(x) for the input x. On a knot a derivative is the mean of both sides, or 0 where the function or a lower
/// derivative jumps.
///
/// `None` in the cases of [`moments`].
#[must_use]
pub fn slopes(table: &Table<'_>) -> Option<Graph> {
    is_possible(table).then(|| slopes::slopes(table))
}

/// For each node, whether its result is to be rounded before anything is done with it.
#[must_use]
pub fn is_rounded(graph: &Graph) -> Vec<bool> {
    let readers = graph.readers();
    (0..graph.nodes.len()).map(|value| is_delicate(graph, value, &readers)).collect()
}

fn is_possible(table: &Table<'_>) -> bool {
    let is_short = table.knots.len() <= MOST_KNOTS && table.degree <= MOST_DEGREE;
    is_short && !table.rows.places.is_empty()
}
