//! The expectations Q_k = E\[q⁽ᵏ⁾\] of the polynomial q of a piece, and sums of their products.

use gaussform_symbolic::exact::{Rational, factorial, ratio};

use crate::builder::{Builder, input};
use crate::ir::{Input, Operand};
use crate::tail::hermite;
use crate::xi_term::XiTerm;

/// Q_k of a function, 0 beyond the last k, and the number that is added to Q₀ for its mean.
pub(crate) struct Parts {
    pub(crate) q: Vec<XiTerm>,
    pub(crate) rise: Operand,
}

impl Parts {
    pub(crate) fn q(&self, k: usize) -> XiTerm {
        self.q.get(k).cloned().unwrap_or_else(XiTerm::zero)
    }

    /// The k-th of E\[g\] = Q₀ + E\[T\], ∂/∂γ and ∂/∂ξ², from Q_k and the E\[T⁽ᵏ⁾\].
    pub(super) fn mean(&self, b: &mut Builder, t: &[XiTerm], k: usize) -> Operand {
        let value = t[k].clone().plus(b, self.q(k));
        half_of_second(b, value, k).finish(b)
    }

    /// Σ_{k≥1} ξ²ᵏ Q_k R_k/k! with some lower power of ξ.
    pub(super) fn covariance(b: &mut Builder, q: &[XiTerm], r: &[XiTerm], lower: i32) -> XiTerm {
        let pairs = q.iter().zip(r).enumerate().skip(1);
        pairs.fold(XiTerm::zero(), |sum, (k, (q, r))| {
            let product = q.times(b, r).shift(2 * order(k) - lower);
            let term = product.scale(b, &inverse_factorial(k));
            sum.plus(b, term)
        })
    }

    /// q(t) − Q₀ at a knot.
    pub(crate) fn rise_to(&self, b: &mut Builder, knot: usize) -> XiTerm {
        (1..self.q.len()).fold(XiTerm::zero(), |sum, k| {
            let hermite = hermite(b, k, &input(Input::SignedDistance(knot)));
            let weight = XiTerm::new(b.scale(hermite, &inverse_factorial(k)), order(k));
            let term = self.q(k).times(b, &weight);
            sum.plus(b, term)
        })
    }
}

/// Half of the second derivative in γ, which is the first in ξ²; others as they are.
pub(super) fn half_of_second(b: &mut Builder, value: XiTerm, k: usize) -> XiTerm {
    if k == 2 { value.scale(b, &ratio(1, 2)) } else { value }
}

/// An order as an exponent.
pub(super) fn order(k: usize) -> i32 {
    i32::try_from(k).expect("a small degree")
}

pub(crate) fn inverse_factorial(k: usize) -> Rational {
    factorial(u32::try_from(k).expect("a small degree")).recip()
}
