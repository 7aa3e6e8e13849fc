//! A network with the scales of its data: what is trained, saved and asked.

use crate::blueprint::{Blueprint, BlueprintError};
use crate::data::{DataError, one_hot};
use crate::data::{Matrix, Standardizer, Table, TargetScale, TargetUnit, Targets};
use crate::distribution::Distribution;
use crate::layer::{LinearOutput, PassError};
use crate::likelihood::{Likelihood, Noise, RowOutputs};
use crate::network::{Network, read};
use crate::prediction::{ClassPrediction, Prediction, RealPrediction, entropy, normal_cdf};
use crate::random::Random;
use crate::signal::{Pass, Signal};
use crate::store::{Spread, StoreError, Weights};
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// Rows that go through a network at once when it predicts.
const CHUNK: usize = 1024;
/// Passes that a prediction is the mean of, where a pass is random.
const PASSES: u64 = 64;
/// Draws of the outputs that class probabilities are the mean of.
const DRAWS: usize = 256;

/// A network and the scales of the data that it was made for.
///
/// Inputs and targets are standardised inside: the same data in other units gives the same fit, and
/// predictions come in the units of the data.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) network: Network,
    pub(crate) inputs: Standardizer,
    pub(crate) targets: TargetScale,
}

/// Why a model could not be made or asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The blueprint makes no network.
    #[error(transparent)]
    Blueprint(#[from] BlueprintError),
    /// The data does not fit.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A pass through the network failed.
    #[error(transparent)]
    Pass(#[from] PassError),
}

/// Standardised examples as tensors.
#[derive(Clone, Debug)]
pub(crate) struct Examples {
    pub(crate) x: Signal<2>,
    pub(crate) y: Tensor<2>,
}

impl Model {
    /// An untrained model for data of these scales, its first weights drawn by `seed`.
    ///
    /// # Errors
    ///
    /// [`ModelError`], if the blueprint makes no network or the data does not fit it.
    pub fn new(blueprint: &Blueprint, data: &Table, seed: u64) -> Result<Self, ModelError> {
        let network = Network::new(blueprint, seed)?;
        let targets = data.scale(blueprint)?;
        let inputs = Standardizer::fit_by(&data.x, blueprint.scaling);
        Ok(Self { network, inputs, targets })
    }

    /// A model of a network that was come by in another way, such as from trained weights.
    #[must_use]
    pub fn from_parts(network: Network, inputs: Standardizer, targets: TargetScale) -> Self {
        Self { network, inputs, targets }
    }

    /// The model with these weights as the means of its posterior, as
    /// [`Network::with_weights`] has it. They work on standardised numbers;
    /// [`LinearChain::standardized`](crate::LinearChain::standardized) makes such of others.
    ///
    /// # Errors
    ///
    /// As [`Network::with_weights`].
    pub fn with_weights(self, weights: &Weights, spread: Spread) -> Result<Self, StoreError> {
        let network = self.network.with_weights(weights, spread)?;
        Ok(Self { network, ..self })
    }

    /// The model with its network on another device, as [`Network::on`] has it: `Model::on(&Device::vulkan(…))`.
    #[must_use]
    pub fn on(self, device: &Device) -> Self {
        Self { network: self.network.on(device), ..self }
    }

    /// The network, which works in standardised units.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The scales of the inputs.
    #[must_use]
    pub fn inputs(&self) -> &Standardizer {
        &self.inputs
    }

    /// The scales of the targets, or the names of the classes.
    #[must_use]
    pub fn targets(&self) -> &TargetScale {
        &self.targets
    }

    /// The model with its posterior as the prior of the next data: training it on new rows is
    /// streaming, and nothing is kept of the old ones.
    #[must_use]
    pub fn carried_over(self) -> Self {
        Self { network: self.network.carried_over(), ..self }
    }

    /// The predictive distribution for each row of `x`.
    ///
    /// A network that samples is asked 64 times, with the same samples for the same rows.
    ///
    /// # Errors
    ///
    /// [`ModelError`], if `x` has no row, the wrong number of columns, or a number that is not
    /// finite.
    pub fn predict(&self, x: &Matrix) -> Result<Prediction, ModelError> {
        self.predict_noisy(x, None)
    }

    /// The same for inputs that were measured with noise of the variances `x_variance`, of the shape
    /// of `x`.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), also for the variances.
    pub fn predict_noisy(
        &self,
        x: &Matrix,
        x_variance: Option<&Matrix>,
    ) -> Result<Prediction, ModelError> {
        crate::data::check_noisy(x, x_variance, self.network.blueprint().columns())?;
        let network = self.network.valid();
        let mut gathered = Gathered::default();
        for first in (0..x.rows()).step_by(CHUNK) {
            let rows: Vec<usize> = (first..x.rows().min(first + CHUNK)).collect();
            let part = |m: &Matrix| m.select(&rows).unwrap_or_else(|| m.clone());
            let signal = self.signal(&part(x), x_variance.map(part).as_ref());
            gathered.add(&network, &self.targets, signal)?;
        }
        Ok(gathered.finish(&self.targets))
    }

    /// Means of the outputs for each row with the weights drawn by `seed`: one function of the
    /// posterior, the same for any rows, in the units of the data for real targets.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn draw(&self, x: &Matrix, seed: u64) -> Result<Matrix, ModelError> {
        crate::data::check_inputs(x, self.network.blueprint().columns())?;
        let signal = self.signal(x, None);
        let output = self.network.valid().output(signal, &mut Pass::drawn(seed))?;
        let columns = output.mean.dims()[1];
        let mut values = read(output.mean)?;
        if let TargetScale::Real(units) = &self.targets {
            for (i, value) in values.iter_mut().enumerate() {
                if let Some(unit) = units.get(i % columns) {
                    *value = unit.invert(*value);
                }
            }
        }
        Ok(Matrix::filled(columns, values))
    }

    pub(crate) fn signal(&self, x: &Matrix, x_variance: Option<&Matrix>) -> Signal<2> {
        let mean = self.network.tensor(&self.inputs.apply(x));
        let variance = x_variance.map(|v| self.network.tensor(&self.inputs.apply_to_variances(v)));
        Signal { mean, variance }
    }

    /// The data as the network takes it.
    pub(crate) fn examples(&self, data: &Table) -> Result<Examples, DataError> {
        data.check(self.network.blueprint())?;
        let y = match (&data.y, &self.targets) {
            (Targets::Real(y), TargetScale::Real(units)) => {
                y.map_rows(|row| row.iter().zip(units).map(|(y, unit)| unit.apply(*y)).collect())
            }
            (Targets::Classes { labels, .. }, _) => {
                one_hot(labels, self.network.blueprint().likelihood.target_columns())
            }
            (Targets::Real(y), TargetScale::Classes(_)) => y.clone(),
        };
        let x = self.signal(&data.x, data.x_variance.as_ref());
        Ok(Examples { x, y: self.network.tensor(&y) })
    }
}

