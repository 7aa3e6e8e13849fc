//! Training: the bound is maximised over the parameters by gradients, epoch by epoch, in batches.
//!
//! ```text
//! loss = −(λ E log p(y) − warm-up · KL)/rows
//! ```

mod adam;
mod checkpoint;
mod config;
mod shards;

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::time::Instant;

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{DType, Int, Tensor};

pub use checkpoint::Run;
use checkpoint::{Best, Optimiser, State};
pub use config::{Checkpoint, EarlyStopping, Every, Optimizer, Schedule, TrainConfig};

use crate::blueprint::Blueprint;
use crate::data::{DataError, Table};
use crate::layer::{LinearOutput, PassError, read};
use crate::likelihood::{Likelihood, NoiseRule};
use crate::model::{Examples, Model, ModelError};
use crate::network::Network;
use crate::objective::{bound_of, expected_of, weighted};
use crate::operation::is_on_flex;
use crate::random::Random;
use crate::signal::Pass;
use crate::store::{Functions, StoreError};
use crate::subnormals::flush_subnormals;
use crate::threads::{each, shares};

/// The state of training after an epoch.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Number of epochs that are done.
    pub epoch: usize,
    /// Number of epochs in all, unless training stops early.
    pub epochs: usize,
    /// The evidence lower bound of the data set in nats and standardised units, its KL term in full;
    /// with several batches the mean of their estimates.
    pub elbo: f64,
    /// The expected log likelihood of a validation row, if there are any, in the same units.
    pub validation: Option<f64>,
    /// The present network.
    pub network: &'a Network,
}

/// Why training failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A field of [`TrainConfig`] is outside its domain.
    #[error("`{field}` is {value}, but must be {expected}")]
    Config {
        /// The field's name.
        field: &'static str,
        /// The field's value.
        value: f64,
        /// The values that it may have.
        expected: &'static str,
    },
    /// The settings do not go with the network.
    #[error("{0}")]
    Settings(&'static str),
    /// The bound became infinite or NaN.
    #[error(
        "training diverged in epoch {epoch}: the bound is {elbo}{}; \
         try a lower learning rate, or smaller first standard deviations of the weights",
        parameter.as_ref().map(|p| format!(", and `{p}` is the first parameter that is not finite"))
            .unwrap_or_default()
    )]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        /// The bound.
        elbo: f64,
        /// The first parameter that is not finite, if one is.
        parameter: Option<String>,
    },
    /// The network cannot be made or the data does not fit it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<PassError> for TrainError {
    fn from(error: PassError) -> Self {
        Self::Model(error.into())
    }
}

impl From<DataError> for TrainError {
    fn from(error: DataError) -> Self {
        Self::Model(error.into())
    }
}

/// Makes a model of `blueprint` and trains it on `data`: [`Model::new`], then [`train`].
///
/// # Errors
///
/// [`TrainError`], if the blueprint, the settings or the data do not fit, or training diverges.
pub fn fit(blueprint: &Blueprint, data: &Table, config: &TrainConfig) -> Result<Model, TrainError> {
    let model = Model::new(blueprint, data, config.seed)?;
    train(model, data, config, |_| ControlFlow::Continue(()))
}

