//! The transcendental functions that moments are made of, and their derivatives.
//!
//! A further function is a variant here with its derivatives; the algebra of forms does not know
//! the functions.

use super::Form;
use crate::domain::Knot;
use crate::exact::{integer, ratio};
use crate::polynomial::{Polynomial, Symbol};

/// One of two pre-activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// u ~ N(γ, ξ²)
    First,
    /// w ~ N(γ′, ξ′²)
    Second,
}

impl Axis {
    /// u and w.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other pre-activation.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// γ or γ′.
    #[must_use]
    pub fn mean(self) -> Symbol {
        match self {
            Self::First => Symbol::Gamma,
            Self::Second => Symbol::GammaOther,
        }
    }

    /// ξ² or ξ′².
    #[must_use]
    pub fn variance(self) -> Symbol {
        match self {
            Self::First => Symbol::Xi2,
            Self::Second => Symbol::Xi2Other,
        }
    }
}

/// A function of the means, variances and the covariance of one pre-activation or two, attached to
/// a knot s on the line of u, to a knot t on the line of w, or to both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Function {
    /// E_s = erf((γ − s)/(√2 ξ)), which is E\[sgn(u − s)\].
    Erf(Knot),
    /// G_s = √(2/π) ξ exp(−(γ − s)²/(2ξ²)).
    Gauss(Knot),
    /// E′_t = erf((γ′ − t)/(√2 ξ′)), which is E\[sgn(w − t)\].
    ErfOther(Knot),
    /// G′_t = √(2/π) ξ′ exp(−(γ′ − t)²/(2ξ′²)).
    GaussOther(Knot),
    /// Q_st = E\[sgn(u − s) sgn(w − t)\]. With a = γ − s, b = γ′ − t and the cumulative distribution
    /// functions Φ and Φ₂ of the Normal distribution in one and two dimensions it is
    /// 4 Φ₂(a/ξ, b/ξ′; σ/(ξξ′)) − 2 Φ(a/ξ) − 2 Φ(b/ξ′) + 1.
    Quadrant(Knot, Knot),
    /// The function of an edge of the quadrant: that of u = s is G_s erf((ξ²b − σa)/(√2 ξ √Δ)), and
    /// that of w = t is G′_t erf((ξ′²a − σb)/(√2 ξ′ √Δ)).
    Edge(Axis, Knot, Knot),
    /// That of its corner: (2/π) √Δ exp(−(ξ′²a² − 2σab + ξ²b²)/(2Δ)).
    Corner(Knot, Knot),
}

impl Function {
    /// E_t or G_t, if this is a function of u alone: the knot.
    #[must_use]
    pub fn in_u(&self) -> Option<&Knot> {
        match self {
            Self::Erf(knot) | Self::Gauss(knot) => Some(knot),
            _ => None,
        }
    }

    /// The knot on the line of a pre-activation.
    #[must_use]
    pub fn knot(&self, axis: Axis) -> Option<&Knot> {
        match (self, axis) {
            (Self::Erf(knot) | Self::Gauss(knot), Axis::First)
            | (Self::ErfOther(knot) | Self::GaussOther(knot), Axis::Second)
            | (Self::Quadrant(knot, _) | Self::Edge(_, knot, _), Axis::First)
            | (Self::Quadrant(_, knot) | Self::Edge(_, _, knot), Axis::Second)
            | (Self::Corner(knot, _), Axis::First)
            | (Self::Corner(_, knot), Axis::Second) => Some(knot),
            _ => None,
        }
    }

    /// The function with each of its knots replaced by `knot` of it.
    pub(super) fn with_knots(&self, knot: impl Fn(&Knot) -> Knot) -> Self {
        match self {
            Self::Erf(s) => Self::Erf(knot(s)),
            Self::Gauss(s) => Self::Gauss(knot(s)),
            Self::ErfOther(t) => Self::ErfOther(knot(t)),
            Self::GaussOther(t) => Self::GaussOther(knot(t)),
            Self::Quadrant(s, t) => Self::Quadrant(knot(s), knot(t)),
            Self::Edge(axis, s, t) => Self::Edge(*axis, knot(s), knot(t)),
            Self::Corner(s, t) => Self::Corner(knot(s), knot(t)),
        }
    }

