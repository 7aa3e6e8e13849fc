//! Formulas as numbers: as they stand, in double precision, and so precisely that the result is
//! the truth.
//!
//! The first is what a textbook's formula gives when it is typed into a program; the second
//! tells how wrong that is, and how wrong a kernel is. Moments that have no kernel are evaluated in as
//! many bits as they need.

mod evaluator;
mod exact;
mod pair;
mod quadrant;
mod real;
mod rising;
mod truth;

pub use evaluator::{Evaluator, Law};
pub use exact::{Exact, Unsettled};
pub use pair::{PairFormulas, PairTruth};
pub use real::Real;
pub(crate) use real::{constant, place};
pub use truth::{Formulas, Truth};
