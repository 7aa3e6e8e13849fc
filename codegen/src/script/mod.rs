//! What the runtime computes, written down, and printed in other languages.
//!
//! A routine of the runtime is generic over lanes. Here it runs over lanes that write down each operation (`lanes`,
//! `routine`): what comes out is a graph (`graph`), in which what a choice alone needs is put into a branch (`branch`).
//! One walk prints the graph in every language (`print`, `expression`).

mod branch;
pub(crate) mod expression;
pub(crate) mod graph;
pub(crate) mod lanes;
pub(crate) mod print;
pub(crate) mod routine;
pub(crate) mod rows;
#[cfg(test)]
mod tests;
