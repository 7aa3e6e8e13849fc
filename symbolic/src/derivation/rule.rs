//! The rules of the derivation. Each makes a claim from claims made before; nothing else in
//! the engine makes any. [`Rule::apply`] is the rule table: deriving and replaying both go
//! through it.

use num_traits::One;

use super::claim::{Claim, Factor, Powers, Rule, Subject, Which, terms};
use super::pair;
use super::value::{Quantity, Value};
use crate::domain::Knot;
use crate::exact::{Rational, integer};
use crate::moment::{Form, Function};
use crate::piecewise::{ModulusForm, SignForm};
use crate::polynomial::{Polynomial, Symbol};

impl Rule {
    /// The claim that the rule makes about `subject` from `premises`; `None` if the rule does
    /// not apply to them.
    #[must_use]
    pub fn apply(&self, subject: &Subject, premises: &[&Claim]) -> Option<Claim> {
        Some(match (self, premises) {
            (Self::NormalForm(Which::First), []) => Claim::Signs((1, 0), subject.first.sign_form()),
            (Self::NormalForm(Which::Second), []) => {
                Claim::Signs((0, 1), subject.second.as_ref()?.sign_form())
            }
            (Self::ZerothPower, []) => {
                let one = SignForm { smooth: Polynomial::one(), ..SignForm::default() };
                Claim::Signs((0, 0), one)
            }
            (Self::ProductOfSigns, [Claim::Signs(p, a), Claim::Signs(q, b)]) => {
                let powers = (p.0.checked_add(q.0)?, p.1.checked_add(q.1)?);
                // The knots of functions of u and of w have no order.
                if subject.pair && powers.0 > 0 && powers.1 > 0 {
                    return None;
                }
                Claim::Signs(powers, a.times(b))
            }
            (Self::SplitAtKnots, [Claim::Signs(powers, signs)]) => {
                Claim::Moduli(*powers, signs.modulus_form())
            }
            (Self::Normalisation, []) => {
                Claim::Expectation(0, Factor::One, Polynomial::one().into())
            }
            (Self::CosineIntegral(knot), []) => {
                Claim::Expectation(0, Factor::Modulus(knot.clone()), omega(knot))
            }
            (Self::DifferentiateModulus, [Claim::Expectation(0, Factor::Modulus(knot), value)]) => {
                let factor = Factor::Sign(knot.clone());
                Claim::Expectation(0, factor, value.derivative(&Symbol::Gamma))
            }
            (Self::MultiplyByU, [Claim::Expectation(k, factor, value)]) => {
                Claim::Expectation(k + 1, factor.clone(), value.times_u())
            }
            (Self::Linearity, [Claim::Moduli((n, m), form), expectations @ ..]) => {
                let quantity = Quantity::Moment(*n, *m);
                Claim::Result(quantity.clone(), Value::of(quantity, collect(form, expectations)?))
            }
            (Self::Variance, [second, mean]) => {
                let (second, mean) = (moment(second, (2, 0))?, moment(mean, (1, 0))?);
                Claim::Result(Quantity::Variance, second.minus(&mean.times(mean)))
            }
            (Self::CentralMoment, [mean, higher @ ..]) => {
                // The premises are the moments from the first to the n-th.
                let n = u32::try_from(premises.len()).ok().filter(|n| *n > 1)?;
                Claim::Result(Quantity::Central(n), central(moment(mean, (1, 0))?, higher)?)
            }
            (Self::Covariance, [both, first, second]) => {
                let both = moment(both, (1, 1))?;
                let product = moment(first, (1, 0))?.times(moment(second, (0, 1))?);
                Claim::Result(Quantity::Covariance, both.minus(&product))
            }
            (
                Self::Marginal(_)
                | Self::DoubleCosineIntegral(..)
                | Self::DifferentiateIn(_)
                | Self::MultiplyBy(_)
                | Self::PairLinearity
                | Self::CrossCovariance,
                premises,
            ) => return subject.pair.then(|| pair::apply(self, premises))?,
            (Self::Differentiate(symbol), [Claim::Result(quantity, value)]) => Claim::Result(
                Quantity::Derivative(Box::new(quantity.clone()), symbol.clone()),
                value.derivative(symbol),
            ),
            (Self::Limit(symbol, point), [Claim::Result(quantity, value)]) if !subject.pair => {
                let limit =
                    Quantity::Limit(Box::new(quantity.clone()), symbol.clone(), point.clone());
                let form = value.limit(symbol, point, &subject.domain).ok()?;
                Claim::Result(limit.clone(), Value::of(limit, form))
            }
            _ => return None,
        })
    }
}

fn moment(claim: &Claim, powers: Powers) -> Option<&Value> {
    match claim {
        Claim::Result(Quantity::Moment(n, m), value) if (*n, *m) == powers => Some(value),
        _ => None,
    }
}

/// Σ C(n, k) (−μ)ⁿ⁻ᵏ E\[gᵏ\], the moments from the second on in `higher`.
fn central(mean: &Value, higher: &[&Claim]) -> Option<Value> {
    let n = u32::try_from(higher.len()).ok()? + 1;
    let minus = mean.scale(&integer(-1));
    let mut sum = Value::default();
    let mut binomial = Rational::one();
    for k in 0..=n {
        let raw = match k {
            0 => Value::one(),
            1 => mean.clone(),
            _ => moment(higher[k as usize - 2], (k, 0))?.clone(),
        };
        let power = (k..n).fold(Value::one(), |product, _| product.times(&minus));
        sum = sum.plus(&raw.times(&power).scale(&binomial));
        binomial = binomial * integer(i64::from(n - k)) / integer(i64::from(k) + 1);
    }
    Some(sum)
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
    for (coefficient, power, factor) in terms(form) {
        let value = expectations.iter().find_map(|claim| match claim {
            Claim::Expectation(k, f, value) if *k == power && *f == factor => Some(value),
            _ => None,
        })?;
        sum.add_product(&coefficient, value);
    }
    Some(sum)
}
