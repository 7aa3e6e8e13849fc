//! Samples of a signal, x = m + √v ε with ε ~ N(0, 1): local reparameterization after a linear layer.

use burn::module::Module;

use crate::signal::{Pass, Signal};

/// Replaces a signal of mean m and variance v by a sample x = m + √v ε with ε ~ N(0, 1), which is known from there on
/// (Kingma et al. 2015).
///
/// After a linear layer this samples the pre-activations. It has the distribution of weights that are sampled anew
/// for each example.
#[derive(Module, Debug, Default)]
pub struct Sample;

impl Sample {
    /// A sample of the signal, of the shape of `x`.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Signal<D>, pass: &mut Pass) -> Signal<D> {
        let Some(variance) = x.variance else { return x };
        let place = (&x.mean.device(), x.mean.dtype());
        let epsilon = pass.normal_by_row(x.mean.dims(), place);
        // The root of 0 has no gradient.
        Signal::known(x.mean + variance.clamp_min(1e-30).sqrt() * epsilon)
    }
}
