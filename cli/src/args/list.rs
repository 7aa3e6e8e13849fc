//! `gaussform list` on the command line.

use clap::ValueEnum;

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The form of the list
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Form,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Columns for a terminal
    #[default]
    Text,
    /// Tables with smoothness and the size of the code, as in the repository
    Markdown,
}
