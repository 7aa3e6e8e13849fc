//! Probabilistic backpropagation (Hernández-Lobato and Adams 2015): assumed density filtering, row by
//! row, for a real target.
//!
//! The forward pass is that of every method here, with a row as its signal. What differs is how weights
//! learn: from the derivatives of log Z, the evidence of one row, in their means and variances.

use std::collections::BTreeMap;

use gaussform_runtime::MomentsGradMut;

use crate::blueprint::{Blueprint, Precision};
use crate::data::DataError;
use crate::data::{Standardizer, Table, TargetScale, Targets, TransformChoice};
use crate::function::{Function, Slices};
use crate::likelihood::LikelihoodKind;
use crate::model::{Model, ModelError};
use crate::network::Network;
use crate::random::Random;
use crate::store::{Stored, put};
use crate::subnormals::keep_subnormals;
use crate::train::TrainError;

/// How to run PBP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PbpConfig {
    /// How often to go through the rows, each time in another order; 40 in the paper.
    pub passes: usize,
    /// The seed of the first means and of the orders.
    pub seed: u64,
    /// How the target is transformed.
    pub target_transform: TransformChoice,
}

impl Default for PbpConfig {
    fn default() -> Self {
        Self { passes: 40, seed: 0, target_transform: TransformChoice::None }
    }
}

/// A Gamma distribution of shape a and rate b.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gamma {
    a: f64,
    b: f64,
}

impl Gamma {
    /// The distribution whose first two moments are those of this one times a function of the precision,
    /// given that function's means for the shapes a, a + 1 and a + 2, as logarithms.
    fn matched(self, log_z: [f64; 3]) -> Option<Self> {
        let Self { a, b } = self;
        let [z0, z1, z2] = log_z;
        let shape = 1.0 / ((z2 - 2.0 * z1 + z0).exp() * (a + 1.0) / a - 1.0);
        let rate = 1.0 / ((z2 - z1).exp() * (a + 1.0) / b - (z1 - z0).exp() * a / b);
        let valid = shape > 1.0 && shape.is_finite() && rate > 0.0 && rate.is_finite();
        valid.then_some(Self { a: shape, b: rate })
    }
}

/// One layer: y = Wx/√n with the bias as the last of n inputs, and a row of W for each output.
#[derive(Clone, Debug)]
struct Layer {
    inputs: usize,
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// The contribution of the prior to 1/v and m/v of each weight, and to the shape and rate of the precision.
    sites: Vec<[f64; 4]>,
}

/// The values of a pass that the way back needs.
struct Trace {
    /// Mean and variance of the inputs of each layer, with the bias.
    inputs: Vec<[Vec<f64>; 2]>,
    /// ∂mean/∂γ, ∂mean/∂ξ², ∂variance/∂γ, ∂variance/∂ξ² of each activation.
    slopes: Vec<[Vec<f64>; 4]>,
    output: [f64; 2],
}

#[derive(Clone, Debug)]
struct Filter {
    layers: Vec<Layer>,
    g: Function,
    noise: Gamma,
    prior: Gamma,
}

/// A model trained by PBP on one real target, with the activation `g` between its layers.
///
/// The model is one of mean-field layers and the exact rule, and predicts as any other.
///
/// # Errors
///
/// [`TrainError`], if the data has not one real target, or does not fit otherwise.
pub fn pbp(
    hidden: &[usize],
    g: &Function,
    data: &Table,
    config: &PbpConfig,
) -> Result<Model, TrainError> {
    keep_subnormals(|| filtered(hidden, g, data, config))
}

fn filtered(
    hidden: &[usize],
    g: &Function,
    data: &Table,
    config: &PbpConfig,
) -> Result<Model, TrainError> {
    let columns = data.x.columns();
    let first = Blueprint::new(&[columns], LikelihoodKind::normal(1));
    let stack = super::stack(first, hidden, g);
    let target_transform = config.target_transform;
    let blueprint = Blueprint { precision: Precision::Double, target_transform, ..stack };
    let targets = data.scale(&blueprint)?;
    let inputs = Standardizer::fit(&data.x);
    let x = inputs.apply(&data.x);
    let x_variance = data.x_variance.as_ref().map(|v| inputs.apply_to_variances(v));
    let Targets::Real(y) = &data.y else {
        return Err(DataError::Empty.into());
    };
    let TargetScale::Real(units) = &targets else {
        return Err(DataError::Empty.into());
    };
    let y: Vec<f64> =
        y.values().iter().zip(units.iter().cycle()).map(|(y, unit)| unit.apply(*y)).collect();

    let mut filter = Filter::new(columns, hidden, g, config.seed);
    for pass in 0..config.passes {
        for row in Random::stream(config.seed, pass as u64 + 1).permutation(y.len()) {
            if let Some(x) = x.iter().nth(row) {
                let variance = x_variance.as_ref().and_then(|v| v.iter().nth(row));
                filter.observe(x, variance, y[row]);
            }
        }
        filter.refine_prior();
    }

    // The mean of the noise variance under the Gamma distribution is b/(a − 1).
    let precision = (filter.noise.a - 1.0) / filter.noise.b;
    let network = Network::new(&blueprint, 0).map_err(ModelError::from)?;
    let tensors = filter.tensors(precision);
    Ok(Model::from_parts(put(network, tensors, &BTreeMap::new())?, inputs, targets))
}

