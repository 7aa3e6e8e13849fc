//! Logarithms of mean and variance, which go on where mean and variance underflow.
//!
//! Far from where g begins its mean is e^(−s²/2) times something: 0 from s = 39 on in double precision, while the
//! logarithm and its derivatives, (∂m)/m, are ordinary numbers. What is an ordinary number has its logarithm taken;
//! the rest is computed once more with a wide exponent.

use crate::Float;
use crate::activation::same_length;
use crate::lanes::wide::Wide;

/// The logarithms of the first two moments of g(u) for u ~ N(γ, ξ²).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogMoments<T> {
    /// ln E\[g(u)\], −∞ if that is 0; NaN if g may be negative.
    pub log_mean: T,
    /// ln Var g(u), −∞ if that is 0.
    pub log_variance: T,
}

/// [`LogMoments`] with their partial derivatives in γ and ξ².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogMomentsGrad<T> {
    /// ln E\[g(u)\], −∞ if that is 0; NaN if g may be negative, as are its derivatives.
    pub log_mean: T,
    /// ln Var g(u), −∞ if that is 0.
    pub log_variance: T,
    /// ∂ ln E\[g\]/∂γ.
    pub dlog_mean_dgamma: T,
    /// ∂ ln E\[g\]/∂ξ².
    pub dlog_mean_dxi2: T,
    /// ∂ ln Var g/∂γ.
    pub dlog_variance_dgamma: T,
    /// ∂ ln Var g/∂ξ².
    pub dlog_variance_dxi2: T,
}

/// Where [`log_moments_grad_into`](crate::Activation::log_moments_grad_into) writes: one slice for each quantity, all of
/// the length of the input.
#[derive(Debug)]
pub struct LogMomentsGradMut<'a, T> {
    /// ln E\[g\].
    pub log_mean: &'a mut [T],
    /// ln Var g.
    pub log_variance: &'a mut [T],
    /// ∂ ln E\[g\]/∂γ.
    pub dlog_mean_dgamma: &'a mut [T],
    /// ∂ ln E\[g\]/∂ξ².
    pub dlog_mean_dxi2: &'a mut [T],
    /// ∂ ln Var g/∂γ.
    pub dlog_variance_dgamma: &'a mut [T],
    /// ∂ ln Var g/∂ξ².
    pub dlog_variance_dxi2: &'a mut [T],
}

impl<'a, T> LogMomentsGradMut<'a, T> {
    /// The slices in the order of the fields.
    #[must_use]
    pub fn new(slices: [&'a mut [T]; 6]) -> Self {
        let [mean, variance, mean_gamma, mean_xi2, variance_gamma, variance_xi2] = slices;
        Self {
            log_mean: mean,
            log_variance: variance,
            dlog_mean_dgamma: mean_gamma,
            dlog_mean_dxi2: mean_xi2,
            dlog_variance_dgamma: variance_gamma,
            dlog_variance_dxi2: variance_xi2,
        }
    }

    /// Panics unless all slices have as many elements as γ.
    #[track_caller]
    pub(crate) fn check_lengths(&self, n: usize) {
        same_length("log_mean", self.log_mean.len(), n);
        same_length("log_variance", self.log_variance.len(), n);
        same_length("dlog_mean_dgamma", self.dlog_mean_dgamma.len(), n);
        same_length("dlog_mean_dxi2", self.dlog_mean_dxi2.len(), n);
        same_length("dlog_variance_dgamma", self.dlog_variance_dgamma.len(), n);
        same_length("dlog_variance_dxi2", self.dlog_variance_dxi2.len(), n);
    }

    /// The slices in the order of the fields.
    pub(crate) fn into_slices(self) -> [&'a mut [T]; 6] {
        let Self {
            log_mean,
            log_variance,
            dlog_mean_dgamma,
            dlog_mean_dxi2,
            dlog_variance_dgamma,
            dlog_variance_dxi2,
        } = self;
        [
            log_mean,
            log_variance,
            dlog_mean_dgamma,
            dlog_mean_dxi2,
            dlog_variance_dgamma,
            dlog_variance_dxi2,
        ]
    }
}

impl<T: Float> LogMoments<T> {
    pub(crate) fn rounded([log_mean, log_variance]: [f64; 2]) -> Self {
        Self { log_mean: T::from_f64(log_mean), log_variance: T::from_f64(log_variance) }
    }
}

impl<T: Float> LogMomentsGrad<T> {
    /// The values in the order of the fields.
    #[must_use]
    pub fn to_array(&self) -> [T; 6] {
        [
            self.log_mean,
            self.log_variance,
            self.dlog_mean_dgamma,
            self.dlog_mean_dxi2,
            self.dlog_variance_dgamma,
            self.dlog_variance_dxi2,
        ]
    }

