//! The layers of a network as matrices on the host, for means and full covariances: W and b with their uncertainty,
//! and activations with their rule.

use std::sync::Arc;

use burn::tensor::Tensor;
use nalgebra::{DMatrix, DVector};

use super::JointError;
use super::state::State;
use crate::chain::{Chain, Step};
use crate::function::Bound;
use crate::layer::{Linear, PassError, Rule};
use crate::network::read;
use crate::posterior::Weight;

/// The layers of a chain that covariances go through, in order.
pub(super) struct Layers(Vec<Layer>);

enum Layer {
    Linear(Affine),
    Activation { bound: Arc<dyn Bound>, map: Map },
    Noise(f64),
    Residual(Layers),
}

/// How an activation maps jointly Normal numbers to their mean and covariance.
pub(super) enum Map {
    /// All moments by the kernels.
    Exact,
    /// The slope at the mean: Cov g(u) = diag(g′(m)) C diag(g′(m)).
    Linearised,
    /// One slope on either side of 0, chosen by a gate of this sharpness.
    Gated { sharpness: f64, slopes: [f64; 2] },
}

/// y = xW + b with random W and b.
pub(super) struct Affine {
    /// E\[W\], of shape \[inputs, outputs\].
    pub(super) weight: DMatrix<f64>,
    /// E\[b\].
    pub(super) bias: DVector<f64>,
    /// Whether the bias is the last row of W, and x has a 1 at its end.
    pub(super) joint: bool,
    pub(super) spread: Spread,
    /// Var b.
    pub(super) bias_variance: DVector<f64>,
}

/// The uncertainty of W: none, independent weights, or a covariance for each output.
pub(super) enum Spread {
    None,
    /// The variance of each weight, of shape \[inputs, outputs\].
    Independent(DMatrix<f64>),
    /// The covariance of the weights into each output, of shape \[inputs, inputs\].
    Full(Vec<DMatrix<f64>>),
}

impl Layers {
    pub(super) fn of(chain: &Chain) -> Result<Self, JointError> {
        Self::within(chain, "")
    }

    fn within(chain: &Chain, before: &str) -> Result<Self, JointError> {
        let mut layers = Vec::new();
        for (i, step) in chain.layers().iter().enumerate() {
            let place = format!("{before}layer {i}");
            let refuse = |kind| JointError::Layer { place: place.clone(), kind };
            layers.push(match step {
                Step::Linear(layer) => Layer::Linear(Affine::of(layer)?),
                Step::Activation(layer) => {
                    let bound = layer.bound()?;
                    let map = match (layer.rule(), layer.function().slopes()) {
                        (Rule::Exact, _) => Map::Exact,
                        (Rule::Gated { sharpness }, Some(slopes)) => {
                            Map::Gated { sharpness, slopes }
                        }
                        (Rule::Linearised | Rule::Gated { .. }, _) => Map::Linearised,
                    };
                    Layer::Activation { bound, map }
                }
                Step::Noise(layer) => Layer::Noise(layer.variance()),
                Step::Residual(chain) => {
                    Layer::Residual(Self::within(chain, &format!("{place}, "))?)
                }
                Step::Flatten(_) | Step::GateDivergence(_) => continue,
                Step::Conv1d(_) | Step::Conv2d(_) => return Err(refuse("a convolution")),
                Step::MaxPool(_) | Step::MeanPool(_) => return Err(refuse("a pool")),
                Step::Sample(_) => return Err(refuse("a sample")),
            });
        }
        Ok(Self(layers))
    }

    pub(super) fn forward(&self, mut x: State) -> State {
        for layer in &self.0 {
            x = match layer {
                Layer::Linear(layer) => x.through_linear(layer),
                Layer::Activation { bound, map } => x.through_activation(&**bound, map),
                Layer::Noise(variance) => x.with_noise(*variance),
                Layer::Residual(inner) => x.residual(|x| inner.forward(x)),
            };
        }
        x
    }
}

impl Affine {
    fn of(layer: &Linear) -> Result<Self, PassError> {
        let weight = matrix(layer.weight().mean())?;
        let outputs = weight.ncols();
        let none = || DVector::zeros(outputs);
        let (bias, bias_variance) = match layer.bias() {
            None => (none(), none()),
            Some(bias) => (
                DVector::from_vec(read(bias.mean())?),
                bias.variance().map_or(Ok(none()), |v| read(v).map(DVector::from_vec))?,
            ),
        };
        let spread = match layer.weight() {
            Weight::Point(_) => Spread::None,
            Weight::MeanField(q) => Spread::Independent(matrix(q.variance())?),
            Weight::Full(q) => {
                let n = weight.nrows();
                let factors = read(q.cholesky())?;
                let covariance = |l: &[f64]| {
                    let l = DMatrix::from_row_slice(n, n, l);
                    &l * l.transpose()
                };
                Spread::Full(factors.chunks_exact(n * n).map(covariance).collect())
            }
        };
        Ok(Self { weight, bias, joint: layer.joint_bias, spread, bias_variance })
    }
}

fn matrix(tensor: Tensor<2>) -> Result<DMatrix<f64>, PassError> {
    let [rows, columns] = tensor.dims();
    Ok(DMatrix::from_row_slice(rows, columns, &read(tensor)?))
}