impl Filter {
    fn new(inputs: usize, hidden: &[usize], g: &Function, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let prior = Gamma { a: 6.0, b: 6.0 };
        let start = prior.b / (prior.a - 1.0);
        let mut layers = Vec::new();
        let mut width = inputs;
        for &outputs in hidden.iter().chain(&[1]) {
            let inputs = width + 1;
            let spread = (inputs as f64 + 1.0).sqrt().recip();
            let count = inputs * outputs;
            layers.push(Layer {
                inputs,
                mean: (0..count).map(|_| spread * random.normal()).collect(),
                variance: vec![start; count],
                sites: vec![[1.0 / start, 0.0, 0.0, 0.0]; count],
            });
            width = outputs;
        }
        Self { layers, g: g.clone(), noise: Gamma { a: 6.0, b: 6.0 }, prior }
    }

    fn forward(&self, x: &[f64], variance: Option<&[f64]>) -> Trace {
        let mut trace = Trace { inputs: vec![], slopes: vec![], output: [0.0; 2] };
        let known = || vec![0.0; x.len()];
        let (mut z, mut v) = (x.to_vec(), variance.map_or_else(known, <[f64]>::to_vec));
        for (l, layer) in self.layers.iter().enumerate() {
            z.push(1.0);
            v.push(0.0);
            let (mean, variance) = layer.forward(&z, &v);
            trace.inputs.push([z, v]);
            if l + 1 == self.layers.len() {
                trace.output = [mean[0], variance[0]];
                return trace;
            }
            let mut rows: [Vec<f64>; 6] = std::array::from_fn(|_| vec![0.0; mean.len()]);
            let out = MomentsGradMut::new(rows.each_mut().map(|row| &mut row[..]));
            Slices::<f64>::gradients(&**self.g.bound(), &mean, &variance, out);
            let [m, s, a, b, c, d] = rows;
            (z, v) = (m, s);
            trace.slopes.push([a, b, c, d]);
        }
        trace
    }

    /// Takes one row in, its inputs known or with a variance each.
    fn observe(&mut self, x: &[f64], variance: Option<&[f64]>, y: f64) {
        let trace = self.forward(x, variance);
        let [m, v] = trace.output;
        let Gamma { a, b } = self.noise;
        let log_z = |shape: f64| log_normal(y - m, v + b / shape);
        let matched = self.noise.matched([log_z(a - 1.0), log_z(a), log_z(a + 1.0)]);

        let total = v + b / (a - 1.0);
        let mut d_mean = vec![(y - m) / total];
        let mut d_variance = vec![0.5 * ((y - m).powi(2) / total - 1.0) / total];
        for l in (0..self.layers.len()).rev() {
            let [z, zv] = &trace.inputs[l];
            let (dz, dzv) = self.layers[l].backward(z, zv, &d_mean, &d_variance);
            let Some([a, b, c, d]) = l.checked_sub(1).map(|l| &trace.slopes[l]) else { break };
            let units = a.len();
            d_mean = (0..units).map(|i| dz[i] * a[i] + dzv[i] * c[i]).collect();
            d_variance = (0..units).map(|i| dz[i] * b[i] + dzv[i] * d[i]).collect();
        }
        // Where no Gamma distribution has these moments the noise stays as it is.
        self.noise = matched.unwrap_or(self.noise);
    }

