//! Data on the host, and the scales that a model keeps of it.

mod idx;
mod matrix;
mod standardize;
mod table;
mod transform;
mod trend;

pub use idx::{Idx, IdxError, read_idx};
pub use matrix::{Matrix, RaggedError};
pub use standardize::{Scale, Scaling, Standardizer};
pub use table::{Censoring, DataError, Table, TargetScale, Targets};
pub(crate) use table::{LARGEST, check_inputs, check_noisy, finite, one_hot, rows_fit};
pub use transform::{TargetUnit, Transform, TransformChoice};
pub use trend::{Trend, TrendChoice};
