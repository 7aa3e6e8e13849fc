//! `gaussform plot` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform plot relu --out relu.svg
  gaussform plot hard_swish --figure moments --xi 0.5,2 --gamma -6:6 --out moments.png
  gaussform plot leaky_relu --param eps=0.1 --figure errors --out errors.svg";

#[derive(Debug, clap::Args)]
pub(crate) struct Plot {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Write to FILE, all of it or nothing; its ending says the format: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// What to draw
    #[arg(long, value_enum, ignore_case = true, default_value_t = Figure::All)]
    pub(crate) figure: Figure,

    /// The standard deviations ξ of the pre-activation, with commas between them; errors are drawn
    /// for the one in the middle
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) xi: Vec<String>,

    /// The ends of the axis of u and γ; left out, around the knots, and far beyond for errors
    #[arg(long, value_name = "FROM:TO", allow_hyphen_values = true)]
    pub(crate) gamma: Option<String>,

    /// The value of a parameter; repeat it for each. Left out, one that satisfies the declaration
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// All of the following
    All,
    /// The function
    Function,
    /// Mean and standard deviation against γ, a panel for each ξ
    Moments,
    /// Relative errors of kernel and closed form against γ, beside the truth
    Errors,
}