/// Trains `model` on `data`, and calls `progress` after each epoch, which may break it off.
///
/// Model, data and settings determine the result bit for bit, whatever the number of threads. Large batches are cut into
/// shards that all processors share ([`set_threads`](crate::set_threads)). While a step lasts subnormal numbers are 0 in
/// the threads that train, where the processor can; the flags of the calling thread change no bit.
///
/// # Errors
///
/// [`TrainError`], if the settings are outside their domain, the data does not fit the model or is
/// not finite, the bound stops being finite, or a checkpoint cannot be written.
pub fn train(
    model: Model,
    data: &Table,
    config: &TrainConfig,
    progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Model, TrainError> {
    let optimizer = start(&model, config)?;
    let state = State { epoch: 0, step: 0, optimizer, best: None };
    run(model, state, data, config, progress)
}

/// Goes on with a run from its checkpoint, to the bits of a run without the interruption. Data and settings must be
/// those that the run began with.
///
/// # Errors
///
/// [`TrainError`] in the cases of [`train`], or if the checkpoint cannot be read or is of another run.
pub fn resume(
    path: &Path,
    functions: &Functions,
    data: &Table,
    config: &TrainConfig,
    progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Model, TrainError> {
    let fresh = moving(config);
    let fingerprint = checkpoint::Fingerprint::of(data);
    let (model, state) = checkpoint::read(path, functions, config, &fingerprint, fresh)?;
    // For its checks alone: the optimiser is that of the checkpoint.
    start(&model, config)?;
    run(model, state, data, config, progress)
}

fn moving(config: &TrainConfig) -> Optimiser {
    match &config.optimizer {
        Optimizer::Gradient(optimizer) => Optimiser::Gradient(optimizer.clone()),
        Optimizer::Lbfgs(config) => Optimiser::Lbfgs(Box::new(config.init())),
    }
}

/// The optimiser, if the settings are in their domain and go with the network.
fn start(model: &Model, config: &TrainConfig) -> Result<Optimiser, TrainError> {
    if let Some((field, value, expected)) = config.problem() {
        return Err(TrainError::Config { field, value, expected });
    }
    let lbfgs = matches!(config.optimizer, Optimizer::Lbfgs(_));
    if lbfgs && model.network.blueprint().samples() {
        return Err(TrainError::Settings(
            "L-BFGS wants an objective that is the same each time, but this network samples; \
             use `Optimizer::adam()`",
        ));
    }
    if lbfgs && config.warm_up > 0.0 {
        return Err(TrainError::Settings(
            "L-BFGS wants an objective that is the same each time; set `warm_up` to 0",
        ));
    }
    Ok(moving(config))
}

fn run(
    mut model: Model,
    mut state: State,
    data: &Table,
    config: &TrainConfig,
    mut progress: impl FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Model, TrainError> {
    // Checked and moved to tensors once; batches are picked from these.
    // The flags are those of the steps, so that the caller's change no bit.
    let all = flush_subnormals(|| model.examples(data))?;
    let fingerprint = checkpoint::Fingerprint::of(data);
    let (training, validation) = divide(&all, data.x.rows(), config)?;
    let total = training.rows();
    let size = match state.optimizer {
        Optimiser::Gradient(_) => config.batch.min(total),
        // A line search compares losses, which must be of the same rows.
        Optimiser::Lbfgs(_) => total,
    };
    let steps = config.epochs * total.div_ceil(size);
    let mut clock = Clock { last: Instant::now() };
    while state.epoch < config.epochs && !state.has_waited(config) {
        let epoch = state.epoch + 1;
        let batches = if size == total {
            vec![training.clone()]
        } else {
            // An epoch has a stream of its own, so that a resumed run draws the same batches.
            // Stream 0 draws the validation rows.
            let order = Random::stream(config.seed, epoch as u64).permutation(total);
            order.chunks(size).map(|rows| training.select(rows)).collect()
        };
        let count = batches.len() as f64;
        let mut estimates = Vec::new();
        for batch in batches {
            let done = state.step as f64 / steps as f64;
            // Without warm-up the quotient would be 0/0 in the first step.
            let warmth = if done < config.warm_up { done / config.warm_up } else { 1.0 };
            let task = OptimiserStep { batch: &batch, total, warmth, config, step: state.step };
            let optimizer = &mut state.optimizer;
            let (network, estimate) =
                flush_subnormals(|| task.step(model.network, optimizer, done))?;
            model.network = network;
            estimates.push(estimate);
            state.step += 1;
        }
        // A card is waited for here and not after each step.
        let elbo: f64 = Estimate::read(estimates)?.into_iter().map(|value| value / count).sum();
        if !elbo.is_finite() {
            let parameter = not_finite(&model.network)?;
            return Err(TrainError::Diverged { epoch, elbo, parameter });
        }
        model.network = flush_subnormals(|| refit_noise(model.network, &training))?;
        state.epoch = epoch;
        let score = match &validation {
            Some(rows) => Some(flush_subnormals(|| validate(&model.network, rows))?),
            None => None,
        };
        if let Some(score) = score
            && state.best.as_ref().is_none_or(|best| score > best.score)
        {
            state.best = Some(Best { score, epoch, network: model.network.clone() });
        }
        let (epochs, network) = (config.epochs, &model.network);
        let now = Progress { epoch, epochs, elbo, validation: score, network };
        // The report comes before the checkpoint, since a run that it breaks off writes one.
        let broken_off = progress(&now).is_break();
        if let Some(place) = &config.checkpoint
            && (broken_off || clock.is_time(place.every, epoch))
        {
            checkpoint::write(place, &model, &state, config, &fingerprint)?;
        }
        if broken_off {
            break;
        }
    }
    // A checkpoint has the last network, from which a run goes on; the result is the best one.
    if let Some(best) = state.best {
        model.network = best.network;
    }
    Ok(model)
}

/// The clock of checkpoints: when the last one was written.
struct Clock {
    last: Instant,
}

impl Clock {
    /// Whether a checkpoint is due after `epoch`, counted from 1. If so, the clock starts anew.
    fn is_time(&mut self, every: Every, epoch: usize) -> bool {
        match every {
            Every::Epochs(epochs) => epoch.is_multiple_of(epochs),
            Every::Time(time) => {
                let is_time = self.last.elapsed() >= time;
                if is_time {
                    self.last = Instant::now();
                }
                is_time
            }
        }
    }
}

impl Examples {
    fn rows(&self) -> usize {
        self.y.dims()[0]
    }

    /// The rows of a range, in the memory where they are.
    fn within(&self, rows: Range<usize>) -> Self {
        let part = |t: Tensor<2>| t.narrow(0, rows.start, rows.len());
        Self {
            x: self.x.clone().map(part),
            y: part(self.y.clone()),
            doubt: self.doubt.clone().map(part),
            weights: self.weights.clone().map(part),
        }
    }

    /// The rows in shards, one after the other; a single one on other devices than Flex, which have cores of their own.
    fn shards(&self, network: &Network) -> Vec<Range<usize>> {
        if is_on_flex(&self.y) {
            shards::shards(network, self.rows())
        } else {
            shares(self.rows(), 1)
        }
    }

    fn select(&self, rows: &[usize]) -> Self {
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let rows = Tensor::<1, Int>::from_data(rows.as_slice(), &self.y.device());
        let pick = |t: Tensor<2>| t.select(0, rows.clone());
        Self {
            x: self.x.clone().map(pick),
            y: pick(self.y.clone()),
            doubt: self.doubt.clone().map(pick),
            weights: self.weights.clone().map(pick),
        }
    }
}

/// Training and validation rows.
fn divide(
    all: &Examples,
    rows: usize,
    config: &TrainConfig,
) -> Result<(Examples, Option<Examples>), TrainError> {
    let Some(stopping) = config.early_stopping else { return Ok((all.clone(), None)) };
    let count = (rows as f64 * stopping.share).round() as usize;
    if count == 0 || count >= rows {
        return Err(TrainError::Settings(
            "the validation share leaves no row to validate or none to train; \
             change `early_stopping.share`",
        ));
    }
    let mut order = Random::stream(config.seed, 0).permutation(rows);
    let held_out = order.split_off(rows - count);
    Ok((all.select(&order), Some(all.select(&held_out))))
}

/// One step of the optimiser.
struct OptimiserStep<'a> {
    batch: &'a Examples,
    total: usize,
    warmth: f64,
    config: &'a TrainConfig,
    step: usize,
}

/// The gradient of the loss over a batch.
struct Slope {
    gradients: GradientsParams,
    /// The loss for each row.
    loss: Estimate,
    /// The estimate of the bound.
    elbo: Estimate,
}

/// A number that a step computes.
#[expect(clippy::large_enum_variant, reason = "a step has two of them")]
enum Estimate {
    Known(f64),
    /// A number in the memory of a device.
    Held(Tensor<1>),
}

impl Estimate {
    fn value(self) -> Result<f64, PassError> {
        Ok(Self::read(vec![self])?[0])
    }

    /// Some numbers, in their order, by one read of the device.
    fn read(estimates: Vec<Self>) -> Result<Vec<f64>, PassError> {
        let held = estimates.iter().filter_map(|estimate| match estimate {
            Self::Known(_) => None,
            Self::Held(value) => Some(value.clone()),
        });
        let held: Vec<Tensor<1>> = held.collect();
        let held = if held.is_empty() { Vec::new() } else { read(Tensor::cat(held, 0))? };
        let mut held = held.into_iter();
        let values = estimates.into_iter().map(|estimate| match estimate {
            Self::Known(value) => value,
            Self::Held(_) => held.next().unwrap_or(f64::NAN),
        });
        Ok(values.collect())
    }
}

impl OptimiserStep<'_> {
    fn slope(&self, network: &Network) -> Result<Slope, TrainError> {
        let shards = self.batch.shards(network);
        if shards.len() > 1 {
            return match self.batch.y.dtype() {
                DType::F64 => self.by_shards::<f64>(network, shards),
                _ => self.by_shards::<f32>(network, shards),
            };
        }
        let [loss, elbo] = self.loss(network)?;
        let [value, elbo] = [loss.clone().inner(), elbo].map(Estimate::Held);
        let gradients = GradientsParams::from_grads(loss.backward(), network);
        Ok(Slope { gradients, loss: value, elbo })
    }

    /// The loss for each row, its gradient and the estimate of the bound, for an optimiser that compares losses.
    fn known(&self, network: &Network) -> Result<(f64, GradientsParams, Estimate), TrainError> {
        let Slope { gradients, loss, elbo } = self.slope(network)?;
        Ok((loss.value()?, gradients, elbo))
    }

    /// The loss for each row, so that an optimiser's settings mean the same for any data set, and the
    /// bound, outside the graph.
    fn loss(&self, network: &Network) -> Result<[Tensor<1>; 2], TrainError> {
        let use_of_weights = network.blueprint().weights;
        // Batches and validation rows have the streams of this seed; samples those of another.
        let mut pass = Pass::new(use_of_weights, !self.config.seed, self.step as u64);
        let bound = bound_of(network, self.batch.clone(), self.total, &mut pass)?;
        let elbo = bound.elbo().inner();
        let likelihood = bound.expected_log_likelihood.mul_scalar(self.config.likelihood_weight);
        let loss = bound.divergence.value.mul_scalar(self.warmth) - likelihood;
        Ok([loss.div_scalar(self.total as f64), elbo])
    }

    fn step(
        &self,
        network: Network,
        optimizer: &mut Optimiser,
        done: f64,
    ) -> Result<(Network, Estimate), TrainError> {
        let rate = self.config.learning_rate * self.config.schedule.at(done);
        match optimizer {
            Optimiser::Gradient(optimizer) => {
                let Slope { gradients, elbo, .. } = self.slope(&network)?;
                Ok((optimizer.step(rate, network, gradients), elbo))
            }
            Optimiser::Lbfgs(optimizer) => {
                let mut failure = None;
                let mut last = Estimate::Known(f64::NAN);
                let (network, _) =
                    optimizer.step(rate, network, |network: Network| match self.known(&network) {
                        Ok((loss, gradients, elbo)) => {
                            last = elbo;
                            (loss, with_zeros(gradients, &network))
                        }
                        Err(error) => {
                            // The closure cannot fail: the first error waits for the end.
                            failure.get_or_insert(error);
                            (f64::NAN, with_zeros(GradientsParams::new(), &network))
                        }
                    });
                match failure {
                    Some(error) => Err(error),
                    None => Ok((network, last)),
                }
            }
        }
    }
}

/// L-BFGS lays all parameters and all gradients in a row, so none may be missing.
fn with_zeros(grads: GradientsParams, network: &Network) -> GradientsParams {
    struct Fill(GradientsParams);
    impl ModuleVisitor for Fill {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if self.0.get::<D>(param.id).is_none() {
                self.0.register(param.id, param.val().inner().zeros_like());
            }
        }
    }
    let mut fill = Fill(grads);
    network.visit(&mut fill);
    fill.0
}

