//! The law of (u, w): whether numbers are one, and its second moments in units in which nothing overflows.
//!
//! ```text
//! ρ = c/√(v v′)      1 − ρ² = (v v′ − c²)/(v v′)      b − a c/v = (v b − c a)/v
//! ```
//!
//! with v and v′ the variances over powers of 4 that bring them between 1 and 4. The numerators are sums of products in two words, so that
//! 1 − ρ² is right relative to itself however near |ρ| is to 1, and so is the distance of a knot of h from where w is expected on a knot of g.
//! They are exact for variances and a covariance that are numbers. Where those are known to two words ([`LowWords`]), so are the numerators.

use super::quadrant::{Quadrant, Summation};
use crate::kernel::word;
use crate::lanes::double::two_product;

/// The law of (u, w).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inputs {
    /// γ, the mean of u.
    pub gamma: f64,
    /// ξ², the variance of u.
    pub xi2: f64,
    /// γ′, the mean of w.
    pub gamma_h: f64,
    /// ξ′², the variance of w.
    pub xi2_h: f64,
    /// c, the covariance of u and w.
    pub cov: f64,
}

/// Why numbers are no law of two pre-activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidLaw {
    /// A number is infinite or not a number.
    NotFinite,
    /// A variance is negative.
    NegativeVariance,
    /// |c| > √(ξ² ξ′²) by more than rounding.
    Covariance,
}

impl core::fmt::Display for InvalidLaw {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a mean, a variance or the covariance is not finite",
            Self::NegativeVariance => "a variance is negative",
            Self::Covariance => {
                "the covariance is larger than the variances allow: its square may be at most their product"
            }
        })
    }
}

impl core::error::Error for InvalidLaw {}

/// What numbers to twice the precision have beyond a law's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LowWords {
    /// Of ξ² and ξ′².
    pub(crate) variances: [f64; 2],
    /// Of c.
    pub(crate) cov: f64,
}

/// Both variances and the covariance in units that make the variances about 1.
pub(super) struct ScaledLaw {
    pub(super) law: Law,
    pub(super) exponents: [i32; 2],
}

impl Inputs {
    /// Whether there is such a law.
    ///
    /// # Errors
    ///
    /// If a number is not finite, a variance is negative, or |c| exceeds √(ξ² ξ′²) by more than a few roundings.
    pub fn check(&self) -> Result<(), InvalidLaw> {
        let Self { gamma, xi2, gamma_h, xi2_h, cov } = *self;
        if ![gamma, xi2, gamma_h, xi2_h, cov].iter().all(|x| x.is_finite()) {
            return Err(InvalidLaw::NotFinite);
        }
        if xi2 < 0.0 || xi2_h < 0.0 {
            return Err(InvalidLaw::NegativeVariance);
        }
        if cov != 0.0 && self.scaled().is_none() {
            return Err(InvalidLaw::Covariance);
        }
        Ok(())
    }

    /// These inputs with c at its bound ±√(ξ² ξ′²), if |c| exceeds the bound by no more than the relative error `by`:
    /// for numbers that were rounded to a lower precision.
    #[must_use]
    pub fn pulled(self, by: f64) -> Self {
        let most = libm::sqrt(self.xi2) * libm::sqrt(self.xi2_h);
        let is_rounded = self.cov.abs() > most && self.cov.abs() <= most * (1.0 + 4.0 * by);
        // Not inside by the rounding of the roots.
        let bound = most * (1.0 + 2.0 * f64::EPSILON);
        if is_rounded { Self { cov: bound.copysign(self.cov), ..self } } else { self }
    }

    /// `None` where a variance is 0 or c too large.
    pub(super) fn scaled(&self) -> Option<ScaledLaw> {
        self.scaled_with(LowWords::default())
    }

