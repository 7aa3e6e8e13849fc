//! `gaussform completions` on the command line.

use clap_complete::Shell;

pub(super) const HELP: &str = "\
Examples:
  gaussform completions bash > ~/.local/share/bash-completion/completions/gaussform
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