/// The network with the noise that Eq. 12 of Haußmann et al. gives, if it is to.
fn refit_noise(network: Network, training: &Examples) -> Result<Network, TrainError> {
    let closed = matches!(
        &network.likelihood,
        Likelihood::Normal(p) if p.rule() == NoiseRule::ClosedForm
    );
    if !closed {
        return Ok(network);
    }
    let Examples { y, weights, .. } = training.clone();
    let known = network.valid();
    let of = |(i, rows)| known.output(training.within(rows).x, &mut pass_of_shard(&known, i));
    let shards = training.shards(&known).into_iter().enumerate().collect();
    let outputs: Result<Vec<_>, _> = each(shards, of).into_iter().collect();
    let output = joined(outputs?);
    let Network { chain, likelihood, .. } = network.clone();
    let likelihood = match likelihood {
        Likelihood::Normal(p) => Likelihood::Normal(p.refitted(&output, y, weights)),
        other => other,
    };
    Ok(Network { chain, likelihood, ..network })
}

/// The mean expected log likelihood of validation rows, by their weights.
fn validate(network: &Network, rows: &Examples) -> Result<f64, TrainError> {
    let network = network.valid();
    let total = rows.weights.as_ref().map(|w| w.clone().sum().into_scalar::<f64>());
    let total = total.unwrap_or(rows.rows() as f64);
    let of = |(i, shard)| -> Result<f64, TrainError> {
        let Examples { x, y, doubt, weights } = rows.within(shard);
        let each = expected_of(&network, x, y, doubt, &mut pass_of_shard(&network, i))?;
        Ok(weighted(each, weights).sum().into_scalar())
    };
    let shards = rows.shards(&network).into_iter().enumerate().collect();
    let sums: Result<Vec<f64>, _> = each(shards, of).into_iter().collect();
    Ok(sums?.into_iter().sum::<f64>() / total)
}

