//! How often a model that samples is asked.

use std::num::NonZeroUsize;

use clap::Args as Options;

/// Passes through a model whose passes are random.
#[derive(Debug, Options)]
pub(crate) struct Sampling {
    /// How many passes a prediction is the mean of, for models of varout and bbb, which sample; 64, if not given. All other
    /// models predict without samples
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<NonZeroUsize>,
}
