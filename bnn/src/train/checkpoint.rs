//! Checkpoints of training: model, optimiser, epoch, best model so far, and a fingerprint of data and settings. A run
//! that goes on from one has the bits of a run without the interruption.

use std::collections::BTreeMap;
use std::path::Path;

use burn::optim::{LBFGS, ModuleOptimizer, OptimizerRecord};
use burn::tensor::Bytes;
use serde::{Deserialize, Serialize};

use super::{Checkpoint, TrainConfig, TrainError};
use crate::data::{Table, Targets};
use crate::model::Model;
use crate::network::Network;
use crate::store::{
    Extra, Functions, Read, StoreError, Stored, bytes_as_tensor, gather, is_of_trend, put,
    read_whole, write_whole,
};

/// An optimiser in the middle of its work.
#[derive(Clone)]
pub(crate) enum Optimiser {
    Gradient(ModuleOptimizer),
    Lbfgs(Box<LBFGS>),
}

/// Where a run stands between two epochs.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) epoch: usize,
    pub(crate) step: usize,
    pub(crate) optimizer: Optimiser,
    pub(crate) best: Option<Best>,
}

impl State {
    /// Whether so many epochs have passed without a better network that training stops.
    pub(crate) fn has_waited(&self, config: &TrainConfig) -> bool {
        let waited = self.best.as_ref().map_or(0, |best| self.epoch - best.epoch);
        config.early_stopping.is_some_and(|stopping| waited >= stopping.patience)
    }
}

/// The best network so far, by the log likelihood of the validation rows.
#[derive(Clone)]
pub(crate) struct Best {
    pub(crate) score: f64,
    pub(crate) epoch: usize,
    pub(crate) network: Network,
}

#[derive(Serialize, Deserialize)]
struct Record {
    epoch: usize,
    step: usize,
    best: Option<(f64, usize)>,
    /// Burn's numbers of the parameters, by which the optimiser knows them.
    ids: BTreeMap<String, u64>,
    #[serde(flatten)]
    run: Run,
}

/// The settings and the data of a run of training, beside its network: another run has others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    #[serde(rename = "run")]
    settings: String,
    data: Fingerprint,
}

impl Run {
    /// The run of these settings on this data.
    #[must_use]
    pub fn of(config: &TrainConfig, data: &Table) -> Self {
        Self::with(config, Fingerprint::of(data))
    }

    pub(crate) fn with(config: &TrainConfig, data: Fingerprint) -> Self {
        Self { settings: settings(config), data }
    }

    /// Whether what was written in the run `then` is of this run.
    ///
    /// # Errors
    ///
    /// [`StoreError::OtherRun`] with what differs.
    pub fn check(&self, then: &Self) -> Result<(), StoreError> {
        let problem = match (then.data.rows, self.data.rows) {
            _ if then.settings != self.settings => {
                format!("it began with {}, not with {}", then.settings, self.settings)
            }
            (then, now) if then != now => format!("it trained on {then} rows, not on {now}"),
            _ if then.data != self.data => "it trained on other data".to_owned(),
            _ => return Ok(()),
        };
        Err(StoreError::OtherRun { problem })
    }
}

/// The number of rows and a hash of all numbers: the test whether data is that of the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    rows: usize,
    /// By FNV-1a over all numbers.
    hash: u64,
}

