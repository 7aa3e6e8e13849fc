//! `gaussform emit` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name hard_swish
  gaussform emit --file activations.gf --target rust --out activations.rs";

#[derive(Debug, clap::Args)]
pub(crate) struct Emit {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// The language to write
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) target: Target,

    /// Name the activation (`g` for a bare expression otherwise)
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Write to FILE, all of it or nothing, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Rust, on the crate gaussform-runtime
    Rust,
}
