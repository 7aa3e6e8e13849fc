//! A model: a network with the scales of its data. It trains, predicts, and is stored, in the units of the data.

use std::num::NonZeroUsize;
use std::ops::Range;

use crate::blueprint::{Blueprint, BlueprintError, Covariances};
use crate::covariance;
use crate::data::{DataError, one_hot};
use crate::data::{Matrix, Standardizer, Table, TargetScale, TargetUnit, Targets};
use crate::distribution::Distribution;
use crate::layer::{LinearOutput, PassError, read};
use crate::likelihood::{Likelihood, LikelihoodKind, Noise, RowOutputs, SoftmaxMoments};
use crate::network::Network;
use crate::prediction::{ClassPrediction, Prediction, RealPrediction, entropy};
use crate::residuals::{Residual, most_probable_scale};
use crate::signal::{Pass, Signal};
use crate::standard_normal::normal_cdf;
use crate::subnormals::flush_subnormals;
use crate::threads::each;
use burn::module::Module;
use burn::tensor::{Device, Tensor};

/// Number of rows that go through a network at once for a prediction.
const CHUNK: usize = 1024;
/// How many covariances of one layer go through a network at once.
const SQUARES: usize = 1 << 22;
/// Number of passes whose mean a prediction is, if a pass is random.
const PASSES: usize = 64;

/// A network with the scales of the data that it was made for.
///
/// Inputs and targets are standardised inside. Data in other units gives the same fit, and predictions come in the
/// units of the data.
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) network: Network,
    pub(crate) inputs: Standardizer,
    pub(crate) targets: TargetScale,
    pub(crate) passes: NonZeroUsize,
}

/// Why a model cannot be made, or cannot predict.
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

/// Standardised examples as tensors: inputs of shape \[n, inputs\] and targets of shape \[n, target columns\].
#[derive(Clone, Debug)]
pub(crate) struct Examples {
    pub(crate) x: Signal<2>,
    pub(crate) y: Tensor<2>,
    /// The variances that those of the inputs bring into the trends of the targets, of shape \[n, outputs\]; none if there
    /// is no such variance.
    pub(crate) doubt: Option<Tensor<2>>,
    /// The weights of the rows, of shape \[n, 1\]; none if every row counts once.
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

    /// A model of a given network, such as one with trained weights, and of the scales of its inputs and targets.
    #[must_use]
    pub fn from_parts(network: Network, inputs: Standardizer, targets: TargetScale) -> Self {
        let passes = NonZeroUsize::new(PASSES).unwrap_or(NonZeroUsize::MIN);
        Self { network, inputs, targets, passes }
    }

