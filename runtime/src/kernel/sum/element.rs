//! ξ, 1/ξ and 1/ξ² of an element; for each place its distance from γ, and the density there.
//!
//! A distance d = t − γ is a sum of two words (two-sum), exact but for the second one's rounding. The exponent d²/ξ² is
//! formed from ξ² itself, not from ξ: y = d²·(1/ξ²) with a low word from the residual d² − y ξ² that is formed without
//! error. So the density is right to about 1½ ulp however far it is.

use crate::Float;
use crate::accuracy::Accuracy;
use crate::kernel::exponential::{density_in_unit, farthest};
use crate::lanes::double::{fast_two_sum, two_product, two_square, two_sum};
use crate::lanes::{Lanes, Mask};
use crate::precision::Precision;

/// γ and ξ² with what follows from ξ² alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<V: Lanes> {
    pub(super) gamma: V,
    pub(super) xi2: V,
    /// ξ.
    pub(super) xi: V,
    /// 1/ξ, finite where ξ is 0.
    pub(super) inverse: V,
    /// 1/ξ², finite where ξ is 0.
    pub(super) precision: V,
    /// Where ξ is 0, if every input is handled.
    pub(super) has_no_variance: V::Mask,
}

impl<V: Lanes> Element<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(gamma: V, xi2: V) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        let [mut xi, mut inverse, half] = xi2.roots();
        // `roots` of vectors is right to two units in the last place. A step of Newton's method takes these away.
        if V::is_fused() && V::Accuracy::COMPENSATED {
            xi = xi.neg_mul_add(xi, xi2).mul_add(half, xi);
        }
        let mut precision = inverse * inverse;
        let has_no_variance = if V::GENERAL { xi2.equals(zero) } else { zero.lt(zero) };
        if V::GENERAL {
            // Finite, so that its product with a density of 0 is 0 and not NaN.
            let large = V::splat(V::Scalar::INVERSE_AT_ZERO_VARIANCE);
            inverse = V::select(has_no_variance, large, inverse);
            precision = V::select(has_no_variance, large, precision);
        }
        Self { gamma, xi2, xi, inverse, precision, has_no_variance }
    }

    /// φ(d/ξ) at a distance, or φ(d/ξ) e^(−`more`/2), in the unit of densities; 0 where it is negligible relative to
    /// any result.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn density(&self, distance: &Distance<V>, more: Option<V>) -> V {
        let zero = V::splat(V::Scalar::ZERO);
        let Distance { high: d, low } = *distance;
        if !V::Accuracy::COMPENSATED {
            let mut y = (d * d) * self.precision;
            if let Some(more) = more {
                y = y + more;
            }
            return density_in_unit(y.min(farthest_square::<V>()), zero);
        }
        let [square, mut square_low] = two_square(d);
        if let Some(low) = low {
            square_low = (d + d).mul_add(low, square_low);
        }
        let mut y = square * self.precision;
        // The density has the absolute error of y/2, which grows with y: so y takes a second word.
        let rest = if V::is_fused() {
            y.neg_mul_add(self.xi2, square)
        } else {
            let [product, product_low] = two_product(y, self.xi2);
            (square - product) - product_low
        };
        let mut y_low = (rest + square_low) * self.precision;
        if let Some(more) = more {
            let [sum, error] = two_sum(y, more);
            (y, y_low) = (sum, y_low + error);
        }
        let mut near = y.lt(farthest_square::<V>());
        if V::GENERAL {
            // 1/ξ² is finite at ξ = 0, so that y is small for a knot next to γ.
            near = near.and(self.has_no_variance.not());
        }
        V::select(near, density_in_unit(y, y_low), zero)
    }
}

/// The exponent from which on a density is negligible relative to any result.
#[cfg_attr(not(debug_assertions), inline(always))]
fn farthest_square<V: Lanes>() -> V {
    if V::GENERAL {
        let farthest = farthest::<V>();
        return farthest * farthest;
    }
    V::splat(V::Scalar::from_f64(V::Accuracy::FARTHEST))
}

/// The distance of a place from γ, with its sign, in two words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance<V> {
    pub(super) high: V,
    /// Nothing if it is known to be 0, or if one word is enough.
    pub(super) low: Option<V>,
}

impl<V: Lanes> Distance<V> {
    /// The distance of a place in words, each `None` if it is 0.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(gamma: V, [first, second, third]: [Option<V>; 3]) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        if !V::Accuracy::COMPENSATED {
            let difference = first.unwrap_or(zero) - gamma;
            let high = match second {
                Some(second) => difference + second,
                None => difference,
            };
            return Self { high, low: None };
        }
        let (mut high, mut low) = match first {
            Some(first) => {
                let [difference, error] = two_sum(first, -gamma);
                (difference, Some(error))
            }
            None => (zero - gamma, None),
        };
        if let Some(second) = second {
            // |high| ≥ |second|, or high is 0: then γ is the number next to the knot.
            let [sum, error] = fast_two_sum(high, second);
            high = sum;
            low = Some(match low {
                Some(low) => low + error,
                None => error,
            });
        }
        if let Some(third) = third {
            low = Some(match low {
                Some(low) => low + third,
                None => third,
            });
        }
        Self { high, low }
    }
}
