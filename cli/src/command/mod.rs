//! The commands.

pub(crate) mod documents;
pub(crate) mod emit;
pub(crate) mod eval;
pub(crate) mod inspect;
mod joint;
pub(crate) mod kernel;
pub(crate) mod list;
mod overview;
pub(crate) mod plot;
pub(crate) mod verify;
