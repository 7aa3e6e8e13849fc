//! The transcendental functions that moments are made of.
//!
//! A further function is a variant here, with its derivatives in `derivative`; the algebra of forms does not know the
//! functions.

use crate::domain::Knot;
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
    /// The function of the corner of the quadrant: (2/π) √Δ exp(−(ξ′²a² − 2σab + ξ²b²)/(2Δ)).
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
    pub(super) fn offset(&self, axis: Axis) -> Polynomial {
        let place = self.knot(axis).map_or_else(Polynomial::zero, Knot::polynomial);
        &Polynomial::symbol(axis.mean()) - &place
    }
}