    /// The model whose predictions are the means of `passes` passes through it, if a pass is random
    /// ([`Blueprint::samples`]). Other models take one pass. The number is 64 at first, and is not stored.
    #[must_use]
    pub fn with_passes(self, passes: NonZeroUsize) -> Self {
        Self { passes, ..self }
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

    /// The model with its posterior as the prior of the next data. Training it on new rows is streaming: nothing is
    /// kept of the old rows.
    #[must_use]
    pub fn carried_over(self) -> Self {
        Self { network: self.network.carried_over(), ..self }
    }

    /// The model whose noise has the scale under which the residuals of the rows that it was trained on are most probable,
    /// by their weights, if its likelihood learned its noise ([`Normal`](crate::Normal),
    /// [`NormalPerInput`](crate::NormalPerInput), [`StudentT`](crate::StudentT)); as it is otherwise.
    ///
    /// The bound is best for the noise 1/β = E \[(y − m)² + v\], which counts the variance v that the weights bring, and a
    /// prediction adds v to it again. With few rows for the weights there are, v is as large as the noise, and intervals are too
    /// wide. Here the variances of the noise are multiplied by one factor for each target, without v. What the variances of
    /// inputs bring is left out of the noise as well.
    ///
    /// A row that took part in training pulls its own prediction. Its squared residual is smaller than that of a new row would
    /// be, by the leverage h, which is v/(v + s) for noise of the learned variance s. Squares are divided by 1 − h. For Normal
    /// noise and known inputs the noise is the mean of (y − m)²/(1 − h).
    ///
    /// # Errors
    ///
    /// [`ModelError`] in the cases of [`predict_noisy`](Self::predict_noisy).
    pub fn with_residual_noise(self, data: &Table) -> Result<Self, ModelError> {
        flush_subnormals(|| self.with_noise_of(data))
    }

    fn with_noise_of(mut self, data: &Table) -> Result<Self, ModelError> {
        let (Targets::Real(y), TargetScale::Real(units)) = (&data.y, &self.targets) else {
            return Ok(self);
        };
        let network = self.network.valid();
        let Some(noise) =
            network.likelihood().noise()?.filter(|_| network.likelihood().learns_scale())
        else {
            return Ok(self);
        };
        data.check(self.network.blueprint())?;
        let mut residuals = vec![Vec::new(); units.len()];
        let mut rows = y.iter().enumerate();
        let of = |rows: Range<usize>| -> Result<([Vec<Moments>; 2], HostRows), PassError> {
            let (signal, own) = self.part(&data.x, data.x_variance.as_ref(), rows);
            let mut all = outputs(&network, &signal, self.passes)?;
            let known = match signal.variance {
                Some(_) => outputs(&network, &Signal::known(signal.mean), self.passes)?,
                None => Vec::new(),
            };
            all.iter_mut().for_each(|m| m.add_doubt_of_trends(units, &own));
            Ok(([all, known], own))
        };
        for part in each(chunks(&network, data.x.rows()), of) {
            let ([all, known], own) = part?;
            // The targets go on from chunk to chunk. They stand second, so that the end of a chunk
            // takes none of them.
            for ((row, x), (i, y)) in own.x.iter().enumerate().zip(&mut rows) {
                let weight = data.weights.as_ref().map_or(1.0, |w| w[i]);
                for (j, unit) in units.iter().enumerate() {
                    let target = unit.at(x).apply(y[j]);
                    let of_pass = |(pass, m): (usize, &Moments)| {
                        let below = |m: &Moments| m.row(row).below[j];
                        let doubt = known.get(pass).map_or(0.0, |known| below(m) - below(known));
                        let share = 1.0 / all.len() as f64;
                        let parts = noise.parts(m.row(row), j, units.len(), share);
                        let learned: f64 = parts.iter().map(|p| p.weight * p.noise).sum();
                        // The weights of the parts add up to the share of the pass, which
                        // `learned` has in it.
                        let of_trend = unit.leverage_of_trend(x) * learned / share;
                        let v = m.row(row).last[j] + below(m) - doubt.max(0.0) + of_trend;
                        let kept = share * v.max(0.0) / learned;
                        parts.into_iter().map(move |p| Residual {
                            share: p.weight,
                            // Divided by 1 − h, where h = v/(v + s).
                            square: (target - p.mean).powi(2) * (1.0 + kept),
                            variance: p.noise,
                            doubt: doubt.max(0.0),
                        })
                    };
                    let parts = all.iter().enumerate().flat_map(of_pass).collect();
                    residuals[j].push((weight, parts));
                }
            }
        }
        let factors: Vec<f64> = residuals.iter().map(|rows| most_probable_scale(rows)).collect();
        self.network = self.network.with_noise_scaled(&factors);
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

    /// The predictive distribution for each row of inputs with independent Normal noise. `x` has their measured
    /// values, `x_variance` the variances of the noise, in squared units of the inputs. Both have the shape \[rows,
    /// inputs\].
    ///
    /// The noise of an input is common to all units, and is carried with their covariances, as
    /// [`propagate_full`](Self::propagate_full) does. Networks that sample, convolve or pool take it unit by unit.
    ///
    /// # Errors
    ///
    /// [`ModelError`] in the cases of [`predict`](Self::predict), or if a variance is negative or not finite.
    pub fn predict_noisy(
        &self,
        x: &Matrix,
        x_variance: Option<&Matrix>,
    ) -> Result<Prediction, ModelError> {
        crate::data::check_noisy(x, x_variance, self.network.blueprint().columns())?;
        let network = flush_subnormals(|| self.network.valid());
        let of = |rows| {
            let mut part = Gathered::default();
            let (signal, rows) = self.part(x, x_variance, rows);
            part.add(&network, &self.targets, &signal, &rows, self.passes).map(|()| part)
        };
        let mut gathered = Gathered::default();
        for part in each(chunks(&network, x.rows()), of) {
            gathered.append(part?);
        }
        Ok(gathered.finish(&self.targets))
    }

    /// Some rows of `x` as the network takes them, and as trends do.
    fn part(
        &self,
        x: &Matrix,
        x_variance: Option<&Matrix>,
        rows: Range<usize>,
    ) -> (Signal<2>, HostRows) {
        let rows: Vec<usize> = rows.collect();
        let part = |m: &Matrix| m.select(&rows).unwrap_or_else(|| m.clone());
        let x = self.inputs.apply(&part(x));
        let variance = x_variance.map(|v| self.inputs.apply_to_variances(&part(v)));
        let tensor = |m: &Matrix| self.network.tensor(m);
        let signal = Signal { mean: tensor(&x), variance: variance.as_ref().map(tensor) };
        (signal, HostRows { x, variance })
    }

    /// Means of the outputs for each row, of shape \[rows, outputs\], with the weights drawn by `seed`. They are
    /// values of one function of the posterior, whatever the rows. For real targets they are in the units of the
    /// data.
    ///
    /// # Errors
    ///
    /// [`ModelError`] in the cases of [`predict`](Self::predict).
    pub fn draw(&self, x: &Matrix, seed: u64) -> Result<Matrix, ModelError> {
        crate::data::check_inputs(x, self.network.blueprint().columns())?;
        let network = flush_subnormals(|| self.network.valid());
        let output =
            flush_subnormals(|| network.output(self.signal(x, None), &mut Pass::drawn(seed)))?;
        let columns = output.mean.dims()[1];
        let mut values = read(output.mean)?;
        if let TargetScale::Real(units) = &self.targets {
            let (noise, known) = (network.likelihood().noise()?, vec![0.0; columns]);
            let x = self.inputs.apply(x);
            for (row, x) in values.chunks_exact_mut(columns).zip(x.iter()) {
                let drawn = row.to_vec();
                let outputs =
                    RowOutputs { mean: &drawn, below: &known, last: &known, covariance: None };
                for (j, (value, unit)) in row.iter_mut().zip(units).enumerate() {
                    if let (Some(trend), Some(noise)) = (&unit.trend, &noise) {
                        let sd = noise.mean(outputs, j, units.len()).sqrt();
                        // Each target has a draw of its own.
                        *value += sd * trend.drawn(x, seed.wrapping_add(j as u64));
                    }
                    *value = unit.at(x).invert(*value);
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

    /// The data as standardised tensors.
    pub(crate) fn examples(&self, data: &Table) -> Result<Examples, DataError> {
        data.check(self.network.blueprint())?;
        let x = self.inputs.apply(&data.x);
        let y = match (&data.y, &self.targets) {
            (Targets::Real(y), TargetScale::Real(units))
                if self.network.blueprint().likelihood == LikelihoodKind::Censored =>
            {
                units.first().map_or_else(|| y.clone(), |unit| data.intervals(y, unit))
            }
            (Targets::Real(y), TargetScale::Real(units)) => {
                let rows = y.iter().zip(x.iter());
                let of = |(y, x): (&[f64], &[f64])| -> Vec<f64> {
                    y.iter().zip(units).map(|(y, unit)| unit.at(x).apply(*y)).collect()
                };
                Matrix::filled(units.len().max(1), rows.flat_map(of).collect())
            }
            (Targets::Classes { labels, .. }, _) => {
                one_hot(labels, self.network.blueprint().likelihood.target_columns())
            }
            (Targets::Real(y), TargetScale::Classes(_)) => y.clone(),
        };
        let x = self.signal(&data.x, data.x_variance.as_ref());
        let weights = data.weights.clone().map(|w| self.network.tensor(&Matrix::filled(1, w)));
        let doubt = data.x_variance.as_ref().and_then(|v| self.doubt_of_trends(v));
        Ok(Examples { x, y: self.network.tensor(&y), doubt, weights })
    }

    /// The variances that these of the inputs bring into the trends, of shape \[n, outputs\]; none without trends.
    fn doubt_of_trends(&self, x_variance: &Matrix) -> Option<Tensor<2>> {
        let TargetScale::Real(units) = &self.targets else { return None };
        if units.iter().all(|unit| unit.trend.is_none()) {
            return None;
        }
        let outputs = self.network.blueprint().likelihood.outputs();
        let v = self.inputs.apply_to_variances(x_variance);
        let of = |v: &[f64]| -> Vec<f64> {
            (0..outputs).map(|j| units.get(j).map_or(0.0, |unit| unit.doubt_of_trend(v))).collect()
        };
        let values = v.iter().flat_map(of).collect();
        Some(self.network.tensor(&Matrix::filled(outputs.max(1), values)))
    }
}

/// The rows, [`CHUNK`] at a time, or fewer if the matrices of a layer would be larger than [`SQUARES`].
fn chunks(network: &Network, rows: usize) -> Vec<Range<usize>> {
    let chunk = match network.blueprint().covariances {
        Covariances::Independent => CHUNK,
        Covariances::Full => (SQUARES / network.chain().widest().pow(2).max(1)).clamp(1, CHUNK),
    };
    (0..rows).step_by(chunk).map(|first| first..rows.min(first + chunk)).collect()
}

/// Predictions of the chunks so far.
#[derive(Default)]
struct Gathered {
    distributions: Vec<Distribution>,
    mean: Vec<f64>,
    information: Vec<f64>,
}

/// Standardised rows on the host, as trends take them.
struct HostRows {
    x: Matrix,
    variance: Option<Matrix>,
}

/// Moments of the outputs of one chunk, row by row: means, and variances in their two parts.
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

    /// Adds the variances that those of the inputs bring into trends to what comes from below.
    fn add_doubt_of_trends(&mut self, units: &[TargetUnit], rows: &HostRows) {
        for (j, unit) in units.iter().enumerate() {
            for (i, v) in rows.variance.iter().flat_map(Matrix::iter).enumerate() {
                self.below[i * self.columns + j] += unit.doubt_of_trend(v);
            }
        }
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

/// Moments of the outputs for the rows of `x`, one entry a pass: `passes` of them if the network samples, else one.
fn outputs(
    network: &Network,
    x: &Signal<2>,
    passes: NonZeroUsize,
) -> Result<Vec<Moments>, PassError> {
    let blueprint = network.blueprint();
    let passes = if blueprint.samples() { passes.get() } else { 1 };
    let output = |pass: usize| {
        let mut pass = Pass::new(blueprint.weights, 0, pass as u64);
        let output = if blueprint.samples() {
            network.output(x.clone(), &mut pass)?
        } else {
            covariance::outputs(network, x, &mut pass)?
        };
        Moments::of(network.likelihood().deciding(output))
    };
    each((0..passes).collect(), output).into_iter().collect()
}

impl Gathered {
    fn append(&mut self, part: Self) {
        self.distributions.extend(part.distributions);
        self.mean.extend(part.mean);
        self.information.extend(part.information);
    }

    fn add(
        &mut self,
        network: &Network,
        targets: &TargetScale,
        x: &Signal<2>,
        rows: &HostRows,
        passes: NonZeroUsize,
    ) -> Result<(), PassError> {
        let mut all = outputs(network, x, passes)?;
        match (network.likelihood().noise()?, targets) {
            (Some(noise), TargetScale::Real(units)) => {
                all.iter_mut().for_each(|m| m.add_doubt_of_trends(units, rows));
                self.real(&noise, units, &rows.x, &all);
            }
            _ => self.classes(network.likelihood(), &all),
        }
        Ok(())
    }

    /// The mixture of all passes, for each row and target.
    fn real(&mut self, noise: &Noise, units: &[TargetUnit], x: &Matrix, all: &[Moments]) {
        let weight = 1.0 / all.len() as f64;
        for (row, x) in x.iter().enumerate() {
            for (j, unit) in units.iter().enumerate() {
                let leverage = unit.leverage_of_trend(x);
                let parts = |m: &Moments| {
                    let mut parts = noise.parts(m.row(row), j, units.len(), weight);
                    // The doubt of a trend's weights counts with that of the last layer's.
                    let more = leverage * noise.mean(m.row(row), j, units.len());
                    parts.iter_mut().for_each(|part| part.last += more);
                    parts
                };
                let parts = all.iter().flat_map(parts).collect();
                self.distributions.push(match noise {
                    Noise::Counts(_) => Distribution::counts(parts),
                    Noise::Mixture(_) | Noise::ByInput => Distribution::normals(parts, unit.at(x)),
                });
            }
        }
    }

    /// Probabilities of the classes for each row, and the mutual information of class and weights in nats.
    fn classes(&mut self, likelihood: &Likelihood, all: &[Moments]) {
        let Some(first) = all.first() else { return };
        let (k, share) = (first.columns, 1.0 / all.len() as f64);
        for row in 0..first.mean.len() / k {
            // One output decides between two classes.
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
            // By Jensen it is never below 0; the errors of two integrals may take it there.
            self.information.push((entropy(&mean) - expected).max(0.0));
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
