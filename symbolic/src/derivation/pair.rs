//! The rules for two pre-activations u and w, jointly Normal with covariance σ.

use std::collections::BTreeMap;

use super::claim::{Claim, Factor, Rule, terms};
use super::value::{Quantity, Value};
use crate::domain::Knot;
use crate::moment::{Axis, Form, Function};
use crate::piecewise::ModulusForm;
use crate::polynomial::{Polynomial, Symbol};

/// The claim that a rule for pairs makes; `None` if it does not apply to the premises.
pub(super) fn apply(rule: &Rule, premises: &[&Claim]) -> Option<Claim> {
    Some(match (rule, premises) {
        (Rule::Marginal(Axis::First), [Claim::Expectation(k, factor, value)]) => {
            Claim::Mixed([*k, 0], [factor.clone(), Factor::One], value.clone())
        }
        (Rule::Marginal(Axis::Second), [Claim::Expectation(k, factor, value)]) => {
            Claim::Mixed([0, *k], [Factor::One, factor.clone()], value.in_other())
        }
        (Rule::DoubleCosineIntegral(s, t), []) => {
            let factors = [Factor::Modulus(s.clone()), Factor::Modulus(t.clone())];
            Claim::Mixed([0, 0], factors, omega(s, t))
        }
        (Rule::DifferentiateIn(axis), [Claim::Mixed(powers, factors, value)]) => {
            let at = *axis as usize;
            let mut factors = factors.clone();
            // ∂_γ takes the derivative in u of the whole factor; without a power of u that is the
            // sign.
            match (powers[at], &factors[at]) {
                (0, Factor::Modulus(knot)) => factors[at] = Factor::Sign(knot.clone()),
                _ => return None,
            }
            Claim::Mixed(*powers, factors, value.derivative(&axis.mean()))
        }
        (Rule::MultiplyBy(axis), [Claim::Mixed(powers, factors, value)]) => {
            let mut powers = *powers;
            powers[*axis as usize] = powers[*axis as usize].checked_add(1)?;
            Claim::Mixed(powers, factors.clone(), value.times(*axis))
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
        Claim::Mixed(powers, factors, value) => Some(((*powers, factors.clone()), value)),
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
