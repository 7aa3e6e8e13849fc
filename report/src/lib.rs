//! Derivations as documents: JSON that reads back to the same objects ([`record`]), pictures
//! ([`plot`]), and the numbers of the pictures' truth ([`evaluate`]).

pub mod evaluate;
pub mod plot;
pub mod record;
