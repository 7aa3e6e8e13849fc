//! Noise of a known variance.

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
    /// Noise of this variance ≥ 0.
    #[must_use]
    pub fn new(variance: f64) -> Self {
        Self { variance }
    }

    /// Its variance.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// A signal of any shape to one of the same.
    #[must_use]
    pub fn forward<const D: usize>(&self, x: Signal<D>) -> Signal<D> {
        let variance = match x.variance {
            Some(v) => v.add_scalar(self.variance),
            None => x.mean.zeros_like().add_scalar(self.variance),
        };
        Signal::normal(x.mean, variance)
    }
}
