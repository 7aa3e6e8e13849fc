//! V-ReLU-Net (Kandemir et al. 2018, restated by Haußmann et al. 2.2.1): coordinate ascent without
//! gradients, for one hidden layer of ReLUs and a real target.
//!
//! The model has latent variables beside its weights: with a bias in x,
//!
//! ```text
//! w_j ~ N(0, 1/α)   f_nj ~ N(w_jᵀ x_n, 1/β)   z_nj = 1(f_nj > 0)   h_nj ~ N(z_nj f_nj, 1/γ)
//! v ~ N(0, 1/α)     y_n ~ N(vᵀ(h_n, 1), 1/b)
//! ```
//!
//! q(f, z) is left joint: with z given, f is a Normal cut off at 0, so every update is in closed form
//! and the bound rises in every sweep. q(f) q(z) apart either is no ascent or freezes its gates.

use std::collections::BTreeMap;
use std::f64::consts::{E, TAU};

use nalgebra::{DMatrix, DVector};

use crate::blueprint::{Blueprint, LayerSpec, Precision};
use crate::data::{DataError, Scale, Standardizer, Table, Targets};
use crate::function::Function;
use crate::likelihood::{LikelihoodKind, NoiseRule};
use crate::model::{Model, ModelError};
use crate::network::Network;
use crate::posterior::PosteriorKind;
use crate::prior::Prior;
use crate::random::Random;
use crate::store::{Stored, put};
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
}

impl Default for VReluNetConfig {
    fn default() -> Self {
        let (alpha, beta, gamma) = (1.0, 20.0, 20.0);
        Self { hidden: 50, sweeps: 150, alpha, beta, gamma, noise: None, seed: 0 }
    }
}

/// A model trained by V-ReLU-Net on one real target, and its bound after each sweep, in nats of
/// standardised units.
///
/// The model is one of layers with full covariances and noise between them, and predicts as any other.
///
/// # Errors
///
/// [`TrainError`], if a setting lies outside its domain, the data has not one real target or does not
/// fit otherwise, or the normal equations have no solution.
pub fn vrelunet(data: &Table, config: &VReluNetConfig) -> Result<(Model, Vec<f64>), TrainError> {
    let VReluNetConfig { hidden, alpha, beta, gamma, noise, .. } = *config;
    for (field, value) in [
        ("alpha", alpha),
        ("beta", beta),
        ("gamma", gamma),
        ("noise", noise.unwrap_or(1.0)),
        ("hidden", hidden as f64),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(TrainError::Config { field, value, expected: "a finite number above 0" });
        }
    }
    let columns = data.x.columns();
    let blueprint = |precision: f64| {
        let likelihood =
            LikelihoodKind::Normal { targets: 1, noise: NoiseRule::Fixed { precision } };
        let blueprint = Blueprint::new(&[columns], likelihood)
            .with_posterior(PosteriorKind::Full)
            .with_prior(Prior::Normal { precision: alpha })
            .linear(hidden)
            .layer(LayerSpec::Noise { variance: 1.0 / beta })
            .activation(Function::new("relu", gaussform_generated::Relu))
            .layer(LayerSpec::Noise { variance: 1.0 / gamma })
            .linear(1);
        Blueprint { precision: Precision::Double, ..blueprint }
    };
    let targets = data.scale(&blueprint(1.0))?;
    let inputs = Standardizer::fit(&data.x);
    let Targets::Real(y) = &data.y else {
        return Err(DataError::Empty.into());
    };
    let scale = Scale::fit(y.values().iter().copied());
    let y = DVector::from_iterator(y.rows(), y.values().iter().map(|y| scale.apply(*y)));
    let x =
        with_one(&DMatrix::from_row_slice(data.x.rows(), columns, inputs.apply(&data.x).values()));

    let mut ascent = Ascent::new(x, y, *config)?;
    let mut bounds = Vec::with_capacity(config.sweeps);
    for _ in 0..config.sweeps {
        bounds.push(ascent.sweep()?);
    }
    let blueprint = blueprint(ascent.noise);
    let network = Network::new(&blueprint, 0).map_err(ModelError::from)?;
    let network = put(network, ascent.tensors()?, &BTreeMap::new())?;
    Ok((Model::from_parts(network, inputs, targets), bounds))
}

