//! `gaussform inspect` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform inspect 'max(0, x)'
  gaussform inspect 'max(0, x)' --steps
  gaussform inspect '|x| * x' --moment 3 --format latex
  gaussform inspect 'leaky(x; eps in (0, 1)) = max(x, eps * x)' --wrt eps
  gaussform inspect --file activations.gf hat
  gaussform inspect leaky_relu --format html --param eps=0.1 --out page.html
  gaussform inspect relu --format json

  The numerator of the skewness, and Cov(g(u), h(u)) for two functions h:
  gaussform inspect relu --central 3
  gaussform inspect relu --with hard_tanh
  gaussform inspect relu --with x

  Two pre-activations, and what their covariance does:
  gaussform inspect relu --joint hard_tanh
  gaussform inspect relu --joint x --wrt cov --steps

  A soft step that becomes a step, a mean far out, and a variance of 0:
  gaussform inspect 'soft(x; a > 0) = clamp(x / a, -1, 1)' --limit a=0
  gaussform inspect relu --limit gamma=inf
  gaussform inspect relu --limit xi2=0

  Knots whose order is declared, and every order where it is not:
  gaussform inspect 'f(x; a < b) = clamp(x, a, b)'
  gaussform inspect 'f(x; a, b) = max(x, a) - max(x, b)' --cases";

#[derive(Debug, clap::Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Show just E[g(u)ᴺ]
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(u32).range(0..=64)
    )]
    pub(crate) moment: Option<u32>,

    /// Show the central moment E[(g(u) − E[g(u)])ᴺ] and the moments that it is made of
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "moment",
        value_parser = clap::value_parser!(u32).range(2..=64)
    )]
    pub(crate) central: Option<u32>,

    /// Show E[g(u) h(u)] and Cov(g(u), h(u)) for a second activation h of the same u: an
    /// expression in x, a declaration, or a known name; parameters of the same name are the same
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with_all = ["moment", "central", "cases"],
        allow_hyphen_values = true
    )]
    pub(crate) with: Option<String>,

    /// Show E[g(u) h(w)] and Cov(g(u), h(w)) for a second activation h of a second pre-activation w,
    /// jointly Normal with u: means γ and γ′, variances ξ² and ξ′², covariance σ
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with_all = ["moment", "central", "with", "limits"],
        allow_hyphen_values = true
    )]
    pub(crate) joint: Option<String>,

    /// Show the derivation, rule by rule
    #[arg(long)]
    pub(crate) steps: bool,

    /// Differentiate in `gamma`, `xi2` or a parameter, with `--joint` in `gamma_h`, `xi2_h` and `cov`
    /// too; repeat it to differentiate again
    #[arg(long, value_name = "SYMBOL")]
    pub(crate) wrt: Vec<String>,

    /// Take the limit, after `--wrt`: `gamma=inf`, `gamma=-inf`, `xi2=0`, or a parameter at `inf`,
    /// `-inf` or a number, `a=0`, which may say from which side: `a=0+`, `a=1-`; repeat it to go
    /// on from there
    #[arg(long = "limit", value_name = "SYMBOL=POINT")]
    pub(crate) limits: Vec<String>,

    /// Where the declaration leaves the order of knots or a sign open, show every case with its
    /// conditions. The order of a parameter and an irrational knot such as √2 has no cases
    #[arg(long)]
    pub(crate) cases: bool,

    /// How to write the answer
    #[arg(long, value_enum, ignore_case = true, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Break lines of `--format text` at so many columns [default: the terminal's]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..))]
    pub(crate) width: Option<u16>,

    /// The value of a parameter in the pictures of a page; repeat it for each. Left out, one that
    /// satisfies the declaration
    #[arg(long = "param", value_name = "NAME=NUMBER")]
    pub(crate) parameters: Vec<String>,

    /// Write to FILE, all of it or nothing; without it, or with `-`, to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Unicode for a terminal
    Text,
    /// LaTeX; needs the package amsmath
    Latex,
    /// MathML for a page in a browser
    Mathml,
    /// A page of its own: pictures, formulas, derivations, certificates, code
    Html,
    /// Everything, exactly, for programs; docs/inspect.schema.json describes it
    Json,
}