/// Predictions as they come in, chunk by chunk.
#[derive(Default)]
struct Gathered {
    distributions: Vec<Distribution>,
    mean: Vec<f64>,
    information: Vec<f64>,
}

/// Moments of the outputs of one chunk, row by row.
struct Moments {
    columns: usize,
    mean: Vec<f64>,
    below: Vec<f64>,
    last: Vec<f64>,
    covariance: Option<Vec<f64>>,
}

impl Moments {
    fn of(output: LinearOutput) -> Result<Self, PassError> {
        let columns = output.mean.dims()[1];
        let mean = read(output.mean)?;
        let none = || vec![0.0; mean.len()];
        let below = output.below.map_or_else(|| Ok(none()), read)?;
        let last = output.own.map_or_else(|| Ok(none()), read)?;
        let covariance = output.covariance.map(read).transpose()?;
        Ok(Self { columns, mean, below, last, covariance })
    }

    fn rows(&self) -> usize {
        self.mean.len() / self.columns
    }

    fn row(&self, row: usize) -> RowOutputs<'_> {
        let k = self.columns;
        let of = row * k..(row + 1) * k;
        RowOutputs {
            mean: &self.mean[of.clone()],
            below: &self.below[of.clone()],
            last: &self.last[of],
            covariance: self.covariance.as_ref().map(|c| &c[row * k * k..(row + 1) * k * k]),
        }
    }
}

