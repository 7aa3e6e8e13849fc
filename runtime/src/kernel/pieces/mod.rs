//! Moments of a piecewise polynomial with any number of knots, as sums over its pieces.
//!
//! One loop takes the pieces from left to right. The piece of γ is taken in two stretches, one on either side of γ,
//! so that on each stretch the density falls outward (`panel`). A stretch has its probability, the mean of g
//! on it and the sum of squares around that mean (`contribution`). These are found by quadrature
//! (`curved`). Sums of squares are joined to the variance without a difference of
//! large numbers. Cost and size are those of a piece times the number of pieces. The numbers of the pieces are a [`Table`].
//!
//! Without optimization a function in line takes room on the stack for itself. So functions are calls then.

mod common;
mod contribution;
mod curved;
mod panel;
#[cfg(feature = "source")]
#[doc(hidden)]
pub mod record;
mod sum;
mod table;
mod tangent;
mod walk;

pub(crate) use sum::raise;
pub use sum::{gradients, gradients_at_zero_variance, moments};
pub use table::{Center, Limits, MAX_DEGREE, STEEPEST, Table, scale};
pub use tangent::{Tangent, tangent};