impl Fingerprint {
    pub(crate) fn of(data: &Table) -> Self {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bits: u64| {
            for byte in bits.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        data.x.values().iter().for_each(|v| add(v.to_bits()));
        data.x_variance.iter().flat_map(|v| v.values()).for_each(|v| add(v.to_bits()));
        data.weights.iter().flatten().for_each(|v| add(v.to_bits()));
        data.censored.iter().flatten().for_each(|c| {
            c.ends(0.0).iter().for_each(|end| add(end.to_bits()));
        });
        match &data.y {
            Targets::Real(y) => y.values().iter().for_each(|v| add(v.to_bits())),
            Targets::Classes { labels, .. } => labels.iter().for_each(|label| add(*label as u64)),
        }
        Self { rows: data.x.rows(), hash }
    }
}

const STATE: &str = "checkpoint.state";
const OPTIMIZER: &str = "checkpoint.optimizer";
const BEST: &str = "checkpoint.best.";

/// The settings that a run must have had before the interruption, as one text.
fn settings(config: &TrainConfig) -> String {
    // Where and how often checkpoints are written changes no bit, hence is not compared. An
    // optimiser and a schedule of one's own have no text but their kind.
    let TrainConfig { epochs, batch, optimizer, learning_rate, schedule, .. } = config;
    let TrainConfig { warm_up, likelihood_weight, early_stopping, seed, .. } = config;
    format!(
        "epochs {epochs}, batch {batch}, optimizer {optimizer:?}, learning_rate {learning_rate:?}, \
         schedule {schedule:?}, warm_up {warm_up:?}, likelihood_weight {likelihood_weight:?}, \
         early_stopping {early_stopping:?}, seed {seed}"
    )
}

pub(crate) fn write(
    place: &Checkpoint,
    model: &Model,
    state: &State,
    config: &TrainConfig,
    data: &Fingerprint,
) -> Result<(), TrainError> {
    let ids = gather(&model.network)?.into_iter().map(|(name, (_, id))| (name, id)).collect();
    let record = Record {
        epoch: state.epoch,
        step: state.step,
        best: state.best.as_ref().map(|best| (best.score, best.epoch)),
        ids,
        run: Run::with(config, *data),
    };
    let json = serde_json::to_vec(&record).map_err(|e| StoreError::Description(e.to_string()))?;
    let optimizer = match &state.optimizer {
        Optimiser::Gradient(optimizer) => optimizer.to_record(),
        Optimiser::Lbfgs(optimizer) => optimizer.to_record(),
    };
    let bytes = optimizer.into_bytes().map_err(|e| StoreError::Format(e.to_string()))?;
    let mut tensors: BTreeMap<String, Stored> = BTreeMap::from([
        (STATE.to_owned(), bytes_as_tensor(json)),
        (OPTIMIZER.to_owned(), bytes_as_tensor(bytes.to_vec())),
    ]);
    if let Some(best) = &state.best {
        let best = gather(&best.network)?;
        tensors.extend(best.into_iter().map(|(name, (t, _))| (format!("{BEST}{name}"), t)));
    }
    let notes = place.notes.clone();
    let bytes = model.to_bytes_with(Extra { notes, tensors, ..Extra::default() })?;
    if let Some(folder) = place.path.parent() {
        let file = |source| StoreError::File { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(file)?;
    }
    Ok(write_whole(&place.path, &bytes)?)
}

pub(crate) fn read(
    path: &Path,
    functions: &Functions,
    config: &TrainConfig,
    data: &Fingerprint,
    fresh: Optimiser,
) -> Result<(Model, State), TrainError> {
    let file = Read::new(&read_whole(path)?)?;
    let state = file.tensors.get(STATE).ok_or(StoreError::NoCheckpoint)?;
    let record: Record =
        serde_json::from_slice(&state.bytes).map_err(|e| StoreError::Description(e.to_string()))?;
    Run::with(config, *data).check(&record.run)?;
    let (untrained, ..) = file.untrained(functions)?;
    let mut own: BTreeMap<String, Stored> = BTreeMap::new();
    let mut best: BTreeMap<String, Stored> = BTreeMap::new();
    for (name, tensor) in &file.tensors {
        if let Some(name) = name.strip_prefix(BEST) {
            best.insert(name.to_owned(), tensor.clone());
        } else if !name.starts_with("checkpoint.") && !is_of_trend(name) {
            own.insert(name.clone(), tensor.clone());
        }
    }
    let network = put(untrained.network.clone(), own, &record.ids)?;
    let best = match record.best {
        Some((score, epoch)) => {
            let network = put(untrained.network.clone(), best, &record.ids)?;
            Some(Best { score, epoch, network })
        }
        None => None,
    };
    let bytes = file.tensors.get(OPTIMIZER).ok_or(StoreError::NoCheckpoint)?.bytes.clone();
    let optimizer = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(bytes))
        .map_err(|e| StoreError::Format(e.to_string()))?;
    let optimizer = match fresh {
        Optimiser::Gradient(fresh) => Optimiser::Gradient(fresh.load_record(optimizer)),
        Optimiser::Lbfgs(fresh) => Optimiser::Lbfgs(Box::new(fresh.load_record(optimizer))),
    };
    let model = Model { network, ..untrained };
    Ok((model, State { epoch: record.epoch, step: record.step, optimizer, best }))
}
