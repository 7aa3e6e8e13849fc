//! Tables that are computed in high precision and committed: `gaussform-constants` makes them.

pub(crate) mod decay;
pub(crate) mod exponential;
pub(crate) mod fits;
pub(crate) mod rules;
