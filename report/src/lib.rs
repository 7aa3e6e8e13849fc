//! Derivations as documents: JSON that reads back to the same objects ([`record`]), pictures
//! ([`plot`]), pages ([`page`]), and formulas as numbers ([`evaluate`]).

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the schema shows the comments as they stand, and there `E[g]` has no backslashes"
)]

pub mod evaluate;
pub mod page;
pub mod plot;
pub mod record;
