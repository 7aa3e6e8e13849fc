//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args as Options, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Bayesian neural networks for tables: predictions with honest uncertainty, trained without
/// sampling.
#[derive(Debug, Parser)]
#[command(
    name = "gaussform-bnn",
    version,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 2 the input is wrong or a file cannot be read or written."
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
    pub(crate) color: Color,

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
    /// Print a script that completes commands and options in a shell
    Completions(Completions),
    /// Print a manual page, in the format of man
    Man(Man),
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that can, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Into files and pipes too
    Always,
    /// Nowhere
    Never,
}

impl Args {
    /// What `--color` says, before the rest is read: a complaint about the rest is coloured too.
    pub(crate) fn color() -> Color {
        let texts = std::env::args_os().skip(1).take_while(|text| text != "--");
        let texts: Vec<String> = texts.map(|text| text.to_string_lossy().into_owned()).collect();
        let mut values = texts.iter().enumerate().filter_map(|(i, text)| match text.as_str() {
            "--color" => texts.get(i + 1).map(String::as_str),
            _ => text.strip_prefix("--color="),
        });
        values.find_map(|value| Color::from_str(value, true).ok()).unwrap_or_default()
    }
}

/// A table of numbers and words, with a header.
///
/// Every column but the target is an input. A column of which at least half the cells are no numbers is
/// one of words, with an input for each. A target of numbers is predicted as a number, one of words as
/// a class.
#[derive(Debug, Options)]
pub(crate) struct Train {
    /// The table, as CSV with a header
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// The column to predict
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: String,

    /// Where to write the model, as safetensors
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    /// The sizes of the hidden layers
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "50")]
    pub(crate) hidden: Vec<NonZeroUsize>,

    /// The activation, one of the library without parameters, or prelu, whose slope is learned
    #[arg(long, value_name = "NAME", default_value = "relu")]
    pub(crate) activation: String,

    /// How to train: cf is exact with one hidden layer; nnvi and dvi match moments, vbp linearises,
    /// varout and bbb sample, pbp filters row by row, vrelunet ascends by coordinates
    #[arg(long, value_name = "METHOD", value_enum, default_value_t = Method::Nnvi)]
    pub(crate) method: Method,

    /// How often training goes through the rows; 40 for pbp and 150 for vrelunet, if not given
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<NonZeroUsize>,

    /// How many rows make a batch; 1024, if not given
    #[arg(long, value_name = "N")]
    pub(crate) batch: Option<NonZeroUsize>,

    /// Adam's step size at the start; 0.03, if not given, and 0.01 for dvi
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) learning_rate: Option<f64>,

    /// The standard deviation that every weight begins with; 0.1, if not given. Smaller ones help where an input is far
    /// from all others and training diverges at once
    #[arg(long, value_name = "SD", allow_negative_numbers = true, value_parser = positive, conflicts_with = "from")]
    pub(crate) initial_sd: Option<f64>,

    /// The precision of the Normal prior on every weight; 10 for numbers and 1 for classes, if not
    /// given
    #[arg(long, value_name = "PRECISION", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) prior: Option<f64>,

    /// The share of the rows that decides when to stop; all epochs are done, if not given
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) validation: Option<f64>,

    /// A column of words, though they are written as numbers; may be given several times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) words: Vec<String>,

    /// A column that is no input; may be given several times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) ignore: Vec<String>,

    /// The seed of first weights, batches and samples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Show no progress
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) pretrained: Pretrained,
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    let fits = value > 0.0 && value.is_finite();
    fits.then_some(value).ok_or_else(|| "it must be a finite number above 0".to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    let fits = value > 0.0 && value < 1.0;
    fits.then_some(value).ok_or_else(|| "it must lie between 0 and 1, both excluded".to_owned())
}

/// A network without uncertainty to begin with.
#[derive(Debug, Options)]
#[command(next_help_heading = "A network that was trained already")]
pub(crate) struct Pretrained {
    /// Its weights, as safetensors: linear layers with the activation between each two. They become
    /// the means of the weights, and say how many hidden units there are
    #[arg(long, value_name = "WEIGHTS", conflicts_with = "hidden")]
    pub(crate) from: Option<PathBuf>,

    /// Its layers in their order: NAME for tensors NAME.weight and NAME.bias. Those of the file in
    /// the order of their names, if not given
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "from")]
    pub(crate) layers: Vec<String>,

    /// How a weight lies: outputs-first as in PyTorch, inputs-first as in Keras, JAX and Burn
    #[arg(long, value_name = "LAYOUT", value_enum, requires = "from", default_value_t)]
    pub(crate) layout: WeightLayout,

    /// It was trained on numbers of mean 0 and standard deviation 1, inputs and target, not on those of
    /// the table
    #[arg(long, requires = "from")]
    pub(crate) standardized: bool,

    /// The standard deviation of a weight by its mean, at the start
    #[arg(
        long,
        value_name = "SHARE",
        requires = "from",
        default_value_t = 0.1,
        allow_negative_numbers = true
    )]
    pub(crate) spread: f64,

    /// How many layers learn, counted from the last; the others keep their weights. All learn, if not
    /// given
    #[arg(long, value_name = "N", requires = "from")]
    pub(crate) learn_last: Option<NonZeroUsize>,
}

/// How the weight of a linear layer lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WeightLayout {
    #[default]
    OutputsFirst,
    InputsFirst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    Cf,
    Nnvi,
    Vbp,
    Dvi,
    Varout,
    Bbb,
    Pbp,
    Vrelunet,
}

/// For each row the mean, the standard deviation with what the weights and the noise contribute, and
/// quantiles; or the class, and the probability of each.
#[derive(Debug, Options)]
pub(crate) struct Predict {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table; columns are found by name
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Which quantiles, for a target of numbers
    #[arg(long, value_name = "P,…", value_delimiter = ',', default_value = "0.05,0.95")]
    pub(crate) quantiles: Vec<f64>,

    /// Add what holds the truth with at least this probability, for a model that was calibrated:
    /// `lower` and `upper`, or a `set` of classes
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) interval: Option<f64>,

    /// Where to write the predictions, as CSV; to standard output, if not given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// How likely the truth is under the predictions, how far off they are, and whether what is promised
/// happens as often as promised.
#[derive(Debug, Options)]
pub(crate) struct Evaluate {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table, with the target
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Where to draw the calibration, as SVG
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) svg: Option<PathBuf>,
}

/// Held-out rows, which the model was not trained on, say by which factor its standard deviations are
/// too small, or which temperature its probabilities need. The new model predicts with them, and
/// `predict --interval` promises intervals and sets by split-conformal prediction.
#[derive(Debug, Options)]
pub(crate) struct Calibrate {
    /// The model that `train` wrote
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: PathBuf,

    /// The table of held-out rows, with the target
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// Where to write the calibrated model
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
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
