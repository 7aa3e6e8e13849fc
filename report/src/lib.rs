//! Derivations as documents: JSON that reads back to the same objects ([`record`]), pictures
//! ([`plot`]), pages ([`page`]), and formulas as numbers ([`evaluate`]).

pub mod evaluate;
pub mod page;
pub mod plot;
pub mod record;
