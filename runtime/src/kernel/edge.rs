//! A knot seen from the pre-activation, and the root of the density there.
//!
//! With t the knot to twice the precision, d = t − γ is a double word (two-sum), s = d/ξ is
//! d·(1/ξ) and the residual d − sξ divided by ξ, less what the root of the variance lost. The
//! exponent s²/4 is needed to an absolute error of u, at s = 37 ten bits more than a word
//! holds: s² is formed as a double word, whose low word, at most 2⁻⁴¹, goes into the
//! exponential too.
//!
//! Error, measured: `z` within 0.50 ulp while s and d are well above underflow; `h` within
//! 0.60 ulp in f64 and 0.72 in f32, so h² within 1.6 ulp, wherever h is a normal number.

use super::Deviation;
use super::double::{fast_two_sum, two_product, two_square, two_sum};
use super::exponential::root_density;
use crate::Float;

/// A knot t seen from the pre-activation u ~ N(γ, ξ²), in units of ξ.
#[derive(Clone, Copy, Debug)]
pub struct Edge<T> {
    /// (t − γ)/ξ, with its sign; may be infinite.
    pub z: T,
    /// |z|, but no more than a cut-off (64 in f64, 24 in f32) well beyond which `h` is 0, so
    /// that polynomials in `s` cannot overflow.
    pub s: T,
    /// √φ(s) = exp(−s²/4)/(2π)^(1/4); 0 beyond the cut-off.
    pub h: T,
}

impl<T: Float> Edge<T> {
    /// The knot `[hi, lo]` seen from γ, which is not on it if ξ is 0.
    #[inline]
    pub fn new(gamma: T, knot: [T; 2], deviation: &Deviation<T>) -> Self {
        let [difference, error] = two_sum(knot[0], -gamma);
        let [d, d_low] = fast_two_sum(difference, error + knot[1]);
        if deviation.xi == T::ZERO {
            let z = if d > T::ZERO { T::INFINITY } else { -T::INFINITY };
            return Self { z, s: T::S_MAX, h: T::ZERO };
        }
        let quotient = d * deviation.inverse;
        // |quotient| ≤ S_MAX bounds every product below; an underflow of the residual's
        // product means that s is negligible against 1. Where it is larger, what follows may
        // be NaN and is not used: selections instead of a branch let loops vectorise.
        let near = quotient.abs() <= T::S_MAX;
        let [product, product_low] = two_product(quotient, deviation.xi);
        let residual = ((d - product) - product_low) + d_low;
        let correction = residual * deviation.inverse - quotient * deviation.lost;
        // NaN if ξ is infinite.
        let correction = if correction.abs() <= T::ONE { correction } else { T::ZERO };
        let [z, z_low] = fast_two_sum(quotient, correction);
        let [square, square_low] = two_square(z);
        let quarter = T::HALF * T::HALF;
        let rest = square_low + (z + z) * z_low;
        let h = root_density(-(quarter * square), -(quarter * rest));
        Self {
            z: if near {
                z
            } else if difference.is_finite() {
                quotient
            } else {
                // The error of an infinite difference is NaN.
                difference
            },
            s: if near { z.abs() } else { T::S_MAX },
            h: if near { h } else { T::ZERO },
        }
    }

    /// `s` with the sign of `z`.
    #[inline]
    pub fn score(&self) -> T {
        if self.z < T::ZERO { -self.s } else { self.s }
    }
}
