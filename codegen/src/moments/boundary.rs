//! The flux through moving knots, in the derivatives of the moments in a parameter.
//!
//! At a knot t with the polynomials p₋ and p₊ on its sides and the jump J = p₋(t) − p₊(t), the
//! derivative of E\[g\] in a parameter θ has, besides that of the pieces, the flux J ∂t/∂θ φ(z)/ξ
//! with z = (t − γ)/ξ, and that of Var g twice the flux times the level ½ (p₋(t) + p₊(t)) − E\[g\].
//! Around the base piece q the level is ½ ((p₋ − q)(t) + (p₊ − q)(t)) + q(t) − Q₀ − T̂₀, where
//! q(t) − Q₀ = Σ_{k≥1} ξᵏ Q_k He_k(z)/k!, so that a large constant in g cancels before anything is
//! computed. Where g is continuous, J = 0 and there is nothing to add.

use gaussform_symbolic::exact::ratio;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Knot};

use super::parts::Parts;
use crate::builder::{Builder, input};
use crate::ir::Input;
use crate::tail::Contributions;
use crate::xi_term::XiTerm;

/// A moving knot at which the function jumps.
pub(crate) struct Jump {
    knot: usize,
    place: Polynomial,
    /// J
    height: Polynomial,
    /// ½ ((p₋ − q)(t) + (p₊ − q)(t))
    middle: Polynomial,
}

/// The moving knots at which the function jumps, with q the polynomial of a base piece.
pub(crate) fn jumps(activation: &Activation, base: &Polynomial) -> Vec<Jump> {
    let function = &activation.function;
    let sides = function.knots().iter().enumerate().zip(function.pieces().windows(2));
    let jump = |((knot, place), sides): ((usize, &Knot), &[Polynomial])| {
        let Knot::Parametric { place, .. } = place else { return None };
        let [left, right] = [0, 1].map(|i| (&sides[i] - base).substitute(&Symbol::Variable, place));
        let height = &left - &right;
        let jump = Jump {
            knot,
            place: place.clone(),
            height,
            middle: (&left + &right).scale(&ratio(1, 2)),
        };
        (!jump.height.is_zero()).then_some(jump)
    };
    sides.filter_map(jump).collect()
}

impl Jump {
    /// J ∂t/∂θ φ(z)/ξ
    pub(crate) fn flux(&self, b: &mut Builder, all: &Contributions<'_>, theta: &Symbol) -> XiTerm {
        let rate = &self.height * &self.place.derivative(theta);
        let rate = all.coefficient(b, &rate);
        let value = b.multiply(rate, input(Input::Density(self.knot)));
        XiTerm::dense(value, -1)
    }

    /// ½ (p₋(t) + p₊(t)) − E\[g\]
    pub(crate) fn level(&self, b: &mut Builder, all: &Contributions<'_>, g: &Parts) -> XiTerm {
        let rise = g.rise_to(b, self.knot);
        let middle = XiTerm::new(all.coefficient(b, &self.middle), 0);
        let from_mean = rise.minus(b, XiTerm::new(g.rise.clone(), 0));
        middle.plus(b, from_mean)
    }
}