    /// Expectation propagation of the factor N(w; 0, 1/λ) Gamma(λ) of each weight in turn.
    fn refine_prior(&mut self) {
        let prior = &mut self.prior;
        for layer in &mut self.layers {
            let weights = layer.mean.iter_mut().zip(&mut layer.variance).zip(&mut layer.sites);
            for ((mean, variance), site) in weights {
                let cavity = Gamma { a: prior.a - site[2], b: prior.b - site[3] };
                let precision = 1.0 / *variance - site[0];
                let v = 1.0 / precision;
                let m = v * (*mean / *variance - site[1]);
                // Without its factor the rest may be no distribution; then the factor stays.
                if !(v > 0.0 && v < 1e6 && cavity.b > 0.0 && cavity.a > 1.0) {
                    continue;
                }
                let log_z = |shape: f64| log_normal(m, v + cavity.b / shape);
                let Some(next) =
                    cavity.matched([log_z(cavity.a - 1.0), log_z(cavity.a), log_z(cavity.a + 1.0)])
                else {
                    continue;
                };
                let total = v + cavity.b / (cavity.a - 1.0);
                let slope = -m / total;
                let curve = 0.5 * (m * m / total - 1.0) / total;
                let new_mean = m + v * slope;
                let new_variance = v - v * v * (slope * slope - 2.0 * curve);
                if !(new_variance > 1e-100 && new_variance.is_finite()) {
                    continue;
                }
                *site = [
                    1.0 / new_variance - precision,
                    new_mean / new_variance - m * precision,
                    next.a - cavity.a,
                    next.b - cavity.b,
                ];
                (*mean, *variance) = (new_mean, new_variance);
                *prior = next;
            }
        }
    }

    /// The weights as layers of a network have them, without the √n.
    fn tensors(&self, precision: f64) -> BTreeMap<String, Stored> {
        let mut out = BTreeMap::new();
        for (l, layer) in self.layers.iter().enumerate() {
            let n = layer.inputs;
            let outputs = layer.mean.len() / n;
            let root = (n as f64).sqrt();
            let mut put = |part: &str, values: &dyn Fn(usize) -> f64| {
                // A row for each output here, a column there.
                let weight = (0..(n - 1) * outputs)
                    .map(|k| values((k % outputs) * n + k / outputs))
                    .collect();
                let bias = (0..outputs).map(|j| values(j * n + n - 1)).collect();
                // Every other layer is an activation.
                let name = |which: &str| format!("layers.{}.{which}.{part}", 2 * l);
                out.insert(name("weight"), Stored::double(weight, vec![n - 1, outputs]));
                out.insert(name("bias"), Stored::double(bias, vec![outputs]));
            };
            put("mean", &|i| layer.mean[i] / root);
            put("log_sd", &|i| 0.5 * layer.variance[i].ln() - root.ln());
        }
        let noise = Stored::double(vec![precision.ln()], vec![1]);
        out.insert("likelihood.log_precision".to_owned(), noise);
        out
    }
}

impl Layer {
    fn forward(&self, z: &[f64], zv: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.inputs as f64;
        let rows = self.mean.chunks_exact(self.inputs).zip(self.variance.chunks_exact(self.inputs));
        rows.map(|(m, v)| {
            let mut sums = [0.0; 2];
            for i in 0..self.inputs {
                sums[0] += m[i] * z[i];
                sums[1] += (m[i] * m[i] + v[i]) * zv[i] + v[i] * z[i] * z[i];
            }
            (sums[0] / n.sqrt(), sums[1] / n)
        })
        .unzip()
    }

    /// Moves the weights by the derivatives of log Z, and gives those in the inputs.
    fn backward(
        &mut self,
        z: &[f64],
        zv: &[f64],
        d_mean: &[f64],
        d_variance: &[f64],
    ) -> (Vec<f64>, Vec<f64>) {
        let n = self.inputs as f64;
        let mut dz = vec![0.0; self.inputs];
        let mut dzv = vec![0.0; self.inputs];
        for (j, (dm, dv)) in d_mean.iter().zip(d_variance).enumerate() {
            let (dm, dv) = (dm / n.sqrt(), dv / n);
            for i in 0..self.inputs {
                let at = j * self.inputs + i;
                let (m, v) = (self.mean[at], self.variance[at]);
                dz[i] += dm * m + 2.0 * dv * v * z[i];
                dzv[i] += dv * (m * m + v);
                let slope = dm * z[i] + 2.0 * dv * m * zv[i];
                let curve = dv * (z[i] * z[i] + zv[i]);
                let (mean, variance) = (m + v * slope, v - v * v * (slope * slope - 2.0 * curve));
                // As published: a step that leaves no variance is not taken.
                if variance > 1e-100 && variance.is_finite() && mean.is_finite() {
                    (self.mean[at], self.variance[at]) = (mean, variance);
                }
            }
        }
        (dz, dzv)
    }
}

