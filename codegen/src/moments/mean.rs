//! E\[g\] and its derivatives, of which the one in ξ² is half the second one in γ.

use super::half_of_second;
use super::parts::Parts;
use crate::builder::Builder;
use crate::ir::Operand;
use crate::scaled::Scaled;

/// The k-th one around the polynomial of a piece, Q_k + E\[T⁽ᵏ⁾\].
pub(super) fn around_polynomial(
    b: &mut Builder,
    g: &Parts,
    slopes: &[Scaled],
    k: usize,
) -> Operand {
    let value = slopes[k].clone().plus(b, g.q(k));
    half_of_second(b, value, k).finish(b)
}

/// The k-th one around a constant, from E\[g⁽ᵏ⁾\].
pub(super) fn around_constant(b: &mut Builder, slopes: &[Scaled], k: usize) -> Operand {
    half_of_second(b, slopes[k].clone(), k).finish(b)
}
