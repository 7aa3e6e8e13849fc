//! The options of `calibrate`.

use std::path::PathBuf;

use clap::Args as Options;

use super::Sampling;

/// Held-out rows, which the model was not trained on, say by which factor its standard deviations are
/// too small, or which temperature its probabilities need. The new model predicts with them, and
/// `predict --interval` promises intervals and sets by split-conformal prediction.
#[derive(Debug, Options)]
pub(crate) struct Calibrate {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table of held-out rows, with the target; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Where to write the calibrated model
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    #[command(flatten)]
    pub(crate) sampling: Sampling,
}
