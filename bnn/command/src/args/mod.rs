//! The command line. `train`, each group of its options, and the commands that take a model have a file.

mod classes;
mod columns;
mod models;
mod pretrained;
mod targets;
mod train;

use std::num::NonZeroUsize;

use clap::{Args as Options, ColorChoice, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use gaussform_bnn::Prior;

pub(crate) use classes::ClassForm;
pub(crate) use columns::{Columns, DecimalSign, FillBy, Flags, Tails, UnknownWords};
pub(crate) use models::{Calibrate, Evaluate, Export, Predict, Sampling};
pub(crate) use pretrained::{Pretrained, WeightLayout};
pub(crate) use targets::{Likelihood, Noise, TargetOptions, TargetTransform, Trend};
pub(crate) use train::{Covariances, Train};

/// Bayesian neural networks for tables: predictions with honest uncertainty, trained without
/// sampling.
#[derive(Debug, Parser)]
#[command(
    name = "gaussform-bnn",
    version,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 2 the input is wrong or a file cannot be read or written, 130 training was interrupted."
)]
pub(crate) struct Args {
    /// Colour the help and complaints: on a terminal (auto), always or never
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

    /// How many threads work; as many as there are processors, if not given. Results do not depend on it
    #[arg(long, value_name = "N", global = true, display_order = 901)]
    pub(crate) threads: Option<NonZeroUsize>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a model on a table
    Train(Box<Train>),
    /// Predict the rows of a table
    Predict(Predict),
    /// Compare predictions with the truth in a table
    Evaluate(Evaluate),
    /// Learn from held-out rows how wide predictions must be
    Calibrate(Calibrate),
    /// Write a model as a graph of standard operators
    Export(Export),
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print a manual page, in the format of man
    Man(Man),
}

/// For bash: `gaussform-bnn completions bash >
/// ~/.local/share/bash-completion/completions/gaussform-bnn`.
#[derive(Debug, Options)]
pub(crate) struct Completions {
    /// The shell that is to complete
    #[arg(value_enum, ignore_case = true)]
    pub(crate) shell: Shell,
}

/// To read it: `gaussform-bnn man train | man -l -`.
#[derive(Debug, Options)]
pub(crate) struct Man {
    /// The command that the page is about; without it, gaussform-bnn as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) page: Option<String>,
}

impl Args {
    /// The value of `--color`, read before all other options, so that a complaint about these has its colour too.
    pub(crate) fn color() -> ColorChoice {
        let texts = std::env::args_os().skip(1).take_while(|text| text != "--");
        let texts: Vec<String> = texts.map(|text| text.to_string_lossy().into_owned()).collect();
        let mut values = texts.iter().enumerate().filter_map(|(i, text)| match text.as_str() {
            "--color" => texts.get(i + 1).map(String::as_str),
            _ => text.strip_prefix("--color="),
        });
        values.find_map(|value| ColorChoice::from_str(value, true).ok()).unwrap_or_default()
    }
}

/// The prior of relevance if no numbers are given.
pub(crate) const RELEVANCE: Prior = Prior::Relevance { shape: 1.0, scale: 0.1 };

/// A finite number above 0, from the text of an option.
fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    let fits = value > 0.0 && value.is_finite();
    fits.then_some(value).ok_or_else(|| "it must be a finite number above 0".to_owned())
}

/// A prior: a precision, or `relevance` with or without the two numbers of its inverse Gamma.
fn prior(text: &str) -> Result<Prior, String> {
    let Some(numbers) = text.strip_prefix("relevance") else {
        return positive(text).map(|precision| Prior::Normal { precision }).map_err(|problem| {
            format!("{problem}; or give relevance, alone or as relevance=1,0.1")
        });
    };
    if numbers.is_empty() {
        return Ok(RELEVANCE);
    }
    let pair = numbers.strip_prefix('=').and_then(|pair| pair.split_once(','));
    let (shape, scale) = pair.ok_or("it is written as relevance, or as relevance=1,0.1")?;
    Ok(Prior::Relevance { shape: positive(shape)?, scale: positive(scale)? })
}

/// A number strictly between 0 and 1, from the text of an option.
fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    let fits = value > 0.0 && value < 1.0;
    fits.then_some(value).ok_or_else(|| "it must lie between 0 and 1, both excluded".to_owned())
}
