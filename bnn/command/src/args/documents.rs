//! The options of `completions` and `man`.

use clap::Args as Options;
use clap_complete::Shell;

/// For bash: `gaussform-bnn completions bash >
/// ~/.local/share/bash-completion/completions/gaussform-bnn`.
#[derive(Debug, Options)]
pub(crate) struct Completions {
    /// The shell that is to complete
    #[arg(value_enum, ignore_case = true)]
    pub(crate) shell: Shell,
}

/// To read it: `gaussform-bnn man train | man -l -`.
#[derive(Debug, Options)]
pub(crate) struct Man {
    /// The command that the page is about; without it, gaussform-bnn as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Option<String>,
}
