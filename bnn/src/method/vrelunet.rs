//! V-ReLU-Net (Kandemir et al. 2018, restated by Haußmann et al. 2.2.1): coordinate ascent without
//! gradients, for one hidden layer of ReLUs and real targets.
//!
//! The model has latent variables beside its weights: with a bias in x,
//!
//! ```text
//! w_j ~ N(0, 1/α)   f_nj ~ N(w_jᵀ x_n, 1/β)   z_nj = 1(f_nj > 0)   h_nj ~ N(z_nj f_nj, 1/γ)
//! v_d ~ N(0, 1/α)   y_nd ~ N(v_dᵀ(h_n, 1), 1/b)
//! ```
//!
//! q(f, z) is left joint: with z given, f is a Normal cut off at 0, so every update is in closed form
//! and the bound rises in every sweep. q(f) q(z) apart either is no ascent or freezes its gates.
//!
//! Rows may come in batches, each of which is seen once: the posterior of the weights after one batch is their prior for the next.

use std::collections::BTreeMap;
use std::f64::consts::{E, TAU};

use nalgebra::{DMatrix, DVector};

use crate::blueprint::{Blueprint, LayerSpec, Precision};
use crate::data::{
    DataError, Matrix, Scaling, Standardizer, Table, TargetScale, Targets, TransformChoice,
};
use crate::function::Function;
use crate::likelihood::{LikelihoodKind, NoiseRule};
use crate::model::{Model, ModelError};
use crate::network::Network;
use crate::posterior::PosteriorKind;
use crate::prior::Prior;
use crate::random::Random;
use crate::store::{Stored, put};
use crate::subnormals::keep_subnormals;
use crate::train::TrainError;

/// The settings of V-ReLU-Net, all precisions > 0 and in standardised units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VReluNetConfig {
    /// How many hidden units.
    pub hidden: usize,
    /// How many sweeps of updates.
    pub sweeps: usize,
    /// α, of the prior on the weights.
    pub alpha: f64,
    /// β, of f about its mean.
    pub beta: f64,
    /// γ, of h about the rectified f.
    pub gamma: f64,
    /// b, of the observations; learned if not given.
    pub noise: Option<f64>,
    /// The seed of the first weights.
    pub seed: u64,
    /// How many rows are seen together. Each batch is seen once, with so many sweeps. All rows are one batch if it is not given.
    pub batch: Option<usize>,
    /// How inputs are brought to one scale.
    pub scaling: Scaling,
    /// How targets are transformed.
    pub target_transform: TransformChoice,
    /// [`PosteriorKind::Full`] keeps the covariances of the weights into each unit, as many numbers as units times inputs squared.
    /// [`PosteriorKind::MeanField`] keeps their diagonals in the model alone, for many inputs; training has all of them.
    pub posterior: PosteriorKind,
}

impl Default for VReluNetConfig {
    fn default() -> Self {
        let (alpha, beta, gamma) = (1.0, 20.0, 20.0);
        Self {
            hidden: 50,
            sweeps: 150,
            alpha,
            beta,
            gamma,
            noise: None,
            seed: 0,
            batch: None,
            scaling: Scaling::default(),
            target_transform: TransformChoice::None,
            posterior: PosteriorKind::Full,
        }
    }
}

/// A model trained by V-ReLU-Net on real targets, and its bound after each sweep, in nats of
/// standardised units and of the rows of its batch.
///
/// The model is one of layers with noise between them, and predicts as any other.
///
/// # Errors
///
/// [`TrainError`], if a setting lies outside its domain, the data has variances of inputs, has no real targets or does not
/// fit otherwise, or the normal equations have no solution.
pub fn vrelunet(data: &Table, config: &VReluNetConfig) -> Result<(Model, Vec<f64>), TrainError> {
    keep_subnormals(|| ascended(data, config))
}

