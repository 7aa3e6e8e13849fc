//! The commands, a file each.

pub(crate) mod emit;
pub(crate) mod eval;
pub(crate) mod inspect;
pub(crate) mod list;
mod overview;
pub(crate) mod plot;
pub(crate) mod verify;
