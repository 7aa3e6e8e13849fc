//! What generated kernels call.
//!
//! Called by generated kernels; stable only between equal versions of this crate and of the
//! generator. The scheme in short, for u ~ N(γ, ξ²) and an activation with knots t: each
//! knot becomes an [`Edge`], its distance from γ in units of ξ with the root of the density
//! there; each wide piece beside an edge contributes multiples of the scaled tails that
//! [`tails`] returns; each piece that is small in units of ξ ([`is_narrow`]) is integrated by
//! quadrature ([`narrow`]); and the piece named by [`base_piece`] contributes the moments of
//! its polynomial, evaluated by [`polynomial`]. What depends on parameters, above all a knot that
//! moves with them, is computed in double words first ([`word`]).
//!
//! No operation here depends on the machine: no fused multiplication is used or needed, and
//! the exponential and the Normal tails are computed by additions, multiplications and one
//! division. Nor is there a branch on the data in [`Deviation::new`], [`Edge::new`] and
//! [`tails`] up to order 8, so that loops over a batch vectorise.

mod deviation;
mod double;
mod edge;
mod exponential;
pub(crate) mod fits;
mod high;
mod narrow;
pub(crate) mod nodes;
mod pieces;
mod polynomial;
mod support;
mod tails;
pub mod word;

pub use deviation::Deviation;
pub use edge::Edge;
pub use narrow::{narrow, quadrature};
pub use pieces::{base_piece, is_narrow, place};
pub use polynomial::{polynomial, polynomial_around};
pub use support::{check_parameter_count, is_valid, pole, variance};
pub use tails::tails;
