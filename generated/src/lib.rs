//! The standard activations with exact Gaussian moments.
//!
//! Everything here is generated at build time from files of declarations, `activations.gf`,
//! `splines.gf` and `approximations.gf`; each type's documentation shows its source and its formulas.
//! [README.md](https://github.com/gaussform/gaussform/blob/main/generated/README.md) has all of them
//! in one table.
//!
//! # Features
//!
//! A kernel with few knots, of which nothing cancels, has formulas. Any other kernel is a table of its pieces, whose code
//! grows as the number of knots. Two families are derived and compiled on request only, so that a program without them
//! builds faster:
//!
//! - `splines`: B-splines and smooth steps;
//! - `approximations`: piecewise polynomials in place of GELU, tanh, the sigmoid and the softplus.
#![no_std]

extern crate self as gaussform;

#[doc(hidden)]
pub use gaussform_runtime as runtime;

/// The declarations that this crate is generated from, also those of features that are off.
pub const DECLARATIONS: &str = concat!(
    include_str!("../activations.gf"),
    "\n",
    include_str!("../splines.gf"),
    "\n",
    include_str!("../approximations.gf")
);

/// The declarations of each family, with the feature that compiles the family. The feature is empty for activations
/// that are always there.
pub const FAMILIES: [(&str, &str); 3] = [
    ("", include_str!("../activations.gf")),
    ("splines", include_str!("../splines.gf")),
    ("approximations", include_str!("../approximations.gf")),
];

gaussform_runtime::include_activations!("activations");

#[cfg(feature = "splines")]
gaussform_runtime::include_activations!("splines");

#[cfg(feature = "approximations")]
gaussform_runtime::include_activations!("approximations");
