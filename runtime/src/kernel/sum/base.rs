//! The polynomial q of the piece of γ over the whole line.
//!
//! From q around a place, q = λ₀ + Σ b_j (x − x₀)ʲ, follow its value at γ, λ₀ + λ, and its Taylor coefficients c_j there. With
//! E\[q He_k(z)\] = k! ξᵏ H_k, H_k = Σ_m (k + 2m)!/(k! m! 2ᵐ) c_{k+2m} ξ²ᵐ (without the constant in H₀),
//!
//! ```text
//! E[q] = q(γ) + H₀      Var q = Σ_{k≥1} k! H_k² ξ²ᵏ      ∂E[q]/∂γ = H₁      ∂E[q]/∂ξ² = H₂.
//! ```
//!
//! Around its end, around a root or an extremum, the terms of a piece do not cancel.

use super::element::Element;
use super::level::Level;
use super::rows::Picked;
use crate::kernel::number::number;
use crate::lanes::Lanes;

/// q by its level and its Hermite coefficients.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base<V> {
    /// q(γ).
    pub(super) level: Level<V>,
    /// H_0, without q(γ), to H_3.
    pub(super) hermite: [V; 4],
}

/// Binomial coefficients.
const BINOMIAL: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]];
/// k!
const FACTORIAL: [f64; 4] = [1.0, 1.0, 2.0, 6.0];

/// A number times a constant, of which 1 costs nothing.
#[cfg_attr(not(debug_assertions), inline(always))]
fn times<V: Lanes>(factor: f64, value: V) -> V {
    if factor == 1.0 { value } else { number::<V>(factor) * value }
}

impl<V: Lanes> Base<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new<const D: usize>(place: &Picked<V>, element: &Element<V>) -> Self {
        let b = &place.taylor;
        // Where γ is next to the place the first difference is exact, and the second word is a part of w.
        let w = (element.gamma - place.at[0]) - place.at[1];
        let mut rise = b[D - 1];
        for j in (1..D).rev() {
            rise = rise.mul_add(w, b[j - 1]);
        }
        let zero = number::<V>(0.0);
        let mut c = [zero; 4];
        for j in 1..=D {
            c[j] = times(BINOMIAL[D][j], b[D - 1]);
            for i in (j..D).rev() {
                c[j] = c[j].mul_add(w, times(BINOMIAL[i][j], b[i - 1]));
            }
        }
        // At most two terms up to degree 3.
        let mut hermite = c;
        for k in 0..2 {
            if k + 2 <= D {
                let factor = number::<V>(FACTORIAL[k + 2] / (2.0 * FACTORIAL[k]));
                hermite[k] = (factor * c[k + 2]).mul_add(element.xi2, c[k]);
            }
        }
        let [high, low] = place.value;
        // w comes last, so that a small rise has all of its digits.
        Self { level: Level { high, low, rise: rise * w }, hermite }
    }

    /// Var q.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn variance<const D: usize>(&self, element: &Element<V>) -> V {
        let mut sum = number::<V>(0.0);
        for k in (1..=D).rev() {
            let h = self.hermite[k];
            sum = times(FACTORIAL[k], h).mul_add(h, sum) * element.xi2;
        }
        sum
    }

    /// ∂E\[(q − c)²\]/∂γ and ∂E\[(q − c)²\]/∂ξ² for c = E\[q\] − `less`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn slopes<const D: usize>(&self, less: V, element: &Element<V>) -> [V; 2] {
        let [_, a, b, c] = self.hermite;
        let h = [less, a, b, c];
        // Σ 2(k+1)! H_k H_{k+1} ξ²ᵏ in γ, and Σ ((k+1)! (k+1) H_{k+1}² + (k+2)! H_k H_{k+2}) ξ²ᵏ in ξ², by Horner's scheme.
        let mut sums = [number::<V>(0.0); 2];
        for k in (0..D).rev() {
            sums[0] = sums[0] * element.xi2;
            sums[0] = times(2.0 * FACTORIAL[k + 1], h[k]).mul_add(h[k + 1], sums[0]);
            sums[1] = sums[1] * element.xi2;
            let square = FACTORIAL[k + 1] * (k + 1) as f64;
            sums[1] = times(square, h[k + 1]).mul_add(h[k + 1], sums[1]);
            if k + 2 <= D {
                sums[1] = times(FACTORIAL[k + 2], h[k]).mul_add(h[k + 2], sums[1]);
            }
        }
        sums
    }

    /// ∂²/∂γ², ∂²/∂γ∂ξ² and ∂²/∂(ξ²)² of E\[(q − c)²\] for c = E\[q\] − `less`, without 2H₁², 2H₁H₂ and 2H₂².
    ///
    /// From E\[(q − c)²\] = Σ_k k! H_k² ξ²ᵏ with `less` for H₀ and ∂ⁿH_k/∂γⁿ = (k + n)!/k! H_{k+n}, by Leibniz's rule.
    #[inline(always)]
    pub(super) fn curvatures<const D: usize>(&self, less: V, element: &Element<V>) -> [V; 3] {
        let [_, a, b, c] = self.hermite;
        let h = [less, a, b, c];
        let mut sums = [number::<V>(0.0); 3];
        for n in 2..5 {
            // A derivative in ξ² is half of two in γ.
            let share = [1.0, 0.5, 0.25][n - 2];
            for k in (0..D).rev() {
                sums[n - 2] = sums[n - 2] * element.xi2;
                for j in 0..=n / 2 {
                    if k + n - j > D {
                        continue;
                    }
                    let mut factor =
                        BINOMIALS[n][j] * share * FACTORIAL[k + j] * FACTORIAL[k + n - j]
                            / FACTORIAL[k];
                    if 2 * j < n {
                        factor *= 2.0;
                    }
                    if k == 0 {
                        // 2H₁², 2H₁H₂ and 2H₂² are terms of k = 0.
                        factor -= match (n, j) {
                            (2, 1) | (3, 1) | (4, 2) => 2.0,
                            _ => 0.0,
                        };
                    }
                    if factor != 0.0 {
                        let product = h[k + j] * h[k + n - j];
                        sums[n - 2] = number::<V>(factor).mul_add(product, sums[n - 2]);
                    }
                }
            }
        }
        sums
    }
}

/// Binomial coefficients of second, third and fourth derivatives.
const BINOMIALS: [[f64; 3]; 5] =
    [[0.0; 3], [0.0; 3], [1.0, 2.0, 0.0], [1.0, 3.0, 0.0], [1.0, 4.0, 6.0]];
