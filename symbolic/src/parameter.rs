//! Declared parameters, and which signs follow from their domains.

use std::fmt;
use std::sync::Arc;

use num_traits::Zero;

use crate::exact::{Rational, integer, ratio};
use crate::grammar::{Endpoint, ParameterSyntax};
use crate::polynomial::{Polynomial, Root, Symbol, real_roots, sign};

/// A parameter of an activation and the interval that it is declared to lie in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name.
    pub name: Arc<str>,
    /// The lower end of the domain; `None` for −∞.
    pub lower: Option<Endpoint>,
    /// The upper end of the domain; `None` for ∞.
    pub upper: Option<Endpoint>,
}

impl Parameter {
    pub(crate) fn from_syntax(syntax: &ParameterSyntax) -> Self {
        Self {
            name: syntax.name.text.as_str().into(),
            lower: syntax.lower.clone(),
            upper: syntax.upper.clone(),
        }
    }

    /// Whether no number lies in the domain.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some(l), Some(u)) => {
                l.value > u.value || l.value == u.value && !(l.closed && u.closed)
            }
            _ => false,
        }
    }

    /// Whether `value` lies in the domain.
    #[must_use]
    pub fn contains(&self, value: &Rational) -> bool {
        let above = |end: &Endpoint| *value > end.value || end.closed && *value == end.value;
        let below = |end: &Endpoint| *value < end.value || end.closed && *value == end.value;
        self.lower.as_ref().is_none_or(above) && self.upper.as_ref().is_none_or(below)
    }

    /// A number inside the domain, on no end of it where that can be avoided.
    fn sample(&self) -> Rational {
        match (&self.lower, &self.upper) {
            (Some(l), Some(u)) => (&l.value + &u.value) / integer(2),
            (Some(l), None) => &l.value + integer(1),
            (None, Some(u)) => &u.value - integer(1),
            (None, None) => ratio(1, 3),
        }
    }

    /// Whether the domain has a number between the two bounds.
    fn meets(&self, lower: &Rational, upper: &Rational) -> bool {
        self.lower.as_ref().is_none_or(|end| end.value < *upper)
            && self.upper.as_ref().is_none_or(|end| end.value > *lower)
    }
}

/// As it is declared: `eps in (0, 1)`, `alpha > 0`, `slope`.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match (&self.lower, &self.upper) {
            (None, None) => write!(f, "{name}"),
            (Some(l), None) => {
                write!(f, "{name} {} {}", if l.closed { ">=" } else { ">" }, l.value)
            }
            (None, Some(u)) => {
                write!(f, "{name} {} {}", if u.closed { "<=" } else { "<" }, u.value)
            }
            (Some(l), Some(u)) => {
                let open = if l.closed { '[' } else { '(' };
                let close = if u.closed { ']' } else { ')' };
                write!(f, "{name} in {open}{}, {}{close}", l.value, u.value)
            }
        }
    }
}

/// The sign of a polynomial in the parameters that holds on all of their domain, if there is
/// one: decided exactly for one parameter, and for several where every term agrees.
pub(crate) fn decided_sign(value: &Polynomial, parameters: &[Parameter]) -> Option<i8> {
    if let Some(constant) = value.as_constant() {
        return Some(sign(&constant));
    }
    let symbols = value.symbols();
    if let [Symbol::Parameter(name)] = symbols.iter().collect::<Vec<_>>().as_slice() {
        let parameter = parameters.iter().find(|p| p.name == *name)?;
        let polynomial = value.univariate(&Symbol::Parameter(name.clone()))?;
        let vanishes = real_roots(&polynomial).iter().any(|root| match root {
            Root::Rational(root) => parameter.contains(root),
            Root::Irrational { lower, upper } => parameter.meets(lower, upper),
        });
        return (!vanishes).then(|| polynomial.sign_at(&parameter.sample()));
    }
    let mut signs = value.terms().map(|(monomial, coefficient)| {
        monomial.powers().iter().try_fold(sign(coefficient), |product, (symbol, exponent)| {
            let power = Polynomial::symbol(symbol.clone());
            let base = decided_sign(&power, parameters)?;
            Some(if exponent % 2 == 0 && !base.is_zero() { product } else { product * base })
        })
    });
    let first = signs.next()??;
    signs.all(|sign| sign == Some(first)).then_some(first)
}
