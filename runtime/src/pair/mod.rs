//! Two correlated pre-activations: E\[g(u) h(w)\], Cov(g(u), h(w)) and the derivatives of the covariance.
//!
//! (u, w) is Normal with means γ, γ′, variances ξ², ξ′² and covariance c. The covariance is never formed as a
//! difference of moments. There are two ways to it.
//!
//! - Straight functions (`knots`) meet in one integral over the correlation, whose nodes serve the covariance and all derivatives (`straight`). It says
//!   where its terms cancel.
//! - Else each function is taken apart into the polynomial of the piece that its mean lies on, and tails outward (`decomposition`, `tail`). Polynomials and
//!   tails meet in finite sums (`covariance`). Two tails that are weakly correlated meet in a series in ρ (`series`), others in an integral over
//!   directions whose integrand is positive (`joint_tails`, `quadrant`). Narrow pieces are integrated as a whole: by nodes on
//!   the piece (`narrow_piece`, `narrow_covariance`), by products of moments (`narrow_product`), or by a series around each knot (`narrow_strong`).
//!
//! Derivatives are covariances of derivatives: ∂/∂γ ↔ g′, ∂/∂ξ² ↔ ½ g″ and ∂/∂c = E\[g′(u) h′(w)\] (Price's theorem).

mod columns;
mod correlation;
mod covariance;
mod decomposition;
mod joint_tails;
mod knots;
mod law;
mod layer;
mod limits;
mod mixed;
mod narrow_covariance;
mod narrow_piece;
mod narrow_product;
mod narrow_strong;
mod quadrant;
mod quadrant_lanes;
#[cfg(feature = "source")]
#[doc(hidden)]
pub mod record;
mod series;
mod straight;
mod tail;
mod term;
mod truncated_moments;

use covariance::{covariances, expectation};
use decomposition::Decomposition;
use knots::StraightKnots;
use law::Law;
use limits::{boundless, common_jumps};
use quadrant::{Quadrant, Summation};
use straight::cancels;
use term::Order;

use crate::Activation;
use crate::kernel::pieces::Table;

pub use crate::piecewise::Piecewise;
pub use columns::{Outputs, moments_into};
pub use layer::{LayerGradient, layer, layer_vjp};
pub use mixed::{MixedMoment, mixed_moment};

/// The promise: the error of a covariance of piecewise linear functions, in ulp (2⁻⁵²) of its scale.
///
/// The scale is the absolute covariance of G(u) and H(w), with G and H increasing as steeply as |g| and |h| change: it
/// is |Cov(g(u), h(w))| itself where both are monotone.
pub const ACCURACY: f64 = 16.0;

/// The derivatives of [`PairMoments`]: in nothing, γ, ξ², γ′, ξ′² and c.
const ORDERS: [Order; 6] = [[0, 0], [1, 0], [2, 0], [0, 1], [0, 2], [1, 1]];

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

/// Covariance, mixed moment and derivatives of g(u) and h(w).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMoments {
    /// E\[g(u) h(w)\] = Cov + E\[g\] E\[h\], right to [`ACCURACY`] ulp of the scale of the covariance and |E\[g\] E\[h\]| together. Where it
    /// is far smaller than these and both functions are 0 at the means, it is a sum over pairs of tails, right relative to the sizes of its
    /// terms: to itself for a ReLU, a step, and any function that only rises beyond one end of a flat piece.
    pub mixed: f64,
    /// Cov(g(u), h(w)).
    pub covariance: f64,
    /// ∂Cov/∂γ.
    pub dcovariance_dgamma: f64,
    /// ∂Cov/∂ξ².
    pub dcovariance_dxi2: f64,
    /// ∂Cov/∂γ′.
    pub dcovariance_dgamma_h: f64,
    /// ∂Cov/∂ξ′².
    pub dcovariance_dxi2_h: f64,
    /// ∂Cov/∂c = E\[g′(u) h′(w)\].
    pub dcovariance_dcov: f64,
}

impl PairMoments {
    /// The names of the fields, in their order.
    pub const NAMES: [&'static str; 7] = [
        "mixed",
        "covariance",
        "dcovariance_dgamma",
        "dcovariance_dxi2",
        "dcovariance_dgamma_h",
        "dcovariance_dxi2_h",
        "dcovariance_dcov",
    ];

    /// The numbers in the order of the fields.
    #[must_use]
    pub fn to_array(self) -> [f64; 7] {
        [
            self.mixed,
            self.covariance,
            self.dcovariance_dgamma,
            self.dcovariance_dxi2,
            self.dcovariance_dgamma_h,
            self.dcovariance_dxi2_h,
            self.dcovariance_dcov,
        ]
    }

