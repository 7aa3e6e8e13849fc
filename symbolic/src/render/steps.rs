//! A derivation as numbered equations with their reasons, for every printer.

use super::tree::{self, Math, Name, Named};
use crate::derivation::{Claim, Derivation, Quantity, Rule, Step};

/// One equation with its reason.
pub(super) struct Line {
    pub(super) left: Math,
    pub(super) right: Math,
    rule: Rule,
    premises: Vec<usize>,
}

impl Line {
    /// Which rule, applied to which lines.
    pub(super) fn reason(&self) -> String {
        let rule = phrase(&self.rule);
        match self.premises.as_slice() {
            [] => rule.to_owned(),
            premises => {
                let numbers: Vec<_> = premises.iter().map(|p| format!("({})", p + 1)).collect();
                format!("{rule} {}", numbers.join(" "))
            }
        }
    }
}

pub(super) fn lines(derivation: &Derivation) -> Vec<Line> {
    derivation.steps().iter().map(line).collect()
}

fn line(step: &Step) -> Line {
    let (left, right) = match &step.claim {
        Claim::Signs(n, form) => (function(*n), tree::signs(form)),
        Claim::Moduli(n, form) => (function(*n), tree::moduli(form)),
        Claim::Expectation(k, kernel, form) => {
            (Math::Expectation(Box::new(tree::integrand(*k, kernel))), tree::form(form))
        }
        Claim::Result(of, form) => (quantity(of), tree::form(form)),
    };
    Line { left, right, rule: step.rule.clone(), premises: step.premises.clone() }
}

/// g(u)ⁿ
fn function(n: u32) -> Math {
    let g = Math::Apply(Named::Function, Box::new(Math::Name(Name::Variable)));
    if n == 1 { g } else { Math::Power(Box::new(g), n) }
}

/// E[g(u)ⁿ], Var g(u) or a derivative of these.
pub(super) fn quantity(of: &Quantity) -> Math {
    match of {
        Quantity::Moment(n) => Math::Expectation(Box::new(function(*n))),
        Quantity::Variance => Math::Apply(Named::Variance, Box::new(function(1))),
        Quantity::Derivative(inner, symbol) => {
            Math::Partial(Box::new(quantity(inner)), tree::name(symbol))
        }
    }
}

fn phrase(rule: &Rule) -> &'static str {
    match rule {
        Rule::NormalForm => "normal form",
        Rule::ZerothPower => "zeroth power",
        Rule::ProductOfSigns => "product of signs",
        Rule::SplitAtKnots => "split at the knots",
        Rule::Normalisation => "normalisation",
        Rule::CosineIntegral(_) => "cosine integral",
        Rule::DifferentiateModulus => "∂γ of",
        Rule::MultiplyByU => "γ + ξ² ∂γ on",
        Rule::Linearity => "linearity",
        Rule::Variance => "variance",
        Rule::Differentiate(_) => "differentiate",
    }
}
