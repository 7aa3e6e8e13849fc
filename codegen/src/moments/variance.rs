//! Var g and its derivatives in γ and ξ², around the polynomial q of a piece.
//!
//! Var g = Σ_{k≥1} ξ²ᵏ Q_k²/k! − E\[T\]² + E\[f\] with f = T (T + 2(q − Q₀)). The derivatives of E\[f\] with Q₀ held
//! fixed are E\[f z\]/ξ and ½ E\[f (z² − 1)\]/ξ².

use gaussform_symbolic::exact::{integer, ratio};

use super::parts::Parts;
use crate::builder::Builder;
use crate::ir::Operand;
use crate::xi_term::XiTerm;

/// The terms of the variance around a polynomial.
pub(super) struct Squares<'a> {
    /// Q_k, and E\[T\] as its square takes it: 0 far from all knots, where the square is negligible and would underflow.
    pub(super) g: &'a Parts,
    /// E\[T\].
    pub(super) level: &'a XiTerm,
    /// E\[T He_k(z)\]/ξᵏ.
    pub(super) t: &'a [XiTerm],
    /// E\[f He_k(z)\]/ξᵏ with f = T (T + 2(q − Q₀)).
    pub(super) f: &'a [XiTerm],
}

impl Squares<'_> {
    /// The variance, its derivative in γ, or that in ξ².
    pub(super) fn variance(&self, b: &mut Builder, k: usize) -> Operand {
        match k {
            0 => self.itself(b),
            1 => self.in_gamma(b),
            _ => self.in_xi2(b),
        }
        .finish(b)
    }

    fn itself(&self, b: &mut Builder) -> XiTerm {
        let rise = XiTerm::new(self.g.rise.clone(), 0);
        let square = rise.times(b, &rise);
        let own = Parts::covariance(b, &self.g.q, &self.g.q, 0);
        self.f[0].clone().minus(b, square).plus(b, own)
    }

    fn in_gamma(&self, b: &mut Builder) -> XiTerm {
        let two = integer(2);
        // Σ ξ²ᵏ Q_k Q_{k+1}/k!
        let own = Parts::covariance(b, &self.g.q, &self.raised(1), 0).scale(b, &two);
        let slope = self.bracket(b, 1);
        let back = self.level.times(b, &slope).scale(b, &two);
        self.f[1].clone().minus(b, back).plus(b, own)
    }

    fn in_xi2(&self, b: &mut Builder) -> XiTerm {
        // Σ (k ξ²ᵏ⁻² Q_k² + ξ²ᵏ Q_k Q_{k+2})/k!
        let weighted: Vec<XiTerm> = (0..self.g.q.len())
            .map(|k| self.g.q(k).scale(b, &integer(i64::try_from(k).expect("a small degree"))))
            .collect();
        let own = Parts::covariance(b, &self.g.q, &weighted, 2);
        let next = Parts::covariance(b, &self.g.q, &self.raised(2), 0);
        let curvature = self.bracket(b, 2);
        let back = self.level.times(b, &curvature);
        self.f[2].clone().scale(b, &ratio(1, 2)).minus(b, back).plus(b, own).plus(b, next)
    }

    /// Q_k + E\[T He_k(z)\]/ξᵏ, which E\[T\] is multiplied with. Far from all knots only the product of both expectations
    /// of T is negligible, and would underflow: E\[T\] Q_k is as large as the derivative of E\[f\].
    fn bracket(&self, b: &mut Builder, k: usize) -> XiTerm {
        self.t[k].clone().map(|value| b.seen(value)).plus(b, self.g.q(k))
    }

    /// Q_k from k = `by` on.
    fn raised(&self, by: usize) -> Vec<XiTerm> {
        (by..self.g.q.len()).map(|k| self.g.q(k)).collect()
    }
}
