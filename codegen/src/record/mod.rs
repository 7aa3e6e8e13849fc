//! The primitives of the runtime as functions of the IR.
//!
//! The runtime has each primitive once, over `Lanes`. Here it runs over lanes that are places in a graph (`lanes`).
//! The result is the list of operations, as functions that call each other (`function`). `primitives` lists what is
//! recorded, and `pieces` takes the steps of the sum over pieces. Printers of other languages write the functions
//! down, and operations are counted on them. `meaning` says in words what each of them computes.

mod function;
mod inputs;
mod lanes;
pub(crate) mod meaning;
mod pieces;
mod primitives;

pub(crate) use function::{Function, Node, Operation, Parameter, Shape, Value};
pub(crate) use pieces::is_truth;
pub(crate) use primitives::{Library, tails_size};
