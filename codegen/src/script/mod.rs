//! Routines of the runtime, recorded and printed in other languages.
//!
//! A routine of the runtime is generic over lanes. Here it runs over lanes that record each operation (`lanes`,
//! `routine`). The result is a graph (`graph`), in which nodes that one side of a choice alone needs are put into a
//! branch (`branch`). Where a function has many knots, one row stands for all rows of its table (`columns`), and the graph has
//! a loop. Formulas are recorded likewise (`formulas`). Two correlated pre-activations are recorded step by step (`integral`). One walk prints the graph in every language (`print`, `expression`).

mod branch;
pub(crate) mod columns;
pub(crate) mod expression;
pub(crate) mod formulas;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod integral;
pub(crate) mod lanes;
pub(crate) mod print;
pub(crate) mod routine;
pub(crate) mod rows;
pub(crate) mod session;
mod single_rows;
pub(crate) mod slopes;
#[cfg(test)]
mod tests;
