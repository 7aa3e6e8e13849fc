//! The protocol of the UCI regression benchmark: data sets in their usual layout, splits, scores, and
//! ridge regression as a yardstick.

mod dataset;
mod protocol;
mod ridge;
mod split;
mod text;

pub use dataset::Dataset;
pub use protocol::{Estimate, Fold, FoldError, Score};
pub use ridge::{Ridge, RidgeError};
pub use split::Split;
pub use text::DataError;
