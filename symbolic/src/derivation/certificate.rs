//! The certificate: a moment proves itself.
//!
//! A function M(γ, v) of polynomial growth is E\[f(u)\], u ~ N(γ, v), if and only if it solves
//! the heat equation ∂M/∂v = ½ ∂²M/∂γ² and tends to f(γ) for v → 0 off the knots. Both are
//! decided exactly here, without looking at how M was derived.

use std::fmt;

use super::claim::{Powers, Subject};
use crate::exact::ratio;
use crate::moment::Form;
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// The conditions that were checked, all of them true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The powers of the activations whose expectation the form is.
    pub powers: Powers,
    /// How many terms of ∂M/∂v and of ½ ∂²M/∂γ² cancelled each other.
    pub heat_terms: usize,
    /// For each open interval between knots, the limit of the form for ξ² → 0, which is g(γ)ⁿ h(γ)ᵐ.
    pub limits: Vec<Polynomial>,
}

/// The condition that a form fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// A function occurs in a product, a coefficient is divided by what no moment is divided by, or
    /// a function or a symbol belongs to another pre-activation: not the form of a moment.
    Growth,
    /// ∂M/∂v − ½ ∂²M/∂γ² is this and not zero.
    Heat(Form),
    /// ∂M/∂σ − ∂²M/∂γ∂γ′ is this and not zero.
    Price(Form),
    /// The limit for (ξ², ξ′², σ) → 0, written with E for signs, differs from g(γ)ⁿ h(γ′)ᵐ by this.
    Corner(Form),
    /// In interval `interval` (counted from the left) the limit is `limit` and not `expected`.
    Limit {
        /// Which interval between the knots.
        interval: usize,
        /// The limit of the form for ξ² → 0.
        limit: Polynomial,
        /// g(γ)ⁿ h(γ)ᵐ there.
        expected: Polynomial,
    },
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Growth => f.write_str("the form is not linear with polynomial coefficients"),
            Self::Heat(_) => f.write_str("the form does not solve the heat equation"),
            Self::Price(_) => f.write_str("the form does not solve Price's equation"),
            Self::Corner(_) => f.write_str("the limit for (ξ², ξ′², σ) → 0 is wrong"),
            Self::Limit { interval, .. } => {
                write!(f, "the limit for ξ² → 0 is wrong in interval {interval}")
            }
        }
    }
}

impl std::error::Error for CertificateError {}

/// Symbols that occur in forms of two pre-activations only.
const OF_PAIRS: [Symbol; 4] =
    [Symbol::GammaOther, Symbol::Xi2Other, Symbol::Determinant, Symbol::Covariance];

/// Proves that `form` is E\[g(u)ⁿ h(u)ᵐ\] for the functions of `subject`.
///
/// # Errors
///
/// The condition that fails.
pub fn certify(
    form: &Form,
    subject: &Subject,
    powers: Powers,
) -> Result<Certificate, CertificateError> {
    // Without a bound on the growth, the heat equation has other solutions with the same start.
    let linear = form.terms().all(|(product, coefficient)| {
        product.factors().map(|(_, exponent)| exponent).sum::<u32>() <= 1
            && coefficient.lowest(&Symbol::Xi2) >= 0
            && coefficient.lowest(&Symbol::Gamma) >= 0
            && product.factors().all(|(function, _)| function.in_u().is_some())
            && OF_PAIRS.iter().all(|symbol| !coefficient.contains(symbol))
    });
    if !linear {
        return Err(CertificateError::Growth);
    }
    let in_time = form.derivative(&Symbol::Xi2);
    let in_space = form.derivative(&Symbol::Gamma).derivative(&Symbol::Gamma).scale(&ratio(1, 2));
    if in_time != in_space {
        return Err(CertificateError::Heat(&in_time - &in_space));
    }
    // The knots of the form too: it might jump where the function does not.
    let functions = [(Some(&subject.first), powers.0), (subject.second.as_ref(), powers.1)];
    let functions: Vec<(&Piecewise, u32)> =
        functions.into_iter().filter_map(|(f, power)| Some((f?, power))).collect();
    let mut knots = subject.knots();
    knots.extend(form.knots());
    knots.sort();
    knots.dedup();
    let gamma = Polynomial::symbol(Symbol::Gamma);
    let mut limits = Vec::new();
    for interval in 0..=knots.len() {
        // An interval lies to the right of the knot with the number before its own.
        let limit = form.beyond(interval.checked_sub(1).map(|i| &knots[i]));
        let expected = functions.iter().fold(Polynomial::one(), |product, (f, power)| {
            let piece = f.knots().iter().take_while(|t| knots[..interval].contains(t)).count();
            &product * &f.pieces()[piece].pow(*power)
        });
        let expected = expected.substitute(&Symbol::Variable, &gamma);
        if limit != expected {
            return Err(CertificateError::Limit { interval, limit, expected });
        }
        limits.push(limit);
    }
    let heat_terms = in_time.terms().map(|(_, coefficient)| coefficient.len()).sum();
    Ok(Certificate { powers, heat_terms, limits })
}
