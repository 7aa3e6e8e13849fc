//! `gaussform list` on the command line.

use clap::ValueEnum;

pub(super) const HELP: &str = "\
Examples:
  gaussform list
  gaussform list | grep clamp
  gaussform inspect relu6";

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// The form of the list
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    pub(crate) format: Form,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Each declaration, with its knots and where it comes from below
    #[default]
    Text,
    /// Tables with smoothness and the size of the code, as in the repository
    Markdown,
}
