//! The binary, run as a user would.

mod csv;
mod emit;
mod errors;
mod eval;
mod help;
mod inspect;
mod joint;
mod json;
mod kernel;
mod latex;
mod list;
mod page;
mod plot;
mod streams;
mod support;
mod verify;