impl Gathered {
    fn add(
        &mut self,
        network: &Network,
        targets: &TargetScale,
        x: Signal<2>,
    ) -> Result<(), PassError> {
        let blueprint = network.blueprint();
        let passes = if blueprint.samples() { PASSES } else { 1 };
        let mut all = Vec::new();
        for pass in 0..passes {
            let mut pass = Pass::new(blueprint.weights, 0, pass);
            all.push(Moments::of(network.output(x.clone(), &mut pass)?)?);
        }
        match (network.likelihood().noise()?, targets) {
            (Some(noise), TargetScale::Real(units)) => self.real(&noise, units, &all),
            _ => self.classes(network.likelihood(), &all),
        }
        Ok(())
    }

    /// The mixture of all passes, for each row and target.
    fn real(&mut self, noise: &Noise, units: &[TargetUnit], all: &[Moments]) {
        let weight = 1.0 / all.len() as f64;
        for row in 0..all.first().map_or(0, Moments::rows) {
            for (j, unit) in units.iter().enumerate() {
                let parts = |m: &Moments| noise.parts(m.row(row), j, units.len(), weight);
                let parts = all.iter().flat_map(parts).collect();
                self.distributions.push(Distribution::new(parts, unit.clone()));
            }
        }
    }

    /// The probabilities of each row, with the doubt that comes from the weights.
    fn classes(&mut self, likelihood: &Likelihood, all: &[Moments]) {
        let Some(first) = all.first() else { return };
        let k = first.columns;
        let draws = (DRAWS / all.len()).max(1);
        // The same draws for every row: rows do not depend on their neighbours.
        let mut random = Random::new(1);
        let noise: Vec<f64> = (0..draws * k).map(|_| random.normal()).collect();
        for row in 0..first.mean.len() / k {
            let classes = if k == 1 { 2 } else { k };
            let mut mean = vec![0.0; classes];
            let mut expected = 0.0;
            let mut weight = 0.0;
            let mut take = |p: &[f64], share: f64| {
                for (mean, p) in mean.iter_mut().zip(p) {
                    *mean += share * p;
                }
                expected += share * entropy(p);
                weight += share;
            };
            for m in all {
                let range = row * k..(row + 1) * k;
                let variance = |i: usize| m.below[i] + m.last[i];
                if k == 1 {
                    let (f, sd) = (m.mean[row], variance(row).sqrt());
                    for (z, share) in quadrature() {
                        let p = match likelihood {
                            Likelihood::Probit(_) => normal_cdf(f + sd * z),
                            _ => 1.0 / (1.0 + (-(f + sd * z)).exp()),
                        };
                        take(&[1.0 - p, p], share);
                    }
                } else {
                    for epsilon in noise.chunks_exact(k) {
                        let f: Vec<f64> = range
                            .clone()
                            .zip(epsilon)
                            .map(|(i, e)| m.mean[i] + variance(i).sqrt() * e)
                            .collect();
                        take(&softmax(&f), 1.0);
                    }
                }
            }
            mean.iter_mut().for_each(|p| *p /= weight);
            self.information.push((entropy(&mean) - expected / weight).max(0.0));
            self.mean.extend(mean);
        }
    }

    fn finish(self, targets: &TargetScale) -> Prediction {
        match targets {
            TargetScale::Real(units) => {
                Prediction::Real(RealPrediction::of(units.len().max(1), self.distributions))
            }
            TargetScale::Classes(names) => Prediction::Classes(ClassPrediction {
                probabilities: Matrix::filled(names.len().max(1), self.mean),
                names: names.clone(),
                information: self.information,
            }),
        }
    }
}

fn softmax(f: &[f64]) -> Vec<f64> {
    let most = f.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers: Vec<f64> = f.iter().map(|f| (f - most).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|p| p / sum).collect()
}

/// Nodes and weights for a standard Normal: the trapezoidal rule, which converges exponentially.
fn quadrature() -> impl Iterator<Item = (f64, f64)> {
    (-60..=60).map(|i| {
        let z = 0.15 * f64::from(i);
        (z, (-0.5 * z * z).exp())
    })
}
