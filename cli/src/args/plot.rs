//! `gaussform plot` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform plot relu --out relu.svg
  gaussform plot relu6 --figure moments --xi 0.5,2 --gamma -6:6 --out relu6.png
  gaussform plot leaky_relu --param eps=0.1 --figure errors --out errors.svg

  The covariance of two pre-activations against their correlation:
  gaussform plot relu --joint hard_tanh --out pair.svg
  gaussform plot relu --joint relu --gamma=-4 --figure errors --out errors.png";

#[derive(Debug, clap::Args)]
pub(crate) struct Plot {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Write to FILE, all of it or nothing; its ending says the format: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// The figure to draw
    #[arg(long, value_enum, ignore_case = true, default_value_t = Figure::All)]
    pub(crate) figure: Figure,

    /// Draw the covariance of g(u) and h(w) for this second activation h of a second pre-activation w,
    /// against the correlation ρ of u and w
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) joint: Option<String>,

    /// The standard deviations ξ of the pre-activation, with commas between them; errors are drawn
    /// for the one in the middle; left out, ½, 1 and 2 in a unit that fits the knots. With `--joint`
    /// one, that of u, left out 1 in this unit
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pub(crate) xi: Vec<String>,

    /// The ends of the axis of u and γ; left out, around the knots, and far beyond for errors. With
    /// `--joint` a number, the mean γ of u; left out, one ξ below the middle of the knots
    #[arg(long, value_name = "FROM:TO", allow_hyphen_values = true)]
    pub(crate) gamma: Option<String>,

    /// γ′, the mean of w; left out, one ξ′ below the middle of the knots of h
    #[arg(long, value_name = "NUMBER", requires = "joint", allow_hyphen_values = true)]
    pub(crate) gamma_h: Option<String>,

    /// ξ′, the standard deviation of w; left out, 1 in a unit that fits the knots of h
    #[arg(long, value_name = "NUMBER", requires = "joint", allow_hyphen_values = true)]
    pub(crate) xi_h: Option<String>,

    /// The value of a parameter; repeat it for each. Left out, one that satisfies the declaration
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// All of the following, without the errors of functions whose formulas are too long
    All,
    /// The function; with `--joint` both
    Function,
    /// Mean and standard deviation against γ, a panel for each ξ; with `--joint` the covariance against ρ
    Moments,
    /// Relative errors of kernel and closed form against γ, beside the truth; with `--joint` against ρ,
    /// and against small ρ
    Errors,
}
