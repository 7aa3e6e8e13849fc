//! `gaussform eval` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform eval 'leaky(x; eps in (0, 1)) = max(x, eps * x)' --param eps=0.1 --gamma -1 --xi2 0.25
  gaussform eval 'f(x; a < b) = clamp(x, a, b)' --param a=-1 --param b=2 --gamma 0 --xi2 1
  gaussform eval relu --csv points.csv --out moments.csv
  printf 'gamma,xi2\\n0.5,2\\n' | gaussform eval relu --csv -";

#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// γ, the mean of the pre-activation
    #[arg(
        long,
        value_name = "NUMBER",
        required_unless_present = "csv",
        allow_hyphen_values = true
    )]
    pub(crate) gamma: Option<String>,

    /// ξ², the variance of the pre-activation
    #[arg(
        long,
        value_name = "NUMBER",
        required_unless_present = "csv",
        allow_hyphen_values = true
    )]
    pub(crate) xi2: Option<String>,

    /// The value of a parameter; repeat it for each
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,

    /// Evaluate at every row of FILE (`-`: standard input), whose header has the columns `gamma`
    /// and `xi2`; all columns are kept
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gamma", "xi2"])]
    pub(crate) csv: Option<PathBuf>,

    /// Write to FILE, all of it or nothing, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Which kernels to use
    #[arg(long, value_enum, default_value_t = Precision::F64)]
    pub(crate) precision: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    /// Double precision, printed with 17 significant digits
    F64,
    /// Single precision, printed with 9 significant digits
    F32,
}
