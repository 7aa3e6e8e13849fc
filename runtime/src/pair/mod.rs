//! Two correlated pre-activations: E\[g(u) h(w)\], Cov(g(u), h(w)) and the derivatives of the covariance.
//!
//! (u, w) is Normal with means γ, γ′, variances ξ², ξ′² and covariance c. The covariance is never formed as a difference of moments: that would have no
//! digits for small c. Derivatives are covariances of derivatives: ∂/∂γ ↔ g′, ∂/∂ξ² ↔ ½ g″ and ∂/∂c = E\[g′(u) h′(w)\] (Price's theorem).
//!
//! # Which method serves where
//!
//! [`moments`] takes the first of these that serves. Each has a covariance in proportion to c by its form.
//!
//! 1. **Numbers that are no law** give NaN (`law`). Without correlation or with a variance of 0 the covariance is exactly 0.
//! 2. **Straight functions**: one integral over the correlation from 0 to ρ, whose nodes serve the covariance and all derivatives of all pairs of knots
//!    (`straight`). It says whether its terms cancel. They do for pieces much narrower than ξ, for tails of opposite sides, and for knots far out.
//! 3. **All others**: each function is taken apart into the polynomial of the piece that its mean lies on, tails outward, and narrow pieces
//!    (`decomposition`, `tail`), and parts meet parts (`covariance`):
//!    - a polynomial with anything: a finite sum;
//!    - two tails with weak correlation: a series in ρ; other two tails: an integral over directions whose integrand is positive
//!      (`tail_pair`, `quadrant`);
//!    - narrow pieces over which the conditional density is smooth: the series in ρ, nodes on the piece, or for two of them a product of moments
//!      (`narrow_covariance`);
//!    - narrow pieces over which it is not, since |ρ| is near 1: a series in the conditional deviation around each knot (`narrow_strong`).
//! 4. **E\[g h\] far smaller than |Cov| + |E\[g\] E\[h\]|**, both functions being 0 at the means: the sum of the joint tails themselves (`covariance`).
//!
//! `slices` and `layer` do the same for many pairs with the vectors of the machine. `mixed` has E\[g h\] relative to itself, which is slower. `record` is the
//! integral of `straight` for the generator.
//!
//! # Error
//!
//! A covariance of straight functions is right to [`ACCURACY`] ulp of its scale S, its derivatives in the means to 2·10⁻¹⁴ and the others to 10⁻¹³ of S
//! over the deviations. For curved functions nothing is promised: those of a high degree lose digits towards |ρ| = 1. `docs/numerics-pairs.md` has all
//! bounds and the tests that hold them.

mod covariance;
mod decomposition;
mod law;
mod layer;
mod mixed;
mod narrow_covariance;
mod narrow_strong;
mod quadrant;
#[cfg(feature = "source")]
#[doc(hidden)]
pub mod record;
mod slices;
mod straight;
mod tail;
mod tail_pair;

use covariance::one_by_one;
use quadrant::Quadrant;
use straight::StraightKnots;

use crate::kernel::pieces::Table;

pub use crate::piecewise::Piecewise;
pub(crate) use law::LowWords;
pub use law::{Inputs, InvalidLaw};
pub use layer::{LayerGradient, layer, layer_vjp};
pub use mixed::{MixedMoment, mixed_moment};
pub use slices::{Outputs, moments_into};

/// The promise: the error of a covariance of piecewise linear functions, in ulp (2⁻⁵²) of its scale.
///
/// The scale is the absolute covariance of G(u) and H(w), with G and H increasing as steeply as |g| and |h| change: it
/// is |Cov(g(u), h(w))| itself where both are monotone.
pub const ACCURACY: f64 = 16.0;

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

    /// What numbers that are no law have.
    const OF_NO_LAW: Self = Self {
        mixed: f64::NAN,
        covariance: f64::NAN,
        dcovariance_dgamma: f64::NAN,
        dcovariance_dxi2: f64::NAN,
        dcovariance_dgamma_h: f64::NAN,
        dcovariance_dxi2_h: f64::NAN,
        dcovariance_dcov: f64::NAN,
    };

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
    try_moments(g, h, at).unwrap_or(PairMoments::OF_NO_LAW)
}

/// [`moments`] of numbers that are a law.
///
/// # Errors
///
/// If they are not ([`Inputs::check`]). It costs less than that check before: the integral over the correlation finds it on its way.
pub fn try_moments<G, H>(g: &G, h: &H, at: Inputs) -> Result<PairMoments, InvalidLaw>
where
    G: Piecewise + ?Sized,
    H: Piecewise + ?Sized,
{
    g.with_pieces(|g| h.with_pieces(|h| of_tables(g, h, at)))
}

/// The least |ρ| for which low words of a law are taken: 1 − ρ² has the other digits below.
const NEARLY_PARALLEL: f64 = 0.999;

/// [`moments`] of a law that is known to twice the precision: 1 − ρ² has digits however near ρ is to 1.
pub(crate) fn moments_of_words(
    g: &Table<'_>,
    h: &Table<'_>,
    at: Inputs,
    low: LowWords,
) -> PairMoments {
    let most = libm::sqrt(at.xi2) * libm::sqrt(at.xi2_h);
    let found = if low != LowWords::default() && at.cov.abs() > NEARLY_PARALLEL * most {
        covariance::of_words(g, h, at, low, Quadrant::one_by_one)
    } else {
        of_tables(g, h, at)
    };
    found.unwrap_or(PairMoments::OF_NO_LAW)
}

fn of_tables(g: &Table<'_>, h: &Table<'_>, at: Inputs) -> Result<PairMoments, InvalidLaw> {
    let straight = StraightKnots::of(g)
        .zip(StraightKnots::of(h))
        // The terms of a narrow piece would cancel, which is known before they are computed.
        .filter(|(g, h)| !g.is_narrow(at.gamma, at.xi2) && !h.is_narrow(at.gamma_h, at.xi2_h))
        .and_then(|(g, h)| straight::single(g, h, &at));
    let found = straight.and_then(|found| found.moments(g, h, &at));
    found.map_or_else(|| one_by_one(g, h, at, Quadrant::one_by_one), Ok)
}
