//! The command line: one subcommand for each experiment of the papers, with its options.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};

/// The papers' experiments, repeated.
#[derive(Parser)]
#[command(version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Regression on the UCI sets (Haußmann et al., Table 1).
    ///
    /// Each set gets a folder OUT/SET with result.json, and for split K predictions-K.csv
    /// (row,y,mean,variance in the units of the data) and model-K.safetensors. The same command goes on
    /// after the last of ten checkpoints of a split, if it was interrupted.
    Uci(Uci),
    /// Classification of images (Haußmann et al., Table 2; Roth and Pernkopf, Table 1).
    ///
    /// Writes OUT/result.json, and for run K predictions-K.csv (row,y and a probability for each class)
    /// and model-K.safetensors. The same command goes on after the last of ten checkpoints of a run,
    /// if it was interrupted.
    Images(crate::images::args::Images),
    /// One pass over images with one hidden layer of 500 units (Haußmann et al., Table 3).
    ///
    /// Runs as `images --network wide --epochs 1 --schedule constant` does.
    Online(crate::images::args::Online),
    /// Calibration of networks that `images` trained, and their doubt about turned and foreign images.
    ///
    /// Writes OUT/result.json, and for model K reliability-K.csv (promised,observed,rows) and
    /// reliability-K.svg. The same command goes on after the last model that is whole, if it was interrupted.
    Calibration(crate::calibration::Calibration),
    /// The deterministic prediction against Monte Carlo (Jankowiak, Fig. 1; Roth and Pernkopf, Fig. 2b).
    ///
    /// Writes OUT/result.json, accuracy.svg, predictions-0.csv (row,y and a probability for each class, by
    /// moments), features.safetensors and model-0.safetensors. The same command goes on after the last of ten
    /// checkpoints of a training, if it was interrupted.
    FastPrediction(crate::fast_prediction::FastPrediction),
    /// The band of uncertainty around a sine (Roth and Pernkopf, Fig. 2a).
    ///
    /// Writes OUT/result.json, data.csv (x,y), predictions-0.csv
    /// (x,truth,mean,variance,variance_of_weights), sine.svg and model-0.safetensors.
    Sine(Sine),
    /// Variances of gradients, one layer sampled or all (Jankowiak, Table 1).
    ///
    /// Writes OUT/result.json. The same command goes on after the last of ten checkpoints of a training, if it was
    /// interrupted.
    GradientVariance(GradientVariance),
    /// Autoencoders with a plain and with a Bayesian decoder (Jankowiak, Table 2).
    ///
    /// Writes OUT/result.json, and for run K predictions-K.csv (row,v1,v2,v3: the log likelihood of a test row
    /// by each variant), encoder-V-K.safetensors and decoder-V-K.safetensors. The same command goes on after the
    /// last run that is whole, if it was interrupted.
    Vae(crate::vae::Options),
    /// Prints the tables of folders that other subcommands wrote, as Markdown.
    Table(Table),
}

#[derive(clap::Args)]
pub(crate) struct Uci {
    /// The folder that holds uci/SET/data.txt.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The method of training.
    #[arg(long)]
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

#[derive(clap::Args)]
pub(crate) struct Sine {
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// Number of points; their inputs are uniform in [0, 1].
    #[arg(long, default_value = "20")]
    pub(crate) points: NonZeroUsize,
    /// The standard deviation of the noise of the points.
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub(crate) noise: f64,
    /// Hidden units.
    #[arg(long, default_value = "50")]
    pub(crate) hidden: NonZeroUsize,
    /// The precision of the Normal prior of every weight.
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub(crate) prior_precision: f64,
    /// λ, the factor of the likelihood (Roth and Pernkopf, 3.3).
    #[arg(long, value_name = "λ", default_value_t = 10.0, allow_negative_numbers = true)]
    pub(crate) likelihood_weight: f64,
    /// Calls of L-BFGS, each of up to 20 iterations.
    #[arg(long, default_value = "100")]
    pub(crate) epochs: NonZeroUsize,
    /// The seed of the points and of the first weights.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct GradientVariance {
    /// The folder that holds uci/SET/data.txt.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The set; all of its rows train.
    #[arg(long, default_value = "protein")]
    pub(crate) set: String,
    /// Units of each of the two hidden layers.
    #[arg(long, default_value = "200")]
    pub(crate) hidden: NonZeroUsize,
    /// Rows of a batch, in training and for the gradients that are measured.
    #[arg(long, default_value = "500")]
    pub(crate) batch: NonZeroUsize,
    /// Number of gradients for each variance, at least 2.
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) samples: u32,
    /// Epochs of training before the second half of the table.
    #[arg(long, default_value = "50")]
    pub(crate) epochs: NonZeroUsize,
    /// The seed of first weights, batches and samples.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(clap::Args)]
pub(crate) struct Table {
    /// Folders with results, or archives of such folders by tar and gzip; every result.json in them or below is read.
    #[arg(required = true)]
    pub(crate) out: Vec<PathBuf>,
    /// The file in which to replace the tables, instead of printing them: for each experiment with results the block
    /// between the marks `<!-- experiments: NAME -->` and `<!-- experiments: end -->`. NAME is that of the
    /// subcommand, or uci-settings for runs by changed settings.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

/// The methods of `gaussform_bnn::method`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    /// The exact bound of Jankowiak.
    Cf,
    /// The closed-form objective of Roth and Pernkopf.
    Nnvi,
    /// Variance backpropagation (Haußmann et al.).
    Vbp,
    /// Deterministic variational inference with noise by input (Wu et al.).
    Dvi,
    /// Local reparameterisation (Kingma et al.).
    Varout,
    /// Bayes by backprop (Blundell et al.).
    Bbb,
    /// Probabilistic backpropagation (Hernández-Lobato and Adams).
    Pbp,
    /// V-ReLU-Net (Kandemir et al.).
    Vrelunet,
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
