//! Declared parameters: the interval that each lies in, and relations between them.

use std::fmt;
use std::sync::Arc;

use crate::assumption::Assumption;
use crate::exact::{Rational, integer};
use crate::grammar::{Endpoint, ParameterSyntax};
use crate::polynomial::{Polynomial, Symbol, sign};

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

    /// The inequalities of the parameter's domain.
    pub(crate) fn assumptions(&self) -> impl Iterator<Item = Assumption> {
        let symbol = Polynomial::symbol(Symbol::Parameter(self.name.clone()));
        let from = |end: &Endpoint, sign: i64| {
            let distance = &symbol - &Polynomial::constant(end.value.clone());
            Assumption { polynomial: distance.scale(&integer(sign)), strict: !end.closed }
        };
        let lower = self.lower.as_ref().map(|end| from(end, 1));
        let upper = self.upper.as_ref().map(|end| from(end, -1));
        lower.into_iter().chain(upper)
    }
}

/// A parameter is written as it is declared: `eps in (0, 1)`, `alpha > 0`, `slope`.
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

/// A relation between parameters: `a < b`, or `a <= b` if it is not strict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The side that is less.
    pub lesser: Polynomial,
    /// The side that is greater.
    pub greater: Polynomial,
    /// Whether the two sides differ.
    pub strict: bool,
}

impl Relation {
    /// Whether the relation holds for the difference greater − lesser.
    #[must_use]
    pub fn holds(&self, difference: &Rational) -> bool {
        let sign = sign(difference);
        sign > 0 || sign == 0 && !self.strict
    }

    pub(crate) fn assumption(&self) -> Assumption {
        Assumption { polynomial: &self.greater - &self.lesser, strict: self.strict }
    }
}
