//! A network with the scales of its data: what is trained, saved and asked.

use std::num::NonZeroUsize;

use crate::blueprint::{Blueprint, BlueprintError};
use crate::data::{DataError, one_hot};
use crate::data::{Matrix, Scale, Standardizer, Table, TargetScale, Targets};
use crate::layer::{LinearOutput, PassError};
use crate::likelihood::{Likelihood, LikelihoodKind, SoftmaxMoments};
use crate::network::{Network, read};
use crate::prediction::{ClassPrediction, NormalPrediction, Prediction, entropy, normal_cdf};
use crate::signal::{Pass, Signal};
use crate::store::{Spread, StoreError, Weights};
use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};

/// Rows that go through a network at once when it predicts.
const CHUNK: usize = 1024;
/// Passes that a prediction is the mean of, where a pass is random.
const PASSES: usize = 64;
/// The least variance of noise that residuals may give, in standardised units.
const LEAST_NOISE: f64 = 1e-8;

/// A network and the scales of the data that it was made for.
///
/// Inputs and targets are standardised inside: the same data in other units gives the same fit, and
/// predictions come in the units of the data.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) network: Network,
    pub(crate) inputs: Standardizer,
    pub(crate) targets: TargetScale,
    pub(crate) passes: NonZeroUsize,
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
    /// Of shape \[n, 1\]; none if every row counts once.
    pub(crate) weights: Option<Tensor<2>>,
}

impl Model {
    /// An untrained model for data of these scales, its first weights drawn by `seed`.
    ///
    /// # Errors
    ///
    /// [`ModelError`], if the blueprint makes no network or the data does not fit it.
    pub fn new(blueprint: &Blueprint, data: &Table, seed: u64) -> Result<Self, ModelError> {
        let mut network = Network::new(blueprint, seed)?;
        let targets = data.scale(blueprint)?;
        network.likelihood = network.likelihood.started(&data.y);
        let inputs = Standardizer::fit_by(&data.x, blueprint.scaling);
        Ok(Self::from_parts(network, inputs, targets))
    }

    /// A model of a network that was come by in another way, such as from trained weights.
    #[must_use]
    pub fn from_parts(network: Network, inputs: Standardizer, targets: TargetScale) -> Self {
        let passes = NonZeroUsize::new(PASSES).unwrap_or(NonZeroUsize::MIN);
        Self { network, inputs, targets, passes }
    }

