//! The chapters of `docs/book` on networks: their blocks of Rust are run as examples of this crate.

#[doc = include_str!("../../docs/book/layers.md")]
mod layers {}
#[doc = include_str!("../../docs/book/likelihoods.md")]
mod likelihoods {}
#[doc = include_str!("../../docs/book/methods.md")]
mod methods {}
#[doc = include_str!("../../docs/book/networks.md")]
mod networks {}
#[doc = include_str!("../../docs/book/saving.md")]
mod saving {}
#[doc = include_str!("../../docs/book/tables.md")]
mod tables {}