    pub(crate) fn rounded(values: [f64; 6]) -> Self {
        let [mean, variance, mean_gamma, mean_xi2, variance_gamma, variance_xi2] =
            values.map(T::from_f64);
        Self {
            log_mean: mean,
            log_variance: variance,
            dlog_mean_dgamma: mean_gamma,
            dlog_mean_dxi2: mean_xi2,
            dlog_variance_dgamma: variance_gamma,
            dlog_variance_dxi2: variance_xi2,
        }
    }
}

/// Of which of mean and variance, 0 or 1, a result is the derivative.
fn base(derivative: usize) -> usize {
    (derivative - 2) / 2
}

/// From mean and variance, and perhaps their derivatives.
pub(crate) fn of<const N: usize>(values: [f64; N]) -> [f64; N] {
    core::array::from_fn(|i| match i {
        0 | 1 => libm::log(values[i]),
        _ => values[i] / values[base(i)],
    })
}

/// The same of numbers with a wide exponent; with ξ² = 0, for which they have a number that is very small, in the limit.
pub(crate) fn of_wide<const N: usize>(values: [Wide<true>; N], at_rest: bool) -> [f64; N] {
    let mut results = core::array::from_fn(|i| match i {
        0 | 1 => values[i].ln(),
        _ => (values[i] / values[base(i)]).to_f64(),
    });
    if at_rest {
        for i in 0..2 {
            if results[i] < VANISHES {
                results[i] = f64::NEG_INFINITY;
                // The derivative in ξ².
                if let Some(derivative) = results.get_mut(3 + 2 * i) {
                    *derivative = f64::INFINITY;
                }
            }
        }
    }
    results
}

/// What is smaller than e to this is so because ξ² is 0.
const VANISHES: f64 = -10_000.0;

/// Whether mean, variance and derivatives are so far from underflow and overflow in T that their logarithms are right.
pub(crate) fn are_right<T: Float>(values: &[f64]) -> bool {
    let least = T::power_of_two(-T::USUAL_EXPONENT).to_f64();
    values.iter().all(|value| value.is_finite()) && values[..2].iter().all(|value| *value >= least)
}

/// For a function that may be negative.
pub(crate) fn without_mean(results: &mut [f64]) {
    for i in [0, 2, 3] {
        if let Some(result) = results.get_mut(i) {
            *result = f64::NAN;
        }
    }
}

/// In slices: from mean, variance and perhaps derivatives to logarithms, those that are not right one by one.
pub(crate) fn in_slices<T: Float, const N: usize>(
    mut slices: [&mut [T]; N],
    is_nonnegative: bool,
    single: impl Fn(usize) -> [f64; N],
) {
    for i in 0..slices[0].len() {
        let mut values = [0.0; N];
        for (value, slice) in values.iter_mut().zip(&slices) {
            *value = slice[i].to_f64();
        }
        if !is_nonnegative {
            // It is not asked for.
            values[0] = 1.0;
        }
        let mut results = if are_right::<T>(&values) { of(values) } else { single(i) };
        if !is_nonnegative {
            without_mean(&mut results);
        }
        for (result, slice) in results.into_iter().zip(&mut slices) {
            slice[i] = T::from_f64(result);
        }
    }
}
