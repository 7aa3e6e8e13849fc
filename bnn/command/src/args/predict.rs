//! The options of `predict`.

use std::path::PathBuf;

use clap::Args as Options;

use super::Sampling;

/// For each row the mean, the standard deviation with what the weights and the noise contribute, and
/// quantiles; or the class, and the probability of each.
#[derive(Debug, Options)]
pub(crate) struct Predict {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table; columns are found by name; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Which quantiles, for a target of numbers
    #[arg(long, value_name = "P,…", value_delimiter = ',', default_value = "0.05,0.95")]
    pub(crate) quantiles: Vec<f64>,

    /// Add what holds the truth with at least this probability, for a model that was calibrated:
    /// `lower` and `upper`, or a `set` of classes with `|` between them, where a class with `|` or `"` in
    /// its name stands in quotes
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) interval: Option<f64>,

    /// A column of the table that the predictions begin with, as it is; may be given several times. No column of the predictions
    /// has its name
    #[arg(long, value_name = "COLUMN")]
    pub(crate) keep: Vec<String>,

    /// Where to write the predictions: as Parquet if the name ends in .parquet, as Arrow for .arrow,
    /// .feather and .ipc, and else as CSV; to standard output, if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sampling: Sampling,
}
