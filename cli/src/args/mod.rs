//! The command line.

mod documents;
mod emit;
mod eval;
mod help;
mod inspect;
mod kernel;
mod plot;
mod verify;

use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use documents::{Completions, Form, List, Man};
pub(crate) use emit::{Emit, Target};
pub(crate) use eval::{Eval, Order, Precision};
pub(crate) use inspect::{Format, Inspect};
pub(crate) use kernel::{Kernel, KernelKind};
pub(crate) use plot::{Figure, Plot};
pub(crate) use verify::Verify;

/// Exact Gaussian expectations of piecewise-polynomial activations.
///
/// For u ~ N(γ, ξ²) and an activation g, the closed forms of E[g(u)], E[g(u)²] and
/// Var g(u): derived exactly, checked, evaluated and written out as code.
#[derive(Debug, Parser)]
#[command(
    name = "gaussform",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = help::short(help::OVERVIEW),
    after_long_help = help::long_with_checks(help::OVERVIEW)
)]
pub(crate) struct Args {
    /// Colour the output: on a terminal, always or never
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        ignore_case = true,
        global = true,
        default_value_t,
        hide_possible_values = true,
        display_order = 900
    )]
    pub(crate) color: ColorChoice,

    /// Show no progress of long work; `verify` prints only what fails, and estimates
    #[arg(short, long, global = true, display_order = 901)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Args {
    /// The value of `--color`, before the rest of the command line is read: errors in the rest are coloured too.
    pub(crate) fn color() -> ColorChoice {
        // Behind `--` there are no options.
        let texts = std::env::args_os().skip(1).take_while(|text| text != "--");
        let texts: Vec<String> = texts.map(|text| text.to_string_lossy().into_owned()).collect();
        let mut values = texts.iter().enumerate().filter_map(|(i, text)| match text.as_str() {
            "--color" => texts.get(i + 1).map(String::as_str),
            _ => text.strip_prefix("--color="),
        });
        values.find_map(|value| ColorChoice::from_str(value, true).ok()).unwrap_or_default()
    }

    /// The commands and their options.
    pub(crate) fn described() -> clap::Command {
        Self::command()
    }

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
        let lenient = Self::described().mut_subcommands(|command| {
            // An option keeps what it says of negative numbers.
            command.mut_args(|arg| match arg.is_positional() {
                true => arg.allow_hyphen_values(true),
                false => arg,
            })
        });
        let matches = lenient.try_get_matches().map_err(quotes)?;
        Self::from_arg_matches(&matches)
    }
}

/// Words behind the expression are most likely a part of it.
fn quotes(mut error: clap::Error) -> clap::Error {
    let word = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) => !text.starts_with('-') || text == "-",
        _ => false,
    };
    if word && error.kind() == ErrorKind::UnknownArgument {
        let tip = "an expression is one argument: put it into quotes, as in 'x + 1'".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the formula of the mean, the second moment and the variance
    #[command(after_help = help::short(inspect::HELP), after_long_help = help::long(inspect::HELP))]
    Inspect(Inspect),
    /// Compute moments and their derivatives at a point, or at every row of a CSV file
    #[command(after_help = help::short(eval::HELP), after_long_help = help::long(eval::HELP))]
    Eval(Eval),
    /// Compute the kernel of an infinitely wide network at the rows of a CSV file
    #[command(after_help = help::short(kernel::HELP), after_long_help = help::long(kernel::HELP))]
    Kernel(Kernel),
    /// Draw the function, its moments and their errors
    #[command(after_help = help::short(plot::HELP), after_long_help = help::long(plot::HELP))]
    Plot(Plot),
    /// Print code for another project
    #[command(after_help = help::short(emit::HELP), after_long_help = help::long(emit::HELP))]
    Emit(Emit),
    /// Check a derivation and its certificate again, exactly
    #[command(after_help = help::short(verify::HELP), after_long_help = help::long_with_checks(verify::HELP))]
    Verify(Verify),
    /// List the activations that are known by name
    #[command(after_help = help::short(documents::LIST), after_long_help = help::long(documents::LIST))]
    List(List),
    /// Print a script that completes the command line in a shell
    #[command(after_help = help::short(documents::COMPLETIONS), after_long_help = help::long(documents::COMPLETIONS))]
    Completions(Completions),
    /// Print the manual page, in roff
    #[command(after_help = help::short(documents::MAN), after_long_help = help::long(documents::MAN))]
    Man(Man),
}

/// Which activation a command is about.
#[derive(Debug, clap::Args)]
pub(crate) struct Subject {
    /// An expression in x, a declaration, or a name that `gaussform list` shows (`-`: standard
    /// input)
    #[arg(value_name = "EXPR", required_unless_present = "file")]
    pub(crate) expression: Option<String>,

    /// Read declarations from FILE (`-`: standard input); EXPR may name or use them, and without
    /// EXPR all of them are meant, or the only one where one is wanted
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

impl Subject {
    /// Whether standard input is taken.
    pub(crate) fn reads_stdin(&self) -> bool {
        self.expression.as_deref() == Some("-") || self.file.as_deref() == Some(Path::new("-"))
    }
}
