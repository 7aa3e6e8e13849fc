//! One activation, one precision: every method at every point, against the oracle.

use std::collections::BTreeMap;

use crate::error::{Measure, Precision, QUANTITIES};
use crate::oracle::Oracle;
use crate::points::points;
use crate::registry::Entry;

/// The largest error of a quantity, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// In units in the last place.
    pub error: f64,
    /// γ.
    pub gamma: f64,
    /// ξ².
    pub xi2: f64,
    /// The kernel's result.
    pub got: f64,
    /// The oracle's result.
    pub truth: f64,
    /// At how many points the tolerance, if one was given, is exceeded.
    pub exceeding: usize,
}

impl Worst {
    /// A line with the worst error of a quantity of an activation by a method, and its place.
    #[must_use]
    pub fn describe(&self, activation: &str, quantity: usize, method: &str) -> String {
        let Self { error, gamma, xi2, got, truth, exceeding } = self;
        format!(
            "{activation:29} {:8} {method:17} {error:10.3e} ulp ({exceeding:5} points) at γ = {gamma:.16e}, \
             ξ² = {xi2:.16e}: {got:e} for {truth:e}\n",
            QUANTITIES[quantity],
        )
    }
}

/// The largest errors, by quantity (an index of [`QUANTITIES`]), method, and whether the point is
/// [extreme](Measure::is_extreme).
pub type Errors = BTreeMap<(usize, &'static str, bool), Worst>;

/// How many points for each activation and precision, times the environment's `GAUSSFORM_SWEEP`.
#[must_use]
pub fn count(default: usize) -> usize {
    let factor = std::env::var("GAUSSFORM_SWEEP").ok().and_then(|text| text.parse::<f64>().ok());
    #[allow(clippy::cast_precision_loss, reason = "a small number")]
    let count = default as f64 * factor.unwrap_or(1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let count = count as usize;
    count
}

/// The errors at about `count` points; `tolerance` is what counts as exceeding, by quantity.
#[must_use]
pub fn sweep<T: Precision>(
    oracle: &Oracle,
    entry: &Entry,
    count: usize,
    tolerance: &dyn Fn(usize) -> f64,
) -> Errors {
    let kernels = T::kernels(entry);
    let points = points::<T>(&entry.function, count);
    let (gamma, xi2): (Vec<T>, Vec<T>) = points.iter().copied().unzip();
    let measures: Vec<Measure> = points
        .iter()
        .map(|(gamma, xi2)| {
            let (gamma, xi2) = (gamma.to_f64(), xi2.to_f64());
            let truth = oracle.truth(&entry.function, gamma, xi2);
            if entry.is_table { Measure::of_table(&truth, xi2) } else { Measure::new(&truth) }
        })
        .collect();
    let mut errors = Errors::new();
    let extreme: Vec<bool> = measures
        .iter()
        .zip(&xi2)
        .map(|(measure, xi2)| measure.is_extreme::<T>(xi2.to_f64()))
        .collect();
    let mut note = |quantity: usize, method: &'static str, i: usize, got: T| {
        let error = measures[i].error(quantity, got);
        let exceeds = usize::from(error > tolerance(quantity));
        let here = Worst {
            error,
            gamma: gamma[i].to_f64(),
            xi2: xi2[i].to_f64(),
            got: got.to_f64(),
            truth: measures[i].values[quantity][0],
            exceeding: 0,
        };
        let worst = errors.entry((quantity, method, extreme[i])).or_insert(here);
        let exceeding = worst.exceeding + exceeds;
        if error > worst.error {
            *worst = here;
        }
        worst.exceeding = exceeding;
    };
    let [mean, variance] = kernels.batch(&gamma, &xi2);
    let grad = kernels.batch_grad(&gamma, &xi2);
    let of_mean = kernels.batch_vjp(&gamma, &xi2, T::ONE, T::ZERO);
    let of_variance = kernels.batch_vjp(&gamma, &xi2, T::ZERO, T::ONE);
    for i in 0..points.len() {
        let all = kernels.moments_grad(gamma[i], xi2[i]).to_array();
        for (quantity, got) in all.into_iter().enumerate() {
            note(quantity, "moments_grad", i, got);
        }
        let m = kernels.moments(gamma[i], xi2[i]);
        for (quantity, got) in [m.mean, m.second, m.variance].into_iter().enumerate() {
            note(quantity, "moments", i, got);
        }
        note(0, "moments_into", i, mean[i]);
        note(2, "moments_into", i, variance[i]);
        for (quantity, got) in [0, 2, 3, 4, 5, 6].into_iter().zip(&grad) {
            note(quantity, "moments_grad_into", i, got[i]);
        }
        // 0 · ∞ is NaN by right where the other derivative has overflown.
        for column in 0..2 {
            let [by_mean, by_variance] = [3, 5].map(|first| all[first + column]);
            if by_variance.is_finite() {
                note(3 + column, "vjp_into", i, of_mean[column][i]);
            }
            if by_mean.is_finite() {
                note(5 + column, "vjp_into", i, of_variance[column][i]);
            }
        }
    }
    errors
}

/// The largest error of each quantity over all methods, at ordinary or at extreme points.
#[must_use]
pub fn by_quantity(errors: &Errors, at_extreme: bool) -> [f64; QUANTITIES.len()] {
    let mut out = [0.0_f64; QUANTITIES.len()];
    for ((quantity, _, extreme), worst) in errors {
        if *extreme == at_extreme {
            out[*quantity] = out[*quantity].max(worst.error);
        }
    }
    out
}