    /// The results from numbers in the order of the fields.
    #[must_use]
    pub fn from_array(values: [f64; 7]) -> Self {
        let [mixed, covariance, gamma, xi2, gamma_h, xi2_h, cov] = values;
        Self {
            mixed,
            covariance,
            dcovariance_dgamma: gamma,
            dcovariance_dxi2: xi2,
            dcovariance_dgamma_h: gamma_h,
            dcovariance_dxi2_h: xi2_h,
            dcovariance_dcov: cov,
        }
    }
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

/// Both variances and the covariance in units that make the variances about 1.
struct Scaled {
    law: Law,
    exponents: [i32; 2],
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
    fn scaled(&self) -> Option<Scaled> {
        if self.xi2 <= 0.0 || self.xi2_h <= 0.0 {
            return None;
        }
        let exponents = [self.xi2, self.xi2_h].map(|v| libm::ilogb(v).div_euclid(2));
        let variance = [quartered(self.xi2, exponents[0]), quartered(self.xi2_h, exponents[1])];
        let covariance = scale(scale(self.cov, -exponents[0]), -exponents[1]);
        Some(Scaled { law: Law::new(variance, covariance)?, exponents })
    }
}

/// x · 2ᵉ
fn scale(x: f64, exponent: i32) -> f64 {
    libm::scalbn(x, exponent)
}

/// x · 4⁻ᵉ
fn quartered(x: f64, exponent: i32) -> f64 {
    scale(scale(x, -exponent), -exponent)
}

/// E\[g(u) h(w)\], Cov(g(u), h(w)) and its derivatives.
///
/// Where the numbers are no law ([`Inputs::check`]), all results are NaN. For c = 0 the covariance is exactly 0. Where a variance is 0, it is too,
/// and ∂Cov/∂c is the limit.
///
/// Derivatives where |ρ| = 1 are limits from inside. Where jumps of both functions meet there, as those of one function of equal pre-activations do, the
/// derivatives in c and in the variances are ±∞.
#[must_use]
pub fn moments<G, H>(g: &G, h: &H, at: Inputs) -> PairMoments
where
    G: Piecewise + ?Sized,
    H: Piecewise + ?Sized,
{
    g.with_pieces(|g| h.with_pieces(|h| of_tables(g, h, at, Quadrant::one_by_one)))
}

fn of_tables(g: &Table<'_>, h: &Table<'_>, at: Inputs, summation: Summation) -> PairMoments {
    let straight = StraightKnots::of(g)
        .zip(StraightKnots::of(h))
        .filter(|(g, h)| !g.is_narrow(at.gamma, at.xi2) && !h.is_narrow(at.gamma_h, at.xi2_h))
        .and_then(|(g, h)| straight::single(g, h, &at));
    let found = straight.and_then(|found| found.moments(g, h, &at));
    found.unwrap_or_else(|| one_by_one(g, h, at, summation))
}

/// The moments of functions that the sum over pairs of knots does not serve: one pair of tails after the other.
fn one_by_one(g: &Table<'_>, h: &Table<'_>, at: Inputs, summation: Summation) -> PairMoments {
    if at.check().is_err() {
        return PairMoments::from_array([f64::NAN; 7]);
    }
    let first = g.moments_grad(at.gamma, at.xi2);
    let second = h.moments_grad(at.gamma_h, at.xi2_h);
    let apart = first.mean * second.mean;
    // A slope of 0 is one for all variances about 0, where that of a jump tends to infinity.
    let is_flat = first.dmean_dgamma == 0.0 || second.dmean_dgamma == 0.0;
    let slopes = if is_flat { 0.0 } else { first.dmean_dgamma * second.dmean_dgamma };
    let scaled = if at.cov == 0.0 { None } else { at.scaled() };
    let Some(Scaled { law, exponents }) = scaled else {
        return PairMoments::from_array([apart, 0.0, 0.0, 0.0, 0.0, 0.0, slopes]);
    };
    let left = Decomposition::new(g, at.gamma, law.variance[0], exponents[0]);
    let right = Decomposition::new(h, at.gamma_h, law.variance[1], exponents[1]);
    let law = Law { summation, ..law };
    let mut values = covariances(&left, &right, &law, &ORDERS);
    let rescaled = |value: f64, times: Order| {
        let unit = |i: usize| (0..times[i]).fold(1.0, |unit, _| unit * law.deviation[i]);
        let power = |i: usize| exponents[i] * times[i] as i32;
        let scaled = scale(value / (unit(0) * unit(1)), g.exponent);
        scale(scale(scale(scaled, h.exponent), -power(0)), -power(1))
    };
    for (value, times) in values.iter_mut().zip(ORDERS) {
        *value = rescaled(*value, times);
    }
    let [covariance, gamma, xi2, gamma_h, xi2_h, cov] = values;
    // As the covariance of derivatives takes them away.
    let slope = |side: &Decomposition| side.features(2)[1];
    let slopes = if slopes == 0.0 { 0.0 } else { rescaled(slope(&left) * slope(&right), [1, 1]) };
    let limit = common_jumps(&left, &right, &law);
    let along_variance = boundless(-law.rho * limit);
    // Of functions that are 0 where the means are, relative to themselves.
    let whole = |order: Order, [covariance, apart]: [f64; 2]| {
        let whole = cancels(covariance, apart).then(|| expectation(&left, &right, &law, order));
        whole.flatten().map_or(covariance + apart, |value| rescaled(value, order))
    };
    PairMoments {
        mixed: whole([0, 0], [covariance, apart]),
        covariance,
        dcovariance_dgamma: gamma,
        dcovariance_dxi2: xi2 / 2.0 + along_variance,
        dcovariance_dgamma_h: gamma_h,
        dcovariance_dxi2_h: xi2_h / 2.0 + along_variance,
        dcovariance_dcov: whole([1, 1], [cov, slopes]) + boundless(limit),
    }
}
