//! Sampling a signal: local reparameterisation.

use burn::module::Module;

use crate::signal::{Pass, Signal};

/// x = mean + √variance · ε with ε ~ N(0, 1): the signal is known from here on (Kingma et al. 2015).
///
/// After a linear layer this samples its pre-activations, which is sampling its weights anew for
/// each example.
#[derive(Module, Debug, Default)]
pub struct Sample;

impl Sample {
    /// A signal of any shape to a known one of the same.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Signal<D>, pass: &mut Pass) -> Signal<D> {
        let Some(variance) = x.variance else { return x };
        let place = (&x.mean.device(), x.mean.dtype());
        let epsilon = pass.normal(x.mean.dims(), place);
        // The root of 0 has no gradient.
        Signal::known(x.mean + variance.clamp_min(1e-30).sqrt() * epsilon)
    }
}
