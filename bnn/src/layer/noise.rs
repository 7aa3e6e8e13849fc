//! Independent Normal noise: added to a signal, whose mean stays and whose variance grows; or drawn, which makes a signal known
//! (local reparameterization after a linear layer).

use burn::module::Module;

use crate::signal::{Pass, Signal};

/// Adds independent Normal noise of one variance to every element, as the latent variables of
/// V-ReLU-Net do.
#[derive(Module, Debug)]
pub struct Noise {
    #[module(skip)]
    variance: f64,
}

impl Noise {
    /// Noise of the variance `variance` ≥ 0, in squared units of the signal.
    #[must_use]
    pub fn new(variance: f64) -> Self {
        Self { variance }
    }

    /// The variance of the noise, in squared units of the signal.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The signal with the noise added, of the shape of `x`.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Signal<D>) -> Signal<D> {
        let variance = match x.variance {
            Some(v) => v.add_scalar(self.variance),
            None => x.mean.zeros_like().add_scalar(self.variance),
        };
        Signal::normal(x.mean, variance)
    }
}

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
