//! Limits at ξ² = 0 that generated code calls.

/// The limit of coefficient/ξⁿ + `otherwise` for ξ → 0 and n > 0: infinite with the sign of the coefficient, or
/// `otherwise` where the coefficient is 0.
#[inline]
#[must_use]
pub fn pole(coefficient: f64, otherwise: f64) -> f64 {
    if coefficient > 0.0 {
        f64::INFINITY
    } else if coefficient < 0.0 {
        -f64::INFINITY
    } else {
        otherwise
    }
}
