//! The commands, a file each.

pub(crate) mod completions;
pub(crate) mod emit;
pub(crate) mod eval;
pub(crate) mod inspect;
mod joint;
pub(crate) mod kernel;
pub(crate) mod list;
pub(crate) mod man;
mod overview;
pub(crate) mod plot;
pub(crate) mod verify;