const SINGULAR: TrainError = TrainError::Settings(
    "the normal equations of V-ReLU-Net have no solution in this precision; \
     choose a larger `alpha`, or smaller `beta` and `gamma`",
);

/// All factors of q. Matrices have a row for each example and a column for each unit.
struct Ascent {
    x: DMatrix<f64>,
    y: DVector<f64>,
    config: VReluNetConfig,
    noise: f64,
    /// Means of the hidden weights, a column for each unit, and their common covariance.
    w: DMatrix<f64>,
    w_cov: DMatrix<f64>,
    v: DVector<f64>,
    v_cov: DMatrix<f64>,
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
    fn new(x: DMatrix<f64>, y: DVector<f64>, config: VReluNetConfig) -> Result<Self, TrainError> {
        let (n, d, units) = (x.nrows(), x.ncols(), config.hidden);
        let mut random = Random::new(config.seed);
        let spread = (2.0 / d as f64).sqrt();
        let w = DMatrix::from_fn(d, units, |_, _| spread * random.normal());
        let precision = x.tr_mul(&x) * config.beta + DMatrix::identity(d, d) * config.alpha;
        let w_cov = inverse(precision)?;
        let f = &x * &w;
        let zf = f.map(|f| f.max(0.0));
        let gates =
            Gates { f2: f.map(|f| f * f), zf2: zf.map(|f| f * f), f, zf: zf.clone(), entropy: 0.0 };
        Ok(Self {
            x,
            y,
            config,
            noise: config.noise.unwrap_or(10.0),
            w,
            w_cov,
            v: DVector::zeros(units + 1),
            v_cov: DMatrix::identity(units + 1, units + 1),
            h: zf,
            h_var: DVector::from_element(units, 1.0 / config.gamma),
            gates,
        })
        .inspect(|_| debug_assert!(n > 0))
    }

