//! The errors of the commands, each with its place and advice.

use std::io;
use std::path::{Path, PathBuf};

use gaussform_bnn::{
    CalibrationError, DataError, EnsembleError, ModelError, OnnxError, StoreError, TrainError,
};

/// The reason why a command has no answer. All but [`Failure::Unheard`], [`Failure::Interrupted`] and [`Failure::NotBegun`] end
/// the command with code 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A place in a table.
    #[error("{}{}, column {number}, `{name}`: {problem}\n  help: {help}", path.display(), of_line(*line))]
    Cell { path: PathBuf, line: u64, number: usize, name: String, problem: String, help: String },
    /// A line of a table.
    #[error("{}{}: {problem}\n  help: {help}", path.display(), of_line(*line))]
    Line { path: PathBuf, line: u64, problem: String, help: String },
    /// A whole file.
    #[error("{}: {problem}\n  help: {help}", path.display())]
    File { path: PathBuf, problem: String, help: String },
    /// Options that do not go together.
    #[error("{problem}\n  help: {help}")]
    Options { problem: String, help: String },
    #[error("{}", of_file(path, source))]
    Model { path: PathBuf, source: StoreError },
    /// The weights of a plain network.
    #[error("{}\n  help: {help}", of_file(path, source))]
    Weights { path: PathBuf, source: Box<StoreError>, help: &'static str },
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Ask(#[from] ModelError),
    #[error(transparent)]
    Ensemble(#[from] EnsembleError),
    #[error(transparent)]
    Onnx(#[from] OnnxError),
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
    /// Training was asked to end before its last epoch.
    #[error(
        "{epoch} of {epochs} epochs are done, and {} has the model so far\n  help: the same command with --resume goes on",
        out.display()
    )]
    Interrupted { epoch: usize, epochs: usize, out: PathBuf },
    /// Training was asked to end before its first epoch.
    #[error("training has not begun, and no model is written\n  help: start it again")]
    NotBegun,
    #[error("the reader of the output has gone")]
    Unheard,
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::Ask(error.into())
    }
}

/// The number of a line behind the name of its table. The names of columns of a table in memory stand on no line, which is number 0.
fn of_line(line: u64) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

/// The fault of a file of a model, as one message that begins with the file's path.
fn of_file(path: &Path, source: &StoreError) -> String {
    match source {
        StoreError::File { .. } => source.to_string(),
        _ => format!("{}: {source}", path.display()),
    }
}

impl Failure {
    pub(crate) fn options(problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Options { problem: problem.into(), help: help.into() }
    }

    /// The fault of the data that a model was to be made of or asked with, if that is the failure.
    pub(crate) fn of_data(&self) -> Option<&DataError> {
        match self {
            Self::Train(TrainError::Model(ModelError::Data(error)))
            | Self::Ask(ModelError::Data(error)) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn file(
        path: impl Into<PathBuf>,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self::File { path: path.into(), problem: problem.into(), help: help.into() }
    }
}
