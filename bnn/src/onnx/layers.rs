//! Layers by standard operators, with the formulas of `layer`: means and variances of linear layers and activations.

use burn::tensor::Tensor;

use super::OnnxError;
use super::activation::{linearised, moments};
use super::graph::{Graph, Value};
use super::proto::Attribute;
use crate::chain::{Chain, ChainLayer};
use crate::layer::{Activation, Linear, Rule, read};
use crate::posterior::Weight;

/// A signal of shape \[rows, units\].
#[derive(Clone)]
pub(super) struct Flow {
    pub(super) mean: Value,
    /// The variances, of the shape of the means; none if the values are known.
    pub(super) variance: Option<Value>,
}

/// The outputs of the last layer.
pub(super) struct Outputs {
    pub(super) flow: Flow,
    /// The means of the last layer's weights, and the variances of its inputs, for the covariance of two outputs.
    pub(super) before: Option<(Tensor<2>, Value)>,
}

impl Outputs {
    /// The covariance of two outputs, of shape \[rows, 1\]; none if it is 0.
    pub(super) fn covariance(
        &self,
        graph: &mut Graph,
        j: usize,
        l: usize,
    ) -> Result<Option<Value>, OnnxError> {
        let Some((weights, below)) = &self.before else { return Ok(None) };
        let [inputs, outputs] = weights.dims();
        let w = read(weights.clone())?;
        let product = |i: usize| w[i * outputs + j] * w[i * outputs + l];
        let products: Vec<f64> = (0..inputs).map(product).collect();
        let products = graph.numbers(&products, &[inputs, 1]);
        Ok(Some(graph.matmul(below, &products)))
    }
}

pub(super) fn outputs(graph: &mut Graph, chain: &Chain, x: Flow) -> Result<Outputs, OnnxError> {
    let (last, first) = match chain.layers().split_last() {
        Some((ChainLayer::Linear(last), first)) => (Some(last), first),
        _ => (None, chain.layers()),
    };
    let x = through(graph, first, x)?;
    let Some(last) = last else { return Ok(Outputs { flow: x, before: None }) };
    let before = x.variance.clone().map(|v| (last.weight().mean(), v));
    Ok(Outputs { flow: linear(graph, last, x)?, before })
}

fn through(graph: &mut Graph, layers: &[ChainLayer], mut x: Flow) -> Result<Flow, OnnxError> {
    for (i, layer) in layers.iter().enumerate() {
        let unsupported = |kind| OnnxError::Layer { number: i, kind };
        x = match layer {
            ChainLayer::Linear(layer) => linear(graph, layer, x)?,
            ChainLayer::Activation(layer) => activation(graph, layer, x).map_err(|e| match e {
                OnnxError::Layer { kind, .. } => unsupported(kind),
                other => other,
            })?,
            ChainLayer::Noise(noise) => {
                // Only a runtime knows the number of rows: a product makes zeros of that shape.
                let zero = graph.times(&x.mean, 0.0);
                let old = x.variance.unwrap_or(zero);
                Flow { variance: Some(graph.plus(&old, noise.variance())), ..x }
            }
            // The divergence of gates is a term of training alone.
            ChainLayer::GateDivergence(_) | ChainLayer::Flatten(_) => x,
            ChainLayer::Residual(chain) => {
                let inner = through(graph, chain.layers(), x.clone())?;
                let variance = match (&x.variance, &inner.variance) {
                    (Some(a), Some(b)) => Some(graph.add(a, b)),
                    (a, b) => a.clone().or(b.clone()),
                };
                Flow { mean: graph.add(&x.mean, &inner.mean), variance }
            }
            ChainLayer::Sample(_) => return Err(unsupported("a sample")),
            ChainLayer::Conv1d(_) | ChainLayer::Conv2d(_) => {
                return Err(unsupported("a convolution"));
            }
            ChainLayer::MaxPool(_) | ChainLayer::MeanPool(_) => return Err(unsupported("a pool")),
        };
    }
    Ok(x)
}

/// A tensor of the network as a constant of the graph.
fn constant<const D: usize>(graph: &mut Graph, t: Tensor<D>) -> Result<Value, OnnxError> {
    let shape = t.dims();
    Ok(graph.numbers(&read(t)?, &shape))
}

fn linear(graph: &mut Graph, layer: &Linear, x: Flow) -> Result<Flow, OnnxError> {
    let weight = layer.weight();
    let x = match layer.joint_bias {
        true => with_one(graph, x),
        false => x,
    };
    let m = constant(graph, weight.mean())?;
    let mut mean = graph.matmul(&x.mean, &m);
    let square = graph.square(&x.mean);
    let s2 = weight.variance();
    let mut variance = match (weight, &s2) {
        (Weight::Full(q), _) => {
            let l = constant(graph, q.cholesky())?;
            let equation = Attribute::Text("ni,uij->nuj");
            let along = graph.with("Einsum", &[&x.mean, &l], &[("equation", equation)]);
            let square = graph.square(&along);
            Some(graph.sum(&square, 1))
        }
        (_, Some(s2)) => {
            let s2 = constant(graph, s2.clone())?;
            Some(graph.matmul(&square, &s2))
        }
        (_, None) => None,
    };
    if let Some(v) = &x.variance {
        let second = match s2 {
            Some(s2) => weight.mean().square() + s2,
            None => weight.mean().square(),
        };
        let second = constant(graph, second)?;
        let below = graph.matmul(v, &second);
        variance = Some(match variance {
            Some(own) => graph.add(&own, &below),
            None => below,
        });
    }
    if let Some(bias) = layer.bias() {
        let b = constant(graph, bias.mean())?;
        mean = graph.add(&mean, &b);
        if let Some(s2) = bias.variance() {
            let s2 = constant(graph, s2)?;
            variance = Some(match variance {
                Some(v) => graph.add(&v, &s2),
                None => {
                    let zero = graph.times(&mean, 0.0);
                    graph.add(&zero, &s2)
                }
            });
        }
    }
    Ok(Flow { mean, variance })
}

fn with_one(graph: &mut Graph, x: Flow) -> Flow {
    let first = graph.columns(&x.mean, 0, 1);
    let zero = graph.times(&first, 0.0);
    let one = graph.plus(&zero, 1.0);
    Flow {
        mean: graph.concat(&[&x.mean, &one], 1),
        variance: x.variance.map(|v| graph.concat(&[&v, &zero], 1)),
    }
}

fn activation(graph: &mut Graph, layer: &Activation, x: Flow) -> Result<Flow, OnnxError> {
    let pieces = layer.bound()?.pieces();
    Ok(match (&x.variance, layer.rule()) {
        (Some(v), Rule::Exact) => {
            let (mean, variance) = moments(graph, &pieces, &x.mean, v);
            Flow { mean, variance: Some(variance) }
        }
        (Some(_), Rule::Gated { .. }) => {
            return Err(OnnxError::Layer { number: 0, kind: "a gate of finite sharpness" });
        }
        (v, _) => {
            let (mean, variance) = linearised(graph, &pieces, &x.mean, v.as_ref());
            Flow { mean, variance }
        }
    })
}
