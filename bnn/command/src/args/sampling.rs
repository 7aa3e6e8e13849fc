//! The option for the number of passes of a model that samples.

use std::num::NonZeroUsize;

use clap::Args as Options;

/// Passes through a model whose passes are random.
#[derive(Debug, Options)]
pub(crate) struct Sampling {
    /// Number of passes whose mean a prediction is, for models of varout and bbb, which sample; 64, if not given. All
    /// other models predict without samples
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<NonZeroUsize>,
}
