//! Tensors, networks and sums that several tests need.

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform_bnn::layer::Linear;
use gaussform_bnn::{
    Blueprint, ChainLayer, LikelihoodKind, Matrix, Network, NoiseRule, Precision, Random, Weight,
};

pub(crate) fn tensor<const D: usize>(values: &[f64], dims: [usize; D]) -> Tensor<D> {
    tensor_on(values, dims, &Device::flex())
}

pub(crate) fn tensor_on<const D: usize>(
    values: &[f64],
    dims: [usize; D],
    device: &Device,
) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), dims), (device, DType::F64))
}

pub(crate) fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().try_into_vec_as::<f64>().unwrap()
}

pub(crate) fn drawn(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.normal()).collect()
}

/// The network in f64 with wide posteriors, so that every term of a variance matters.
pub(crate) fn wide(blueprint: Blueprint) -> Blueprint {
    Blueprint { precision: Precision::Double, initial_sd: 0.5, ..blueprint }
}

pub(crate) fn fixed_noise(targets: usize, precision: f64) -> LikelihoodKind {
    LikelihoodKind::Normal { targets, noise: NoiseRule::Fixed { precision } }
}

pub(crate) fn linears(network: &Network) -> Vec<&Linear> {
    let linear = |step: &'_ ChainLayer| matches!(step, ChainLayer::Linear(_));
    let layers = network.chain().layers().iter().filter(|step| linear(step));
    layers
        .map(|step| match step {
            ChainLayer::Linear(layer) => layer,
            _ => unreachable!(),
        })
        .collect()
}

/// Means and variances of a tensor of weights, row by row.
pub(crate) fn moments_of<const D: usize>(weight: &Weight<D>) -> (Vec<f64>, Vec<f64>) {
    let mean = values(weight.mean().inner());
    let variance = weight.variance().map_or(vec![0.0; mean.len()], |v| values(v.inner()));
    (mean, variance)
}

/// One linear layer with numbers for its weights.
pub(crate) struct Plain {
    pub(crate) weight: Vec<f64>,
    pub(crate) bias: Vec<f64>,
}

/// Mean-field weights of all layers, drawn without any code of the library.
pub(crate) struct Sampler {
    layers: Vec<[(Vec<f64>, Vec<f64>); 2]>,
}

impl Sampler {
    pub(crate) fn new(network: &Network) -> Self {
        let layer = |l: &Linear| [moments_of(l.weight()), moments_of(l.bias().unwrap())];
        Self { layers: linears(network).into_iter().map(layer).collect() }
    }

    pub(crate) fn draw(&self, random: &mut Random) -> Vec<Plain> {
        let mut draw = |(mean, variance): &(Vec<f64>, Vec<f64>)| -> Vec<f64> {
            mean.iter().zip(variance).map(|(m, v)| m + v.sqrt() * random.normal()).collect()
        };
        let layer = |[w, b]: &[(Vec<f64>, Vec<f64>); 2]| Plain { weight: draw(w), bias: draw(b) };
        self.layers.iter().map(layer).collect()
    }
}

/// The outputs of a plain network with the activation `g` between its layers.
pub(crate) fn plain(layers: &[Plain], x: &[f64], g: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut x = x.to_vec();
    for (i, layer) in layers.iter().enumerate() {
        let outputs = layer.bias.len();
        let sum = |j: usize| {
            let products = x.iter().enumerate().map(|(k, x)| x * layer.weight[k * outputs + j]);
            layer.bias[j] + products.sum::<f64>()
        };
        let sums: Vec<f64> = (0..outputs).map(sum).collect();
        let last = i + 1 == layers.len();
        x = if last { sums } else { sums.into_iter().map(&g).collect() };
    }
    x
}

/// A mean over samples with its standard error.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sampled {
    sum: f64,
    squares: f64,
    n: f64,
}

impl Sampled {
    pub(crate) fn add(&mut self, value: f64) {
        self.sum += value;
        self.squares += value * value;
        self.n += 1.0;
    }

    pub(crate) fn mean(&self) -> f64 {
        self.sum / self.n
    }

    pub(crate) fn variance(&self) -> f64 {
        self.squares / self.n - self.mean().powi(2)
    }

    pub(crate) fn error(&self) -> f64 {
        (self.variance() / self.n).sqrt()
    }

    /// How many standard errors `value` is away.
    pub(crate) fn away(&self, value: f64) -> f64 {
        (value - self.mean()).abs() / self.error()
    }
}

pub(crate) fn matrix(columns: usize, values: &[f64]) -> Matrix {
    Matrix::new(columns, values.to_vec()).unwrap()
}
