//! Independent Normal noise of a known variance: the mean stays, the variance grows by that of the noise.

use burn::module::Module;

use crate::signal::Signal;

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
