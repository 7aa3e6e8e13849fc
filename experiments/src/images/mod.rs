//! Classification of images (Haußmann et al., Table 2; Roth and Pernkopf, Table 1): each method's error, log
//! likelihood and expected calibration error on test images.

pub(crate) mod args;
mod coordinate_ascent;
mod data;
mod network;
mod table;

use std::collections::BTreeMap;
use std::time::Instant;

use gaussform_bnn::{
    ClassPrediction, Matrix, Model, Prediction, Schedule, Table, Targets, TrainConfig, TrainError,
    class_score,
};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::record::{Build, Record, make_folder, number, other_run, write_whole};
use crate::training::{done, progress_bar, relu, trained};
pub(crate) use data::{first, load};
pub(crate) use network::CLASSES;
pub(crate) use table::table;

/// A run of `images`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ImageRecord {
    build: Build,
    pub(crate) data: args::Dataset,
    pub(crate) network: args::Network,
    pub(crate) method: args::Method,
    plan: ImagePlan,
    pub(crate) runs: Vec<Run>,
}

impl Record for ImageRecord {
    const EXPERIMENT: &'static str = "images";
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ImagePlan {
    epochs: usize,
    batch: usize,
    learning_rate: f64,
    schedule: args::Schedule,
    /// Number of training images.
    rows: usize,
    seed: u64,
}

/// Result of one run on the test images: fraction of errors, mean log likelihood of an image in nats, and expected
/// calibration error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) run: usize,
    error: f64,
    #[serde(deserialize_with = "number")]
    log_likelihood: f64,
    calibration_error: f64,
    epochs: usize,
    /// Seconds of training alone.
    seconds: f64,
}

pub(crate) fn run(options: &args::Images) -> Result<(), Failure> {
    coordinate_ascent::check(options)?;
    let [mut training, test] = load(&options.data, options.set)?;
    training.table = first(training.table, options.rows);
    let plan = ImagePlan {
        epochs: options.epochs.into(),
        batch: 128,
        learning_rate: 1e-3,
        schedule: options.schedule,
        rows: training.table.x.rows(),
        seed: options.seed,
    };
    let result = options.out.join("result.json");
    let mut record = ImageRecord {
        build: Build::THIS,
        data: options.set,
        network: options.network,
        method: options.method,
        plan,
        runs: Vec::new(),
    };
    match ImageRecord::read(&result)? {
        None => {}
        // Compared without runs: more of them may be asked for than before.
        Some(old) if (ImageRecord { runs: Vec::new(), ..old.clone() }) == record => {
            record = old;
        }
        Some(_) => return Err(other_run(&result)),
    }
    let blueprint = network::blueprint(options.network, options.method, training.size, &relu()?);
    let bar = progress_bar(options.seeds.get() * plan.epochs);
    bar.set_position((record.runs.len() * plan.epochs) as u64);
    bar.reset_eta();
    make_folder(&options.out)?;
    // Written before the first checkpoint, which is read only beside a record of the same options.
    record.write(&result)?;
    for k in record.runs.len()..options.seeds.get() {
        bar.set_message(format!("run {k}"));
        let base = match plan.schedule {
            args::Schedule::Ours => TrainConfig::default(),
            args::Schedule::Constant => {
                TrainConfig { schedule: Schedule::Constant, warm_up: 0.0, ..TrainConfig::default() }
            }
        };
        let config = TrainConfig {
            epochs: plan.epochs,
            batch: plan.batch,
            learning_rate: plan.learning_rate,
            seed: plan.seed.wrapping_add(k as u64),
            ..base
        };
        let table = &training.table;
        let checkpoint = options.out.join(format!("checkpoint-{k}.safetensors"));
        let seed = config.seed;
        let (model, seconds) = if options.method == args::Method::Vrelunet {
            let start = Instant::now();
            (coordinate_ascent::trained(table, network::WIDE, seed)?, start.elapsed().as_secs_f64())
        } else {
            let begin = || Ok(Model::new(&blueprint, table, seed)?);
            trained(begin, table, config, &checkpoint, |epoch| {
                bar.set_position((k * plan.epochs + epoch) as u64);
            })?
        };
        let (prediction, labels) = tested(&model, &test.table)?;
        let score = class_score(&prediction, labels);
        write_whole(&options.out.join(format!("predictions-{k}.csv")), &csv(&prediction, labels))?;
        let path = options.out.join(format!("model-{k}.safetensors"));
        let saved = model.save(&path, &BTreeMap::new());
        saved.map_err(|source| Failure::Model { path, source })?;
        // The record comes after the files of the run, so that a run in it has all of them.
        record.runs.push(Run {
            run: k,
            error: score.error,
            log_likelihood: score.log_likelihood,
            calibration_error: score.calibration_error,
            epochs: plan.epochs,
            seconds,
        });
        record.write(&result)?;
        done(&checkpoint);
    }
    bar.finish_and_clear();
    Ok(())
}

/// The predictions for a table of images, with the true classes.
pub(crate) fn tested<'a>(
    model: &Model,
    test: &'a Table,
) -> Result<(ClassPrediction, &'a [usize]), Failure> {
    let prediction = asked(model, &test.x)?;
    match &test.y {
        Targets::Classes { labels, .. } => Ok((prediction, labels)),
        Targets::Real(_) => Err(no_classes().into()),
    }
}

/// The predictions of classes for images `x`, by a network of any method.
pub(crate) fn asked(model: &Model, x: &Matrix) -> Result<ClassPrediction, Failure> {
    Ok(match model.predict(x)? {
        Prediction::Classes(prediction) => prediction,
        Prediction::Real(numbers) => coordinate_ascent::classes(&numbers).ok_or_else(no_classes)?,
    })
}

fn no_classes() -> TrainError {
    TrainError::Settings("the images have no classes")
}

/// Rows of the true class and of the probabilities, as CSV.
pub(crate) fn csv(prediction: &ClassPrediction, labels: &[usize]) -> String {
    let mut text = String::from("row,y");
    for name in &prediction.names {
        text += &format!(",p{name}");
    }
    text.push('\n');
    for (row, (label, probabilities)) in
        labels.iter().zip(prediction.probabilities.iter()).enumerate()
    {
        text += &format!("{row},{label}");
        for p in probabilities {
            text += &format!(",{p}");
        }
        text.push('\n');
    }
    text
}
