//! The options of `train`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args as Options, ValueEnum};
use gaussform_bnn::Prior;
use gaussform_bnn::method::Method;

use super::classes::Classes;
use super::columns::{Columns, Tails};
use super::pretrained::Pretrained;
use super::targets::TargetOptions;
use super::{positive, prior, share};

#[derive(Debug, Options)]
pub(crate) struct Train {
    /// The table: CSV, also compressed by gzip, Parquet or Arrow; - is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: PathBuf,

    /// The column to predict; several columns of numbers are separated by commas
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: String,

    /// Where to write the model, as safetensors
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,

    /// The sizes of the hidden layers
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "50")]
    pub(crate) hidden: Vec<NonZeroUsize>,

    /// The activation: one of the library without parameters, or prelu, whose slope is learned
    #[arg(long, value_name = "NAME", default_value = "relu")]
    pub(crate) activation: String,

    /// How to train
    ///
    /// cf is exact with one hidden layer; nnvi and dvi match moments; vbp linearises; varout and bbb sample, in
    /// training and in predictions; pbp filters row by row; vrelunet ascends by coordinates.
    #[arg(long, value_name = "METHOD", value_parser = by_name(), default_value_t = Method::Nnvi)]
    pub(crate) method: Method,

    /// How the units of a layer vary: each by itself, or with all covariances, which take longer
    ///
    /// They vary so in training and in predictions. With one hidden layer and known inputs both are the same. dvi with
    /// full is DVI-full.
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Covariances::Independent)]
    pub(crate) covariances: Covariances,

    /// How often training goes through the rows
    ///
    /// If not given, 1000 times for numbers, and for classes as often as makes 1000 steps, at least 100 times; fewer
    /// where that is more than 10 000 steps. 40 for pbp and 150 for vrelunet.
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<NonZeroUsize>,

    /// How many rows make a batch; 1024, if not given
    #[arg(long, value_name = "N")]
    pub(crate) batch: Option<NonZeroUsize>,

    /// Adam's step size at the start
    ///
    /// If not given, 0.03, and 0.01 where the noise depends on the input.
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) learning_rate: Option<f64>,

    /// The standard deviation that every weight begins with; 0.1, if not given
    ///
    /// Smaller ones help where an input is far from all others and training diverges at once.
    #[arg(long, value_name = "SD", allow_negative_numbers = true, value_parser = positive, conflicts_with = "from")]
    pub(crate) initial_sd: Option<f64>,

    /// The prior of the weights: a precision, `relevance` or `relevance=SHAPE,SCALE`
    ///
    /// A number is the precision of a Normal prior on every weight. By relevance the weights from each input of a layer
    /// have a variance of their own that is learned, under an inverse Gamma prior of SHAPE and SCALE, 1 and 0.1 if not
    /// given. If no prior is given, it is relevance for nnvi; for the others 10 for numbers and 1 for classes, or what
    /// their papers have.
    #[arg(long, value_name = "PRIOR", allow_negative_numbers = true, value_parser = prior)]
    pub(crate) prior: Option<Prior>,

    /// How often the likelihood counts beside the prior
    ///
    /// With 1 the objective is the bound (Roth and Pernkopf, 3.3). If not given, 1.25 for numbers and 2 for classes
    /// under the prior that nnvi has by default, and else 1.
    ///
    /// If neither this nor --epochs nor --validation is given, rows that are held out in a trial before may choose 1 and
    /// half of the epochs: where many inputs say little, the network would learn the noise.
    #[arg(long, value_name = "TIMES", allow_negative_numbers = true, value_parser = positive)]
    pub(crate) likelihood_weight: Option<f64>,

    /// The share of the rows that decides when to stop; all epochs are done, if not given
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    pub(crate) validation: Option<f64>,

    /// How many models are trained and asked together
    ///
    /// Their seeds follow each other, and their predictions are mixed.
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) members: NonZeroUsize,

    /// The seed of first weights, batches and samples
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,

    /// Show neither progress nor how the columns were read
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) targets: TargetOptions,

    #[command(flatten)]
    pub(crate) classes: Classes,

    #[command(flatten)]
    pub(crate) columns: Columns,

    #[command(flatten)]
    pub(crate) pretrained: Pretrained,

    #[command(flatten)]
    pub(crate) interruption: Interruption,
}

impl Train {
    /// How columns are read. Columns for the network of `--from` have no tails transformed, unless that is asked for.
    pub(crate) fn columns(&self) -> Columns {
        let tails = self.pretrained.from.as_ref().map(|_| Tails::None);
        Columns { tails: self.columns.tails.or(tails), ..self.columns.clone() }
    }
}

/// Reads the name of a method. `dvi-full` is `dvi` with `--covariances full`.
fn by_name() -> impl TypedValueParser<Value = Method> {
    let listed = Method::ALL.into_iter().filter(|method| *method != Method::DviFull);
    PossibleValuesParser::new(listed.map(Method::name))
        .map(|name| Method::named(&name).expect("one of the names"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Covariances {
    Independent,
    Full,
}

/// Where checkpoints go. An interrupt (Ctrl-C) or an end from outside (SIGTERM) writes one too, and the model so far.
#[derive(Debug, Options)]
#[command(next_help_heading = "Interruption")]
pub(crate) struct Interruption {
    /// The folder of checkpoints; MODEL.checkpoint, if not given
    ///
    /// They are written each minute and removed at the end.
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on with the run whose checkpoints are there, with the options that it began with
    ///
    /// It ends with the bits that it has without the interruption.
    #[arg(long)]
    pub(crate) resume: bool,
}