/// A pass without gradients for the shard of this number.
fn pass_of_shard(network: &Network, number: usize) -> Pass {
    let mut pass = Pass::new(network.blueprint().weights, 0, 0);
    // The first shard draws as a batch of one shard does.
    if number > 0 {
        pass.draw_rows_from(Random::stream(0, number as u64));
    }
    pass
}

/// Outputs of rows that follow each other, as those of all of them, without covariances.
fn joined(outputs: Vec<LinearOutput>) -> LinearOutput {
    let all = |of: &dyn Fn(&LinearOutput) -> Option<Tensor<2>>| {
        let parts: Option<Vec<_>> = outputs.iter().map(of).collect();
        parts.map(|parts| Tensor::cat(parts, 0))
    };
    let [mean, below, own] = [
        all(&|output| Some(output.mean.clone())),
        all(&|output| output.below.clone()),
        all(&|output| output.own.clone()),
    ];
    let mean = mean.unwrap_or_else(|| outputs[0].mean.clone());
    // The noise in closed form reads means and variances alone.
    LinearOutput { mean, below, own, covariance: None }
}

/// The name of the first parameter that holds a number that is not finite.
fn not_finite(network: &Network) -> Result<Option<String>, TrainError> {
    let tensors: BTreeMap<_, _> = crate::store::gather(network)?;
    Ok(tensors.into_iter().find(|(_, (t, _))| !t.is_finite()).map(|(name, _)| name))
}
