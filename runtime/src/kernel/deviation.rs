//! The standard deviation from the variance.
//!
//! ξ is √ξ² rounded. The true root is ξ + ℓ with ℓ = (ξ² − ξ·ξ)/(2ξ), |ℓ| ≤ 2uξ, where the
//! difference is formed without error. The error that remains is of order u². The halves of the product must neither
//! overflow nor underflow. So, where every input is handled, very large and very small
//! variances are scaled by an even power of two first, which is exact.

use super::Pair;
use crate::Float;
use crate::accuracy::Accuracy;
use crate::lanes::Lanes;
use crate::lanes::double::{two_product, two_square};
use crate::lanes::twice::Twice;
use crate::precision::Precision;

/// ξ = √ξ², with what the square root's rounding lost, and 1/ξ.
#[derive(Clone, Copy, Debug)]
pub struct Deviation<V> {
    /// ξ.
    pub xi: V,
    /// 1/ξ.
    pub inverse: V,
    /// ℓ: the true root of ξ² is `xi` + ℓ.
    pub(crate) lost: V,
    /// Below this a density in its unit, multiplied with the largest power of ξ that comes to it, is no
    /// normal number.
    pub(crate) least: V,
}

impl<V: Lanes> Deviation<V> {
    /// The deviation that belongs to a variance ξ² ≥ 0, finite or infinite.
    ///
    /// For ξ² = 0 every knot off γ is infinitely far away; `inverse` is finite then, so
    /// that its product with a density of 0 is 0.
    ///
    /// Densities are multiplied with powers of ξ from the one in `powers` to the other.
    #[inline(always)]
    pub fn new(xi2: V, powers: [i32; 2]) -> Self {
        let constant = V::splat;
        let [xi, inverse, half_inverse] = xi2.roots();
        if !V::GENERAL {
            // In the safe range the residual of the root is no subnormal number, and one fused operation rounds it once.
            let lost = if V::Accuracy::COMPENSATED {
                xi.neg_mul_add(xi, xi2) * half_inverse
            } else {
                constant(V::Scalar::ZERO)
            };
            // A density h counts if h ξᵖ is a normal number for one of both powers: from 2ⁿ ξ⁻ᵖ on.
            let [low, high] = [power(xi, inverse, -powers[0]), power(xi, inverse, -powers[1])];
            let least = V::Scalar::LEAST_EXPONENT + V::Accuracy::DENSITY_EXPONENT;
            let least = V::Scalar::SHIFTER + V::Scalar::from_f64(f64::from(least));
            return Self { xi, inverse, lost, least: low.min(high).raise(constant(least)) };
        }
        let (zero, one) = (constant(V::Scalar::ZERO), constant(V::Scalar::ONE));
        let unscaled = constant(V::Scalar::UNSCALE);
        let scale = V::select(constant(V::Scalar::LARGE_VARIANCE).lt(xi2), unscaled, one);
        let rescaled = constant(V::Scalar::RESCALE);
        let scale = V::select(xi2.lt(constant(V::Scalar::SMALL_VARIANCE)), rescaled, scale);
        let [square, error] = two_square(xi * scale);
        let residual = (xi2 * scale * scale - square) - error;
        // 1/(2ξ²) in the scale of `residual`: to a few u is enough.
        let inverse_scaled = inverse / scale;
        let lost = constant(V::Scalar::HALF) * (residual * inverse_scaled) * inverse_scaled;
        // NaN for a variance that is infinite or 0.
        let lost = V::select(lost.abs().le(one), lost * xi, zero);
        let inverse =
            V::select(xi2.equals(zero), constant(V::Scalar::INVERSE_AT_ZERO_VARIANCE), inverse);
        Self { xi, inverse, lost, least: zero }
    }

    /// The deviation from ξ, 1/ξ and ℓ, for lanes that handle every input.
    #[cfg(feature = "source")]
    pub(super) fn of([xi, inverse, lost]: [V; 3]) -> Self {
        Self { xi, inverse, lost, least: V::splat(V::Scalar::ZERO) }
    }

    /// The standard deviation for two knots that are computed side by side.
    #[inline(always)]
    pub(crate) fn twice(&self) -> Deviation<Twice<V>> {
        let Self { xi, inverse, lost, least } = *self;
        Deviation {
            xi: Twice(xi, xi),
            inverse: Twice(inverse, inverse),
            lost: Twice(lost, lost),
            least: Twice(least, least),
        }
    }

    /// 1/ξ to twice the precision.
    #[inline(always)]
    pub fn inverse_pair(&self) -> Pair<V> {
        if !V::Accuracy::COMPENSATED {
            return Pair::exact(self.inverse);
        }
        let [product, error] = two_product(self.xi, self.inverse);
        let rest = (V::splat(V::Scalar::ONE) - product) - error;
        // 1 − (ξ + ℓ)/ξ: the true root is in it, so that a step of Newton's method makes the low word.
        let rest = self.lost.neg_mul_add(self.inverse, rest);
        Pair::normal(self.inverse, self.inverse * rest)
    }
}

#[inline(always)]
fn power<V: Lanes>(xi: V, inverse: V, exponent: i32) -> V {
    let factor = if exponent < 0 { inverse } else { xi };
    let mut product = V::splat(V::Scalar::ONE);
    for _ in 0..exponent.unsigned_abs() {
        product = product * factor;
    }
    product
}