fn ascended(data: &Table, config: &VReluNetConfig) -> Result<(Model, Vec<f64>), TrainError> {
    let VReluNetConfig { hidden, alpha, beta, gamma, noise, .. } = *config;
    for (field, value) in [
        ("alpha", alpha),
        ("beta", beta),
        ("gamma", gamma),
        ("noise", noise.unwrap_or(1.0)),
        ("hidden", hidden as f64),
        ("batch", config.batch.unwrap_or(1) as f64),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(TrainError::Config { field, value, expected: "a finite number above 0" });
        }
    }
    if !matches!(config.posterior, PosteriorKind::Full | PosteriorKind::MeanField) {
        return Err(TrainError::Settings("V-ReLU-Net has a full or a mean-field posterior"));
    }
    if data.x_variance.is_some() {
        return Err(TrainError::Settings(
            "V-ReLU-Net takes known inputs only; leave their variances out, or choose another method",
        ));
    }
    let columns = data.x.columns();
    let outputs = match &data.y {
        Targets::Real(y) => y.columns(),
        Targets::Classes { .. } => 1,
    };
    let rule = match noise {
        Some(precision) => NoiseRule::Fixed { precision },
        None => NoiseRule::ClosedForm,
    };
    let likelihood = LikelihoodKind::Normal { targets: outputs, noise: rule };
    let layers = Blueprint::new(&[columns], likelihood)
        .with_posterior(config.posterior)
        .with_prior(Prior::Normal { precision: alpha })
        .linear(hidden)
        .layer(LayerSpec::Noise { variance: 1.0 / beta })
        .activation(Function::new("relu", gaussform_generated::Relu))
        .layer(LayerSpec::Noise { variance: 1.0 / gamma })
        .linear(outputs);
    let (scaling, target_transform) = (config.scaling, config.target_transform);
    let blueprint = Blueprint { precision: Precision::Double, scaling, target_transform, ..layers };
    let targets = data.scale(&blueprint)?;
    let inputs = Standardizer::fit_by(&data.x, config.scaling);
    let (Targets::Real(y), TargetScale::Real(units)) = (&data.y, &targets) else {
        return Err(DataError::Empty.into());
    };
    let x = inputs.apply(&data.x);
    let y = y.map_rows(|row| row.iter().zip(units).map(|(y, unit)| unit.apply(*y)).collect());

    let mut ascent = Ascent::new(columns + 1, outputs, *config)?;
    let mut bounds = Vec::new();
    let (rows, batch) = (data.x.rows(), config.batch.unwrap_or(usize::MAX));
    for first in (0..rows).step_by(batch.min(rows)) {
        let rows = first..rows.min(first.saturating_add(batch));
        let part = |m: &Matrix| {
            let values = &m.values()[rows.start * m.columns()..rows.end * m.columns()];
            DMatrix::from_row_slice(rows.len(), m.columns(), values)
        };
        ascent.observe(with_one(&part(&x)), part(&y))?;
        for _ in 0..config.sweeps {
            bounds.push(ascent.sweep()?);
        }
        ascent.keep();
    }
    let network = Network::new(&blueprint, 0).map_err(ModelError::from)?;
    let network = put(network, ascent.tensors()?, &BTreeMap::new())?;
    Ok((Model::from_parts(network, inputs, targets), bounds))
}

const SINGULAR: TrainError = TrainError::Settings(
    "the normal equations of V-ReLU-Net have no solution in this precision; \
     choose a larger `alpha`, or smaller `beta` and `gamma`",
);

/// The weights into each of some units, which have a common precision: a prior, or a posterior.
#[derive(Clone)]
struct Weights {
    /// A column for each unit.
    mean: DMatrix<f64>,
    precision: DMatrix<f64>,
    /// precision · mean
    pull: DMatrix<f64>,
    covariance: DMatrix<f64>,
}

impl Weights {
    /// N(0, 1/precision).
    fn prior(precision: f64, inputs: usize, units: usize) -> Self {
        let zero = DMatrix::zeros(inputs, units);
        Self {
            mean: zero.clone(),
            precision: DMatrix::identity(inputs, inputs) * precision,
            pull: zero,
            covariance: DMatrix::identity(inputs, inputs) / precision,
        }
    }

    /// The posterior, given Σ x xᵀ and Σ x yᵀ of observations of this precision.
    fn given(
        &self,
        squares: &DMatrix<f64>,
        products: &DMatrix<f64>,
        precision: f64,
    ) -> Result<Self, TrainError> {
        let new = &self.precision + squares * precision;
        let covariance = inverse(new.clone())?;
        Ok(self.with_known(new, covariance, products, precision))
    }

