//! `gaussform eval` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform eval leaky_relu --param eps=0.1 --gamma -1 --xi2 0.25
  gaussform eval relu --csv points.csv --out moments.csv

  Parameters that are related, and a table from another program:
  gaussform eval 'f(x; a < b) = clamp(x, a, b)' --param a=-1 --param b=2 \\
    --gamma 0 --xi2 1
  printf 'gamma,xi2\\n0.5,2\\n' | gaussform eval relu --csv -
  printf 'gamma,xi2,eps\\n1,2,0.1\\n1,2,0.3\\n' | gaussform eval leaky_relu --csv -

  Two correlated pre-activations:
  gaussform eval relu --joint hard_tanh --gamma 0.5 --xi2 2 \\
    --gamma-h 0 --xi2-h 1 --cov -0.3
  gaussform eval relu --joint relu --csv pairs.csv --out covariances.csv
  gaussform eval relu --joint relu --moment 2,1 --gamma 0 --xi2 1 \\
    --gamma-h 0 --xi2-h 1 --cov 0.5
  gaussform eval relu --joint relu --log --gamma -40 --xi2 1 \\
    --gamma-h -30 --xi2-h 1 --cov -0.5

  A pre-activation of which more is known, as where data are censored:
  gaussform eval x --given 'x > 0' --gamma -40 --xi 1
  gaussform eval relu --given 'x < -1 or x > 1' --csv points.csv

  Skewness and kurtosis are made of central moments:
  gaussform eval relu --gamma 0.5 --xi2 2 --central 3 --central 4

Units: γ and the knots are in units of the pre-activation, ξ² in their square. The mean is in \
units of g, the second moment and the variance in their square; a derivative d…_d… is a quotient \
of these units.

Numbers: moments of a higher order come from the derived formulas, in as many bits as it takes to \
have all digits; the other results come from kernels. With --given, mean and variance are those \
given the condition, and derivatives of its probability are those of the logarithm. A number \
beyond the precision is printed as `inf`, one below it as 0.

The table: comma-separated values in UTF-8, quoted as in RFC 4180, with any line ends; the first \
row names the columns. They are written as they stand, followed by those of the results, so none \
of them may have the name of a result. The table is read twice, the first time to check all of \
it. Rows are not kept in memory; what comes through a pipe passes through a temporary file.";

/// Options that exclude `--joint`, and so all that requires it: beside an option that excludes the required one, the
/// parser does not ask for that.
const NOT_JOINT: [&str; 3] = ["given", "hessian", "central"];

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
        required_unless_present_any = ["csv", "xi"],
        allow_hyphen_values = true
    )]
    pub(crate) xi2: Option<String>,

    /// ξ, the standard deviation of the pre-activation, instead of the variance
    #[arg(
        long,
        visible_alias = "sd",
        value_name = "NUMBER",
        conflicts_with_all = ["xi2", "csv"],
        allow_hyphen_values = true
    )]
    pub(crate) xi: Option<String>,

    /// A condition on x such as `x > 0` or `-1 < x < 1 or x >= 2`: moments given that it holds, its
    /// probability, and their logarithms
    #[arg(
        long,
        value_name = "CONDITION",
        conflicts_with_all = ["moments", "central", "hessian"],
        allow_hyphen_values = true
    )]
    pub(crate) given: Option<String>,

    /// Also the second derivatives of mean and variance in γ and ξ²
    #[arg(long)]
    pub(crate) hessian: bool,

    /// A second function h, of a pre-activation w that is correlated with u: E[g(u) h(w)], Cov(g(u), h(w)) and its derivatives.
    /// A table has the columns `gamma`, `xi2`, `gamma_h`, `xi2_h` and `cov` then
    #[arg(long, value_name = "EXPR", conflicts_with_all = NOT_JOINT, allow_hyphen_values = true)]
    pub(crate) joint: Option<String>,

    /// With `--joint`: of functions that are nowhere negative E[g(u) h(w)] relative to itself however small it is, ln E[g(u) h(w)], and
    /// the derivatives of both in γ, ξ², γ′, ξ′² and c. Of others the positive and the negative part of E[g(u) h(w)] may cancel
    #[arg(long, requires = "joint", conflicts_with_all = NOT_JOINT)]
    pub(crate) log: bool,

    /// γ′, the mean of w
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "joint",
        conflicts_with_all = NOT_JOINT,
        allow_hyphen_values = true
    )]
    pub(crate) gamma_h: Option<String>,

    /// ξ′², the variance of w
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "joint",
        conflicts_with_all = NOT_JOINT,
        allow_hyphen_values = true
    )]
    pub(crate) xi2_h: Option<String>,

    /// c, the covariance of u and w: at most √(ξ² ξ′²) in size
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "joint",
        conflicts_with_all = NOT_JOINT,
        allow_hyphen_values = true
    )]
    pub(crate) cov: Option<String>,

    /// The value of a parameter; repeat it for each
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,

    /// Also E[g(u)ᴺ], as `momentN`, from its exact formula; with `--joint`, M,N is E[g(u)ᴹ h(w)ᴺ], as `momentM_N`; repeat it for others
    #[arg(long = "moment", value_name = "N", allow_negative_numbers = true, value_parser = Order::parse)]
    pub(crate) moments: Vec<Order>,

    /// Also the central moment E[(g(u) − E[g(u)])ᴺ], as `centralN`, from its exact formula; repeat it
    /// for others
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(2..=64)
    )]
    pub(crate) central: Vec<u32>,

    /// Evaluate at every row of FILE (`-`: standard input), whose header has the columns `gamma`
    /// and `xi2` (or `xi`, or `sd`), and columns of their names for parameters that no `--param` gives; all are kept
    #[arg(long, value_name = "FILE", conflicts_with_all = ["gamma", "xi2", "gamma_h", "xi2_h", "cov"])]
    pub(crate) csv: Option<PathBuf>,

    /// Write to FILE, all of it or nothing; without it, or with `-`, to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Which kernels to use
    #[arg(long, value_enum, ignore_case = true, default_value_t = Precision::F64)]
    pub(crate) precision: Precision,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    /// Double precision, printed with 17 significant digits
    F64,
    /// Single precision, printed with 9 significant digits
    F32,
}

/// The order of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// E[g(u)ᴺ].
    Single(u32),
    /// E[g(u)ᴹ h(w)ᴺ].
    Joint([u32; 2]),
}

impl Order {
    /// The largest order of one function.
    const LARGEST: u32 = 64;

    fn parse(text: &str) -> Result<Self, String> {
        let order = |text: &str| match text.trim().parse() {
            Ok(order) if (1..=Self::LARGEST).contains(&order) => Ok(order),
            _ => Err(format!("{text} is not in 1..={}", Self::LARGEST)),
        };
        match text.split_once(',') {
            Some((m, n)) => Ok(Self::Joint([order(m)?, order(n)?])),
            None => Ok(Self::Single(order(text)?)),
        }
    }
}

impl std::fmt::Display for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Single(n) => write!(f, "{n}"),
            Self::Joint([m, n]) => write!(f, "{m},{n}"),
        }
    }
}
