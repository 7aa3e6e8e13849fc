//! The options of `evaluate`.

use std::path::PathBuf;

use clap::Args as Options;

use super::Sampling;

/// How likely the truth is under the predictions, how far off they are, and whether what is promised
/// happens as often as promised.
#[derive(Debug, Options)]
pub(crate) struct Evaluate {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table, with the target; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// The file to draw the calibration to, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sampling: Sampling,
}