/// log N(x; 0, variance).
fn log_normal(x: f64, variance: f64) -> f64 {
    -0.5 * ((std::f64::consts::TAU * variance).ln() + x * x / variance)
}

#[cfg(test)]
mod tests {
    use gaussform_generated::HardTanh;

    use super::*;

    fn filter() -> Filter {
        let mut filter = Filter::new(2, &[3, 2], &Function::new("hard_tanh", HardTanh), 3);
        for (i, v) in filter.layers.iter_mut().flat_map(|l| &mut l.variance).enumerate() {
            *v = 0.2 + 0.03 * (i % 7) as f64;
        }
        filter
    }

    fn log_evidence(filter: &Filter, x: &[f64], y: f64) -> f64 {
        let [m, v] = filter.forward(x, None).output;
        log_normal(y - m, v + filter.noise.b / (filter.noise.a - 1.0))
    }

    /// m ← m + v ∂log Z/∂m and v ← v − v² [(∂log Z/∂m)² − 2 ∂log Z/∂v], by finite differences.
    #[test]
    fn weights_move_by_the_derivatives_of_the_evidence() {
        let (x, y, h) = ([0.7, -1.3], 0.9, 1e-5);
        let before = filter();
        let mut after = before.clone();
        after.observe(&x, None, y);
        for l in 0..before.layers.len() {
            for i in 0..before.layers[l].mean.len() {
                let difference = |change: &dyn Fn(&mut Layer, f64)| {
                    let at = |h: f64| {
                        let mut moved = before.clone();
                        change(&mut moved.layers[l], h);
                        log_evidence(&moved, &x, y)
                    };
                    (at(h) - at(-h)) / (2.0 * h)
                };
                let slope = difference(&|layer, h| layer.mean[i] += h);
                let curve = difference(&|layer, h| layer.variance[i] += h);
                let (m, v) = (before.layers[l].mean[i], before.layers[l].variance[i]);
                let mean = m + v * slope;
                let variance = v - v * v * (slope * slope - 2.0 * curve);
                assert!((after.layers[l].mean[i] - mean).abs() < 1e-8);
                assert!((after.layers[l].variance[i] - variance).abs() < 1e-8);
            }
        }
    }

    /// One weight, no hidden layer: with the noise known, filtering is Bayesian linear regression.
    #[test]
    fn without_a_hidden_layer_filtering_is_exact() {
        let mut filter = Filter::new(1, &[], &Function::new("hard_tanh", HardTanh), 0);
        // A Gamma so narrow that the noise is known, and a bias that is 0.
        filter.noise = Gamma { a: 1e9, b: 0.3e9 };
        filter.layers[0].mean = vec![0.0, 0.0];
        filter.layers[0].variance = vec![1.2, 1e-12];
        let rows = [(0.7, 1.1), (-1.3, -0.4), (2.0, 2.2)];
        for (x, y) in rows {
            filter.observe(&[x], None, y);
        }
        // y = (x/√2) w + noise of variance 0.3.
        let root = 2f64.sqrt();
        let precision = 1.0 / 1.2 + rows.iter().map(|(x, _)| x * x / 2.0 / 0.3).sum::<f64>();
        let sum: f64 = rows.iter().map(|(x, y)| x / root * y / 0.3).sum();
        assert!((filter.layers[0].variance[0] - 1.0 / precision).abs() < 1e-6);
        assert!((filter.layers[0].mean[0] - sum / precision).abs() < 1e-6);
    }

    /// The Gamma that is left has the mean and the variance of the precision times the evidence, by
    /// the trapezoidal rule, where that evidence is the one of the shapes a, a + 1 and a + 2.
    #[test]
    fn the_gamma_has_matched_moments() {
        // A function of the precision whose mean is known for every shape: e^(−cλ) has the mean
        // (b/(b + c))ᵃ, and times Gamma(a, b) it is Gamma(a, b + c).
        let (gamma, c) = (Gamma { a: 6.0, b: 5.0 }, 1.7);
        let log_z = |shape: f64| shape * (gamma.b / (gamma.b + c)).ln();
        let matched = gamma.matched([log_z(6.0), log_z(7.0), log_z(8.0)]).unwrap();
        assert!((matched.a - 6.0).abs() < 1e-9 && (matched.b - 6.7).abs() < 1e-9);
    }
}
