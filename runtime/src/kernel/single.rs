//! Kernels for one pre-activation, in double precision and for every input.
//!
//! Both precisions go through here: a result that is computed in double precision and rounded once is right
//! to the last place in single precision. Inputs that are so large or small that powers of them
//! overflow or underflow are computed with a wider exponent, so that only the result can be out of range. Both ways
//! are functions of their own, because without optimization a large kernel takes a large part of a stack.

use super::{Kernel, Lanes, MAX_PARAMETERS, is_safe};
use crate::kernel::quantities::{MeanAndVariance, Quantities, WithDerivatives};
use crate::lanes::wide::Wide;

/// Whether u ~ N(γ, ξ²) is a distribution: γ and ξ² finite, ξ² not negative.
pub(crate) fn is_valid(gamma: f64, xi2: f64) -> bool {
    gamma.is_finite() && xi2.is_finite() && xi2 >= 0.0
}

/// Whether no power of the input overflows or underflows in double precision. Zero variance counts as 1.
fn is_wide_enough<K: Kernel>(kernel: &K, gamma: f64, xi2: f64) -> bool {
    is_safe(kernel, gamma, if xi2 == 0.0 { 1.0 } else { xi2 })
}

/// Whether nothing has overflowed, as it may on the way with coefficients that are very large.
fn are_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// γ and ξ² with wide exponents.
pub(crate) fn widen(gamma: f64, xi2: f64) -> [Wide; 2] {
    [Wide::splat(gamma), wide_variance(xi2)]
}

/// ξ² with a wide exponent; ξ² = 0 as a number so small that no result differs.
pub(crate) fn wide_variance<const FAR: bool>(xi2: f64) -> Wide<FAR> {
    if xi2 == 0.0 { Wide::power_of_two(ZERO_VARIANCE_EXPONENT) } else { Wide::splat(xi2) }
}

/// A number with a wide exponent where densities may be far beyond the range of `f64`.
pub(crate) type Far = Wide<true>;

/// log₂ of the number that stands for ξ² = 0.
pub const ZERO_VARIANCE_EXPONENT: i32 = -40_000;

/// Evaluation in double precision and with wide exponents, for the kernels of a unit. Each method is compiled in the
/// module of the unit's type.
trait Evaluation: Sized {
    #[inline(never)]
    fn in_range<Q: Quantities<N>, K: Kernel<Unit = Self>, const N: usize>(
        kernel: &K,
        gamma: f64,
        xi2: f64,
    ) -> [f64; N] {
        Q::compute(kernel, gamma, xi2)
    }
    #[inline(never)]
    fn wide<Q: Quantities<N>, K: Kernel<Unit = Self>, const N: usize>(
        kernel: &K,
        gamma: f64,
        xi2: f64,
    ) -> [f64; N] {
        let [gamma, xi2] = widen(gamma, xi2);
        Q::compute(kernel, gamma, xi2).map(Wide::to_f64)
    }
    #[inline(never)]
    fn far_gradients<K: Kernel<Unit = Self>>(kernel: &K, gamma: Far, xi2: Far) -> [Far; 6] {
        WithDerivatives::compute(kernel, gamma, xi2)
    }
    #[inline(never)]
    fn parameter_gradients_in_range<K: Kernel<Unit = Self>>(
        kernel: &K,
        gamma: f64,
        xi2: f64,
        out: &mut [[f64; 3]],
    ) {
        kernel.parameter_gradients(gamma, xi2, out);
    }
    #[inline(never)]
    fn wide_parameter_gradients<K: Kernel<Unit = Self>>(
        kernel: &K,
        gamma: f64,
        xi2: f64,
        out: &mut [[f64; 3]],
    ) {
        let [gamma, xi2] = widen(gamma, xi2);
        // Any number: each entry that is read is written before.
        let mut wide = [[gamma; 3]; MAX_PARAMETERS];
        let wide = &mut wide[..out.len()];
        kernel.parameter_gradients(gamma, xi2, wide);
        for (entry, wide) in out.iter_mut().zip(wide) {
            *entry = wide.map(Wide::to_f64);
        }
    }
}

impl<Unit> Evaluation for Unit {}

/// Mean and variance; NaN if the input is not valid.
pub(crate) fn moments<K: Kernel>(kernel: &K, gamma: f64, xi2: f64) -> [f64; 2] {
    evaluate::<MeanAndVariance, K, 2>(kernel, gamma, xi2)
}

/// Mean, variance and their derivatives; NaN if the input is not valid.
pub fn gradients<K: Kernel>(kernel: &K, gamma: f64, xi2: f64) -> [f64; 6] {
    evaluate::<WithDerivatives, K, 6>(kernel, gamma, xi2)
}

/// The quantities `Q` of a kernel for any input; NaN if γ or ξ² is not finite or ξ² < 0.
pub(crate) fn evaluate<Q: Quantities<N>, K: Kernel, const N: usize>(
    kernel: &K,
    gamma: f64,
    xi2: f64,
) -> [f64; N] {
    if !is_valid(gamma, xi2) {
        return [f64::NAN; N];
    }
    // On a knot the sum would take the piece on one of its sides.
    let at_zero_variance = if xi2 == 0.0 { Q::at_zero_variance(kernel, gamma) } else { None };
    if let Some(values) = at_zero_variance {
        return values;
    }
    if is_wide_enough(kernel, gamma, xi2) {
        let values = <K::Unit as Evaluation>::in_range::<Q, K, N>(kernel, gamma, xi2);
        if are_finite(&values) {
            return values;
        }
    }
    <K::Unit as Evaluation>::wide::<Q, K, N>(kernel, gamma, xi2)
}

/// Mean, variance and their derivatives with wide exponents, also far from every knot, for a γ that is finite and ξ² > 0.
pub(crate) fn far_gradients<K: Kernel>(kernel: &K, gamma: f64, xi2: Far) -> [Far; 6] {
    <K::Unit as Evaluation>::far_gradients(kernel, Far::splat(gamma), xi2)
}

/// The derivatives in the parameters, of which there are at most 8; NaN if the input is not valid.
pub fn parameter_gradients<K: Kernel>(kernel: &K, gamma: f64, xi2: f64, out: &mut [[f64; 3]]) {
    if !is_valid(gamma, xi2) {
        out.fill([f64::NAN; 3]);
        return;
    }
    if xi2 == 0.0 && kernel.parameter_gradients_at_zero_variance(gamma, out) {
        return;
    }
    if is_wide_enough(kernel, gamma, xi2) {
        <K::Unit as Evaluation>::parameter_gradients_in_range(kernel, gamma, xi2, out);
        if out.iter().all(|entry| are_finite(entry)) {
            return;
        }
    }
    <K::Unit as Evaluation>::wide_parameter_gradients(kernel, gamma, xi2, out);
}
