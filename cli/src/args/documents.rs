//! The commands about the library and the command line itself: `gaussform list`, `completions` and `man`.

use clap::ValueEnum;
use clap_complete::Shell;

pub(super) const LIST: &str = "\
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

pub(super) const COMPLETIONS: &str = "\
Examples:
  gaussform completions bash \\
    > ~/.local/share/bash-completion/completions/gaussform
  gaussform completions zsh > ~/.zfunc/_gaussform
  gaussform completions fish > ~/.config/fish/completions/gaussform.fish
  gaussform completions powershell >> $PROFILE
  gaussform completions elvish >> ~/.config/elvish/rc.elv

For zsh, ~/.zfunc must be in $fpath before compinit runs.";

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell that is to complete
    #[arg(value_enum, ignore_case = true)]
    pub(crate) shell: Shell,
}

pub(super) const MAN: &str = "\
Examples:
  gaussform man | man -l -
  gaussform man eval > gaussform-eval.1";

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The command that the page is about; without it, gaussform as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Option<String>,
}
