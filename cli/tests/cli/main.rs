//! The binary, run as a user would.

mod csv;
mod emit;
mod errors;
mod eval;
mod help;
mod inspect;
mod list;
mod streams;
mod support;
mod verify;
