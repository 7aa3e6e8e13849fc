//! The rules of the derivation. Each makes a claim from claims made before; nothing else in
//! the engine makes any. [`Rule::apply`] is the rule table: deriving and replaying both go
//! through it.

use crate::moment::{Form, Function};
use crate::piecewise::{Knot, ModulusForm, Piecewise, SignForm};
use crate::polynomial::{Polynomial, Symbol};

/// The function f of an expectation E\[uᵏ f(u)\].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kernel {
    /// 1
    One,
    /// sgn(u − t)
    Sign(Knot),
    /// |u − t|
    Modulus(Knot),
}

/// What a result is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// E\[g(u)ⁿ\]
    Moment(u32),
    /// Var g(u)
    Variance,
    /// A partial derivative.
    Derivative(Box<Quantity>, Symbol),
}

/// One equation of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// g(u)ⁿ in sign-linear normal form.
    Signs(u32, SignForm),
    /// g(u)ⁿ written with |u − t|.
    Moduli(u32, ModulusForm),
    /// E\[uᵏ f(u)\].
    Expectation(u32, Kernel, Form),
    /// The value of a quantity.
    Result(Quantity, Form),
}

/// A step that makes a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// g = c + Σ sₖ sgn(u − tₖ): the normal form of the activation itself.
    NormalForm,
    /// g⁰ = 1.
    ZerothPower,
    /// sgn(u−a) sgn(u−b) = 1 + sgn(u−b) − sgn(u−a) for a < b: a product of powers of g.
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
    /// E\[g(u)ⁿ\] is the sum of the expectations of the terms of g(u)ⁿ.
    Linearity,
    /// Var g = E\[g²\] − E\[g\]².
    Variance,
    /// The partial derivative of a result.
    Differentiate(Symbol),
}

impl Rule {
    /// The claim that the rule makes about `function` from `premises`; `None` if the rule does
    /// not apply to them.
    #[must_use]
    pub fn apply(&self, function: &Piecewise, premises: &[&Claim]) -> Option<Claim> {
        Some(match (self, premises) {
            (Self::NormalForm, []) => Claim::Signs(1, function.sign_form()),
            (Self::ZerothPower, []) => {
                let one = SignForm { smooth: Polynomial::one(), ..SignForm::default() };
                Claim::Signs(0, one)
            }
            (Self::ProductOfSigns, [Claim::Signs(n, a), Claim::Signs(m, b)]) => {
                Claim::Signs(n + m, a.times(b))
            }
            (Self::SplitAtKnots, [Claim::Signs(n, signs)]) => {
                Claim::Moduli(*n, signs.modulus_form())
            }
            (Self::Normalisation, []) => {
                Claim::Expectation(0, Kernel::One, Polynomial::one().into())
            }
            (Self::CosineIntegral(knot), []) => {
                Claim::Expectation(0, Kernel::Modulus(knot.clone()), omega(knot))
            }
            (Self::DifferentiateModulus, [Claim::Expectation(0, Kernel::Modulus(knot), value)]) => {
                let kernel = Kernel::Sign(knot.clone());
                Claim::Expectation(0, kernel, value.derivative(&Symbol::Gamma))
            }
            (Self::MultiplyByU, [Claim::Expectation(k, kernel, value)]) => {
                Claim::Expectation(k + 1, kernel.clone(), value.times_u())
            }
            (Self::Linearity, [Claim::Moduli(n, form), expectations @ ..]) => {
                Claim::Result(Quantity::Moment(*n), collect(form, expectations)?)
            }
            (
                Self::Variance,
                [
                    Claim::Result(Quantity::Moment(2), second),
                    Claim::Result(Quantity::Moment(1), mean),
                ],
            ) => Claim::Result(Quantity::Variance, second - &(mean * mean)),
            (Self::Differentiate(symbol), [Claim::Result(quantity, value)]) => Claim::Result(
                Quantity::Derivative(Box::new(quantity.clone()), symbol.clone()),
                value.derivative(symbol),
            ),
            _ => return None,
        })
    }
}

/// Ω(ξ, γ − t) = (γ − t) E_t + G_t, the value of the cosine integral.
fn omega(knot: &Knot) -> Form {
    let offset = &Polynomial::symbol(Symbol::Gamma) - &knot.polynomial();
    let erf = Form::term(offset, Function::Erf(knot.clone()));
    &erf + &Form::term(Polynomial::one(), Function::Gauss(knot.clone()))
}

/// Σ coefficient · E\[uᵏ f(u)\] over the terms of the form, each looked up among the premises.
fn collect(form: &ModulusForm, expectations: &[&Claim]) -> Option<Form> {
    let mut sum = Form::zero();
    for (coefficient, power, kernel) in terms(form) {
        let value = expectations.iter().find_map(|claim| match claim {
            Claim::Expectation(k, f, value) if *k == power && *f == kernel => Some(value),
            _ => None,
        })?;
        sum = &sum + &value.multiply(&coefficient);
    }
    Some(sum)
}

/// The terms coefficient · uᵏ · f(u) of a form.
pub(super) fn terms(form: &ModulusForm) -> Vec<(Polynomial, u32, Kernel)> {
    let smooth = std::iter::once((Kernel::One, &form.smooth));
    let moduli = form.moduli.iter().map(|(t, r)| (Kernel::Modulus(t.clone()), r));
    let signs = form.signs.iter().map(|(t, s)| (Kernel::Sign(t.clone()), s));
    let mut terms = Vec::new();
    for (kernel, polynomial) in smooth.chain(moduli).chain(signs) {
        for (power, coefficient) in (0..).zip(polynomial.coefficients(&Symbol::Variable)) {
            if !coefficient.is_zero() {
                terms.push((coefficient, power, kernel.clone()));
            }
        }
    }
    terms
}
