//! The options of the commands that take a model: `predict`, `evaluate`, `calibrate` and `export`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args as Options;

#[derive(Debug, Options)]
pub(crate) struct Predict {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table; columns are found by name; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// The quantiles of a target of numbers; 0.05 and 0.95, if not given
    #[arg(long, value_name = "P,…", value_delimiter = ',')]
    pub(crate) quantiles: Option<Vec<f64>>,

    /// Add what holds the truth with at least this probability, for a model that was calibrated
    ///
    /// For numbers it is `lower` and `upper`. For classes it is a `set` of them with `|` between them, where a class
    /// with `|` or `"` in its name stands in quotes.
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) interval: Option<f64>,

    /// A column of the table that the predictions begin with, as it is; may be given several times
    ///
    /// No column of the predictions may have its name.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) keep: Vec<String>,

    /// Where to write the predictions; to standard output, if not given
    ///
    /// They are written as Parquet if the name ends in .parquet, as Arrow for .arrow, .feather and .ipc, and else as
    /// CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) sampling: Sampling,
}

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

#[derive(Debug, Options)]
pub(crate) struct Export {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// Where to write the graph, as ONNX
    #[arg(long, value_name = "FILE.onnx")]
    pub(crate) onnx: PathBuf,
}

/// Passes through a model whose passes are random.
#[derive(Debug, Options)]
pub(crate) struct Sampling {
    /// Number of passes whose mean a prediction is, for models of varout and bbb; 64, if not given
    ///
    /// All other models predict without samples.
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<NonZeroUsize>,
}
