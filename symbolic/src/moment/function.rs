//! The transcendental functions that moments are made of, and their derivatives.
//!
//! A further function (the bivariate Normal's, say) is a variant here with its two
//! derivatives; nothing else in the algebra of forms knows the functions.

use super::Form;
use crate::domain::Knot;
use crate::exact::ratio;
use crate::polynomial::{Polynomial, Symbol};

/// A function of γ and ξ² attached to a knot t.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Function {
    /// E_t = erf((γ − t)/(√2 ξ)), which is E\[sgn(u − t)\].
    Erf(Knot),
    /// G_t = √(2/π) ξ exp(−(γ − t)²/(2ξ²)).
    Gauss(Knot),
}

impl Function {
    /// The knot that the function is attached to.
    #[must_use]
    pub fn knot(&self) -> &Knot {
        match self {
            Self::Erf(knot) | Self::Gauss(knot) => knot,
        }
    }

    /// The partial derivative.
    ///
    /// ∂E/∂γ = G/v, ∂E/∂v = −(γ−t) G/(2v²), ∂G/∂γ = −(γ−t) G/v,
    /// ∂G/∂v = (v + (γ−t)²) G/(2v²), with v = ξ². In a parameter θ only the knot moves:
    /// ∂/∂θ = −(∂t/∂θ) ∂/∂γ.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Form {
        let knot = self.knot();
        let offset = &Polynomial::symbol(Symbol::Gamma) - &knot.polynomial();
        let half = ratio(1, 2);
        let (coefficient, power) = match (self, symbol) {
            (Self::Erf(_), Symbol::Gamma) => (Polynomial::one(), -1),
            (Self::Erf(_), Symbol::Xi2) => (offset.scale(&-half), -2),
            (Self::Gauss(_), Symbol::Gamma) => (-&offset, -1),
            (Self::Gauss(_), Symbol::Xi2) => {
                let numerator = &Polynomial::symbol(Symbol::Xi2) + &offset.pow(2);
                (numerator.scale(&half), -2)
            }
            (_, Symbol::Parameter(_)) => {
                let speed = knot.polynomial().derivative(symbol);
                if speed.is_zero() {
                    return Form::zero();
                }
                return self.derivative(&Symbol::Gamma).multiply(&-&speed);
            }
            _ => return Form::zero(),
        };
        Form::term(coefficient.shift(&Symbol::Xi2, power), Self::Gauss(knot.clone()))
    }
}
