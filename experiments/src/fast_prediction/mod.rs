//! The deterministic prediction against Monte Carlo (Jankowiak, Fig. 1; Roth and Pernkopf, Fig. 2b).
//!
//! A plain convolutional network gives features, and two Bayesian layers classify them. Their classes are predicted
//! by the largest mean output, by moments, and by the mean probability of 1, 2, 4, … drawn networks.

mod features;
mod monte_carlo;
mod table;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use burn::module::Module;
use gaussform_bnn::{
    Blueprint, CategoricalForm, LikelihoodKind, Model, Pass, Scaling, Signal, Table, TrainConfig,
    TrainError, class_score, method,
};
use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::images::args::{Dataset, name};
use crate::images::{csv, first, load, tested};
use crate::picture::{Averages, averages};
use crate::record::{Build, Record, make_folder, other_run, write_whole};
use crate::tensor::numbers;
use crate::training::{self, done};
use crate::training::{progress_bar, relu};
use features::{plain, with_features};
use monte_carlo::Average;
pub(crate) use table::table;

const BATCH: usize = 128;
const LEARNING_RATE: f64 = 1e-3;
/// Number of deterministic passes whose mean time is taken.
const REPEATS: usize = 10;

#[derive(clap::Args)]
pub(crate) struct FastPrediction {
    /// The folder that holds the set, with its four idx files, plain or .gz.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The folder to write to.
    #[arg(long)]
    out: PathBuf,
    /// The set of images.
    #[arg(long, default_value = "fashion-mnist")]
    set: Dataset,
    /// Hidden units between the two Bayesian layers.
    #[arg(long, default_value = "200")]
    hidden: NonZeroUsize,
    /// Epochs of the plain network that gives the features.
    #[arg(long, default_value = "5")]
    feature_epochs: NonZeroUsize,
    /// Epochs of the Bayesian layers.
    #[arg(long, default_value = "30")]
    epochs: NonZeroUsize,
    /// Number of draws of the weights in all, at least 2.
    #[arg(long, default_value = "4096", value_parser = clap::value_parser!(u32).range(2..))]
    samples: u32,
    /// Number of training images to use, from the first [default: all].
    #[arg(long)]
    rows: Option<NonZeroUsize>,
    /// The seed of first weights, batches and samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// A run of `fast-prediction`. Seconds are those of one pass of all test images through the Bayesian layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FastRecord {
    build: Build,
    data: Dataset,
    plan: PredictionPlan,
    /// The outcome; none as long as the run is not whole.
    #[serde(flatten)]
    outcome: Option<Outcome>,
}

impl Record for FastRecord {
    const EXPERIMENT: &'static str = "fast-prediction";
}

/// Result of a run: scores of the deterministic predictions and of the Monte Carlo means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Outcome {
    /// Number of test images.
    test: usize,
    /// Fraction of errors of the plain network that gave the features.
    plain_error: f64,
    /// Classes by the largest mean output (Jankowiak, Eq. 42).
    arg_max: Deterministic,
    /// Classes by probabilities from means and variances of the outputs.
    moments: Deterministic,
    monte_carlo: Vec<Average>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct PredictionPlan {
    /// Number of training images.
    rows: usize,
    hidden: usize,
    feature_epochs: usize,
    epochs: usize,
    batch: usize,
    learning_rate: f64,
    samples: usize,
    seed: u64,
}

/// Fraction of errors, mean log likelihood of an image in nats where there are probabilities, and seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Deterministic {
    error: f64,
    log_likelihood: Option<f64>,
    seconds: f64,
}

