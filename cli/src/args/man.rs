//! `gaussform man` on the command line.

pub(super) const HELP: &str = "\
Examples:
  gaussform man | man -l -
  gaussform man eval > gaussform-eval.1";

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The command that the page is about; without it, gaussform as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Option<String>,
}
