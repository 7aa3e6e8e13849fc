//! `gaussform kernel` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform kernel relu --depth 3 --csv points.csv --out kernel.csv
  gaussform kernel --activation hard_tanh --kind ntk --bias 0.1 --csv points.csv
  gaussform kernel 'clamp(x, -2, 2)' --weight 1.5 --csv points.csv

The network: hidden layers of the activation, as many as --depth says, each infinitely wide, and \
a layer of outputs on top. The first layer computes b + Σ Wⱼ xⱼ/√d for inputs of d numbers, the \
others b + Σ Wⱼ g(uⱼ)/√n, with independent weights W of the variance --weight and biases b of the \
variance --bias. `nngp` is the covariance of an output at two inputs, `ntk` the neural tangent \
kernel, whose units for weights and biases are their standard deviations.

The table: comma-separated numbers below a header that names the columns; every column is an \
input, every row a point. The answer has no header: row i, column j is the kernel of the points \
i and j. It is symmetric to the last bit.";

#[derive(Debug, clap::Args)]
pub(crate) struct Kernel {
    /// The activation: an expression in x, a declaration, or a name that `gaussform list` shows
    #[arg(value_name = "EXPR", required_unless_present_any = ["activation", "file"])]
    expression: Option<String>,

    /// EXPR, by an option
    #[arg(long, value_name = "EXPR", conflicts_with = "expression", allow_hyphen_values = true)]
    activation: Option<String>,

    /// Read declarations from FILE (`-`: standard input); EXPR may name or use them, and without EXPR the only
    /// one is meant
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The value of a parameter; repeat it for each
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,

    /// How many hidden layers the network has
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    pub(crate) depth: u32,

    /// Which kernel
    #[arg(long, value_enum, ignore_case = true, default_value_t = KernelKind::Nngp)]
    pub(crate) kind: KernelKind,

    /// The variance of the weights. Left out, 1 for the first layer and 1/E[g(z)²] with z ~ N(0, 1) for the others, so that a
    /// variance of 1 stays 1
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) weight: Option<String>,

    /// The variance of the biases
    #[arg(long, value_name = "NUMBER", default_value = "0", allow_hyphen_values = true)]
    pub(crate) bias: String,

    /// The table of inputs (`-`: standard input)
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Write to FILE, all of it or nothing; without it, or with `-`, to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

impl Kernel {
    /// The activation that it is about.
    pub(crate) fn subject(&self) -> Subject {
        let expression = self.expression.as_ref().or(self.activation.as_ref());
        Subject { expression: expression.cloned(), file: self.file.clone() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum KernelKind {
    /// The covariance of an output at two inputs
    Nngp,
    /// The neural tangent kernel
    Ntk,
}
