//! The few decisions that every kernel takes.

use crate::Float;

/// Whether u ~ N(γ, ξ²) is a distribution: γ and ξ² finite, ξ² not negative.
#[inline]
pub fn is_valid<T: Float>(gamma: T, xi2: T) -> bool {
    gamma.is_finite() && xi2.is_finite() && xi2 >= T::ZERO
}

/// The limit of coefficient/ξⁿ + … for ξ → 0: infinite with the sign of the coefficient, or
/// what is left over where the coefficient is zero.
#[inline]
pub fn pole<T: Float>(coefficient: T, otherwise: T) -> T {
    if coefficient > T::ZERO {
        T::INFINITY
    } else if coefficient < T::ZERO {
        -T::INFINITY
    } else {
        otherwise
    }
}

/// A variance from what rounding left of it: where the input is valid, NaN is the difference of
/// two overflows, and a negative number one of two underflows.
#[inline]
pub fn variance<T: Float>(value: T) -> T {
    if value >= T::ZERO {
        value
    } else if value < T::ZERO {
        T::ZERO
    } else {
        T::INFINITY
    }
}

/// Panics unless there is an entry for each parameter.
#[inline]
#[track_caller]
pub fn check_parameter_count(entries: usize, parameters: usize) {
    assert!(
        entries == parameters,
        "`out` has {entries} elements but the activation has {parameters} parameters"
    );
}
