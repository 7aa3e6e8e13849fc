//! Where jumps of both functions meet: the derivatives that have no bound as |ρ| → 1.
//!
//! Let u determine w, and let g jump by Δ at s where w is on a knot of h that jumps by Δ′. Near |ρ| = 1 the density of (u, w) there is
//! p(s)/√(2π Δ_c) with Δ_c → 0 the conditional variance of w, and the pair adds ΔΔ′ times it to E\[g′(u) h′(w)\]. It adds −ρ ΔΔ′ times the
//! same, up to positive factors, to ∂Cov/∂ξ² = ½ Cov(g″, h), and nothing without bound to ∂Cov/∂γ.
//! So the sum of p(s) ΔΔ′ over all jumps that meet decides, and where it is 0, what is left is finite.

use alloc::vec::Vec;

use super::decomposition::Decomposition;
use super::law::Law;
use super::truncated_moments::half_exponential;
use crate::kernel::word;

/// Σ p(s) ΔΔ′ over jumps of both functions at one place, where |ρ| = 1, up to a positive factor; 0 elsewhere.
pub(super) fn common_jumps(left: &Decomposition, right: &Decomposition, law: &Law) -> f64 {
    if !law.is_degenerate() {
        return 0.0;
    }
    let mut met = Vec::new();
    for (a, jump) in &left.jumps {
        for (b, other) in &right.jumps {
            if law.offset(*a, *b)[0] == 0.0 {
                let square = word::divide(word::multiply(*a, *a), [left.unit[0], 0.0]);
                met.push((square, jump * other));
            }
        }
    }
    // Relative to the nearest, since densities far out are no numbers.
    let nearest = met.iter().map(|(square, _)| *square).min_by(|a, b| a[0].total_cmp(&b[0]));
    let beside = word::negate(nearest.unwrap_or_default());
    met.iter().map(|(square, jumps)| half_exponential(word::add(*square, beside)) * jumps).sum()
}

/// ±∞, or 0 for 0.
pub(super) fn boundless(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { f64::INFINITY.copysign(x) }
}
