//! The command line.

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

const OVERVIEW: &str = "\
The language:
  x, numbers, + - * / ^, |…|, abs, max, min, clamp, relu, sign, step,
  piecewise { x < -1: 0; x < 1: x; else: 1 },
  every activation that `gaussform list` shows: relu6(x + 3) * x / 6,
  and declarations with parameters: leaky(x; eps in (0, 1)) = max(x, eps * x)

Examples:
  gaussform inspect 'max(0, x)'
  gaussform inspect relu --steps
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name HardSwish
  gaussform verify 'max(0, x)^2'
  gaussform list";

const INSPECT: &str = "\
Examples:
  gaussform inspect 'max(0, x)'
  gaussform inspect 'max(0, x)' --steps
  gaussform inspect '|x| * x' --moment 3 --format latex
  gaussform inspect 'leaky(x; eps in (0, 1)) = max(x, eps * x)' --wrt eps
  gaussform inspect --file activations.gf hat";

const EVAL: &str = "\
Examples:
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform eval 'leaky(x; eps in (0, 1)) = max(x, eps * x)' --param eps=0.1 --gamma -1 --xi2 0.25
  gaussform eval relu --csv points.csv --out moments.csv
  printf 'gamma,xi2\\n0.5,2\\n' | gaussform eval relu --csv -";

const EMIT: &str = "\
Examples:
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name hard_swish
  gaussform emit --file activations.gf --out src/activations.rs";

const VERIFY: &str = "\
Exits with 1 if a check fails.

Examples:
  gaussform verify 'max(0, x)^2'
  gaussform verify relu --moment 6
  gaussform verify relu --monte-carlo 1000000 --gamma 0.5 --xi2 2";

/// Exact Gaussian expectations of piecewise-polynomial activations.
///
/// For u ~ N(γ, ξ²) and an activation g, the closed forms of E[g(u)], E[g(u)²] and
/// Var g(u): derived exactly, checked, evaluated and written out as code.
#[derive(Debug, Parser)]
#[command(name = "gaussform", version, arg_required_else_help = true, after_help = OVERVIEW)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// Reads the command line, where EXPR may begin with a minus sign.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let error = match Self::try_parse() {
            Err(error) if error.kind() == ErrorKind::UnknownArgument => error,
            result => return result,
        };
        // Only one hyphen can be a minus sign; two are an option that was mistyped.
        match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(text)) if !text.starts_with("--") => {}
            _ => return Err(error),
        }
        let lenient = Self::command().mut_subcommands(|command| {
            command.mut_args(|arg| {
                let positional = arg.is_positional();
                arg.allow_hyphen_values(positional)
            })
        });
        let matches = lenient.try_get_matches()?;
        Self::from_arg_matches(&matches)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the formula of the mean, the second moment and the variance
    #[command(after_help = INSPECT)]
    Inspect(Inspect),
    /// Compute moments and their derivatives at a point, or at every row of a CSV file
    #[command(after_help = EVAL)]
    Eval(Eval),
    /// Print code for another project
    #[command(after_help = EMIT)]
    Emit(Emit),
    /// Check a derivation and its certificate again, exactly
    #[command(after_help = VERIFY)]
    Verify(Verify),
    /// List the activations that are known by name
    List,
}

/// Which activation a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct Subject {
    /// An expression in x, a declaration, or a name that `gaussform list` shows (`-`: standard
    /// input)
    #[arg(value_name = "EXPR", required_unless_present = "file")]
    pub(crate) expression: Option<String>,

    /// Read declarations from FILE (`-`: standard input); EXPR may name or use them, and without
    /// EXPR all of them are meant
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

impl Subject {
    /// Whether standard input is taken.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.expression.as_deref() == Some("-") || self.file.as_deref() == Some(Path::new("-"))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Show just E[g(u)ᴺ]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) moment: Option<u32>,

    /// Show the derivation, rule by rule
    #[arg(long)]
    pub(crate) steps: bool,

    /// Differentiate in `gamma`, `xi2` or a parameter; repeat it to differentiate again
    #[arg(long, value_name = "SYMBOL")]
    pub(crate) wrt: Vec<String>,

    /// How to write the formulas
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Unicode for a terminal
    Text,
    /// LaTeX; needs the package amsmath
    Latex,
}

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

#[derive(Debug, clap::Args)]
pub(crate) struct Emit {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// The language to write
    #[arg(long, value_enum)]
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

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// Check E[g(u)], …, E[g(u)ᴺ]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(1..=64)
    )]
    pub(crate) moment: u32,

    /// Estimate the moments from random numbers too
    #[arg(
        long,
        value_name = "SAMPLES",
        requires = "gamma",
        requires = "xi2",
        value_parser = clap::value_parser!(u64).range(2..=10_000_000_000)
    )]
    pub(crate) monte_carlo: Option<u64>,

    /// γ, where to estimate
    #[arg(long, value_name = "NUMBER", requires = "monte_carlo", allow_hyphen_values = true)]
    pub(crate) gamma: Option<String>,

    /// ξ², where to estimate
    #[arg(long, value_name = "NUMBER", requires = "monte_carlo", allow_hyphen_values = true)]
    pub(crate) xi2: Option<String>,

    /// The value of a parameter, where to estimate; repeat it for each
    #[arg(long = "param", value_name = "NAME=NUMBER", requires = "monte_carlo")]
    pub(crate) parameters: Vec<String>,

    /// Where the random numbers start
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}
