//! The second moments of two pre-activations.

use super::quadrant::{Quadrant, Summation};
use crate::kernel::word;
use crate::lanes::double::two_product;

/// By how much |c| may exceed √(v v′) and count as rounded, relative to v v′ in squares.
const ROUNDED: f64 = 16.0 * f64::EPSILON;

/// By how much v b and c a may differ and count as equal where |ρ| = 1: the rounding of words.
const SAME: f64 = 1.0 / (1_u128 << 98) as f64;

/// Variances v, standard deviations, the covariance c, v v′ − c² and what follows from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    pub(super) variance: [f64; 2],
    pub(super) deviation: [f64; 2],
    pub(super) covariance: f64,
    /// v v′ − c², from exact products; 0 where |ρ| = 1 up to rounding.
    pub(super) determinant: [f64; 2],
    pub(super) rho: f64,
    /// √(1 − ρ²), from the determinant.
    pub(super) rest: f64,
    /// How integrals are computed: the vectors of the machine have last digits of their own.
    pub(super) summation: Summation,
}

impl Law {
    /// For positive variances of ordinary size; `None` where c is more than variances allow.
    pub(super) fn new(variance: [f64; 2], covariance: f64) -> Option<Self> {
        let product = two_product(variance[0], variance[1]);
        let mut determinant = word::add(product, word::negate(two_product(covariance, covariance)));
        if determinant[0] <= 0.0 {
            if determinant[0] < -ROUNDED * product[0] {
                return None;
            }
            determinant = [0.0; 2];
        }
        let deviation = variance.map(libm::sqrt);
        let both = deviation[0] * deviation[1];
        let rho = (covariance / both).clamp(-1.0, 1.0);
        let rest = libm::sqrt(determinant[0]) / both;
        let summation = Quadrant::one_by_one;
        Some(Self { variance, deviation, covariance, determinant, rho, rest, summation })
    }

    /// The law of the two in the other order.
    pub(super) fn swapped(&self) -> Self {
        let [variance, deviation] = [self.variance, self.deviation].map(|[a, b]| [b, a]);
        Self { variance, deviation, ..*self }
    }

    /// v b − c a, for knots that lie a and b from the means: how far the second knot is from where w is given that u is on the first, times v.
    /// Where |ρ| = 1 and the two meet up to rounding, it is 0.
    pub(super) fn offset(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let there = word::multiply([self.variance[0], 0.0], b);
        let mean = word::multiply([self.covariance, 0.0], a);
        let offset = word::add(there, word::negate(mean));
        let meets = self.is_degenerate() && offset[0].abs() <= SAME * there[0].abs();
        if meets { [0.0; 2] } else { offset }
    }

    /// Whether each pre-activation determines the other.
    pub(super) fn is_degenerate(&self) -> bool {
        self.determinant[0] <= 0.0
    }
}
