//! Networks of infinite width: the covariance of their outputs, and their neural tangent kernel.
//!
//! A layer computes b + Σ Wⱼ g(uⱼ)/√n, with independent Wⱼ ~ N(0, σ_w²) and b ~ N(β, σ_b²). As the number n of units grows,
//! its outputs at two inputs x and x′ become jointly Normal, with mean β and covariance K(x, x′) (the NNGP kernel). Training
//! by gradient descent is then regression with the kernel Θ(x, x′) (the neural tangent kernel, or NTK). Θ is the inner
//! product of the derivatives of an output in all W/σ_w and b/σ_b. From one layer to the next,
//!
//! ```text
//! K₁ = σ_b² + σ_w² x·x′/d           Θ₁ = K₁
//! K  = σ_b² + σ_w² E[g(u) g(u′)]    Θ  = K + σ_w² E[g′(u) g′(u′)] Θ below
//! ```
//!
//! where (u, u′) is Normal with the mean and the kernel K of the layer below (Lee et al., "Deep Neural Networks as Gaussian
//! Processes", Eq. 5; Jacot et al., "Neural Tangent Kernel", Theorem 1). [`pair`] computes both expectations, so that g is
//! any activation, and may be another one in each layer.
//!
//! Where g jumps, g′ is infinite on a point. E\[g′(u) g′(u′)\] is finite as long as |ρ| < 1, and infinite at |ρ| = 1. So a
//! step has no neural tangent kernel at x = x′.

use crate::Activation as _;
use crate::pair::{self, Inputs, Piecewise};

/// The law of the weights and the bias of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    /// σ_w², the variance of a weight times the number of units below, ≥ 0.
    pub weight: f64,
    /// σ_b², the variance of the bias, ≥ 0.
    pub bias: f64,
    /// β, the mean of the bias: the mean of the pre-activations.
    pub mean: f64,
}

/// The outputs of a layer at two inputs x and x′; they are the pre-activations of the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Values {
    /// Mean of the outputs, the same at every input.
    pub mean: f64,
    /// Variances of the outputs, K(x, x) and K(x′, x′).
    pub variances: [f64; 2],
    /// Covariance K(x, x′) of the outputs, the NNGP kernel.
    pub nngp: f64,
    /// Θ(x, x′), the neural tangent kernel.
    pub ntk: f64,
}

/// The relative excess of a covariance over its bound that counts as rounding.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

impl Values {
    /// The values of the first layer, whose inputs are the numbers of x and of x′.
    ///
    /// # Panics
    ///
    /// If x and x′ have different lengths, or none.
    #[must_use]
    pub fn first(x: &[f64], y: &[f64], layer: Layer) -> Self {
        assert!(
            x.len() == y.len() && !x.is_empty(),
            "inputs of {} and {} numbers",
            x.len(),
            y.len()
        );
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let after = |product: f64| layer.bias + layer.weight * (product / x.len() as f64);
        let nngp = after(dot(x, y));
        let variances = [after(dot(x, x)), after(dot(y, y))];
        Self { mean: layer.mean, variances, nngp, ntk: nngp }
    }

    /// The values of a layer on top, whose inputs are g of these.
    ///
    /// All results are NaN where these are no law of two numbers, as with a negative variance of weights.
    #[must_use]
    pub fn then<G: Piecewise + ?Sized>(self, g: &G, layer: Layer) -> Self {
        let Self { mean, variances: [xi2, xi2_h], nngp: cov, ntk } = self;
        let at = Inputs { gamma: mean, xi2, gamma_h: mean, xi2_h, cov }.pulled(ROUNDING);
        let (second, pair) = g.with_pieces(|g| {
            let second = [xi2, xi2_h].map(|xi2| g.moments(mean, xi2).second);
            (second, pair::moments(g, g, at))
        });
        let after = |moment: f64| layer.bias + layer.weight * moment;
        // Equal inputs stay equal: a difference in the last digit would count as its root in the next layer.
        let is_same = xi2 == xi2_h && cov == xi2;
        let nngp = after(if is_same { second[0] } else { pair.mixed });
        let slopes =
            if ntk == 0.0 || layer.weight == 0.0 { 0.0 } else { pair.dcovariance_dcov * ntk };
        Self {
            mean: layer.mean,
            variances: second.map(after),
            nngp,
            ntk: nngp + layer.weight * slopes,
        }
    }
}
