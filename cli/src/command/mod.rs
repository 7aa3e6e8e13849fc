//! The commands, a file each.

pub(crate) mod completions;
pub(crate) mod emit;
pub(crate) mod eval;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod verify;