    /// The posterior from its precision `new` and its inverse `covariance`, both known already, and Σ x yᵀ of
    /// observations of this precision.
    fn with_known(
        &self,
        new: DMatrix<f64>,
        covariance: DMatrix<f64>,
        products: &DMatrix<f64>,
        precision: f64,
    ) -> Self {
        let pull = &self.pull + products * precision;
        Self { mean: &covariance * &pull, precision: new, pull, covariance }
    }

    /// KL(self ‖ prior).
    fn divergence(&self, prior: &Self) -> f64 {
        let (inputs, units) = (self.mean.nrows() as f64, self.mean.ncols() as f64);
        let apart = &self.mean - &prior.mean;
        let squares = (&prior.precision * &apart).dot(&apart);
        let spread = prior.precision.dot(&self.covariance);
        let log_det = log_determinant(&prior.precision) + log_determinant(&self.covariance);
        0.5 * (squares + units * (spread - inputs - log_det))
    }
}

/// All factors of q. Matrices have a row for each example and a column for each unit.
struct Ascent {
    x: DMatrix<f64>,
    y: DMatrix<f64>,
    config: VReluNetConfig,
    noise: f64,
    /// The observations and the squared residuals of earlier batches.
    seen: [f64; 2],
    /// The weights into hidden units, and before this batch.
    w: Weights,
    w_prior: Weights,
    /// The weights into outputs, and before this batch.
    v: Weights,
    v_prior: Weights,
    h: DMatrix<f64>,
    /// Var h, the same for every example.
    h_var: DVector<f64>,
    gates: Gates,
}

/// Moments of q(f, z).
struct Gates {
    f: DMatrix<f64>,
    f2: DMatrix<f64>,
    zf: DMatrix<f64>,
    zf2: DMatrix<f64>,
    entropy: f64,
}

impl Ascent {
    fn new(inputs: usize, outputs: usize, config: VReluNetConfig) -> Result<Self, TrainError> {
        let mut random = Random::new(config.seed);
        let spread = (2.0 / inputs as f64).sqrt();
        let w_prior = Weights::prior(config.alpha, inputs, config.hidden);
        let v_prior = Weights::prior(config.alpha, config.hidden + 1, outputs);
        let mean = DMatrix::from_fn(inputs, config.hidden, |_, _| spread * random.normal());
        let none = DMatrix::zeros(0, 0);
        Ok(Self {
            x: none.clone(),
            y: none.clone(),
            config,
            noise: config.noise.unwrap_or(10.0),
            seen: [0.0; 2],
            w: Weights { mean, ..w_prior.clone() },
            w_prior,
            v: v_prior.clone(),
            v_prior,
            h: none.clone(),
            h_var: DVector::zeros(0),
            gates: Gates::empty(0, 0),
        })
    }

    /// Begins with other examples.
    fn observe(&mut self, x: DMatrix<f64>, y: DMatrix<f64>) -> Result<(), TrainError> {
        let f = &x * &self.w.mean;
        let zf = f.map(|f| f.max(0.0));
        let squares = x.tr_mul(&x);
        // The covariance of the hidden weights depends on the inputs alone.
        self.w.precision = &self.w_prior.precision + squares * self.config.beta;
        self.w.covariance = inverse(self.w.precision.clone())?;
        self.gates =
            Gates { f2: f.map(|f| f * f), zf2: zf.map(|f| f * f), f, zf: zf.clone(), entropy: 0.0 };
        self.h = zf;
        self.h_var = DVector::from_element(self.config.hidden, 1.0 / self.config.gamma);
        (self.x, self.y) = (x, y);
        Ok(())
    }

    /// Makes the posterior the prior of what is observed next.
    fn keep(&mut self) {
        let h1 = with_one(&self.h);
        self.seen[0] += self.y.len() as f64;
        self.seen[1] += self.residual(&h1, &self.second(&h1));
        (self.w_prior, self.v_prior) = (self.w.clone(), self.v.clone());
    }

