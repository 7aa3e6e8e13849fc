//! Derivations as documents: JSON that reads back to the same objects ([`record`]), pictures
//! ([`plot`]), pages ([`page`]), formulas as numbers ([`evaluate`]), and what is wrong with a text ([`complaint`]).

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the schema shows the comments as they stand, and there `E[g]` has no backslashes"
)]

pub mod complaint;
pub mod evaluate;
pub mod page;
pub mod plot;
pub mod record;