    /// Updates every factor once, and gives the bound.
    fn sweep(&mut self) -> Result<f64, TrainError> {
        let VReluNetConfig { alpha, beta, gamma, hidden, .. } = self.config;
        let n = self.x.nrows() as f64;
        // The output weights.
        let h1 = with_one(&self.h);
        let second = self.second(&h1);
        let eye = DMatrix::identity(hidden + 1, hidden + 1);
        self.v_cov = inverse(&second * self.noise + eye * alpha)?;
        self.v = &self.v_cov * h1.tr_mul(&self.y) * self.noise;
        // The noise.
        if self.config.noise.is_none() {
            self.noise = n / self.residual(&h1, &second);
        }
        // The units, one after another, since they share the residual.
        let outer = &self.v * self.v.transpose() + &self.v_cov;
        for j in 0..hidden {
            let precision = gamma + self.noise * outer[(j, j)];
            for i in 0..self.h.nrows() {
                let others: f64 =
                    (0..hidden).filter(|k| *k != j).map(|k| outer[(j, k)] * self.h[(i, k)]).sum();
                let pull = self.y[i] * self.v[j] - outer[(j, hidden)] - others;
                self.h[(i, j)] = (gamma * self.gates.zf[(i, j)] + self.noise * pull) / precision;
            }
            self.h_var[j] = 1.0 / precision;
        }
        // The pre-activations with their gates.
        let mean = &self.x * &self.w;
        self.gates = Gates::new(&mean, &self.h, beta, gamma);
        // The hidden weights.
        self.w = &self.w_cov * self.x.tr_mul(&self.gates.f) * beta;
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

    /// Σ E (y − vᵀh)².
    fn residual(&self, h1: &DMatrix<f64>, second: &DMatrix<f64>) -> f64 {
        let n = self.x.nrows() as f64;
        let spread: f64 =
            (0..self.config.hidden).map(|j| n * self.v[j].powi(2) * self.h_var[j]).sum();
        (&self.y - h1 * &self.v).norm_squared() + second.dot(&self.v_cov) + spread
    }

    fn bound(&self) -> f64 {
        let VReluNetConfig { alpha, beta, gamma, hidden, .. } = self.config;
        let (n, d) = (self.x.nrows() as f64, self.x.ncols() as f64);
        let units = hidden as f64;
        let mean = &self.x * &self.w;
        let uncertain = (&self.x * &self.w_cov).dot(&self.x);
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
            + normal(n, self.noise, about_y);
        let divergence = |count: f64, squares: f64, log_det: f64| {
            0.5 * (alpha * squares - log_det - count * (1.0 + alpha.ln()))
        };
        let hidden_weights = divergence(
            units * d,
            self.w.norm_squared() + units * self.w_cov.trace(),
            units * log_determinant(&self.w_cov),
        );
        let output_weights = divergence(
            units + 1.0,
            self.v.norm_squared() + self.v_cov.trace(),
            log_determinant(&self.v_cov),
        );
        let h_entropy: f64 = self.h_var.iter().map(|v| 0.5 * n * (TAU * E * v).ln()).sum();
        likelihoods - hidden_weights - output_weights + entropy + h_entropy
    }

    /// The weights as layers with full covariances have them.
    fn tensors(&self) -> Result<BTreeMap<String, Stored>, TrainError> {
        let factor = |covariance: &DMatrix<f64>, units: usize| {
            let l = covariance.clone().cholesky().ok_or(SINGULAR)?.l();
            let n = l.nrows();
            let at = |i: usize, j: usize| if i == j { l[(i, j)].ln() } else { l[(i, j)] };
            let one: Vec<f64> =
                (0..n * n).map(|k| if k % n <= k / n { at(k / n, k % n) } else { 0.0 }).collect();
            Ok::<_, TrainError>(Stored::double(one.repeat(units), vec![units, n, n]))
        };
        let (d, units) = (self.w.nrows(), self.w.ncols());
        // Row by row: nalgebra's own order is by columns.
        let mean = self.w.transpose().iter().copied().collect();
        let noise = vec![self.noise.ln()];
        let entry = |name: &str, tensor| (name.to_owned(), tensor);
        Ok(BTreeMap::from([
            entry("layers.0.weight.mean", Stored::double(mean, vec![d, units])),
            entry("layers.0.weight.factor", factor(&self.w_cov, units)?),
            entry(
                "layers.4.weight.mean",
                Stored::double(self.v.iter().copied().collect(), vec![units + 1, 1]),
            ),
            entry("layers.4.weight.factor", factor(&self.v_cov, 1)?),
            entry("likelihood.log_precision", Stored::double(noise, vec![1])),
        ]))
    }
}

impl Gates {
    /// z = 1 makes f a Normal of precision β + γ cut off below 0, z = 0 one of precision β cut off
    /// above it; the probabilities are those of their normalisers.
    fn new(mean: &DMatrix<f64>, h: &DMatrix<f64>, beta: f64, gamma: f64) -> Self {
        let zero = DMatrix::zeros(mean.nrows(), mean.ncols());
        let mut out =
            Self { f: zero.clone(), f2: zero.clone(), zf: zero.clone(), zf2: zero, entropy: 0.0 };
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
        return crate::prediction::normal_cdf(x).ln();
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
        };
        for (x, y) in [(0.8, 1.3), (-0.5, -0.7)] {
            let inputs = DMatrix::from_row_slice(1, 2, &[x, 1.0]);
            let mut ascent = Ascent::new(inputs, DVector::from_element(1, y), config).unwrap();
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
        let y = DVector::from_fn(60, |i, _| x[(i, 0)].abs() - x[(i, 1)] + 0.1 * random.normal());
        for (seed, noise) in [(0, None), (1, None), (2, Some(20.0))] {
            let config = VReluNetConfig { hidden: 8, seed, noise, ..VReluNetConfig::default() };
            let mut ascent = Ascent::new(x.clone(), y.clone(), config).unwrap();
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