    /// Updates every factor once, and gives the bound.
    fn sweep(&mut self) -> Result<f64, TrainError> {
        let VReluNetConfig { beta, gamma, hidden, .. } = self.config;
        // The output weights.
        let h1 = with_one(&self.h);
        let second = self.second(&h1);
        self.v = self.v_prior.given(&second, &h1.tr_mul(&self.y), self.noise)?;
        // The noise.
        if self.config.noise.is_none() {
            let count = self.seen[0] + self.y.len() as f64;
            self.noise = count / (self.seen[1] + self.residual(&h1, &second));
        }
        // The units, one after another, since they share the residual.
        let outer =
            &self.v.mean * self.v.mean.transpose() + &self.v.covariance * self.y.ncols() as f64;
        let pulls = &self.y * self.v.mean.transpose();
        let others = outer.view((0, 0), (hidden, hidden)).into_owned();
        for j in 0..hidden {
            let precision = gamma + self.noise * outer[(j, j)];
            let mut h = pulls.column(j).add_scalar(-outer[(j, hidden)]);
            // The product below takes away all units, unit j too, whose part is put back here.
            h.axpy(outer[(j, j)], &self.h.column(j), 1.0);
            h.gemv(-1.0, &self.h, &others.column(j), 1.0);
            h *= self.noise / precision;
            h.axpy(gamma / precision, &self.gates.zf.column(j), 1.0);
            self.h.set_column(j, &h);
            self.h_var[j] = 1.0 / precision;
        }
        // The pre-activations with their gates.
        let mean = &self.x * &self.w.mean;
        self.gates = Gates::new(&mean, &self.h, beta, gamma);
        // The hidden weights.
        let Weights { precision, covariance, .. } = self.w.clone();
        let products = self.x.tr_mul(&self.gates.f);
        self.w = self.w_prior.with_known(precision, covariance, &products, beta);
        Ok(self.bound())
    }

    /// Σ E h hᵀ, the bias among h.
    fn second(&self, h1: &DMatrix<f64>) -> DMatrix<f64> {
        let mut second = h1.tr_mul(h1);
        for j in 0..self.config.hidden {
            second[(j, j)] += self.x.nrows() as f64 * self.h_var[j];
        }
        second
    }

    /// Σ E (y − vᵀh)², over examples and outputs.
    fn residual(&self, h1: &DMatrix<f64>, second: &DMatrix<f64>) -> f64 {
        let (n, outputs) = (self.x.nrows() as f64, self.y.ncols() as f64);
        let v = &self.v.mean;
        let spread: f64 =
            (0..self.config.hidden).map(|j| n * v.row(j).norm_squared() * self.h_var[j]).sum();
        let certain = (&self.y - h1 * v).norm_squared();
        certain + outputs * second.dot(&self.v.covariance) + spread
    }

    fn bound(&self) -> f64 {
        let VReluNetConfig { beta, gamma, hidden, .. } = self.config;
        let (n, units) = (self.x.nrows() as f64, hidden as f64);
        let mean = &self.x * &self.w.mean;
        let uncertain = (&self.x * &self.w.covariance).dot(&self.x);
        let Gates { f, f2, zf, zf2, entropy } = &self.gates;
        let about_f = f2.sum() - 2.0 * f.dot(&mean) + mean.norm_squared() + units * uncertain;
        let h2 = self.h.norm_squared() + n * self.h_var.sum();
        let about_h = h2 - 2.0 * self.h.dot(zf) + zf2.sum();
        let h1 = with_one(&self.h);
        let about_y = self.residual(&h1, &self.second(&h1));
        let normal = |count: f64, precision: f64, squares: f64| {
            0.5 * (count * (precision / TAU).ln() - precision * squares)
        };
        let likelihoods = normal(n * units, beta, about_f)
            + normal(n * units, gamma, about_h)
            + normal(self.y.len() as f64, self.noise, about_y);
        let divergences = self.w.divergence(&self.w_prior) + self.v.divergence(&self.v_prior);
        let h_entropy: f64 = self.h_var.iter().map(|v| 0.5 * n * (TAU * E * v).ln()).sum();
        likelihoods - divergences + entropy + h_entropy
    }

