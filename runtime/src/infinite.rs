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
//! Near x = x′ the expectation of the slopes falls as √(1 − ρ) does, where g has a kink, and 1 − ρ is a difference of numbers that are nearly equal. So K₁ is a sum
//! in two words, and the layer on it has all digits of Θ. Layers above lose what √(1 − ρ) loses, and have eight digits at the least.
//!
//! Where g jumps, g′ is infinite on a point. E\[g′(u) g′(u′)\] is finite as long as |ρ| < 1, and infinite at |ρ| = 1. So a
//! step has no neural tangent kernel at x = x′.

use crate::Activation as _;
use crate::kernel::word;
use crate::lanes::double::two_product;
use crate::pair::{self, Inputs, LowWords, Piecewise};

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
    /// What variances and covariance have beyond their own precision, in the first layer.
    low: LowWords,
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
        let after = |x: &[f64], y: &[f64]| {
            let products = x.iter().zip(y).map(|(x, y)| two_product(*x, *y));
            let dot = products.fold([0.0; 2], word::add);
            let product = word::divide(dot, [x.len() as f64, 0.0]);
            let value = word::add([layer.bias, 0.0], word::multiply([layer.weight, 0.0], product));
            if value[0].is_finite() {
                return value;
            }
            // Beyond the largest number words are none.
            let dot = x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
            [layer.bias + layer.weight * (dot / x.len() as f64), 0.0]
        };
        let [nngp, variance, variance_y] = [after(x, y), after(x, x), after(y, y)];
        let low = LowWords { variances: [variance[1], variance_y[1]], cov: nngp[1] };
        let variances = [variance[0], variance_y[0]];
        Self { mean: layer.mean, variances, nngp: nngp[0], ntk: nngp[0], low }
    }

    /// The values of a layer on top, whose inputs are g of these.
    ///
    /// All results are NaN where these are no law of two numbers, as with a negative variance of weights.
    #[must_use]
    pub fn then<G: Piecewise + ?Sized>(self, g: &G, layer: Layer) -> Self {
        let Self { mean, variances: [xi2, xi2_h], nngp: cov, ntk, low } = self;
        let at = Inputs { gamma: mean, xi2, gamma_h: mean, xi2_h, cov };
        let at = if low == LowWords::default() { at.pulled(ROUNDING) } else { at };
        let (second, pair) = g.with_pieces(|g| {
            let second = [xi2, xi2_h].map(|xi2| g.moments(mean, xi2).second);
            (second, pair::moments_of_words(g, g, at, low))
        });
        let after = |moment: f64| layer.bias + layer.weight * moment;
        // Equal inputs stay equal: a difference in the last digit would count as its root in the next layer.
        let [of_variance, of_other] = low.variances;
        let is_same =
            xi2 == xi2_h && cov == xi2 && of_variance == of_other && of_variance == low.cov;
        let nngp = after(if is_same { second[0] } else { pair.mixed });
        let slopes =
            if ntk == 0.0 || layer.weight == 0.0 { 0.0 } else { pair.dcovariance_dcov * ntk };
        Self {
            mean: layer.mean,
            variances: second.map(after),
            nngp,
            ntk: nngp + layer.weight * slopes,
            low: LowWords::default(),
        }
    }
}
