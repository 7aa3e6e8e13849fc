//! The rules for two pre-activations u and w, jointly Normal with covariance σ.

use std::collections::BTreeMap;

use super::rule::{Claim, Kernel, Rule, terms};
use super::value::{Quantity, Value};
use crate::domain::Knot;
use crate::moment::{Axis, Form, Function};
use crate::piecewise::ModulusForm;
use crate::polynomial::{Polynomial, Symbol};

/// The claim that a rule for pairs makes; `None` if it does not apply to the premises.
pub(super) fn apply(rule: &Rule, premises: &[&Claim]) -> Option<Claim> {
    Some(match (rule, premises) {
        (Rule::Marginal(Axis::First), [Claim::Expectation(k, kernel, value)]) => {
            Claim::Mixed([*k, 0], [kernel.clone(), Kernel::One], value.clone())
        }
        (Rule::Marginal(Axis::Second), [Claim::Expectation(k, kernel, value)]) => {
            Claim::Mixed([0, *k], [Kernel::One, kernel.clone()], value.in_other())
        }
        (Rule::DoubleCosineIntegral(s, t), []) => {
            let kernels = [Kernel::Modulus(s.clone()), Kernel::Modulus(t.clone())];
            Claim::Mixed([0, 0], kernels, omega(s, t))
        }
        (Rule::DifferentiateIn(axis), [Claim::Mixed(powers, kernels, value)]) => {
            let at = *axis as usize;
            let mut kernels = kernels.clone();
            match (powers[at], &kernels[at]) {
                (0, Kernel::Modulus(knot)) => kernels[at] = Kernel::Sign(knot.clone()),
                _ => return None,
            }
            Claim::Mixed(*powers, kernels, value.derivative(&axis.mean()))
        }
        (Rule::MultiplyBy(axis), [Claim::Mixed(powers, kernels, value)]) => {
            let mut powers = *powers;
            powers[*axis as usize] = powers[*axis as usize].checked_add(1)?;
            Claim::Mixed(powers, kernels.clone(), value.times(*axis))
        }
        (
            Rule::PairLinearity,
            [Claim::Moduli((n, 0), g), Claim::Moduli((0, m), h), expectations @ ..],
        ) => {
            let quantity = Quantity::Joint(*n, *m);
            Claim::Result(quantity.clone(), Value::of(quantity, collect(g, h, expectations)?))
        }
        (Rule::CrossCovariance, [both, first, second]) => {
            let product = joint(first, (1, 0))?.times(joint(second, (0, 1))?);
            Claim::Result(Quantity::CrossCovariance, joint(both, (1, 1))?.minus(&product))
        }
        _ => return None,
    })
}

/// E|u − s||w − t| = (ab + σ) Q + b A + a B + K with a = γ − s and b = γ′ − t, the value of the
/// double cosine integral.
fn omega(s: &Knot, t: &Knot) -> Form {
    let a = &Polynomial::symbol(Symbol::Gamma) - &s.polynomial();
    let b = &Polynomial::symbol(Symbol::GammaOther) - &t.polynomial();
    let both = &(&a * &b) + &Polynomial::symbol(Symbol::Covariance);
    let edge = |axis| Function::Edge(axis, s.clone(), t.clone());
    let terms = [
        (both, Function::Quadrant(s.clone(), t.clone())),
        (b, edge(Axis::First)),
        (a, edge(Axis::Second)),
        (Polynomial::one(), Function::Corner(s.clone(), t.clone())),
    ];
    terms.into_iter().fold(Form::zero(), |sum, (factor, f)| &sum + &Form::term(factor, f))
}

/// Σ of coefficients of g and of h times E\[uⁱ f(u) wʲ k(w)\], each looked up among the premises.
fn collect(g: &ModulusForm, h: &ModulusForm, expectations: &[&Claim]) -> Option<Form> {
    let known = expectations.iter().filter_map(|claim| match claim {
        Claim::Mixed(powers, kernels, value) => Some(((*powers, kernels.clone()), value)),
        _ => None,
    });
    let known: BTreeMap<_, _> = known.collect();
    let (left, right) = (terms(g), terms(h));
    let mut sum = Form::zero();
    for (p, i, f) in &left {
        for (q, j, k) in &right {
            let value = known.get(&([*i, *j], [f.clone(), k.clone()]))?;
            sum.add_product(&(p * q), value);
        }
    }
    Some(sum)
}

fn joint(claim: &Claim, powers: (u32, u32)) -> Option<&Value> {
    match claim {
        Claim::Result(Quantity::Joint(n, m), value) if (*n, *m) == powers => Some(value),
        _ => None,
    }
}
