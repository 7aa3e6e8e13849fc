//! Two correlated pre-activations, of activations that are declared while a program runs.

use gaussform_runtime::Float;
use gaussform_runtime::pair::{
    self, Inputs, InvalidLaw, LayerGradient, MixedMoment, Outputs, PairMoments,
};

use crate::Dynamic;

impl Dynamic {
    /// E\[g(u) h(w)\], Cov(g(u), h(w)) and its derivatives, g being this activation and h the other.
    ///
    /// ```
    /// use gaussform_codegen::Dynamic;
    /// use gaussform_runtime::pair::Inputs;
    /// use gaussform_symbolic::Activation;
    ///
    /// let relu = Dynamic::new(&Activation::parse("relu(x) = max(0, x)")?, &[])?;
    /// let at = Inputs { gamma: 0.0, xi2: 1.0, gamma_h: 0.0, xi2_h: 1.0, cov: 0.5 };
    /// let m = relu.pair_moments(&relu, at)?;
    /// // The arc-cosine kernel of order 1: (sin θ + (π − θ) cos θ)/2π with cos θ = ½.
    /// assert!((m.mixed - 0.304_498_891).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the numbers are no law of two pre-activations.
    pub fn pair_moments(&self, other: &Self, at: Inputs) -> Result<PairMoments, InvalidLaw> {
        pair::try_moments(self, other, at)
    }

    /// E\[g(u) h(w)\] relative to itself, its logarithm, and the derivatives of both ([`pair::mixed_moment`]).
    ///
    /// ```
    /// use gaussform_codegen::Dynamic;
    /// use gaussform_runtime::pair::Inputs;
    /// use gaussform_symbolic::Activation;
    ///
    /// let step = Dynamic::new(&Activation::parse("step(x)")?, &[])?;
    /// // Both beyond 0, although that is 1000 and 2000 standard deviations away.
    /// let at = Inputs { gamma: -1000.0, xi2: 1.0, gamma_h: -2000.0, xi2_h: 1.0, cov: -0.5 };
    /// let m = step.mixed_moment(&step, at)?;
    /// assert!(m.mixed == 0.0 && (m.log_mixed / -4_666_684.4 - 1.0).abs() < 1e-7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the numbers are no law of two pre-activations.
    pub fn mixed_moment(&self, other: &Self, at: Inputs) -> Result<MixedMoment, InvalidLaw> {
        at.check()?;
        Ok(pair::mixed_moment(self, other, at))
    }

    /// The covariances for slices of γ, ξ², γ′, ξ′² and c; NaN where these are no law.
    ///
    /// # Panics
    ///
    /// If a slice is not as long as the others.
    pub fn pair_moments_into<T: Float>(
        &self,
        other: &Self,
        inputs: [&[T]; 5],
        out: Outputs<'_, T>,
    ) {
        pair::moments_into(self, other, inputs, out);
    }

    /// The covariance matrix of a layer of these activations ([`pair::layer`]).
    ///
    /// # Panics
    ///
    /// If the slices are not of length n and n².
    pub fn layer_covariance(&self, gamma: &[f64], cov: &[f64], out: &mut [f64]) {
        pair::layer(self, gamma, cov, out);
    }

    /// The covariance matrix of a layer and its vector–Jacobian product ([`pair::layer_vjp`]).
    ///
    /// # Panics
    ///
    /// If the slices are not of length n and n².
    pub fn layer_vjp(
        &self,
        gamma: &[f64],
        cov: &[f64],
        cotangent: &[f64],
        out: &mut [f64],
        gradient: LayerGradient<'_>,
    ) {
        pair::layer_vjp(self, gamma, cov, cotangent, out, gradient);
    }
}
