//! The standard deviation from the variance.
//!
//! ξ is √ξ² rounded; the true root is ξ(1 + ℓ) with ℓ = (ξ² − ξ·ξ)/(2ξ²), |ℓ| ≤ u, where the
//! difference is formed without error. What remains of the error is of order u². So that the
//! halves of the product neither overflow nor underflow, very large and very small
//! variances are scaled by an even power of two first; this is exact.

use super::double::two_square;
use crate::Float;

/// ξ = √ξ², with what the square root's rounding lost, and 1/ξ.
#[derive(Clone, Copy, Debug)]
pub struct Deviation<T> {
    /// ξ.
    pub xi: T,
    /// 1/ξ.
    pub inverse: T,
    /// ℓ: the true root of ξ² is `xi`·(1 + ℓ).
    pub(crate) lost: T,
}

impl<T: Float> Deviation<T> {
    /// The deviation that belongs to a variance ξ² ≥ 0, finite or infinite.
    ///
    /// For ξ² = 0 every knot off γ is infinitely far away; `inverse` is the largest finite
    /// number then, so that its product with a density of 0 is 0.
    #[inline]
    pub fn new(xi2: T) -> Self {
        if xi2 == T::ZERO {
            return Self { xi: T::ZERO, inverse: T::MAX, lost: T::ZERO };
        }
        let xi = xi2.sqrt();
        let inverse = T::ONE / xi;
        let scale = if xi2 < T::SMALL_VARIANCE {
            T::RESCALE
        } else if xi2 > T::LARGE_VARIANCE {
            T::UNSCALE
        } else {
            T::ONE
        };
        let [square, error] = two_square(xi * scale);
        let residual = (xi2 * scale * scale - square) - error;
        // 1/(2ξ²) in the scale of `residual`: to a few u is enough.
        let inverse_scaled = inverse / scale;
        let lost = T::HALF * (residual * inverse_scaled) * inverse_scaled;
        // NaN for an infinite variance; a selection, not a branch, so that loops vectorise.
        let lost = if lost.abs() <= T::ONE { lost } else { T::ZERO };
        Self { xi, inverse, lost }
    }
}
