//! Conditional moments: mean and variance of g(u) given that u ~ N(γ, ξ²) lies in a set A of intervals, and P(u ∈ A).
//!
//! With weights w on nodes (`measure`) for the law of u given A, the results are sums over nodes around their means: with
//! δ = g − E\[g | A\] and the scores a = z/ξ, b = (z² − 1)/(2ξ²) of γ and ξ², each less its mean given A,
//!
//! ```text
//! ∂ ln P/∂γ = E[z/ξ | A]          ∂ ln P/∂ξ² = E[(z² − 1)/(2ξ²) | A]
//! ∂E[g | A]/∂γ = E[δa | A]        ∂E[g | A]/∂ξ² = E[δb | A]
//! ∂Var[g | A]/∂γ = E[δ²a | A]     ∂Var[g | A]/∂ξ² = E[δ²b | A]
//! ```
//!
//! since the law is an exponential family in u and u². Second derivatives are the next moments of these. Nothing is a
//! difference of large numbers: values, z and z² are in two words, and means are taken from them in two words before a
//! product is formed. Where no knot and no end of A is near γ in units of ξ, the results are those of one polynomial
//! (`near`). Far from A all weights are relative to the density at the nearest end, so that P(A) = 10⁻³⁰⁰ is as good as ½,
//! and ln P(A) = −10⁶ too. What leaves the range of double precision on the way is computed with wide exponents.
//!
//! Error: some 30 units in the last place of each result's scale, which is |E\[g | A\]| or the standard deviation for the
//! mean, the variance, and for derivatives the product of the standard deviations of what is multiplied.

mod measure;
mod near;
mod number;
mod part;
mod sums;

pub(crate) use sums::{second_derivatives, whole};

use crate::Float;
use crate::kernel::pieces::Table;
use crate::kernel::single::is_valid;
use crate::piecewise::Piecewise;

/// The moments of g(u) given that u ~ N(γ, ξ²) lies in a set A, with their derivatives in γ and ξ².
///
/// For a set of probability 0 without an interval all is NaN. As ξ → 0 the law is that of the point of A that is nearest to γ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConditionalMoments<T> {
    /// P(u ∈ A).
    pub probability: T,
    /// E\[g(u) | u ∈ A\].
    pub mean: T,
    /// Var\[g(u) | u ∈ A\].
    pub variance: T,
    /// ln P(u ∈ A), right also where P(u ∈ A) underflows.
    pub log_probability: T,
    /// ln E\[g(u) | u ∈ A\]; NaN where that mean is negative.
    pub log_mean: T,
    /// ln Var\[g(u) | u ∈ A\].
    pub log_variance: T,
    /// ∂ ln P(u ∈ A)/∂γ.
    pub dlog_probability_dgamma: T,
    /// ∂ ln P(u ∈ A)/∂ξ².
    pub dlog_probability_dxi2: T,
    /// ∂E\[g | A\]/∂γ.
    pub dmean_dgamma: T,
    /// ∂E\[g | A\]/∂ξ².
    pub dmean_dxi2: T,
    /// ∂Var\[g | A\]/∂γ.
    pub dvariance_dgamma: T,
    /// ∂Var\[g | A\]/∂ξ².
    pub dvariance_dxi2: T,
}

impl<T: Copy> ConditionalMoments<T> {
    /// The names of the fields, in their order.
    pub const NAMES: [&'static str; 12] = [
        "probability",
        "mean",
        "variance",
        "log_probability",
        "log_mean",
        "log_variance",
        "dlog_probability_dgamma",
        "dlog_probability_dxi2",
        "dmean_dgamma",
        "dmean_dxi2",
        "dvariance_dgamma",
        "dvariance_dxi2",
    ];

    /// The numbers in the order of the fields.
    #[must_use]
    pub fn to_array(&self) -> [T; 12] {
        [
            self.probability,
            self.mean,
            self.variance,
            self.log_probability,
            self.log_mean,
            self.log_variance,
            self.dlog_probability_dgamma,
            self.dlog_probability_dxi2,
            self.dmean_dgamma,
            self.dmean_dxi2,
            self.dvariance_dgamma,
            self.dvariance_dxi2,
        ]
    }

    fn from_array(values: [T; 12]) -> Self {
        let [probability, mean, variance, log_probability, log_mean, log_variance, rest @ ..] =
            values;
        let [of_log_by_gamma, of_log_by_xi2, rest @ ..] = rest;
        let [mean_by_gamma, mean_by_xi2, variance_by_gamma, variance_by_xi2] = rest;
        Self {
            probability,
            mean,
            variance,
            log_probability,
            log_mean,
            log_variance,
            dlog_probability_dgamma: of_log_by_gamma,
            dlog_probability_dxi2: of_log_by_xi2,
            dmean_dgamma: mean_by_gamma,
            dmean_dxi2: mean_by_xi2,
            dvariance_dgamma: variance_by_gamma,
            dvariance_dxi2: variance_by_xi2,
        }
    }
}

/// A function g of a pre-activation of which more is known: that it lies in a set A.
///
/// A is where the pieces of a second function, the condition, are not 0, such as a step, or a sum of steps for several
/// intervals.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a, G, C> {
    function: &'a G,
    condition: &'a C,
}

impl<'a, G: Piecewise, C: Piecewise> Given<'a, G, C> {
    /// The function, given that the condition is not 0.
    #[must_use]
    pub fn new(function: &'a G, condition: &'a C) -> Self {
        Self { function, condition }
    }

    /// The conditional moments for one pre-activation, computed in double precision; NaN where γ or ξ² is not finite or
    /// ξ² < 0.
    #[must_use]
    pub fn moments<T: Float>(&self, gamma: T, xi2: T) -> ConditionalMoments<T> {
        let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
        let values = self.function.with_pieces(|function| {
            self.condition.with_pieces(|condition| moments(function, condition, gamma, xi2))
        });
        ConditionalMoments::from_array(values.map(T::from_f64))
    }

    /// The conditional moments for every element of a batch, each as [`moments`](Self::moments) computes them.
    ///
    /// # Panics
    ///
    /// If the slices differ in length.
    pub fn moments_into<T: Float>(
        &self,
        gamma: &[T],
        xi2: &[T],
        out: &mut [ConditionalMoments<T>],
    ) {
        let n = gamma.len();
        assert!(
            xi2.len() == n && out.len() == n,
            "`gamma` has {n} elements, but `xi2` {} and `out` {}",
            xi2.len(),
            out.len()
        );
        self.function.with_pieces(|function| {
            self.condition.with_pieces(|condition| {
                for ((out, gamma), xi2) in out.iter_mut().zip(gamma).zip(xi2) {
                    let values = moments(function, condition, gamma.to_f64(), xi2.to_f64());
                    *out = ConditionalMoments::from_array(values.map(T::from_f64));
                }
            });
        });
    }
}

/// The conditional moments in the order of the fields.
fn moments(function: &Table<'_>, condition: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 12] {
    if is_valid(gamma, xi2) {
        sums::moments(function, condition, gamma, xi2)
    } else {
        [f64::NAN; 12]
    }
}
