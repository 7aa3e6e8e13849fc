//! The standard activations with exact Gaussian moments.
//!
//! Everything here is generated at build time from `activations.gf`; each type's documentation
//! shows its formulas.
#![no_std]

extern crate self as gaussform;

#[doc(hidden)]
pub use gaussform_runtime as runtime;

/// The file of declarations that this crate is generated from.
pub const DECLARATIONS: &str = include_str!("../activations.gf");

gaussform_runtime::include_activations!("activations");
