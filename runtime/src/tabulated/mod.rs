//! The methods of an activation that is given by a [`Table`], compiled once, in this crate.
//!
//! A program with any number of such activations has their numbers, and no code of its own for them.

pub(crate) mod sum;
pub(crate) mod tangent;

use crate::Float;
use crate::conditional;
use crate::kernel::pieces::{STEEPEST, Table};
use crate::kernel::quantities::log::LogMomentsGrad;
use crate::kernel::quantities::{MeanAndVariance, Quantities, WithDerivatives};
use crate::kernel::{Kernel, is_table, logarithm, single};

/// Results of one pre-activation by a kernel, which may be a table.
pub(crate) trait Single<const N: usize>: Quantities<N> {
    /// The results by a table, from code of this crate.
    fn of_table(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; N];

    /// The results by any kernel, which may be a table.
    fn of<K: Kernel>(kernel: &K, gamma: f64, xi2: f64) -> [f64; N]
    where
        Self: Sized,
    {
        if const { is_table::<K>() } {
            kernel.with_table(|table| Self::of_table(table, gamma, xi2))
        } else {
            single::evaluate::<Self, K, N>(kernel, gamma, xi2)
        }
    }
}

impl Single<2> for MeanAndVariance {
    fn of_table(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 2] {
        moments(table, gamma, xi2)
    }
}

impl Single<6> for WithDerivatives {
    fn of_table(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
        gradients(table, gamma, xi2)
    }
}

/// Whether sums over powers would lose digits, or numbers of the table leave the range. Then quadrature nodes are
/// placed for each input.
pub(crate) fn needs_nodes(table: &Table<'_>) -> bool {
    let is_far = |c: &[f64; 2]| c[0] != 0.0 && c[0].abs() < LEAST;
    table.degree > STEEPEST || (table.exponent != 0 && table.sides.iter().any(is_far))
}

/// A coefficient whose square would be nothing beside 1, the largest one.
const LEAST: f64 = 1e-150;

/// Whether ξ is so small beside γ that the powers of ξ shrink faster than the terms of a high degree grow. Differences of the
/// function at quadrature nodes have no digits there.
fn is_flat(gamma: f64, xi2: f64) -> bool {
    xi2 <= FLAT * gamma * gamma
}

/// ξ²/γ² below which the second differences of a double word lose digits.
const FLAT: f64 = 1e-18;

/// Mean and variance of one pre-activation.
pub(crate) fn moments(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 2] {
    if needs_nodes(table) {
        let [mean, variance, ..] = gradients(table, gamma, xi2);
        return [mean, variance];
    }
    single::moments(table, gamma, xi2)
}

/// Mean, variance and their derivatives in γ and ξ² of one pre-activation.
pub(crate) fn gradients(table: &Table<'_>, gamma: f64, xi2: f64) -> [f64; 6] {
    if needs_nodes(table) && single::is_valid(gamma, xi2) && !is_flat(gamma, xi2) {
        return conditional::whole(table, gamma, xi2);
    }
    single::gradients(table, gamma, xi2)
}

/// ln E\[g\], ln Var g and their derivatives in γ and ξ² of one pre-activation.
pub(crate) fn log_gradients(
    table: &Table<'_>,
    is_nonnegative: bool,
    gamma: f64,
    xi2: f64,
) -> LogMomentsGrad<f64> {
    if needs_nodes(table) {
        let [mean, variance, rest @ ..] = gradients(table, gamma, xi2);
        let (of_mean, of_variance) = ([mean, rest[0], rest[1]], [variance, rest[2], rest[3]]);
        // A mean that may be negative has no logarithm to lose.
        let is_mean_left = !is_nonnegative || logarithm::are_digits_left(of_mean);
        if is_mean_left && logarithm::are_digits_left(of_variance) {
            return LogMomentsGrad::from_values(is_nonnegative, of_mean, of_variance);
        }
    }
    logarithm::gradients(table, is_nonnegative, gamma, xi2)
}

impl Table<'_> {
    /// The logarithms with derivatives, of a function that is known to be nowhere negative or not to be.
    pub fn log_moments_grad_if<T: Float>(
        &self,
        is_nonnegative: bool,
        gamma: T,
        xi2: T,
    ) -> LogMomentsGrad<T> {
        log_gradients(self, is_nonnegative, gamma.to_f64(), xi2.to_f64()).rounded()
    }
}
