//! The primitives of the runtime as C calls them: their parameters and results.

use std::sync::LazyLock;

use crate::record::Library;
use crate::script::function::Function;

/// The primitives on a machine that rounds products by themselves.
pub(super) static LIBRARY: LazyLock<Library> = LazyLock::new(Library::new::<f64>);

/// A function that kernels call.
pub(super) fn signature(name: &str) -> &'static Function {
    LIBRARY.get(name).expect("what is called was recorded")
}
