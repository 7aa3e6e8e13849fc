//! The command as a user meets it.

mod defaults;
mod files;
mod help;
mod memory;
mod methods;
mod mistakes;
mod place;
mod pretrained;
mod probabilities;
#[cfg(unix)]
mod readme;
mod tables;
mod targets;
#[cfg(all(feature = "arrow", feature = "parquet"))]
mod typed;
