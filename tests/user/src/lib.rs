//! Activations as a user declares them, where what they expand to has the hardest time: a `no_std`
//! crate that denies every warning and knows the facade as `gf`.
#![no_std]
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications)]
#![deny(clippy::pedantic)]

pub mod family;
pub mod forms;
pub mod names;
