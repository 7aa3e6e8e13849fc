//! The equations of a derivation, and the names of the rules that make them.

use super::value::{Quantity, Value};
use crate::domain::{Domain, Knot};
use crate::moment::{Axis, Form, Point};
use crate::piecewise::{ModulusForm, Piecewise, SignForm};
use crate::polynomial::{Polynomial, Symbol};

/// The function f of an expectation E\[uᵏ f(u)\].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Factor {
    /// 1
    One,
    /// sgn(u − t)
    Sign(Knot),
    /// |u − t|
    Modulus(Knot),
}

/// One of the two activations of the same pre-activation that a derivation may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// g
    First,
    /// h
    Second,
}

/// The functions whose moments are derived: g of u alone, g and h of the same u, or g of u and h of a second
/// pre-activation w.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// g
    pub first: Piecewise,
    /// h
    pub second: Option<Piecewise>,
    /// Whether h is a function of w, which is jointly Normal with u.
    pub(crate) pair: bool,
    /// The declared domains and relations of the parameters.
    pub(crate) domain: Domain,
}

impl Subject {
    /// Whether h is a function of a second pre-activation.
    #[must_use]
    pub fn is_pair(&self) -> bool {
        self.pair
    }

    /// The knots of both functions, ascending.
    #[must_use]
    pub fn knots(&self) -> Vec<Knot> {
        let second = self.second.iter().flat_map(Piecewise::knots);
        let mut knots: Vec<Knot> = self.first.knots().iter().chain(second).cloned().collect();
        knots.sort();
        knots.dedup();
        knots
    }

    /// The knot at a quotient of polynomials in the parameters of the subject; `None` if it is no
    /// such quotient, or one that need not exist.
    #[must_use]
    pub fn knot(&self, place: Polynomial) -> Option<Knot> {
        self.domain.knows(&place).then(|| self.domain.knot(place))
    }
}

/// g(u)ⁿ h(u)ᵐ by n and m.
pub type Powers = (u32, u32);

/// One equation of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// g(u)ⁿ h(u)ᵐ in sign-linear normal form.
    Signs(Powers, SignForm),
    /// g(u)ⁿ h(u)ᵐ written with |u − t|.
    Moduli(Powers, ModulusForm),
    /// E\[uᵏ f(u)\].
    Expectation(u32, Factor, Form),
    /// E\[uⁱ f(u) wʲ k(w)\] by i and j, f and k.
    Mixed([u32; 2], [Factor; 2], Form),
    /// The value of a quantity.
    Result(Quantity, Value),
}

/// A step that makes a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// g = c + Σ sₖ sgn(u − tₖ): the normal form of the activation itself.
    NormalForm(Which),
    /// g⁰ = 1.
    ZerothPower,
    /// sgn(u−a) sgn(u−b) = 1 + sgn(u−b) − sgn(u−a) for a < b: a product of powers.
    ProductOfSigns,
    /// s(u) sgn(u−t) = s(t) sgn(u−t) + r(u) |u−t|.
    SplitAtKnots,
    /// E\[1\] = 1.
    Normalisation,
    /// E|u − t| = (2/π) ∫₀^∞ (1 − e^{−ξ²τ²/2} cos((γ−t)τ)) dτ/τ² = Ω(ξ, γ−t): the one integral
    /// (Eq. 16, 18, 25).
    CosineIntegral(Knot),
    /// E\[sgn(u − t)\] = ∂_γ E|u − t|.
    DifferentiateModulus,
    /// E\[u f(u)\] = (γ + ξ² ∂_γ) E\[f(u)\] (Eq. 14).
    MultiplyByU,
    /// E\[g(u)ⁿ h(u)ᵐ\] is the sum of the expectations of the terms of g(u)ⁿ h(u)ᵐ.
    Linearity,
    /// Var g = E\[g²\] − E\[g\]².
    Variance,
    /// E\[(g − E\[g\])ⁿ\] = Σ C(n, k) (−E\[g\])ⁿ⁻ᵏ E\[gᵏ\].
    CentralMoment,
    /// Cov(g, h) = E\[g h\] − E\[g\] E\[h\].
    Covariance,
    /// E\[uᵏ f(u)\] is E\[uᵏ f(u) w⁰\], and the same with γ′ and ξ′² is E\[wᵏ f(w)\].
    Marginal(Axis),
    /// The cosine identity for both factors: E|u−s||w−t| is (4/π²) ∫∫ E\[(1 − cos (u−s)x)
    /// (1 − cos (w−t)y)\] dx dy/(x²y²), whose derivative ∂²/∂σ² is a Gaussian integral over the
    /// plane; integrated back it is (ab + σ) Q + b A + a B + K with a = γ − s, b = γ′ − t.
    DoubleCosineIntegral(Knot, Knot),
    /// E\[sgn(u − s) …\] = ∂_γ E\[|u − s| …\], and in γ′ for w.
    DifferentiateIn(Axis),
    /// E\[u f\] = (γ + ξ² ∂_γ + σ ∂_γ′) E\[f\], and the same for w (Stein's lemma).
    MultiplyBy(Axis),
    /// E\[g(u)ⁿ h(w)ᵐ\] is the sum of the expectations of the products of terms.
    PairLinearity,
    /// Cov(g(u), h(w)) = E\[g(u) h(w)\] − E\[g(u)\] E\[h(w)\].
    CrossCovariance,
    /// The partial derivative of a result.
    Differentiate(Symbol),
    /// The limit of a result.
    Limit(Symbol, Point),
}

/// The terms coefficient · uᵏ · f(u) of a form.
pub(super) fn terms(form: &ModulusForm) -> Vec<(Polynomial, u32, Factor)> {
    let smooth = std::iter::once((Factor::One, &form.smooth));
    let moduli = form.moduli.iter().map(|(t, r)| (Factor::Modulus(t.clone()), r));
    let signs = form.signs.iter().map(|(t, s)| (Factor::Sign(t.clone()), s));
    let mut terms = Vec::new();
    for (factor, polynomial) in smooth.chain(moduli).chain(signs) {
        for (power, coefficient) in (0..).zip(polynomial.coefficients(&Symbol::Variable)) {
            if !coefficient.is_zero() {
                terms.push((coefficient, power, factor.clone()));
            }
        }
    }
    terms
}
