//! The graphs of an activation, as values that kernels are built from.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use gaussform_codegen::recorded::{self, Graph};
use gaussform_runtime::kernel::pieces::{Limits, Table};

/// A graph of operations, by which a kernel is told from others.
#[derive(Clone)]
pub(crate) struct Program {
    contents: Arc<Contents>,
}

pub(crate) struct Contents {
    pub(crate) graph: Graph,
    /// For each node, whether it is rounded by itself.
    pub(crate) is_rounded: Vec<bool>,
    /// Of all nodes and results.
    digest: u64,
}

impl Program {
    fn new(graph: Graph) -> Self {
        let mut hasher = DefaultHasher::new();
        format!("{graph:?}").hash(&mut hasher);
        let (digest, is_rounded) = (hasher.finish(), recorded::is_rounded(&graph));
        Self { contents: Arc::new(Contents { graph, is_rounded, digest }) }
    }

    pub(crate) fn contents(&self) -> &Contents {
        &self.contents
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.contents, &other.contents);
        is_same || self.contents.graph == other.contents.graph
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

/// The graphs of an activation; `None` if it has too many knots, too high a degree or numbers near the ends of single
/// precision.
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
