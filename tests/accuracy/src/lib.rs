//! The accuracy suite: what compiled kernels promise, measured against high-precision truth.
//!
//! The truth shares nothing with the derivation or the kernels. An activation is written twice:
//! in `kernels/activations.gf`, which is compiled, and as a table of knots and polynomials in
//! [`registry`], from which [`oracle`] computes.

pub mod error;
pub mod far;
pub mod function;
pub mod oracle;
pub mod points;
pub mod polynomial;
pub mod real;
pub mod registry;
pub mod scales;
mod segment;
pub mod sweep;
pub mod tails;
pub mod tolerance;
