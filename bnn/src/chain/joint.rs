//! A chain on signals whose elements are jointly Normal, with all covariances between the units of a layer.

use super::{Chain, Step};
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
        if let Some((Step::Linear(last), before)) = self.layers.split_last() {
            let x = through(before, x, pass)?;
            return Ok(last.joint_output(x, covariance, pass));
        }
        let y = through(&self.layers, x, pass)?;
        let (below, whole) = (y.variance(), covariance.then(|| y.whole()).flatten());
        Ok(LinearOutput { mean: y.mean, below, own: None, covariance: whole })
    }
}

fn through(layers: &[Step], mut x: JointSignal, pass: &mut Pass) -> Result<JointSignal, PassError> {
    for layer in layers {
        x = match layer {
            Step::Linear(layer) => layer.joint(x, pass),
            Step::Activation(layer) => layer.joint(x)?,
            Step::Noise(layer) => layer.joint(x),
            Step::Flatten(_) => x,
            Step::GateDivergence(layer) => {
                layer.forward(x.apart(), pass)?;
                x
            }
            Step::Residual(chain) => x.residual(|x| through(&chain.layers, x, pass))?,
            Step::Conv1d(_)
            | Step::Conv2d(_)
            | Step::MaxPool(_)
            | Step::MeanPool(_)
            | Step::Sample(_) => return Err(PassError::Covariances),
        };
    }
    Ok(x)
}
