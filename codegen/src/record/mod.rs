//! The primitives of the runtime as functions of the IR.
//!
//! The runtime has each primitive once, over `Lanes`. Here it runs over lanes that record each operation (`script/lanes`), and the
//! result is a list of functions that call each other. `primitives` lists what is recorded, and `pieces` takes the steps of the sum
//! over pieces. Printers of other languages write the functions down, and operations are counted on them. `meaning` says in words
//! what each of them computes.

mod inputs;
pub(crate) mod meaning;
mod pieces;
mod primitives;

pub(crate) use pieces::is_truth;
pub(crate) use primitives::Library;
