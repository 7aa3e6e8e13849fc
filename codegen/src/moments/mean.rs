//! E\[g\] and its derivatives: ∂ᵏE\[g\]/∂γᵏ = E\[g⁽ᵏ⁾\], and ∂E\[g\]/∂ξ² = ½ ∂²E\[g\]/∂γ².

use super::half_of_second;
use super::parts::Parts;
use crate::builder::Builder;
use crate::ir::Operand;
use crate::xi_term::XiTerm;

/// The k-th of mean, ∂/∂γ and ∂/∂ξ² around the polynomial of a piece, from Q_k + E\[T⁽ᵏ⁾\].
pub(super) fn around_polynomial(
    b: &mut Builder,
    g: &Parts,
    slopes: &[XiTerm],
    k: usize,
) -> Operand {
    let value = slopes[k].clone().plus(b, g.q(k));
    half_of_second(b, value, k).finish(b)
}
