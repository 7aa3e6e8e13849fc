//! The command line: one subcommand for each experiment of the papers, with its options.

use clap::{Parser, Subcommand};

use crate::{calibration, fast_prediction, gradient_variance, images, sine, table, uci, vae};

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
    Uci(uci::args::Uci),
    /// Classification of images (Haußmann et al., Table 2; Roth and Pernkopf, Table 1).
    ///
    /// Writes OUT/result.json, and for run K predictions-K.csv (row,y and a probability for each class)
    /// and model-K.safetensors. The same command goes on after the last of ten checkpoints of a run,
    /// if it was interrupted.
    Images(images::args::Images),
    /// One pass over images with one hidden layer of 500 units (Haußmann et al., Table 3).
    ///
    /// Runs as `images --network wide --epochs 1 --schedule constant` does.
    Online(images::args::Online),
    /// Calibration of networks that `images` trained, and their doubt about turned and foreign images.
    ///
    /// Writes OUT/result.json, and for model K reliability-K.csv (promised,observed,rows) and
    /// reliability-K.svg. The same command goes on after the last model that is whole, if it was interrupted.
    Calibration(calibration::Calibration),
    /// The deterministic prediction against Monte Carlo (Jankowiak, Fig. 1; Roth and Pernkopf, Fig. 2b).
    ///
    /// Writes OUT/result.json, accuracy.svg, predictions-0.csv (row,y and a probability for each class, by
    /// moments), features.safetensors and model-0.safetensors. The same command goes on after the last of ten
    /// checkpoints of a training, if it was interrupted.
    FastPrediction(fast_prediction::FastPrediction),
    /// The band of uncertainty around a sine (Roth and Pernkopf, Fig. 2a).
    ///
    /// Writes OUT/result.json, data.csv (x,y), predictions-0.csv
    /// (x,truth,mean,variance,variance_of_weights), sine.svg and model-0.safetensors.
    Sine(sine::Sine),
    /// Variances of gradients, one layer sampled or all (Jankowiak, Table 1).
    ///
    /// Writes OUT/result.json. The same command goes on after the last of ten checkpoints of a training, if it was
    /// interrupted.
    GradientVariance(gradient_variance::GradientVariance),
    /// Autoencoders with a plain and with a Bayesian decoder (Jankowiak, Table 2).
    ///
    /// Writes OUT/result.json, and for run K predictions-K.csv (row,v1,v2,v3: the log likelihood of a test row
    /// by each variant), encoder-V-K.safetensors and decoder-V-K.safetensors. The same command goes on after the
    /// last run that is whole, if it was interrupted.
    Vae(vae::Options),
    /// Prints the tables of folders that other subcommands wrote, as Markdown.
    Table(table::Options),
}