    /// The model whose predictions are the means of so many passes through it, if a pass is random
    /// ([`Blueprint::samples`]); others are asked once. It is 64 at first, and not stored.
    #[must_use]
    pub fn with_passes(self, passes: NonZeroUsize) -> Self {
        Self { passes, ..self }
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

    /// The model whose noise is the mean squared residual of the rows that it was trained on, by their weights, if its
    /// likelihood is [`Normal`](crate::Normal) and learned its noise; as it is otherwise.
    ///
    /// The bound is best for the noise 1/β = E \[(y − m)² + v\], which counts the variance v that the weights bring, and a
    /// prediction adds v to it again. With few rows for the weights there are, v is as large as the noise, and intervals are too
    /// wide. Without v the noise is (y − m)² on average.
    ///
    /// # Errors
    ///
    /// As [`predict_noisy`](Self::predict_noisy).
    pub fn with_residual_noise(mut self, data: &Table) -> Result<Self, ModelError> {
        let (Likelihood::Normal(_), Targets::Real(y), TargetScale::Real(scales)) =
            (&self.network.likelihood, &data.y, &self.targets)
        else {
            return Ok(self);
        };
        data.check(self.network.blueprint())?;
        let Some(p) = self.predict_noisy(&data.x, data.x_variance.as_ref())?.normal() else {
            return Ok(self);
        };
        let weight = |i: usize| data.weights.as_ref().map_or(1.0, |w| w[i]);
        let total: f64 = (0..y.rows()).map(weight).sum();
        let log_precision = |(j, scale): (usize, &Scale)| {
            let rows = y.iter().zip(p.mean.iter()).enumerate();
            let square = |(i, (y, m)): (usize, (&[f64], &[f64]))| {
                weight(i) * ((y[j] - m[j]) / scale.sd).powi(2)
            };
            -(rows.map(square).sum::<f64>() / total).max(LEAST_NOISE).ln()
        };
        let values: Vec<f64> = scales.iter().enumerate().map(log_precision).collect();
        let values = TensorData::new(values, [scales.len()]);
        self.network.likelihood = match self.network.likelihood {
            Likelihood::Normal(p) => Likelihood::Normal(p.with_log_precision(values)),
            other => other,
        };
        Ok(self)
    }

    /// The predictive distribution for each row of `x`.
    ///
    /// A network that samples is asked 64 times, or as often as [`with_passes`](Self::with_passes) says, with the same
    /// samples for the same rows. All others predict without samples: probabilities of classes are integrals
    /// ([`SoftmaxMoments`]).
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
            gathered.add(&network, &self.targets, signal, self.passes)?;
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
        if let TargetScale::Real(scales) = &self.targets {
            for (i, value) in values.iter_mut().enumerate() {
                if let Some(scale) = scales.get(i % columns) {
                    *value = scale.invert(*value);
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
            (Targets::Real(y), TargetScale::Real(scales))
                if self.network.blueprint().likelihood == LikelihoodKind::Censored =>
            {
                let scale = scales.first().copied().unwrap_or(Scale { mean: 0.0, sd: 1.0 });
                data.intervals(y, &scale)
            }
            (Targets::Real(y), TargetScale::Real(scales)) => {
                y.map_rows(|row| row.iter().zip(scales).map(|(y, scale)| scale.apply(*y)).collect())
            }
            (Targets::Classes { labels, .. }, _) => {
                one_hot(labels, self.network.blueprint().likelihood.target_columns())
            }
            (Targets::Real(y), TargetScale::Classes(_)) => y.clone(),
        };
        let x = self.signal(&data.x, data.x_variance.as_ref());
        let weights = data.weights.clone().map(|w| self.network.tensor(&Matrix::filled(1, w)));
        Ok(Examples { x, y: self.network.tensor(&y), weights })
    }
}

/// Predictions as they come in, chunk by chunk.
#[derive(Default)]
struct Gathered {
    mean: Vec<f64>,
    below: Vec<f64>,
    last: Vec<f64>,
    noise: Vec<f64>,
    information: Vec<f64>,
}

/// Moments of the outputs of one chunk, row by row.
struct Moments {
    columns: usize,
    mean: Vec<f64>,
    below: Vec<f64>,
    last: Vec<f64>,
}

impl Moments {
    fn of(output: LinearOutput) -> Result<Self, PassError> {
        let columns = output.mean.dims()[1];
        let mean = read(output.mean)?;
        let none = || vec![0.0; mean.len()];
        let below = output.below.map_or_else(|| Ok(none()), read)?;
        let last = output.own.map_or_else(|| Ok(none()), read)?;
        Ok(Self { columns, mean, below, last })
    }
}

impl Gathered {
    fn add(
        &mut self,
        network: &Network,
        targets: &TargetScale,
        x: Signal<2>,
        passes: NonZeroUsize,
    ) -> Result<(), PassError> {
        let blueprint = network.blueprint();
        let passes = if blueprint.samples() { passes.get() } else { 1 };
        let mut all = Vec::new();
        for pass in 0..passes {
            let mut pass = Pass::new(blueprint.weights, 0, pass as u64);
            let output = network.output(x.clone(), &mut pass)?;
            all.push(Moments::of(network.likelihood().deciding(output))?);
        }
        match (network.likelihood(), targets) {
            (Likelihood::Normal(p), TargetScale::Real(scales)) => {
                let noise: Vec<f64> = read(p.log_precision())?.iter().map(|l| (-l).exp()).collect();
                let average = average(&all);
                let k = average.columns;
                for i in 0..average.mean.len() {
                    let moments = [average.mean[i], average.below[i], average.last[i]];
                    self.real(moments, noise[i % k], scales.get(i % k));
                }
            }
            (Likelihood::Censored(p), TargetScale::Real(scales)) => {
                let noise = read(p.log_precision())?.first().map_or(1.0, |l| (-l).exp());
                let average = average(&all);
                for i in 0..average.mean.len() {
                    let moments = [average.mean[i], average.below[i], average.last[i]];
                    self.real(moments, noise, scales.first());
                }
            }
            (Likelihood::StudentT(p), TargetScale::Real(scales)) => {
                // The variance of the mixture: that of Student's t.
                let of = |mixture: Vec<(f64, f64)>| mixture.iter().map(|(w, v)| w * v).sum();
                let noise: Vec<f64> = p.mixture()?.into_iter().map(of).collect();
                let average = average(&all);
                let k = average.columns;
                for i in 0..average.mean.len() {
                    let moments = [average.mean[i], average.below[i], average.last[i]];
                    self.real(moments, noise[i % k], scales.get(i % k));
                }
            }
            (Likelihood::Poisson(p), TargetScale::Real(_)) => {
                // Mean and variance of the Poisson–log-normal mixture of each pass, and of the passes.
                let c = read(p.log_rate())?.first().copied().unwrap_or_default();
                let share = 1.0 / all.len() as f64;
                for i in 0..average(&all).mean.len() {
                    let log_mean =
                        |m: &Moments, last: f64| c + m.mean[i] + 0.5 * (m.below[i] + last);
                    let sum = |f: &dyn Fn(&Moments) -> f64| share * all.iter().map(f).sum::<f64>();
                    let rate = sum(&|m| log_mean(m, m.last[i]).exp());
                    let square =
                        |m: &Moments, v: f64| (2.0 * log_mean(m, m.last[i])).exp() * v.exp();
                    let all_variance = sum(&|m| square(m, m.below[i] + m.last[i])) - rate * rate;
                    let below = sum(&|m| square(m, m.below[i])) - rate * rate;
                    let below = below.clamp(0.0, all_variance.max(0.0));
                    self.real([rate, below, (all_variance - below).max(0.0)], rate, None);
                }
            }
            (Likelihood::NormalPerInput(_), TargetScale::Real(scales)) => {
                // E e^ℓ for a Normal ℓ, pass by pass.
                let average = average(&all);
                let k = average.columns / 2;
                for row in 0..average.mean.len() / average.columns {
                    for j in 0..k {
                        let i = row * 2 * k + j;
                        let noise = all.iter().map(|m| {
                            (m.mean[i + k] + 0.5 * (m.below[i + k] + m.last[i + k])).exp()
                        });
                        let noise = noise.sum::<f64>() / all.len() as f64;
                        let moments = [average.mean[i], average.below[i], average.last[i]];
                        self.real(moments, noise, scales.get(j));
                    }
                }
            }
            (likelihood, _) => self.classes(likelihood, &all),
        }
        Ok(())
    }

    /// One target of one row, in the units of the data.
    fn real(&mut self, [mean, below, last]: [f64; 3], noise: f64, scale: Option<&Scale>) {
        let scale = scale.copied().unwrap_or(Scale { mean: 0.0, sd: 1.0 });
        let unit = scale.sd * scale.sd;
        self.mean.push(scale.invert(mean));
        self.below.push(below * unit);
        self.last.push(last * unit);
        self.noise.push(noise * unit);
    }

    /// The probabilities of each row, with the doubt that comes from the weights.
    fn classes(&mut self, likelihood: &Likelihood, all: &[Moments]) {
        let Some(first) = all.first() else { return };
        let (k, share) = (first.columns, 1.0 / all.len() as f64);
        for row in 0..first.mean.len() / k {
            let mut mean = vec![0.0; k.max(2)];
            let mut expected = 0.0;
            for m in all {
                let range = row * k..(row + 1) * k;
                let f = &m.mean[range.clone()];
                let v: Vec<f64> = range.map(|i| m.below[i] + m.last[i]).collect();
                let (p, entropy) = match (likelihood, f, &v[..]) {
                    (Likelihood::Probit(_), &[f], &[v]) => probit(f, v),
                    (_, &[f], &[v]) => softmax(&[0.0, f], &[0.0, v]),
                    _ => softmax(f, &v),
                };
                for (mean, p) in mean.iter_mut().zip(p) {
                    *mean += share * p;
                }
                expected += share * entropy;
            }
            // The integrals add up to 1 within their error.
            let total: f64 = mean.iter().sum();
            mean.iter_mut().for_each(|p| *p /= total);
            self.information.push((entropy(&mean) - expected).max(0.0));
            self.mean.extend(mean);
        }
    }

    fn finish(self, targets: &TargetScale) -> Prediction {
        match targets {
            TargetScale::Real(scales) => {
                let k = scales.len().max(1);
                Prediction::Normal(NormalPrediction {
                    mean: Matrix::filled(k, self.mean),
                    from_below: Matrix::filled(k, self.below),
                    from_last: Matrix::filled(k, self.last),
                    noise: Matrix::filled(k, self.noise),
                })
            }
            TargetScale::Classes(names) => Prediction::Classes(ClassPrediction {
                probabilities: Matrix::filled(names.len().max(1), self.mean),
                names: names.clone(),
                information: self.information,
            }),
        }
    }
}

/// The moments of a mixture of passes: what the passes differ by counts to the layers below.
fn average(all: &[Moments]) -> Moments {
    let n = all.len() as f64;
    let columns = all.first().map_or(1, |m| m.columns);
    let length = all.first().map_or(0, |m| m.mean.len());
    let mean_of = |f: &dyn Fn(&Moments) -> f64| all.iter().map(f).sum::<f64>() / n;
    let mut out = Moments { columns, mean: vec![], below: vec![], last: vec![] };
    for i in 0..length {
        let mean = mean_of(&|m| m.mean[i]);
        let between = mean_of(&|m| (m.mean[i] - mean).powi(2));
        out.mean.push(mean);
        out.below.push(mean_of(&|m| m.below[i]) + between);
        out.last.push(mean_of(&|m| m.last[i]));
    }
    out
}

/// Probabilities of classes and their expected entropy, for logits N(f, v).
fn softmax(f: &[f64], v: &[f64]) -> (Vec<f64>, f64) {
    let moments = SoftmaxMoments::of(f, v);
    (moments.probabilities, moments.entropy)
}

/// Probabilities of two classes by the Normal distribution function of N(f, v), in closed form, and their expected
/// entropy, by the trapezoidal rule, which converges exponentially.
fn probit(f: f64, v: f64) -> (Vec<f64>, f64) {
    const STEP: f64 = 0.1;
    let both = |f: f64| [normal_cdf(-f), normal_cdf(f)];
    // Within steps of a tenth of the narrower one of the two curves.
    let steps = ((9.0 / STEP) * v.sqrt().max(1.0)).min(1e5) as i32;
    let nodes = (-steps..=steps).map(|i| 9.0 * f64::from(i) / f64::from(steps));
    let of = |z: f64| ((-0.5 * z * z).exp(), entropy(&both(f + v.sqrt() * z)));
    let add = |(all, sum): (f64, f64), (weight, h): (f64, f64)| (all + weight, sum + weight * h);
    let (all, sum) = nodes.map(of).fold((0.0, 0.0), add);
    (both(f / (1.0 + v).sqrt()).to_vec(), sum / all)
}