    /// [`scaled`](Self::scaled) with what the numbers have beyond their own precision.
    pub(super) fn scaled_with(&self, low: LowWords) -> Option<ScaledLaw> {
        if self.xi2 <= 0.0 || self.xi2_h <= 0.0 {
            return None;
        }
        // Rounded down also where they are negative: what is left of a variance is from 1 to 4.
        let exponents = [self.xi2, self.xi2_h].map(|v| libm::ilogb(v).div_euclid(2));
        let variance = [quartered(self.xi2, exponents[0]), quartered(self.xi2_h, exponents[1])];
        // At once: between two deviations that are far apart a small covariance would underflow.
        let both = -(exponents[0] + exponents[1]);
        let covariance = scale(self.cov, both);
        let low = LowWords {
            variances: [0, 1].map(|i| quartered(low.variances[i], exponents[i])),
            cov: scale(low.cov, both),
        };
        Some(ScaledLaw { law: Law::of_words(variance, covariance, low)?, exponents })
    }
}

/// x · 2ᵉ
pub(super) fn scale(x: f64, exponent: i32) -> f64 {
    libm::scalbn(x, exponent)
}

/// x · 4⁻ᵉ
pub(super) fn quartered(x: f64, exponent: i32) -> f64 {
    scale(scale(x, -exponent), -exponent)
}

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
    pub(super) low: LowWords,
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
        Self::of_words(variance, covariance, LowWords::default())
    }

    fn of_words(variance: [f64; 2], covariance: f64, low: LowWords) -> Option<Self> {
        let (product, square, least) = if low == LowWords::default() {
            let square = two_product(covariance, covariance);
            (two_product(variance[0], variance[1]), square, 0.0)
        } else {
            let [first, second] = [0, 1].map(|i| [variance[i], low.variances[i]]);
            let covariance = [covariance, low.cov];
            let product = word::multiply(first, second);
            // Products of words are rounded.
            (product, word::multiply(covariance, covariance), SAME * product[0])
        };
        let mut determinant = word::subtract(product, square);
        if determinant[0] <= least {
            if determinant[0] < -ROUNDED * product[0] {
                return None;
            }
            // Beyond the bound by rounding alone: |ρ| = 1.
            determinant = [0.0; 2];
        }
        let deviation = variance.map(libm::sqrt);
        let both = deviation[0] * deviation[1];
        let rho = (covariance / both).clamp(-1.0, 1.0);
        let rest = libm::sqrt(determinant[0]) / both;
        let summation = Quadrant::one_by_one;
        Some(Self { variance, deviation, covariance, low, determinant, rho, rest, summation })
    }

    /// The law of the two in the other order.
    pub(super) fn swapped(&self) -> Self {
        let swap = |[a, b]: [f64; 2]| [b, a];
        let low = LowWords { variances: swap(self.low.variances), ..self.low };
        Self { variance: swap(self.variance), deviation: swap(self.deviation), low, ..*self }
    }

    /// The law of u and ±w.
    pub(super) fn mirrored(&self, sign: f64) -> Self {
        let low = LowWords { cov: sign * self.low.cov, ..self.low };
        Self { covariance: sign * self.covariance, low, rho: sign * self.rho, ..*self }
    }

    /// v b − c a, for knots that lie a and b from the means: how far the second knot is from where w is given that u is on the first, times v.
    /// Where |ρ| = 1 and the two meet up to rounding, it is 0.
    pub(super) fn offset(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let there = word::multiply([self.variance[0], self.low.variances[0]], b);
        let mean = word::multiply([self.covariance, self.low.cov], a);
        let offset = word::subtract(there, mean);
        // Two masses that meet are infinite, so that rounding must not decide whether they do.
        let meets = self.is_degenerate() && offset[0].abs() <= SAME * there[0].abs();
        if meets { [0.0; 2] } else { offset }
    }

    /// Whether each pre-activation determines the other.
    pub(super) fn is_degenerate(&self) -> bool {
        self.determinant[0] <= 0.0
    }
}
