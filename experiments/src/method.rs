//! What each method is on a data set: its plan, and a model trained by it.

use std::ops::ControlFlow;

use gaussform_bnn::{
    Blueprint, Function, Functions, LikelihoodKind, Model, Schedule, Table, TrainConfig,
    TrainError, method, train,
};

use crate::args::{Method, Settings, Uci};
use crate::record::Plan;

/// The settings of Haußmann et al. for a set, where the options say nothing else.
pub(crate) fn plan(options: &Uci, set: &str) -> Plan {
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
        (_, Settings::Paper) => (100, Some(batch), Some(0.01)),
        (_, Settings::Ours) => (ours.epochs, Some(ours.batch), Some(ours.learning_rate)),
    };
    Plan {
        settings: options.settings,
        hidden: options.hidden.map_or(hidden, Into::into),
        epochs: options.epochs.map_or(epochs, Into::into),
        batch,
        learning_rate,
        seed: options.seed,
    }
}

/// A model trained on `table` by the plan, with the seed of this split; `progress` is told how many epochs
/// are done.
pub(crate) fn trained(
    method: Method,
    plan: &Plan,
    seed: u64,
    table: &Table,
    mut progress: impl FnMut(usize),
) -> Result<Model, TrainError> {
    let g = &relu()?;
    let Some(blueprint) = blueprint(method, plan.hidden, table.x.columns(), g) else {
        return if method == Method::Pbp {
            let config = method::PbpConfig { passes: plan.epochs, seed };
            method::pbp(&[plan.hidden], g, table, &config)
        } else {
            let default = method::VReluNetConfig::default();
            let (hidden, sweeps) = (plan.hidden, plan.epochs);
            let config = method::VReluNetConfig { hidden, sweeps, seed, ..default };
            method::vrelunet(table, &config).map(|(model, _)| model)
        };
    };
    let base = match plan.settings {
        Settings::Paper => {
            TrainConfig { schedule: Schedule::Constant, warm_up: 0.0, ..TrainConfig::default() }
        }
        Settings::Ours => TrainConfig::default(),
    };
    let config = TrainConfig {
        epochs: plan.epochs,
        batch: plan.batch.unwrap_or(base.batch),
        learning_rate: plan.learning_rate.unwrap_or(base.learning_rate),
        seed,
        ..base
    };
    train(Model::new(&blueprint, table, seed)?, table, &config, |now| {
        progress(now.epoch);
        ControlFlow::Continue(())
    })
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
