//! The symbols of polynomials, and monomials as products of powers of symbols.

use std::sync::Arc;

use super::{Algebraic, Polynomial};

/// A symbol of a polynomial: a parameter, a variable of the moments, an irrational knot, or a reciprocal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    // The order counts: `reduced` and `denominator` look for the last three at the end of a
    // monomial.
    /// A declared parameter of the activation.
    Parameter(Arc<str>),
    /// u, the argument of the activation.
    Variable,
    /// γ, the mean of the pre-activation.
    Gamma,
    /// ξ², the variance of the pre-activation.
    Xi2,
    /// γ′, the mean of a second pre-activation w.
    GammaOther,
    /// ξ′², the variance of w.
    Xi2Other,
    /// Δ = ξ²ξ′² − σ², the determinant of the covariance matrix of u and w.
    Determinant,
    /// σ = Cov(u, w), whose square is expressed by ξ², ξ′² and Δ.
    Covariance,
    /// An irrational knot t, whose powers from the degree of its minimal polynomial on are
    /// expressed by the lower ones.
    Root(Algebraic),
    /// 1/d for a primitive polynomial d in the parameters, not a constant.
    Reciprocal(Arc<Polynomial>),
}

/// A product of powers of symbols; symbols ascend and no exponent is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monomial(pub(super) Vec<(Symbol, i32)>);

impl Monomial {
    /// The powers, by ascending symbol.
    #[must_use]
    pub fn powers(&self) -> &[(Symbol, i32)] {
        &self.0
    }

    /// The exponent of `symbol`, zero if it does not occur.
    #[must_use]
    pub fn exponent(&self, symbol: &Symbol) -> i32 {
        self.0.iter().find(|(s, _)| s == symbol).map_or(0, |(_, e)| *e)
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        let mut powers = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (Some((s, e)), Some((r, f))) => match s.cmp(r) {
                    std::cmp::Ordering::Less => powers.extend(left.next().cloned()),
                    std::cmp::Ordering::Greater => powers.extend(right.next().cloned()),
                    std::cmp::Ordering::Equal => {
                        if e + f != 0 {
                            powers.push((s.clone(), e + f));
                        }
                        left.next();
                        right.next();
                    }
                },
                (Some(_), None) => powers.extend(left.next().cloned()),
                (None, Some(_)) => powers.extend(right.next().cloned()),
                (None, None) => return Self(powers),
            }
        }
    }

    /// With all exponents negated.
    pub(super) fn inverse(&self) -> Self {
        Self(self.0.iter().map(|(symbol, exponent)| (symbol.clone(), -exponent)).collect())
    }

    pub(super) fn without(&self, symbol: &Symbol) -> Self {
        Self(self.0.iter().filter(|(s, _)| s != symbol).cloned().collect())
    }

    pub(super) fn power_of(symbol: Symbol, exponent: i32) -> Self {
        if exponent == 0 { Self::default() } else { Self(vec![(symbol, exponent)]) }
    }
}
