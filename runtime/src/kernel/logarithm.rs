//! The logarithms of mean and variance, which do not underflow.
//!
//! Mean, variance and their derivatives are in the same unit. So the derivatives of the logarithms are quotients that
//! are ordinary numbers even where numerator and denominator underflow. There both are computed with wide exponents, in
//! which the density is a number up to 2³⁰ deviations away. Beyond that only the nearest knot counts. With d its distance
//! and c of the size of the degree,
//!
//! ln E = −d²/(2ξ²) + c ln ξ² + …,  ∂ ln E/∂γ ∝ d/ξ²,  ∂ ln E/∂ξ² = d²/(2ξ⁴),
//!
//! up to 2⁻⁵⁶ of each. So the result for a ξ² that is larger by some factor is computed, and scaled.
//!
//! For ξ² = 0 a ξ² is taken that is so small that no limit differs.

use super::single::{self, Far, ZERO_VARIANCE_EXPONENT};
use super::{Kernel, Lanes};
use crate::Float;
use crate::kernel::quantities::log::{LogMoments, LogMomentsGrad};

/// Exponents of two by which ξ² grows in a step, until the density is not negligible: first quick steps, then steps
/// between which the distance stays above 2²⁸ deviations.
const STEPS: [i32; 2] = [40, 4];
/// The most quick steps: after these every knot is near, whatever the input.
const MOST_STEPS: i32 = 120;
/// The exponent of the variance from which these steps start for ξ² = 0.
const LEAST: i32 = -2200;

/// Logarithm and the quotients by the value.
type Logarithm = [f64; 3];

/// The logarithms and their derivatives, of a function that is known to be nowhere negative or not to be.
pub fn log_gradients<K: Kernel, T: Float>(
    kernel: &K,
    is_nonnegative: bool,
    gamma: T,
    xi2: T,
) -> LogMomentsGrad<T> {
    gradients(kernel, is_nonnegative, gamma.to_f64(), xi2.to_f64()).rounded()
}

/// The logarithms with their derivatives; NaN if the input is not valid, and for the mean if the function may be
/// negative.
pub(crate) fn gradients<K: Kernel>(
    kernel: &K,
    is_nonnegative: bool,
    gamma: f64,
    xi2: f64,
) -> LogMomentsGrad<f64> {
    let mut logarithms = [[f64::NAN; 3]; 2];
    if single::is_valid(gamma, xi2) {
        let values = single::gradients(kernel, gamma, xi2);
        // The mean of a function that may be negative has no logarithm, so that its digits do not matter.
        let first = usize::from(!is_nonnegative);
        let wanted = [[values[0], values[2], values[3]], [values[1], values[4], values[5]]];
        if xi2 > 0.0 && wanted[first..].iter().all(|values| are_digits_left(*values)) {
            logarithms = wanted.map(plain);
        } else {
            let values = single::far_gradients(kernel, gamma, single::wide_variance(xi2));
            for (which, logarithm) in logarithms.iter_mut().enumerate().skip(first) {
                *logarithm = far(kernel, gamma, xi2, which, values);
            }
        }
        if !is_nonnegative {
            logarithms[0] = [f64::NAN; 3];
        }
    }
    let [mean, variance] = logarithms;
    LogMomentsGrad {
        log_mean: mean[0],
        log_variance: variance[0],
        dlog_mean_dgamma: mean[1],
        dlog_mean_dxi2: mean[2],
        dlog_variance_dgamma: variance[1],
        dlog_variance_dxi2: variance[2],
    }
}

/// Whether a value and its derivatives are far from underflow and finite. A derivative may also be so small that its
/// quotient by the value is negligible.
#[inline]
pub(crate) fn are_digits_left<T: Float>([value, slopes @ ..]: [T; 3]) -> bool {
    let least = T::power_of_two(T::LEAST_EXPONENT / 8 * 7);
    let moderate = T::power_of_two(T::LEAST_EXPONENT / 8);
    let is_finite = |x: T| x.abs() <= T::MAX;
    value >= least
        && is_finite(value)
        && slopes
            .into_iter()
            .all(|slope| is_finite(slope) && (value >= moderate || slope.abs() >= least))
}

/// The logarithm from numbers of `f64`.
fn plain([value, gamma, xi2]: [f64; 3]) -> Logarithm {
    [Far::splat(value).ln(), gamma / value, xi2 / value]
}

