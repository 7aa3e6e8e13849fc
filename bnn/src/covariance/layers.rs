//! The layers of a network as matrices on the host, for means and full covariances: W and b with their uncertainty,
//! and activations with their rule.

use std::sync::Arc;

use super::CovarianceError;
use super::affine::Affine;
use super::state::{Map, State};
use crate::chain::{Chain, ChainLayer};
use crate::function::Bound;
use crate::layer::Rule;

/// The layers of a chain that covariances go through, in order.
pub(crate) struct Layers(Vec<Layer>);

enum Layer {
    Linear(Affine),
    Activation { bound: Arc<dyn Bound>, map: Map },
    Noise(f64),
    Residual(Layers),
}

impl Layers {
    pub(crate) fn of(chain: &Chain) -> Result<Self, CovarianceError> {
        Self::within(chain, "")
    }

    fn within(chain: &Chain, before: &str) -> Result<Self, CovarianceError> {
        let mut layers = Vec::new();
        for (i, step) in chain.layers().iter().enumerate() {
            let place = format!("{before}layer {i}");
            let refuse = |kind| CovarianceError::Layer { place: place.clone(), kind };
            layers.push(match step {
                ChainLayer::Linear(layer) => Layer::Linear(Affine::of(layer)?),
                ChainLayer::Activation(layer) => {
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
                ChainLayer::Noise(layer) => Layer::Noise(layer.variance()),
                ChainLayer::Residual(chain) => {
                    Layer::Residual(Self::within(chain, &format!("{place}, "))?)
                }
                // These change no number of a row.
                ChainLayer::Flatten(_) | ChainLayer::GateDivergence(_) => continue,
                ChainLayer::Conv1d(_) | ChainLayer::Conv2d(_) => {
                    return Err(refuse("a convolution"));
                }
                ChainLayer::MaxPool(_) | ChainLayer::MeanPool(_) => return Err(refuse("a pool")),
                ChainLayer::Sample(_) => return Err(refuse("a sample")),
            });
        }
        Ok(Self(layers))
    }

    pub(crate) fn forward(&self, mut x: State) -> State {
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