pub(crate) fn run(options: &FastPrediction) -> Result<(), Failure> {
    let [mut training, test] = load(&options.data, options.set)?;
    training.table = first(training.table, options.rows);
    let plan = PredictionPlan {
        rows: training.table.x.rows(),
        hidden: options.hidden.into(),
        feature_epochs: options.feature_epochs.into(),
        epochs: options.epochs.into(),
        batch: BATCH,
        learning_rate: LEARNING_RATE,
        samples: options.samples as usize,
        seed: options.seed,
    };
    let (out, result) = (&options.out, options.out.join("result.json"));
    let mut record = FastRecord { build: Build::THIS, data: options.set, plan, outcome: None };
    match FastRecord::read(&result)? {
        None => {}
        Some(old) if old.data == options.set && old.plan == plan => {
            record.outcome = old.outcome;
        }
        Some(_) => return Err(other_run(&result)),
    }
    if record.outcome.is_some() {
        return Ok(());
    }
    make_folder(out)?;
    // Written before the first checkpoint, which is read only beside a record of the same options.
    record.write(&result)?;
    let checkpoints =
        ["features", "0"].map(|name| out.join(format!("checkpoint-{name}.safetensors")));

    let bar = progress_bar(plan.feature_epochs + plan.epochs + plan.samples);
    bar.set_message("convolution");
    let convolution = plain(training.size, &relu()?);
    let table = &training.table;
    let first = Stage { checkpoint: &checkpoints[0], epochs: plan.feature_epochs, before: 0 };
    let convolution = trained(&convolution, table, &plan, first, &bar)?;
    let (prediction, labels) = tested(&convolution, &test.table)?;
    let plain_error = class_score(&prediction, labels).error;
    bar.set_message("Bayesian layers");
    let inputs = with_features(&convolution, table)?;
    let before = plan.feature_epochs;
    let second = Stage { checkpoint: &checkpoints[1], epochs: plan.epochs, before };
    let bayesian = trained(&bayesian(&inputs, plan.hidden)?, &inputs, &plan, second, &bar)?;

    let inputs = with_features(&convolution, &test.table)?;
    let network = bayesian.network().valid();
    let x = network.tensor(&bayesian.inputs().apply(&inputs.x));
    let start = Instant::now();
    let mut means = Vec::new();
    for _ in 0..REPEATS {
        let output = network.output(Signal::known(x.clone()), &mut Pass::moments());
        means = numbers(output.map_err(TrainError::from)?.mean)?;
    }
    let seconds = start.elapsed().as_secs_f64() / REPEATS as f64;
    let error = monte_carlo::error(&means, labels);
    let arg_max = Deterministic { error, log_likelihood: None, seconds };
    let start = Instant::now();
    let (prediction, _) = tested(&bayesian, &inputs)?;
    let seconds = start.elapsed().as_secs_f64();
    let score = class_score(&prediction, labels);
    let log_likelihood = Some(score.log_likelihood);
    let moments = Deterministic { error: score.error, log_likelihood, seconds };
    bar.set_message("samples");
    let monte_carlo = monte_carlo::averages(&network, &x, labels, &plan, &bar)?;
    bar.finish_and_clear();

    for (name, model) in [("features", &convolution), ("model-0", &bayesian)] {
        let path = out.join(format!("{name}.safetensors"));
        let saved = model.save(&path, &BTreeMap::new());
        saved.map_err(|source| Failure::Model { path, source })?;
    }
    write_whole(&out.join("predictions-0.csv"), &csv(&prediction, labels))?;
    let accuracy = |error: f64| 100.0 * (1.0 - error);
    let picture = averages(&Averages {
        caption: &format!("{}, {} test images", name(options.set), labels.len()),
        deterministic: accuracy(arg_max.error),
        sampled: &monte_carlo
            .iter()
            .map(|a| (a.samples as f64, accuracy(a.error), 100.0 * a.error_sd.unwrap_or(0.0)))
            .collect::<Vec<_>>(),
    });
    write_whole(&out.join("accuracy.svg"), &picture.to_svg())?;
    let test = labels.len();
    record.outcome = Some(Outcome { test, plain_error, arg_max, moments, monte_carlo });
    record.write(&result)?;
    // Only now: until the record was written they were all that training had.
    checkpoints.iter().for_each(|checkpoint| done(checkpoint));
    Ok(())
}

/// Two Bayesian layers of weights with one hidden layer between them, for features as inputs.
fn bayesian(features: &Table, hidden: usize) -> Result<Blueprint, TrainError> {
    let form = CategoricalForm::Delta;
    let classes = crate::images::CLASSES;
    let likelihood = LikelihoodKind::Categorical { classes, form };
    let blueprint = method::nnvi(features.x.columns(), &[hidden], likelihood, &relu()?);
    Ok(Blueprint { scaling: Scaling::Whole, initial_sd: 0.01, gain: 2f64.sqrt(), ..blueprint })
}

/// One of the two trainings: its checkpoint, and the epochs of the training before it.
struct Stage<'a> {
    checkpoint: &'a Path,
    epochs: usize,
    before: usize,
}

fn trained(
    blueprint: &Blueprint,
    table: &Table,
    plan: &PredictionPlan,
    stage: Stage<'_>,
    bar: &ProgressBar,
) -> Result<Model, TrainError> {
    let config = TrainConfig {
        epochs: stage.epochs,
        batch: plan.batch,
        learning_rate: plan.learning_rate,
        seed: plan.seed,
        ..TrainConfig::default()
    };
    let begin = || Ok(Model::new(blueprint, table, plan.seed)?);
    let (model, _) = training::trained(begin, table, config, stage.checkpoint, |epoch| {
        bar.set_position((stage.before + epoch) as u64);
    })?;
    // Training that goes on from its last epoch reports none.
    bar.set_position((stage.before + stage.epochs) as u64);
    Ok(model)
}
