//! The options of `uci`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gaussform_bnn::method::Method;
use serde::{Deserialize, Serialize};

#[derive(clap::Args)]
pub(crate) struct Uci {
    /// The folder that holds uci/SET/data.txt.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The method of training.
    #[arg(long, value_parser = by_name())]
    pub(crate) method: Method,
    /// The sets; all nine, if not given.
    #[arg(long = "set", value_name = "SET")]
    pub(crate) sets: Vec<String>,
    /// Number of splits, from the first; at most as many as the data lists, unless --validation-seed draws them.
    #[arg(long, default_value = "20")]
    pub(crate) splits: NonZeroUsize,
    /// Tests on splits that this seed draws, in the place of those that the data lists: to choose settings by.
    /// A drawn split partitions all rows, test rows of the listed splits among them. Results of drawn splits have a
    /// table of their own.
    #[arg(long, value_name = "SEED")]
    pub(crate) validation_seed: Option<u64>,
    /// The settings: those of the papers, or ours.
    #[arg(long, default_value = "paper")]
    pub(crate) settings: Settings,
    /// The posterior of the weights; pbp and vrelunet have their own [default: mean-field for paper].
    #[arg(long)]
    pub(crate) posterior: Option<Posterior>,
    /// Epochs, or passes of pbp and sweeps of vrelunet [default: for paper 100, or more that make 10000 steps; 3000
    /// for ours, 40 for pbp, 150 for vrelunet].
    #[arg(long)]
    pub(crate) epochs: Option<NonZeroUsize>,
    /// Hidden units [default: 50, and 100 for protein].
    #[arg(long)]
    pub(crate) hidden: Option<NonZeroUsize>,
    /// Rows of a batch [default: 16 to 256 by set for paper].
    #[arg(long)]
    pub(crate) batch: Option<NonZeroUsize>,
    /// The step size of Adam at the start [default: 0.01 for paper].
    #[arg(long)]
    pub(crate) learning_rate: Option<f64>,
    /// The standard deviation that weights begin with [default: 0.011 for paper, 0.1 for ours].
    #[arg(long)]
    pub(crate) initial_sd: Option<f64>,
    /// The share of training over which the weight of the KL term rises from 0 to 1 [default: 0.6].
    #[arg(long)]
    pub(crate) warm_up: Option<f64>,
    /// The seed of first weights, batches and samples; split K has seed + K.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Reads the name of a method.
fn by_name() -> impl TypedValueParser<Value = Method> {
    let value = |method: Method| PossibleValue::new(method.name()).help(method.description());
    PossibleValuesParser::new(Method::ALL.map(value))
        .map(|name| Method::named(&name).expect("one of the names"))
}

/// The source of a run's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Settings {
    /// The settings that Haußmann et al. state: Adam at 0.01, batches of 16 to 256.
    Paper,
    /// The defaults of `gaussform_bnn::TrainConfig`.
    Ours,
}

/// The posterior of every weight.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Posterior {
    /// Independent weights.
    #[default]
    MeanField,
    /// A full covariance of the weights into each unit (Jankowiak, Eq. 3 and 8).
    Full,
}
