//! A chain on signals whose elements are jointly Normal, with all covariances between the units of a layer.

use super::{Chain, ChainLayer};
use crate::joint_signal::JointSignal;
use crate::layer::{LinearOutput, PassError};
use crate::signal::{Pass, Signal};

impl Chain {
    /// The outputs of [`output`](Self::output), with the covariances between the units of every layer carried.
    pub(crate) fn joint_output(
        &self,
        x: Signal<2>,
        covariance: bool,
        pass: &mut Pass,
    ) -> Result<LinearOutput, PassError> {
        let x = JointSignal::of(x);
        if let Some((ChainLayer::Linear(last), before)) = self.layers.split_last() {
            let x = through(before, x, pass)?;
            return Ok(last.joint_output(x, covariance, pass));
        }
        let y = through(&self.layers, x, pass)?;
        let (below, whole) = (y.variance(), covariance.then(|| y.whole()).flatten());
        Ok(LinearOutput { mean: y.mean, below, own: None, covariance: whole })
    }
}

fn through(
    layers: &[ChainLayer],
    mut x: JointSignal,
    pass: &mut Pass,
) -> Result<JointSignal, PassError> {
    for layer in layers {
        x = match layer {
            ChainLayer::Linear(layer) => layer.joint(x, pass),
            ChainLayer::Activation(layer) => layer.joint(x)?,
            ChainLayer::Noise(layer) => layer.joint(x),
            ChainLayer::Flatten(_) => x,
            ChainLayer::GateDivergence(layer) => {
                layer.forward(x.apart(), pass)?;
                x
            }
            ChainLayer::Residual(chain) => x.residual(|x| through(&chain.layers, x, pass))?,
            ChainLayer::Conv1d(_)
            | ChainLayer::Conv2d(_)
            | ChainLayer::MaxPool(_)
            | ChainLayer::MeanPool(_)
            | ChainLayer::Sample(_) => return Err(PassError::Covariances),
        };
    }
    Ok(x)
}