/// The logarithm of the mean (`which` = 0) or of the variance (1) from values with wide exponents.
fn far<K: Kernel>(kernel: &K, gamma: f64, xi2: f64, which: usize, values: [Far; 6]) -> Logarithm {
    let zero = Far::splat(0.0);
    let of = |values: [Far; 6]| [values[which], values[2 + 2 * which], values[3 + 2 * which]];
    let [value, slopes @ ..] = of(values);
    // A kernel of formulas has some density beyond 2³⁰ deviations too. ∂ ln/∂ξ² says how many there are.
    let is_within = |[value, _, by_xi2]: [Far; 3], variance: Far| {
        let square = (by_xi2 / value) * (variance + variance);
        zero.lt(value) && square.lt(Far::power_of_two(60))
    };
    if is_within(of(values), single::wide_variance(xi2)) {
        let [by_gamma, by_xi2] = slopes.map(|slope| (slope / value).to_f64());
        return [
            if xi2 == 0.0 { at_zero_variance(kernel, gamma, which, value) } else { value.ln() },
            by_gamma,
            by_xi2,
        ];
    }
    let start = if xi2 == 0.0 { Far::power_of_two(LEAST) } else { Far::splat(xi2) };
    let scaled = |exponent: i32| {
        let ratio = Far::power_of_two(exponent);
        (ratio, start * ratio, of(single::far_gradients(kernel, gamma, start * ratio)))
    };
    let survives = |exponent: &i32| {
        let (_, variance, values) = scaled(*exponent);
        is_within(values, variance)
    };
    let [quick, slow] = STEPS;
    let Some(most) = (1..MOST_STEPS).map(|i| i * quick).find(survives) else {
        // A value that is 0 for every input.
        return [f64::NEG_INFINITY, 0.0, 0.0];
    };
    // No larger than needed: beyond 2²⁸ deviations what the scaling below leaves out is less than 2⁻⁵⁶.
    let first = (most - quick + slow..most).step_by(slow as usize).find(survives).unwrap_or(most);
    let (ratio, variance, [value, by_gamma, by_xi2]) = scaled(first);
    let [by_gamma, by_xi2] = [by_gamma / value, by_xi2 / value];
    if xi2 == 0.0 {
        // The slopes grow without limit; their signs are those of the tail.
        let endless = Far::power_of_two(-ZERO_VARIANCE_EXPONENT);
        return [f64::NEG_INFINITY, (by_gamma * endless).to_f64(), (by_xi2 * endless).to_f64()];
    }
    // d²/(2ξ²) is by_xi2 · variance at the larger ξ², and `ratio` times as much at the given one.
    let ln = Far::splat(value.ln()) - (ratio - Far::splat(1.0)) * (by_xi2 * variance);
    [ln, by_gamma * ratio, by_xi2 * ratio * ratio].map(Far::to_f64)
}

/// The logarithm of a value for ξ → 0: −∞ if the value falls with ξ.
fn at_zero_variance<K: Kernel>(kernel: &K, gamma: f64, which: usize, value: Far) -> f64 {
    // A value that falls with ξ loses more than half on the way to a ξ² that is far smaller still; a limit does not.
    let less =
        single::far_gradients(kernel, gamma, Far::power_of_two(2 * ZERO_VARIANCE_EXPONENT))[which];
    if (less + less).lt(value) { f64::NEG_INFINITY } else { value.ln() }
}

impl LogMomentsGrad<f64> {
    /// The logarithms and their derivatives in the precision `T`, each rounded once.
    #[must_use]
    pub fn rounded<T: Float>(self) -> LogMomentsGrad<T> {
        LogMomentsGrad {
            log_mean: T::from_f64(self.log_mean),
            log_variance: T::from_f64(self.log_variance),
            dlog_mean_dgamma: T::from_f64(self.dlog_mean_dgamma),
            dlog_mean_dxi2: T::from_f64(self.dlog_mean_dxi2),
            dlog_variance_dgamma: T::from_f64(self.dlog_variance_dgamma),
            dlog_variance_dxi2: T::from_f64(self.dlog_variance_dxi2),
        }
    }
}

/// The logarithm of a number that is not negative.
pub(crate) fn ln<T: Float>(value: T) -> T {
    T::from_f64(Far::splat(value.to_f64()).ln())
}

impl<T: Float> LogMomentsGrad<T> {
    /// The logarithms alone.
    #[must_use]
    pub fn log_moments(&self) -> LogMoments<T> {
        LogMoments { log_mean: self.log_mean, log_variance: self.log_variance }
    }

    /// The logarithms from moments that are far from underflow.
    pub(crate) fn from_values(
        is_nonnegative: bool,
        [mean, mean_gamma, mean_xi2]: [T; 3],
        [variance, variance_gamma, variance_xi2]: [T; 3],
    ) -> Self {
        let of_mean = |value: T| if is_nonnegative { value } else { T::NAN };
        Self {
            log_mean: of_mean(ln(mean.abs())),
            log_variance: ln(variance),
            dlog_mean_dgamma: of_mean(mean_gamma / mean),
            dlog_mean_dxi2: of_mean(mean_xi2 / mean),
            dlog_variance_dgamma: variance_gamma / variance,
            dlog_variance_dxi2: variance_xi2 / variance,
        }
    }
}
