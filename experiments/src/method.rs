//! What each method is on a data set: its plan, and a model trained by it.

use std::path::Path;
use std::time::Instant;

use gaussform_bnn::{
    Blueprint, Function, Functions, LikelihoodKind, Model, Schedule, Table, TrainConfig,
    TrainError, method,
};

use crate::args::{Method, Settings, Uci};
use crate::record::Plan;
use crate::training;

/// How many steps the settings of the papers take at least, and how many epochs. The papers state neither.
const STEPS: usize = 10_000;
const EPOCHS: usize = 100;

/// The settings of Haußmann et al. for a set of so many rows, where the options say nothing else.
pub(crate) fn plan(options: &Uci, set: &str, rows: usize) -> Plan {
    let (batch, hidden) = match set {
        "boston" | "energy" | "yacht" => (16, 50),
        "concrete" | "wine" => (32, 50),
        "protein" => (256, 100),
        _ => (64, 50),
    };
    let ours = TrainConfig::default();
    let (epochs, batch, learning_rate) = match (options.method, options.settings) {
        (Method::Pbp, _) => (method::PbpConfig::default().passes, None, None),
        (Method::Vrelunet, _) => (method::VReluNetConfig::default().sweeps, None, None),
        (_, Settings::Paper) => {
            // Nine tenths of the rows train.
            let steps = (rows - rows / 10).div_ceil(batch).max(1);
            (EPOCHS.max(STEPS.div_ceil(steps)), Some(batch), Some(0.01))
        }
        (_, Settings::Ours) => (ours.epochs, Some(ours.batch), Some(ours.learning_rate)),
    };
    Plan {
        settings: options.settings,
        hidden: options.hidden.map_or(hidden, Into::into),
        epochs: options.epochs.map_or(epochs, Into::into),
        batch,
        learning_rate,
        initial_sd: learning_rate.and(options.initial_sd.or(initial_sd(options.settings))),
        warm_up: learning_rate.and(options.warm_up.or(Some(ours.warm_up))),
        seed: options.seed,
    }
}

/// What weights begin with where the options say nothing else; none for what the method has.
fn initial_sd(settings: Settings) -> Option<f64> {
    match settings {
        // The code of Haußmann et al.: log s² begins at -9.
        Settings::Paper => Some(0.011),
        Settings::Ours => None,
    }
}

/// Whether warm-up and first standard deviation are those of the settings.
pub(crate) fn usual(plan: &Plan) -> bool {
    let gradients = plan.learning_rate;
    plan.warm_up == gradients.map(|_| TrainConfig::default().warm_up)
        && plan.initial_sd == gradients.and(initial_sd(plan.settings))
}

/// A model trained on `table` by the plan, with the seed of this split, and the seconds that it took;
/// `progress` is told how many epochs are done. Methods with gradients go on from the file `checkpoint`, if there
/// is one.
pub(crate) fn trained(
    method: Method,
    plan: &Plan,
    seed: u64,
    table: &Table,
    checkpoint: &Path,
    progress: impl FnMut(usize),
) -> Result<(Model, f64), TrainError> {
    let g = &relu()?;
    let Some(blueprint) = blueprint(method, plan.hidden, table.x.columns(), g) else {
        let start = Instant::now();
        let model = if method == Method::Pbp {
            let config = method::PbpConfig { passes: plan.epochs, seed };
            method::pbp(&[plan.hidden], g, table, &config)?
        } else {
            let default = method::VReluNetConfig::default();
            let (hidden, sweeps) = (plan.hidden, plan.epochs);
            let config = method::VReluNetConfig { hidden, sweeps, seed, ..default };
            method::vrelunet(table, &config)?.0
        };
        return Ok((model, start.elapsed().as_secs_f64()));
    };
    let initial_sd = plan.initial_sd.unwrap_or(blueprint.initial_sd);
    let blueprint = Blueprint { initial_sd, ..blueprint };
    let base = TrainConfig::default();
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

/// The activation of all experiments.
pub(crate) fn relu() -> Result<Function, TrainError> {
    let found = Functions::library().get("relu").cloned();
    found.ok_or(TrainError::Settings("the library has no activation `relu`"))
}

/// The network of a method that learns by gradients; its priors are those of the method, and N(0, 1/10)
/// where the method has none of its own.
fn blueprint(method: Method, hidden: usize, inputs: usize, g: &Function) -> Option<Blueprint> {
    let (hidden, normal) = (&[hidden], LikelihoodKind::normal(1));
    Some(match method {
        Method::Cf => method::cf(inputs, hidden[0], 1, g),
        Method::Nnvi => method::nnvi(inputs, hidden, normal, g),
        Method::Vbp => method::vbp(inputs, hidden, normal, g),
        Method::Dvi => method::dvi(inputs, hidden, 1, g),
        Method::Varout => method::varout(inputs, hidden, normal, g),
        Method::Bbb => method::bbb(inputs, hidden, normal, g),
        Method::Pbp | Method::Vrelunet => return None,
    })
}
