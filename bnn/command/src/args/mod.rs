//! The command line. `train`, each group of its options, and the commands that take a model have a file.
//!
//! An item's first paragraph is its line in the help that `-h` prints. `--help` prints the others too.

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
    max_term_width = 100,
    after_help = AFTER
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

/// Clap breaks a line only where it exceeds the width, so that lines of examples have at most 80 columns.
const AFTER: &str = "\
Examples:
  gaussform-bnn train --csv houses.csv --target price --out model.safetensors
  gaussform-bnn predict --model model.safetensors --csv new.csv
  gaussform-bnn evaluate --model model.safetensors --csv held_out.csv

Exit codes:
  0    done
  2    wrong input, or a file cannot be read or written
  101  a bug in gaussform-bnn
  130  interrupted; `train` has written the model so far";

// The help of a command is the comment of its variant.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Train a model on a table
    ///
    /// The table has numbers and words, below a header. Every column but the target is an input, as what most of its
    /// cells are: numbers (`-1234.5`, `1,234.50`, `1.234,50`, `12%`, `$5`), dates and times, yes and no, or words.
    /// Cells may be missing. Columns that say nothing, since all rows are alike or all have words of their own, are
    /// left out. A table on standard output says how each column was read.
    ///
    /// A target of numbers is predicted as a number, one of words or of few whole numbers as a class.
    Train(Box<Train>),
    /// Predict the rows of a table
    ///
    /// For each row the mean, the standard deviation with what the weights and the noise contribute, and quantiles; or
    /// the class, and the probability of each.
    Predict(Predict),
    /// Compare predictions with the truth in a table
    ///
    /// How likely the truth is under the predictions, how far off they are, and whether what is promised happens as
    /// often as promised.
    Evaluate(Evaluate),
    /// Learn from held-out rows how wide predictions must be
    ///
    /// Held-out rows, which the model was not trained on, say by which factor its standard deviations are too small,
    /// or which temperature its probabilities need. The new model predicts with them, and `predict --interval`
    /// promises intervals and sets by split-conformal prediction.
    Calibrate(Calibrate),
    /// Write a model as a graph of standard operators
    ///
    /// Runtimes in any language predict with the graph, without samples and without this program. Its input is a row of
    /// numbers for each row of a table: the inputs in the order of the columns, a word as a 1 among zeros, and a
    /// column with a heavy tail as a note says.
    Export(Export),
    /// Print a script that completes commands and options in a shell
    ///
    /// For bash: `gaussform-bnn completions bash > ~/.local/share/bash-completion/completions/gaussform-bnn`
    Completions(Completions),
    /// Print a manual page, in the format of man
    ///
    /// To read it: `gaussform-bnn man train | man -l -`
    Man(Man),
}

#[derive(Debug, Options)]
pub(crate) struct Completions {
    /// The shell that is to complete
    #[arg(value_enum, ignore_case = true)]
    pub(crate) shell: Shell,
}

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
