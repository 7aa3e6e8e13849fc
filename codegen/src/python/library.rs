//! The primitives of the runtime that Python calls, as they are recorded in each precision.

use std::sync::LazyLock;

use gaussform_runtime::Float;

use crate::record::Library;
use crate::script::function::Function;

/// The primitives that are written by hand, in `prelude/density.py`.
const HANDWRITTEN: [&str; 2] = ["density", "density_in_units"];

/// z, s, d and h of an edge.
const EDGE: usize = 4;

/// The primitives in double precision.
pub(super) static DOUBLE: LazyLock<Library> = LazyLock::new(library::<f64>);

/// The primitives in single precision.
pub(super) static SINGLE: LazyLock<Library> = LazyLock::new(library::<f32>);

fn library<T: Float>() -> Library {
    let mut library = Library::new::<T>();
    // The low words are read where sums are pairs of numbers; a formula has none of these here.
    library.keep("edge_at", EDGE);
    library
}

/// A primitive as it is called.
pub(super) fn signature(name: &str) -> &'static Function {
    DOUBLE.get(name).expect("what is called is a primitive")
}

/// Whether a primitive is written by hand, and gives the first of its results alone.
pub(super) fn is_handwritten(name: &str) -> bool {
    HANDWRITTEN.contains(&name)
}
