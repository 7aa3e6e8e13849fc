//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Parser;

const YACHT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/yacht");

/// Train a Bayesian neural network on the yacht data in closed form.
#[derive(Clone, Debug, Parser)]
pub(crate) struct Arguments {
    /// A folder with data.txt, index_features.txt and index_target.txt, and split files where
    /// there are any; may be given several times. The yacht data beside this example, if not
    #[arg(long, value_name = "DIR", default_value = YACHT, hide_default_value = true)]
    pub(crate) data: Vec<PathBuf>,

    /// How many splits: the first of those that come with the data, or as many drawn by seed; all
    /// that come, or 20, if not given
    #[arg(long, value_name = "N")]
    pub(crate) splits: Option<NonZeroUsize>,

    /// How often training goes through the data
    #[arg(long, value_name = "N", default_value = "3000")]
    pub(crate) epochs: NonZeroUsize,

    /// How many hidden units the network has
    #[arg(long, value_name = "H", default_value = "50")]
    pub(crate) hidden: NonZeroUsize,

    /// How many rows make a batch; all of them, if there are no more
    #[arg(long, value_name = "N", default_value = "1024")]
    pub(crate) batch: NonZeroUsize,

    /// Adam's step size at the start
    #[arg(long, value_name = "RATE", default_value_t = 0.03, allow_negative_numbers = true)]
    pub(crate) learning_rate: f64,

    /// The precision of the Normal prior on every weight
    #[arg(long, value_name = "PRECISION", default_value_t = 10.0, allow_negative_numbers = true)]
    pub(crate) prior: f64,

    /// The seed of the splits, the first weights and the batches
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// How many splits to train at once; as many as there are processors, if not given
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Where to draw the predictions of the first split of the first data set
    #[arg(long, value_name = "FILE.svg", default_value = "yacht.svg")]
    pub(crate) out: PathBuf,
}