    /// γ − s or γ′ − t.
    fn offset(&self, axis: Axis) -> Polynomial {
        let place = self.knot(axis).map_or_else(Polynomial::zero, Knot::polynomial);
        &Polynomial::symbol(axis.mean()) - &place
    }

    /// The partial derivative.
    ///
    /// In a parameter θ only the knots move: ∂/∂θ = −(∂s/∂θ) ∂/∂γ − (∂t/∂θ) ∂/∂γ′.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Form {
        match symbol {
            Symbol::Gamma => self.in_mean(Axis::First),
            Symbol::GammaOther => self.in_mean(Axis::Second),
            Symbol::Xi2 => self.in_variance(Axis::First),
            Symbol::Xi2Other => self.in_variance(Axis::Second),
            Symbol::Covariance => self.in_covariance(),
            Symbol::Parameter(_) => {
                let mut sum = Form::zero();
                for axis in Axis::BOTH {
                    let Some(knot) = self.knot(axis) else { continue };
                    let speed = knot.polynomial().derivative(symbol);
                    if !speed.is_zero() {
                        sum.add_product(&-&speed, &self.in_mean(axis));
                    }
                }
                sum
            }
            _ => Form::zero(),
        }
    }

    /// With v and v′ the variances, the axis first, a and b the distances from the knots:
    ///
    /// E → G/v, G → −(a/v) G, Q → A/v, A → −(a/v) A − (σ/Δ) K, B → (v′/Δ) K,
    /// K → ((σb − v′a)/Δ) K, where A and B are the edges on this axis and on the other.
    fn in_mean(&self, axis: Axis) -> Form {
        let per_variance = |p: Polynomial| p.shift(&axis.variance(), -1);
        let per_determinant = |p: Polynomial| p.shift(&Symbol::Determinant, -1);
        let [_, other] = variances(axis);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        match self {
            Self::Erf(s) if axis == Axis::First => {
                Form::term(per_variance(Polynomial::one()), Self::Gauss(s.clone()))
            }
            Self::ErfOther(t) if axis == Axis::Second => {
                Form::term(per_variance(Polynomial::one()), Self::GaussOther(t.clone()))
            }
            Self::Gauss(_) if axis == Axis::First => {
                Form::term(per_variance(-&self.offset(axis)), self.clone())
            }
            Self::GaussOther(_) if axis == Axis::Second => {
                Form::term(per_variance(-&self.offset(axis)), self.clone())
            }
            Self::Quadrant(s, t) => {
                Form::term(per_variance(Polynomial::one()), Self::Edge(axis, s.clone(), t.clone()))
            }
            Self::Edge(on, s, t) => {
                let corner = Self::Corner(s.clone(), t.clone());
                if *on == axis {
                    let along = Form::term(per_variance(-&self.offset(axis)), self.clone());
                    &along + &Form::term(per_determinant(-&covariance), corner)
                } else {
                    Form::term(per_determinant(other), corner)
                }
            }
            Self::Corner(..) => {
                let (a, b) = (self.offset(axis), self.offset(axis.other()));
                let pull = &(&covariance * &b) - &(&other * &a);
                Form::term(per_determinant(pull), self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// E → −a/(2v²) G, G → (v + a²)/(2v²) G, Q → −a/(2v²) A − σ/(2vΔ) K,
    /// A → (v + a²)/(2v²) A + \[b/Δ − (vb − σa)(Δ + vv′)/(2vΔ²)\] K, B → −v′(v′a − σb)/(2Δ²) K,
    /// K → ½ \[(v′ − b²)/Δ + v′q/Δ\] K with q = (v′a² − 2σab + vb²)/Δ; letters as for the mean.
    fn in_variance(&self, axis: Axis) -> Form {
        let half = ratio(1, 2);
        let [v, other] = variances(axis);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        let over = |p: &Polynomial, variance: i32, determinant: i32| {
            let shifted = p.shift(&axis.variance(), -variance);
            shifted.shift(&Symbol::Determinant, -determinant)
        };
        let (a, b) = (self.offset(axis), self.offset(axis.other()));
        let sinking = || over(&a.scale(&-half.clone()), 2, 0);
        let spreading = || over(&(&v + &a.pow(2)).scale(&half), 2, 0);
        match self {
            Self::Erf(s) if axis == Axis::First => Form::term(sinking(), Self::Gauss(s.clone())),
            Self::ErfOther(t) if axis == Axis::Second => {
                Form::term(sinking(), Self::GaussOther(t.clone()))
            }
            Self::Gauss(_) if axis == Axis::First => Form::term(spreading(), self.clone()),
            Self::GaussOther(_) if axis == Axis::Second => Form::term(spreading(), self.clone()),
            Self::Quadrant(s, t) => {
                let edge = Form::term(sinking(), Self::Edge(axis, s.clone(), t.clone()));
                let corner = over(&covariance.scale(&-half.clone()), 1, 1);
                &edge + &Form::term(corner, Self::Corner(s.clone(), t.clone()))
            }
            Self::Edge(on, s, t) => {
                let corner = Self::Corner(s.clone(), t.clone());
                if *on != axis {
                    let pull = &(&other * &a) - &(&covariance * &b);
                    let slope = over(&(&other * &pull).scale(&-half.clone()), 0, 2);
                    return Form::term(slope, corner);
                }
                let pull = &(&v * &b) - &(&covariance * &a);
                let both = &Polynomial::symbol(Symbol::Determinant) + &(&v * &other);
                let slope = &over(&b, 0, 1) - &over(&(&pull * &both).scale(&half), 1, 2);
                &Form::term(spreading(), self.clone()) + &Form::term(slope, corner)
            }
            Self::Corner(..) => {
                let direct = over(&(&other - &b.pow(2)), 0, 1);
                let slope = &direct + &over(&(&other * &self.quadratic()), 0, 2);
                Form::term(slope.scale(&half), self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// Q → K/Δ, A → v(σb − v′a)/Δ² K for the edge on either axis, K → \[(ab − σ)/Δ − σq/Δ\] K.
    fn in_covariance(&self) -> Form {
        let over = |p: &Polynomial, exponent: i32| p.shift(&Symbol::Determinant, -exponent);
        let covariance = Polynomial::symbol(Symbol::Covariance);
        let [a, b] = Axis::BOTH.map(|axis| self.offset(axis));
        match self {
            Self::Quadrant(s, t) => {
                Form::term(over(&Polynomial::one(), 1), Self::Corner(s.clone(), t.clone()))
            }
            Self::Edge(axis, s, t) => {
                let [v, other] = variances(*axis);
                let (near, far) = if *axis == Axis::First { (a, b) } else { (b, a) };
                let pull = &(&covariance * &far) - &(&other * &near);
                Form::term(over(&(&v * &pull), 2), Self::Corner(s.clone(), t.clone()))
            }
            Self::Corner(..) => {
                let direct = over(&(&(&a * &b) - &covariance), 1);
                let slope = &direct - &over(&(&covariance * &self.quadratic()), 2);
                Form::term(slope, self.clone())
            }
            _ => Form::zero(),
        }
    }

    /// ξ′²a² − 2σab + ξ²b².
    fn quadratic(&self) -> Polynomial {
        let [v, other] = variances(Axis::First);
        let [a, b] = Axis::BOTH.map(|axis| self.offset(axis));
        let mixed = &Polynomial::symbol(Symbol::Covariance) * &(&a * &b);
        &(&(&other * &a.pow(2)) + &(&v * &b.pow(2))) - &mixed.scale(&integer(2))
    }
}

/// The variance of a pre-activation, and that of the other.
fn variances(axis: Axis) -> [Polynomial; 2] {
    [axis, axis.other()].map(|axis| Polynomial::symbol(axis.variance()))
}
