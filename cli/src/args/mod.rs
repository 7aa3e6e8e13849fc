//! The command line.

mod emit;
mod eval;
mod inspect;
mod list;
mod plot;
mod verify;

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub(crate) use emit::{Emit, Target};
pub(crate) use eval::{Eval, Precision};
pub(crate) use inspect::{Colour, Format, Inspect};
pub(crate) use list::{Form, List};
pub(crate) use plot::{Figure, Plot};
pub(crate) use verify::Verify;

const OVERVIEW: &str = "\
The language:
  x, numbers, + - * / ^, |…|, abs, max, min, clamp, relu, sign, step,
  piecewise { x < -1: 0; x < 1: x; else: 1 },
  every activation that `gaussform list` shows: relu6(x + 3) * x / 6,
  and declarations with parameters: leaky(x; eps in (0, 1)) = max(x, eps * x),
  which may be related: clip(x; a < b) = clamp(x, a, b)

Examples:
  gaussform inspect 'max(0, x)'
  gaussform inspect relu --steps
  gaussform eval 'clamp(x, -1, 1)' --gamma 0.5 --xi2 2
  gaussform plot relu --out relu.svg
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name HardSwish
  gaussform verify 'max(0, x)^2'
  gaussform list";

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
    #[command(after_help = inspect::HELP)]
    Inspect(Inspect),
    /// Compute moments and their derivatives at a point, or at every row of a CSV file
    #[command(after_help = eval::HELP)]
    Eval(Eval),
    /// Draw the function, its moments and their errors
    #[command(after_help = plot::HELP)]
    Plot(Plot),
    /// Print code for another project
    #[command(after_help = emit::HELP)]
    Emit(Emit),
    /// Check a derivation and its certificate again, exactly
    #[command(after_help = verify::HELP)]
    Verify(Verify),
    /// List the activations that are known by name
    List(List),
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
