//! Printing blocks of the IR: what all languages have in common.
//!
//! [`Printer`] walks a block: it rounds or extends what comes from another block, writes a variable that is read
//! once in the place where it is read, and names all others. How anything is written is asked of a [`Language`].
//! A value holds many elements, so that of a branch every arm is computed, and selected from ([`vector`]).

mod fragment;
mod inline;
mod language;
mod source;
#[cfg(test)]
mod tests;
pub(crate) mod vector;
mod walk;

pub(crate) use fragment::{Binding, Fragment, Text};
pub(crate) use language::{Factors, Language, Numbers, Operation, Place, Test};
pub(crate) use source::Source;
pub(crate) use walk::{Branching, Printer};
