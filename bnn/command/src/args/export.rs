//! The options of `export`.

use std::path::PathBuf;

use clap::Args as Options;

/// A graph of standard operators, for runtimes in any language: predictions without samples and without this program.
#[derive(Debug, Options)]
pub(crate) struct Export {
    /// The model that `train` wrote
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// Where to write the graph, as ONNX. Its input is a row of numbers for each row of a table: the inputs in the order
    /// of the columns, a word as a 1 among zeros
    #[arg(long, value_name = "FILE.onnx")]
    pub(crate) onnx: PathBuf,
}
