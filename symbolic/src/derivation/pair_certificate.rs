//! The certificate for two pre-activations.
//!
//! E\[g(u) h(w)\] is the only function M that is real analytic for |σ| < ξξ′, solves
//!
//! - ∂M/∂σ = ∂²M/∂γ∂γ′ (Plackett, Price), and
//! - is E\[g\] E\[h\] at σ = 0,
//!
//! since together they give all derivatives in σ at σ = 0. Every form without divisors Δ is analytic
//! there. That the value at σ = 0 is this product is decided as for one pre-activation: it solves the
//! heat equation in u and in w, grows like a polynomial, and tends to g(γ) h(γ′) for ξ, ξ′ → 0 off
//! the lines through the knots. As a second witness M itself is held to both heat equations and to the
//! same limit for (ξ², ξ′², σ) → 0 in proportion. All of it is decided exactly, without looking at
//! how M was derived.

use super::certificate::CertificateError;
use super::claim::{Powers, Subject};
use crate::exact::ratio;
use crate::moment::{Axis, Form, Function};
use crate::piecewise::{Piecewise, SignForm};
use crate::polynomial::{Polynomial, Symbol};

/// The conditions that were checked for two pre-activations, all of them true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairCertificate {
    /// The powers of g and h whose expectation the form is.
    pub powers: Powers,
    /// How many terms of ∂M/∂σ and of ∂²M/∂γ∂γ′ cancelled each other.
    pub price_terms: usize,
    /// How many terms of ∂M/∂ξ² and ½ ∂²M/∂γ² cancelled each other, and how many of ∂M/∂ξ′² and ½ ∂²M/∂γ′².
    pub heat_terms: [usize; 2],
    /// How many terms the value at σ = 0 has, which is E\[gⁿ\] E\[hᵐ\].
    pub independent_terms: usize,
    /// In how many cells between the lines through knots the limit is g(γ)ⁿ h(γ′)ᵐ.
    pub cells: usize,
}

/// Proves that `form` is E\[g(u)ⁿ h(w)ᵐ\] for the functions of `subject`.
///
/// # Errors
///
/// The condition that fails.
pub fn certify_pair(
    form: &Form,
    subject: &Subject,
    powers: Powers,
) -> Result<PairCertificate, CertificateError> {
    let linear = form.terms().all(|(product, coefficient)| {
        let polynomial = [Symbol::Gamma, Symbol::GammaOther, Symbol::Covariance];
        product.factors().map(|(_, exponent)| exponent).sum::<u32>() <= 1
            && polynomial.iter().all(|symbol| coefficient.lowest(symbol) >= 0)
            && coefficient.lowest(&Symbol::Determinant) >= 0
            && !coefficient.contains(&Symbol::Variable)
    });
    let second = match (&subject.second, powers.1) {
        (Some(second), _) => second.clone(),
        (None, 0) => Piecewise::constant(ratio(1, 1)),
        (None, _) => return Err(CertificateError::Growth),
    };
    if !linear || !subject.pair {
        return Err(CertificateError::Growth);
    }
    let in_covariance = form.derivative(&Symbol::Covariance);
    let mixed = form.derivative(&Symbol::Gamma).derivative(&Symbol::GammaOther);
    if in_covariance != mixed {
        return Err(CertificateError::Price(&in_covariance - &mixed));
    }
    let independent = form.independent();
    let grows = |(_, coefficient): (_, &Polynomial)| {
        Axis::BOTH.iter().any(|axis| coefficient.lowest(&axis.variance()) < 0)
    };
    if independent.terms().any(grows) {
        return Err(CertificateError::Growth);
    }
    let expected =
        limit([(&subject.first, powers.0), (&second, powers.1)].map(|(f, power)| signs(f, power)));
    for candidate in [&independent, form] {
        for axis in Axis::BOTH {
            heat(candidate, axis)?;
        }
        let limit = candidate.at_zero_variance().ok_or(CertificateError::Growth)?;
        // Products of signs are those of independent u and w.
        if limit.independent() != expected {
            return Err(CertificateError::Corner(&limit.independent() - &expected));
        }
    }
    Ok(PairCertificate {
        powers,
        price_terms: length(&in_covariance),
        heat_terms: Axis::BOTH.map(|axis| length(&form.derivative(&axis.variance()))),
        independent_terms: length(&independent),
        cells: (subject.first.knots().len() + 1) * (second.knots().len() + 1),
    })
}

fn heat(form: &Form, axis: Axis) -> Result<(), CertificateError> {
    let in_time = form.derivative(&axis.variance());
    let in_space = form.derivative(&axis.mean()).derivative(&axis.mean()).scale(&ratio(1, 2));
    if in_time == in_space { Ok(()) } else { Err(CertificateError::Heat(&in_time - &in_space)) }
}

fn length(form: &Form) -> usize {
    form.terms().map(|(_, coefficient)| coefficient.len()).sum()
}

/// A power of a function in its sign-linear normal form, piece by piece.
fn signs(function: &Piecewise, power: u32) -> SignForm {
    function.map(|piece| piece.pow(power)).sign_form()
}

/// g(γ) h(γ′) with E for each sign: the only such form for all cells.
fn limit([g, h]: [SignForm; 2]) -> Form {
    let form = |signs: SignForm| {
        let at_mean =
            |p: &Polynomial| p.substitute(&Symbol::Variable, &Polynomial::symbol(Symbol::Gamma));
        signs.signs.iter().fold(Form::from(at_mean(&signs.smooth)), |sum, (knot, sign)| {
            &sum + &Form::term(at_mean(sign), Function::Erf(knot.clone()))
        })
    };
    &form(g) * &form(h).in_other()
}