    /// The weights as layers have them.
    fn tensors(&self) -> Result<BTreeMap<String, Stored>, TrainError> {
        let mut tensors = BTreeMap::from([(
            "likelihood.log_precision".to_owned(),
            Stored::double(vec![self.noise.ln(); self.y.ncols()], vec![self.y.ncols()]),
        )]);
        for (layer, weights) in [(0, &self.w), (4, &self.v)] {
            let (n, units) = weights.mean.shape();
            // Row by row: nalgebra's own order is by columns.
            let mean: Vec<f64> = weights.mean.transpose().iter().copied().collect();
            let name = |part: &str| format!("layers.{layer}.{part}");
            let cov = &weights.covariance;
            if self.config.posterior == PosteriorKind::MeanField {
                let log_sd: Vec<f64> =
                    (0..n * units).map(|k| 0.5 * cov[(k / units, k / units)].ln()).collect();
                for (part, values) in [("mean", mean), ("log_sd", log_sd)] {
                    // The last row is the bias.
                    let (weight, bias) = values.split_at((n - 1) * units);
                    let weight = Stored::double(weight.to_vec(), vec![n - 1, units]);
                    let bias = Stored::double(bias.to_vec(), vec![units]);
                    tensors.insert(name(&format!("weight.{part}")), weight);
                    tensors.insert(name(&format!("bias.{part}")), bias);
                }
                continue;
            }
            tensors.insert(name("weight.mean"), Stored::double(mean, vec![n, units]));
            let l = cov.clone().cholesky().ok_or(SINGULAR)?.l();
            let at = |i: usize, j: usize| if i == j { l[(i, j)].ln() } else { l[(i, j)] };
            let one: Vec<f64> =
                (0..n * n).map(|k| if k % n <= k / n { at(k / n, k % n) } else { 0.0 }).collect();
            let factor = Stored::double(one.repeat(units), vec![units, n, n]);
            tensors.insert(name("weight.factor"), factor);
        }
        Ok(tensors)
    }
}

impl Gates {
    fn empty(rows: usize, units: usize) -> Self {
        let zero = DMatrix::zeros(rows, units);
        Self { f: zero.clone(), f2: zero.clone(), zf: zero.clone(), zf2: zero, entropy: 0.0 }
    }

    /// z = 1 makes f a Normal of precision β + γ cut off below 0, z = 0 one of precision β cut off
    /// above it; the probabilities are those of their normalisers.
    fn new(mean: &DMatrix<f64>, h: &DMatrix<f64>, beta: f64, gamma: f64) -> Self {
        let mut out = Self::empty(mean.nrows(), mean.ncols());
        let tau = beta + gamma;
        for i in 0..mean.len() {
            let (mu, h) = (mean[i], h[i]);
            let nu = (beta * mu + gamma * h) / tau;
            let open = 0.5 * (tau * nu * nu - beta * mu * mu - tau.ln()) + log_cdf(nu * tau.sqrt());
            let shut = -0.5 * beta.ln() + log_cdf(-mu * beta.sqrt());
            let p = 1.0 / (1.0 + (shut - open).exp());
            let [a, a2, a_entropy] = cut_off(nu, tau);
            let [b, b2, b_entropy] = cut_off(-mu, beta);
            out.f[i] = p * a - (1.0 - p) * b;
            out.f2[i] = p * a2 + (1.0 - p) * b2;
            out.zf[i] = p * a;
            out.zf2[i] = p * a2;
            let coin = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
            out.entropy += coin(p) + coin(1.0 - p) + p * a_entropy + (1.0 - p) * b_entropy;
        }
        out
    }
}

/// Mean, second moment and entropy of N(mean, 1/precision) above 0.
fn cut_off(mean: f64, precision: f64) -> [f64; 3] {
    let s = precision.sqrt().recip();
    let t = mean / s;
    let log_cdf = log_cdf(t);
    let mills = (-0.5 * (t * t + TAU.ln()) - log_cdf).exp();
    let first = mean + s * mills;
    let second = mean * mean + s * s + mean * s * mills;
    let entropy = (s * (TAU * E).sqrt()).ln() + log_cdf - 0.5 * t * mills;
    [first, second, entropy]
}

/// log Φ(x), in the tail by the continued fraction of the Mills ratio.
fn log_cdf(x: f64) -> f64 {
    if x > -6.0 {
        return crate::standard_normal::normal_cdf(x).ln();
    }
    let mut fraction = -x;
    for k in (1..=30).rev() {
        fraction = -x + f64::from(k) / fraction;
    }
    -0.5 * (x * x + TAU.ln()) - fraction.ln()
}

fn with_one(x: &DMatrix<f64>) -> DMatrix<f64> {
    x.clone().insert_column(x.ncols(), 1.0)
}

