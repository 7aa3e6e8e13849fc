//! The domain of the parameters, and what follows from it: signs of polynomials, and the order of knots.

mod knot;
mod witness;

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::assumption::{Assumption, Assumptions};
use crate::exact::Rational;
use crate::parameter::{Parameter, Relation};
use crate::polynomial::{Polynomial, Symbol, sign};

pub use knot::Knot;

/// How far an irrational knot is narrowed down to compare it with one in parameters.
pub(crate) const BITS: u32 = 96;

/// Why a sign or an order cannot be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// The sign of this quotient of polynomials in the parameters does not follow from what is
    /// declared.
    Undecided(Polynomial),
    /// The order of these knots does not follow.
    Order(Box<(Knot, Knot)>),
    /// A root of this polynomial is not a quotient of polynomials in the parameters.
    Parametric(Polynomial),
    /// Finding the roots of a polynomial of this degree times bits takes too long.
    Work(usize),
}

/// The declared domains and relations, with one choice of values that satisfies them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Domain {
    assumptions: Assumptions,
    witness: BTreeMap<Symbol, Rational>,
    memo: Memo,
}

/// Whether a polynomial is > 0 or < 0 or = 0, and whether it is ≥ 0 or ≤ 0: decided once.
type Decision = (Option<i8>, Option<i8>);

/// Decisions made before. They follow from the assumptions, so they make no difference.
#[derive(Debug, Default)]
struct Memo(Mutex<BTreeMap<Polynomial, Decision>>);

impl Clone for Memo {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Memo {}

impl Domain {
    /// `None` if no values of the parameters that satisfy everything were found; `solved` gives
    /// some parameters by polynomials in the others.
    pub(crate) fn new(
        parameters: &[Symbol],
        assumptions: Assumptions,
        solved: &[(Symbol, Polynomial)],
    ) -> Option<Self> {
        let witness = witness::find(parameters, &assumptions, solved)?;
        Some(Self { assumptions, witness, memo: Memo::default() })
    }

    /// The domain with other names of parameters, which `values` puts in the place of those that they have.
    pub(crate) fn renamed(
        &self,
        values: &[(Symbol, Polynomial)],
        name: impl Fn(&str) -> String,
    ) -> Self {
        let named = |symbol: &Symbol| match symbol {
            Symbol::Parameter(old) => Symbol::Parameter(name(old).into()),
            other => other.clone(),
        };
        Self {
            assumptions: self.assumptions.substitute_all(values),
            witness: self.witness.iter().map(|(s, value)| (named(s), value.clone())).collect(),
            memo: Memo::default(),
        }
    }

    /// The parameters.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &Symbol> {
        self.witness.keys()
    }

    /// The assumptions that a declaration's parameters and relations state.
    pub(crate) fn declared(parameters: &[Parameter], relations: &[Relation]) -> Assumptions {
        let bounds = parameters.iter().flat_map(Parameter::assumptions);
        Assumptions::new(bounds.chain(relations.iter().map(Relation::assumption)))
    }

    pub(crate) fn assumptions(&self) -> &Assumptions {
        &self.assumptions
    }

    /// The sign of a quotient of polynomials in the parameters, if it follows.
    pub(crate) fn sign(&self, value: &Polynomial) -> Option<i8> {
        self.decision(value).0
    }

    /// The sign, with 1 for what is positive or 0, and −1 for what is negative or 0.
    pub(crate) fn weak_sign(&self, value: &Polynomial) -> Option<i8> {
        self.decision(value).1
    }

    fn decision(&self, value: &Polynomial) -> Decision {
        if let Some(constant) = value.as_constant() {
            let sign = Some(sign(&constant));
            return (sign, sign);
        }
        let known = |memo: &Memo| memo.0.lock().ok()?.get(value).copied();
        if let Some(decision) = known(&self.memo) {
            return decision;
        }
        // The lock is free while this takes its time: two threads that decide the same find the
        // same.
        let decision = self.decide(value);
        if let Ok(mut memo) = self.memo.0.lock() {
            memo.insert(value.clone(), decision);
        }
        decision
    }

    fn decide(&self, value: &Polynomial) -> Decision {
        let above = value.numerator();
        let below = value.denominator().map_or(Some(1), |below| self.assumptions.sign(below));
        let Some(below) = below else { return (None, None) };
        if let Some(sign) = self.assumptions.sign(&above) {
            return (Some(below * sign), Some(below * sign));
        }
        if self.assumptions.nonnegative(&above) {
            return (None, Some(below));
        }
        (None, self.assumptions.nonnegative(&-&above).then_some(-below))
    }

    /// Whether an inequality follows.
    pub(crate) fn implies(&self, assumption: &Assumption) -> bool {
        match assumption.strict {
            true => self.sign(&assumption.polynomial) == Some(1),
            false => self.weak_sign(&assumption.polynomial).is_some_and(|sign| sign >= 0),
        }
    }

    /// The knot at a quotient of polynomials in the parameters.
    pub(crate) fn knot(&self, place: Polynomial) -> Knot {
        let witness = place.evaluate(&self.witness).expect("every parameter has a witness");
        Knot::at(place, witness)
    }

    /// Whether this is a quotient of polynomials in the parameters that exists for all of their
    /// values.
    pub(crate) fn knows(&self, value: &Polynomial) -> bool {
        let known = |(symbol, exponent): &(Symbol, i32)| match symbol {
            Symbol::Parameter(_) => *exponent > 0 && self.witness.contains_key(symbol),
            Symbol::Reciprocal(below) => {
                let inside = below.symbols().iter().all(|s| self.witness.contains_key(s));
                *exponent > 0 && inside && self.sign(below).is_some_and(|sign| sign != 0)
            }
            _ => false,
        };
        value.terms().all(|(monomial, _)| monomial.powers().iter().all(known))
    }

    /// The values of the parameters that were chosen.
    pub(crate) fn witness(&self) -> &BTreeMap<Symbol, Rational> {
        &self.witness
    }

    /// The order of two knots, if it follows; where they may coincide, that of all other cases.
    pub(crate) fn order(&self, left: &Knot, right: &Knot) -> Result<Ordering, Obstacle> {
        let decided = match (left, right) {
            _ if left == right => Some(Ordering::Equal),
            (Knot::Parametric { place, .. }, Knot::Algebraic(root)) => {
                // The knot equals neither bound, so a place that may reach the bound still misses
                // the knot.
                let (low, high) = root.enclosure(BITS);
                let above = self.weak_sign(&(place - &Polynomial::constant(high))) == Some(1);
                let below = self.weak_sign(&(place - &Polynomial::constant(low))) == Some(-1);
                if above { Some(Ordering::Greater) } else { below.then_some(Ordering::Less) }
            }
            (Knot::Algebraic(_), Knot::Parametric { .. }) => {
                return self.order(right, left).map(Ordering::reverse);
            }
            (Knot::Parametric { .. }, _) | (_, Knot::Parametric { .. }) => {
                self.weak_sign(&(&left.polynomial() - &right.polynomial())).map(|sign| sign.cmp(&0))
            }
            _ => Some(left.cmp(right)),
        };
        decided.ok_or_else(|| Obstacle::Order(Box::new((left.clone(), right.clone()))))
    }
}
