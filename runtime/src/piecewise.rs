//! The trait of functions whose knots and coefficients are known as numbers.

use crate::kernel::Kernel;
use crate::kernel::pieces::Table;

/// A function whose pieces are known as numbers.
///
/// Every type that gaussform compiles is one, and so is an activation that is declared while a program runs
/// (`gaussform_codegen::Dynamic`).
pub trait Piecewise {
    /// Does something with the numbers of the pieces.
    fn with_pieces<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R;
}

impl<K: Kernel> Piecewise for K {
    fn with_pieces<R>(&self, work: impl FnOnce(&Table<'_>) -> R) -> R {
        self.with_table(work)
    }
}