fn inverse(precision: DMatrix<f64>) -> Result<DMatrix<f64>, TrainError> {
    Ok(precision.cholesky().ok_or(SINGULAR)?.inverse())
}

fn log_determinant(covariance: &DMatrix<f64>) -> f64 {
    let factor = covariance.clone().cholesky();
    factor
        .map_or(f64::NAN, |factor| 2.0 * factor.l().diagonal().iter().map(|l| l.ln()).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row, one input, one unit: the evidence by integrating over f and h on a grid. Precisions are
    /// so low that the factors, which q takes to be independent, nearly are.
    #[test]
    fn the_bound_lies_just_below_the_evidence() {
        let config = VReluNetConfig {
            hidden: 1,
            sweeps: 60,
            alpha: 20.0,
            beta: 0.05,
            gamma: 0.05,
            noise: Some(0.5),
            seed: 2,
            ..VReluNetConfig::default()
        };
        for (x, y) in [(0.8, 1.3), (-0.5, -0.7)] {
            let inputs = DMatrix::from_row_slice(1, 2, &[x, 1.0]);
            let mut ascent = Ascent::new(2, 1, config).unwrap();
            ascent.observe(inputs, DMatrix::from_element(1, 1, y)).unwrap();
            let bound = (0..60).map(|_| ascent.sweep().unwrap()).last().unwrap();

            let normal = |r: f64, v: f64| (-0.5 * r * r / v).exp() / (TAU * v).sqrt();
            let step = 0.1;
            let grid = || (-400..=400).map(|i| f64::from(i) * step);
            let mut evidence = 0.0;
            for f in grid() {
                let prior = normal(f, (x * x + 1.0) / config.alpha + 1.0 / config.beta);
                for h in grid() {
                    let v = (h * h + 1.0) / config.alpha + 1.0 / 0.5;
                    let latent = normal(h - f.max(0.0), 1.0 / config.gamma);
                    evidence += prior * latent * normal(y, v) * step * step;
                }
            }
            let gap = evidence.ln() - bound;
            assert!(gap > 0.0 && gap < 0.35, "{bound} against {}", evidence.ln());
        }
    }

    #[test]
    fn the_bound_rises_in_every_sweep() {
        let mut random = Random::new(1);
        let x = with_one(&DMatrix::from_fn(60, 2, |_, _| random.normal()));
        let y = DMatrix::from_fn(60, 2, |i, k| x[(i, 0)].abs() - x[(i, k)] + 0.1 * random.normal());
        for (seed, noise) in [(0, None), (1, None), (2, Some(20.0))] {
            let config = VReluNetConfig { hidden: 8, seed, noise, ..VReluNetConfig::default() };
            let mut ascent = Ascent::new(3, 2, config).unwrap();
            // The second time the prior is what the first rows left.
            ascent.observe(x.clone(), y.clone()).unwrap();
            ascent.sweep().unwrap();
            ascent.keep();
            ascent.observe(x.clone(), y.clone()).unwrap();
            let mut last = f64::NEG_INFINITY;
            for sweep in 0..80 {
                let bound = ascent.sweep().unwrap();
                assert!(bound > last - 1e-9 * bound.abs(), "sweep {sweep}: {last}, then {bound}");
                last = bound;
            }
        }
    }

    #[test]
    fn moments_of_a_normal_that_is_cut_off() {
        for (mean, precision) in [(0.7f64, 2.0f64), (-3.0, 4.0), (-8.0, 9.0)] {
            let h = 1e-4;
            let weight = |f: f64| (-0.5 * precision * f * (f - 2.0 * mean)).exp();
            let sum = |g: &dyn Fn(f64) -> f64| {
                (0..80_000)
                    .map(|i| (f64::from(i) + 0.5) * h)
                    .map(|f| g(f) * weight(f) * h)
                    .sum::<f64>()
            };
            let z = sum(&|_| 1.0);
            let entropy = z.ln() - sum(&|f| -0.5 * precision * f * (f - 2.0 * mean)) / z;
            let truth = [sum(&|f| f) / z, sum(&|f| f * f) / z, entropy];
            for (ours, truth) in cut_off(mean, precision).into_iter().zip(truth) {
                assert!((ours - truth).abs() < 1e-6 * (1.0 + truth.abs()), "{ours}, {truth}");
            }
        }
    }
}
