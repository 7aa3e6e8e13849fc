//! Methods of regression on a data set: blueprint and settings of training for each, and a model trained by it.

use std::path::Path;
use std::time::Instant;

use gaussform_bnn::method::{self, Method};
use gaussform_bnn::{
    Blueprint, Function, LayerSpec, Model, PosteriorKind, Schedule, Table, TrainConfig, TrainError,
};

use super::args::{Posterior, Settings, Uci};
use super::record::UciPlan;
use crate::failure::Failure;
use crate::training::{self, relu};

/// Least number of steps of a method by gradients, and least number of epochs, for the papers' settings; the papers
/// state neither. For our settings `STEPS` is the largest number of steps, while the epochs are those of
/// `TrainConfig`.
const STEPS: usize = 10_000;
const EPOCHS: usize = 100;

/// The plan for a set of `rows` rows: the settings, where the options say nothing else.
pub(crate) fn plan(options: &Uci, set: &str, rows: usize) -> Result<UciPlan, Failure> {
    let posterior = options.posterior.unwrap_or_default();
    let base = settings(options.method, options.settings, posterior, set, rows);
    let plan = UciPlan {
        hidden: options.hidden.map_or(base.hidden, Into::into),
        epochs: options.epochs.map_or(base.epochs, Into::into),
        seed: options.seed,
        validation_seed: options.validation_seed,
        ..base
    };
    // Methods without gradients have none of these.
    if base.learning_rate.is_some() {
        return Ok(UciPlan {
            batch: options.batch.map(Into::into).or(base.batch),
            learning_rate: options.learning_rate.or(base.learning_rate),
            initial_sd: options.initial_sd.or(base.initial_sd),
            warm_up: options.warm_up.or(base.warm_up),
            posterior,
            ..plan
        });
    }
    let given = [
        ("--batch", options.batch.is_some()),
        ("--learning-rate", options.learning_rate.is_some()),
        ("--initial-sd", options.initial_sd.is_some()),
        ("--warm-up", options.warm_up.is_some()),
        ("--posterior", options.posterior.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(plan),
        Some((option, _)) => Err(Failure::Options {
            problem: format!("`{}` has no {option}", options.method.name()),
            help: "leave it out, or name a method that learns by gradients".to_owned(),
        }),
    }
}

/// The library's settings of training for the network of a method.
fn defaults(method: Method, posterior: Posterior) -> TrainConfig {
    match relu().ok().and_then(|g| blueprint(method, posterior, 50, 1, &g)) {
        Some(blueprint) => TrainConfig::suited_to(&blueprint),
        None => TrainConfig::default(),
    }
}

/// The plan by the given settings for a set of `rows` rows.
fn settings(
    method: Method,
    settings: Settings,
    posterior: Posterior,
    set: &str,
    rows: usize,
) -> UciPlan {
    let (batch, hidden) = match set {
        "boston" | "energy" | "yacht" => (16, 50),
        "concrete" | "wine" => (32, 50),
        "protein" => (256, 100),
        _ => (64, 50),
    };
    let ours = defaults(method, posterior);
    let without_gradients = |epochs| UciPlan {
        settings,
        hidden,
        epochs,
        batch: None,
        learning_rate: None,
        initial_sd: None,
        warm_up: None,
        seed: 0,
        posterior: Posterior::MeanField,
        validation_seed: None,
    };
    // Nine tenths of the rows train.
    let steps = |batch| (rows - rows / 10).div_ceil(batch).max(1);
    match (method, settings) {
        (Method::Pbp, _) => without_gradients(method::PbpConfig::default().passes),
        (Method::Vrelunet, _) => without_gradients(method::VReluNetConfig::default().sweeps),
        (_, Settings::Paper) => UciPlan {
            batch: Some(batch),
            learning_rate: Some(0.01),
            // The code of Haußmann et al.: log s² begins at -9.
            initial_sd: Some(0.011),
            warm_up: Some(ours.warm_up),
            ..without_gradients(EPOCHS.max(STEPS.div_ceil(steps(batch))))
        },
        (_, Settings::Ours) => UciPlan {
            batch: Some(ours.batch),
            learning_rate: Some(ours.learning_rate),
            warm_up: Some(ours.warm_up),
            ..without_gradients(ours.epochs.min(STEPS.div_ceil(steps(ours.batch))))
        },
    }
}

/// Whether a plan for this set is that of its settings, apart from epochs, hidden units and seed.
pub(crate) fn usual(method: Method, set: &str, plan: &UciPlan) -> bool {
    let base = settings(method, plan.settings, Posterior::MeanField, set, 0);
    *plan == UciPlan { hidden: plan.hidden, epochs: plan.epochs, seed: plan.seed, ..base }
}

/// A model trained on `table` by the plan, with the seed of this split, and the seconds of its training. `progress`
/// gets the number of epochs that are done. Methods with gradients go on from the file `checkpoint`, if there is one.
pub(crate) fn trained(
    method: Method,
    plan: &UciPlan,
    seed: u64,
    table: &Table,
    checkpoint: &Path,
    progress: impl FnMut(usize),
) -> Result<(Model, f64), TrainError> {
    let g = &relu()?;
    let inputs = table.x.columns();
    let Some(mut blueprint) = blueprint(method, plan.posterior, plan.hidden, inputs, g) else {
        let start = Instant::now();
        let model = if method == Method::Pbp {
            let config = method::PbpConfig { passes: plan.epochs, seed, ..Default::default() };
            method::pbp(&[plan.hidden], g, table, &config)?
        } else {
            let default = method::VReluNetConfig::default();
            let (hidden, sweeps) = (plan.hidden, plan.epochs);
            let config = method::VReluNetConfig { hidden, sweeps, seed, ..default };
            method::vrelunet(table, &config)?.0
        };
        return Ok((model, start.elapsed().as_secs_f64()));
    };
    blueprint.initial_sd = plan.initial_sd.unwrap_or(blueprint.initial_sd);
    let base = TrainConfig::suited_to(&blueprint);
    let config = TrainConfig {
        epochs: plan.epochs,
        schedule: match plan.settings {
            Settings::Paper => Schedule::Constant,
            Settings::Ours => base.schedule,
        },
        batch: plan.batch.unwrap_or(base.batch),
        learning_rate: plan.learning_rate.unwrap_or(base.learning_rate),
        warm_up: plan.warm_up.unwrap_or(base.warm_up),
        seed,
        ..base
    };
    let begin = || Ok(Model::new(&blueprint, table, seed)?);
    training::trained(begin, table, config, checkpoint, progress)
}

/// The blueprint of a method that learns by gradients. Its priors are those of the method, or N(0, 1/10) where the
/// method has none of its own.
fn blueprint(
    method: Method,
    posterior: Posterior,
    hidden: usize,
    inputs: usize,
    g: &Function,
) -> Option<Blueprint> {
    let mut blueprint = method.blueprint(inputs, &[hidden], 1, g)?;
    let kind = match posterior {
        Posterior::MeanField => PosteriorKind::MeanField,
        Posterior::Full => PosteriorKind::Full,
    };
    for layer in &mut blueprint.layers {
        if let LayerSpec::Linear { posterior, .. } = layer {
            *posterior = kind;
        }
    }
    Some(blueprint)
}
