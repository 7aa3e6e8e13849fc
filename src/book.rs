//! The chapters of `docs/book`: their blocks of Rust are run as examples of the library.

#[doc = include_str!("../docs/book/accuracy.md")]
mod accuracy {}
#[doc = include_str!("../docs/book/build-scripts.md")]
mod build_scripts {}
#[doc = include_str!("../docs/book/declaring.md")]
mod declaring {}
#[doc = include_str!("../docs/book/derivation.md")]
mod derivation {}
#[doc = include_str!("../docs/book/emitted.md")]
mod emitted {}
#[doc = include_str!("../docs/book/formulas.md")]
mod formulas {}
#[doc = include_str!("../docs/book/quick-start.md")]
mod quick_start {}
#[doc = include_str!("../docs/book/targets.md")]
mod targets {}
#[doc = include_str!("../docs/book/training.md")]
mod training {}
