//! The options for columns: how they are read, and how missing cells are treated.

use std::path::PathBuf;

use clap::{Args as Options, ValueEnum};
use serde::{Deserialize, Serialize};

/// How the columns of a table are read.
#[derive(Clone, Debug, Default, Options)]
#[command(next_help_heading = "Columns")]
pub(crate) struct Columns {
    /// A column of words, though they are written as numbers; may be given several times
    ///
    /// A target of whole numbers is one of classes then.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) words: Vec<String>,

    /// A column of numbers; may be given several times
    ///
    /// A target of few whole numbers is none of classes then, and one whose numbers name the rows is an input.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) numbers: Vec<String>,

    /// A column that is no input; may be given several times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) ignore: Vec<String>,

    /// A text that means a missing value, besides `NA`, `?` and the like; may be given several times
    ///
    /// `null`, `-` and an empty cell mean one too. In a column with `+`, `-` is a word.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) missing: Vec<String>,

    /// The sign before a fraction; what fits most cells of a column, if not given
    #[arg(long, value_name = "SIGN", value_enum)]
    pub(crate) decimal: Option<DecimalSign>,

    /// How to treat missing inputs
    ///
    /// others predicts them from the other columns of the row, with a variance; mean takes the mean of the column and
    /// its variance; drop leaves rows with missing inputs out of training.
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) fill: FillBy,

    /// Whether a column gets one more input, which says which of its cells are missing
    ///
    /// auto adds one where that says something of the target.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) missing_flags: Flags,

    /// How columns with values beyond 10 standard deviations are transformed; asinh, if not given
    ///
    /// With --from they are not, if not given: its network was trained on the inputs as they are.
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) tails: Option<Tails>,

    /// The column of the standard deviations of the errors of COLUMN; may be given several times
    ///
    /// COLUMN was measured with these errors. SD_COLUMN is no input itself.
    #[arg(long, value_name = "COLUMN=SD_COLUMN", value_parser = pair)]
    pub(crate) noise_of: Vec<(String, String)>,

    /// How to treat words that are new at prediction, and texts among numbers or dates
    ///
    /// other takes a new word as the rare words of its column or, where it had none, as missing, and so a text among numbers or
    /// dates; error refuses both.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    pub(crate) unknown_words: UnknownWords,

    /// The file for a summary of how the columns were read, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

/// The sign before a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DecimalSign {
    Point,
    Comma,
}

/// Treatment of missing inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FillBy {
    #[default]
    Others,
    Mean,
    Drop,
}

/// Inputs that say which cells of a column are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Flags {
    #[default]
    Auto,
    Always,
    Never,
}

/// The transformation of heavy tails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tails {
    #[default]
    Asinh,
    Quantile,
    None,
}

/// Treatment of words at prediction that training has not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UnknownWords {
    #[default]
    Other,
    Error,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (column, sd) = text.split_once('=').ok_or_else(|| "write COLUMN=SD_COLUMN".to_owned())?;
    Ok((column.to_owned(), sd.to_owned()))
}
