//! Deriving a moment, step by step, and replaying what was written down.

use super::certificate::{Certificate, CertificateError, certify};
use super::claim::{Claim, Factor, Powers, Rule, Subject, Which, terms};
use super::pair_certificate::{PairCertificate, certify_pair};
use super::value::{Quantity, Value};
use crate::domain::Knot;
use crate::error::{Error, ErrorKind, Limit, Span};
use crate::moment::{Axis, Expansion, Form, LimitError, Point, limiting};
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// One step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule used.
    pub rule: Rule,
    /// The indices of the earlier steps whose claims it uses.
    pub premises: Vec<usize>,
    /// The statement that the step proves.
    pub claim: Claim,
}

/// A derived quantity, with every step that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    subject: Subject,
    steps: Vec<Step>,
}

impl Derivation {
    /// Derives E\[g(u)ⁿ h(u)ᵐ\].
    pub(crate) fn of_moment(subject: Subject, powers: Powers) -> Result<Self, Error> {
        let mut deriving = Deriving::new(subject);
        deriving.moment(powers)?;
        Ok(deriving.derivation)
    }

    /// Derives Var g(u).
    pub(crate) fn variance(subject: Subject) -> Result<Self, Error> {
        let mut deriving = Deriving::new(subject);
        let (mean, second) = (deriving.moment((1, 0))?, deriving.moment((2, 0))?);
        deriving.step(Rule::Variance, vec![second, mean])?;
        Ok(deriving.derivation)
    }

    /// Derives the central moment E\[(g(u) − E\[g(u)\])ⁿ\], n ≥ 2.
    pub(crate) fn central(subject: Subject, n: u32) -> Result<Self, Error> {
        if n < 2 {
            let help = "that of order 0 is 1, and that of order 1 is 0";
            return Err(Error::new(ErrorKind::CentralOrder(n), Span::default()).help(help));
        }
        order(n)?;
        let mut deriving = Deriving::new(subject);
        let moments: Result<_, _> = (1..=n).map(|k| deriving.moment((k, 0))).collect();
        deriving.step(Rule::CentralMoment, moments?)?;
        Ok(deriving.derivation)
    }

    /// Derives Cov(g(u), h(u)).
    pub(crate) fn covariance(subject: Subject) -> Result<Self, Error> {
        let mut deriving = Deriving::new(subject);
        let premises: Result<_, _> =
            [(1, 1), (1, 0), (0, 1)].into_iter().map(|powers| deriving.moment(powers)).collect();
        deriving.step(Rule::Covariance, premises?)?;
        Ok(deriving.derivation)
    }

    /// Derives E\[g(u)ⁿ h(w)ᵐ\].
    pub(crate) fn pair_moment(subject: Subject, powers: Powers) -> Result<Self, Error> {
        let mut deriving = Deriving::new(subject);
        deriving.pair_moment(powers)?;
        Ok(deriving.derivation)
    }

    /// Derives Cov(g(u), h(w)).
    pub(crate) fn pair_covariance(subject: Subject) -> Result<Self, Error> {
        let mut deriving = Deriving::new(subject);
        let each = [(1, 1), (1, 0), (0, 1)].into_iter();
        let premises: Result<_, _> = each.map(|powers| deriving.pair_moment(powers)).collect();
        deriving.step(Rule::CrossCovariance, premises?)?;
        Ok(deriving.derivation)
    }

    /// A derivation as it was written down; `None` if the last step claims no result. Whether
    /// the steps follow from each other is for [`replay`](Self::replay) to decide.
    #[must_use]
    pub fn from_parts(subject: Subject, steps: Vec<Step>) -> Option<Self> {
        let concluded = matches!(steps.last()?.claim, Claim::Result(..));
        concluded.then_some(Self { subject, steps })
    }

    /// The derivation of E\[g(u)ⁿ h(u)ᵐ\] that is part of this one, as it is when it is derived by itself.
    #[must_use]
    pub fn moment(&self, n: u32, m: u32) -> Option<Self> {
        let quantity = Quantity::Moment(n, m);
        let is_it = |step: &Step| matches!(&step.claim, Claim::Result(of, _) if *of == quantity);
        let last = self.steps.iter().position(is_it)?;
        // Premises before what is claimed from them.
        let mut places: Vec<Option<usize>> = vec![None; self.steps.len()];
        let (mut steps, mut open) = (Vec::new(), vec![last]);
        while let Some(&index) = open.last() {
            let step = self.steps.get(index)?;
            // Steps read from a file may point ahead or at themselves; to follow those might not
            // end.
            if step.premises.iter().any(|p| *p >= index) {
                return None;
            }
            // The stack turns the order round, and the first premise is to be done first.
            let missing = step.premises.iter().rev().filter(|p| places[**p].is_none());
            let before = open.len();
            open.extend(missing);
            if open.len() > before {
                continue;
            }
            open.pop();
            // Two steps may wait for the same one, so it may be on the stack twice.
            if places[index].is_none() {
                places[index] = Some(steps.len());
                let premises = step.premises.iter().filter_map(|p| places[*p]).collect();
                let (rule, claim) = (step.rule.clone(), step.claim.clone());
                steps.push(Step { rule, premises, claim });
            }
        }
        Some(Self { subject: self.subject.clone(), steps })
    }

    /// Goes on to the partial derivative of the result in γ, ξ² or a parameter.
    ///
    /// # Errors
    ///
    /// If the derivation exceeds [`Limit::Work`].
    pub fn differentiate(self, symbol: &Symbol) -> Result<Self, Error> {
        self.conclude(Rule::Differentiate(symbol.clone()))
    }

    /// Goes on to the limit of the result in γ or a parameter.
    ///
    /// # Errors
    ///
    /// If there is no finite limit, or the derivation exceeds [`Limit::Work`].
    pub fn limit(self, symbol: &Symbol, point: &Point) -> Result<Self, Error> {
        self.conclude(Rule::Limit(symbol.clone(), point.clone()))
    }

    /// Whether what is declared lets a parameter come near to a point. γ comes near to all.
    #[must_use]
    pub fn comes_near(&self, symbol: &Symbol, point: &Point) -> bool {
        !matches!(symbol, Symbol::Parameter(_))
            || limiting(symbol, point, &self.subject.domain).is_some()
    }

    fn conclude(self, rule: Rule) -> Result<Self, Error> {
        let last = self.steps.len() - 1;
        let mut deriving = Deriving { derivation: self, work: 0 };
        deriving.step(rule, vec![last])?;
        Ok(deriving.derivation)
    }

    /// The activation g that the derivation is about.
    #[must_use]
    pub fn function(&self) -> &Piecewise {
        &self.subject.first
    }

    /// The functions that the derivation is about.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The steps, the result last.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The derived quantity and its value.
    #[must_use]
    pub fn result(&self) -> (&Quantity, &Value) {
        match self.steps.last().map(|step| &step.claim) {
            Some(Claim::Result(quantity, value)) => (quantity, value),
            _ => unreachable!("a derivation ends with a result"),
        }
    }

    /// The value of what was derived.
    #[must_use]
    pub fn value(&self) -> &Value {
        self.result().1
    }

    /// The value of what was derived as one form; see [`Value::expanded_size`] for how long it
    /// may get.
    #[must_use]
    pub fn form(&self) -> Form {
        self.value().expand()
    }

    /// The limit of the result for ξ → 0, for one pre-activation.
    #[must_use]
    pub fn noiseless(&self) -> Noiseless {
        let form = self.form();
        let knots = form.knots();
        let between =
            (0..=knots.len()).map(|i| form.beyond(i.checked_sub(1).map(|i| &knots[i]))).collect();
        let on = knots.iter().map(|knot| form.at_knot(knot).expansion()).collect();
        let mut limit = Noiseless { knots, between, on, apart: Vec::new() };
        let domain = &self.subject.domain;
        limit.apart = (1..limit.knots.len())
            .filter(|right| {
                let [left, right] = [right - 1, *right].map(|i| limit.knots[i].polynomial());
                let is_moving = left.as_constant().is_none() || right.as_constant().is_none();
                is_moving && domain.sign(&(&right - &left)) != Some(1)
            })
            .filter(|right| [right - 1, *right].iter().any(|knot| !limit.is_continuous(*knot)))
            .map(|right| right - 1)
            .collect();
        limit
    }

    /// Re-applies every rule to the claims it used and compares.
    ///
    /// # Errors
    ///
    /// The index of the first step that does not follow.
    pub fn replay(&self) -> Result<(), usize> {
        for (i, step) in self.steps.iter().enumerate() {
            let premises: Option<Vec<&Claim>> = step
                .premises
                .iter()
                // Only earlier steps count, so no claim rests on itself.
                .map(|p| self.steps[..i].get(*p).map(|step| &step.claim))
                .collect();
            let follows = premises.and_then(|claims| step.rule.apply(&self.subject, &claims));
            if follows.as_ref() != Some(&step.claim) {
                return Err(i);
            }
        }
        Ok(())
    }

    /// Proves every moment of two pre-activations in the derivation by Price's equation, the heat
    /// equations and its limit.
    ///
    /// # Errors
    ///
    /// The first condition that fails.
    pub fn pair_certificates(&self) -> Result<Vec<PairCertificate>, CertificateError> {
        let moments = self.steps.iter().filter_map(|step| match &step.claim {
            Claim::Result(Quantity::Joint(n, m), value) => Some(((*n, *m), value.as_form()?)),
            _ => None,
        });
        moments.map(|(powers, form)| certify_pair(form, &self.subject, powers)).collect()
    }

    /// Proves every moment in the derivation by the heat equation and its limit. Moments of two
    /// pre-activations are proved too; what was checked of them is told by
    /// [`pair_certificates`](Self::pair_certificates).
    ///
    /// # Errors
    ///
    /// The first condition that fails.
    pub fn certificates(&self) -> Result<Vec<Certificate>, CertificateError> {
        self.pair_certificates()?;
        let moments = self.steps.iter().filter_map(|step| match &step.claim {
            Claim::Result(Quantity::Moment(n, m), value) => Some(((*n, *m), value.as_form()?)),
            _ => None,
        });
        moments.map(|(powers, form)| certify(form, &self.subject, powers)).collect()
    }
}

/// The limits of a result for ξ → 0, between the knots and on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noiseless {
    /// The knots, ascending.
    pub knots: Vec<Knot>,
    /// The limits between the knots, polynomials in γ: one more than there are knots.
    pub between: Vec<Polynomial>,
    /// On each knot the behaviour for small ξ: Σ ξⁿ Σᵣ cₙᵣ √(2/π)ʳ.
    pub on: Vec<Expansion>,
    /// Knots, by their index, that may meet the next one where the limit on one of both is not that beside it. What `on`
    /// has of the two holds where they are apart.
    pub apart: Vec<usize>,
}

impl Noiseless {
    /// Whether the limit on a knot is that on both sides of it.
    fn is_continuous(&self, knot: usize) -> bool {
        let on = match self.on[knot].first_key_value() {
            Some((0, roots)) => match roots.as_slice() {
                [value] => value.clone(),
                _ => return false,
            },
            Some((power, _)) if *power < 0 => return false,
            _ => Polynomial::zero(),
        };
        let place = self.knots[knot].polynomial();
        let mut sides = self.between[knot..].iter().take(2);
        sides.all(|side| side.substitute(&Symbol::Gamma, &place) == on)
    }
}

/// A derivation under way, with the work that went into it.
struct Deriving {
    derivation: Derivation,
    work: usize,
}

impl Deriving {
    fn new(subject: Subject) -> Self {
        Self { derivation: Derivation { subject, steps: Vec::new() }, work: 0 }
    }

    fn claim(&self, step: usize) -> &Claim {
        &self.derivation.steps[step].claim
    }

    fn step(&mut self, rule: Rule, premises: Vec<usize>) -> Result<usize, Error> {
        let claims: Vec<&Claim> = premises.iter().map(|p| self.claim(*p)).collect();
        let work = self.work.saturating_add(super::work::of(&rule, &claims));
        if work > Limit::Work.maximum() {
            return Err(Error::limit(Limit::Work, None, Span::default()).help(self.remedy()));
        }
        let subject = &self.derivation.subject;
        let claim = rule.apply(subject, &claims).ok_or_else(|| refusal(&rule, subject, &claims))?;
        self.work = work;
        self.derivation.steps.push(Step { rule, premises, claim });
        Ok(self.derivation.steps.len() - 1)
    }

    /// Advice for a derivation that is too long: its degree, its knots, and lower ones to ask for.
    fn remedy(&self) -> String {
        let subject = &self.derivation.subject;
        let functions = || std::iter::once(&subject.first).chain(&subject.second);
        let degree = functions().map(Piecewise::degree).max().unwrap_or(0);
        let knots = functions().map(|function| function.knots().len()).sum();
        let is_irrational = |knot: &&Knot| matches!(knot, Knot::Algebraic(_));
        let irrational = functions().flat_map(Piecewise::knots).filter(is_irrational).count();
        let number = match (knots, irrational) {
            (0, _) => "no knots".to_owned(),
            (1, 0) => "a knot".to_owned(),
            (1, _) => "an irrational knot".to_owned(),
            (_, 0) => format!("{knots} knots"),
            _ => format!("{knots} knots, of which {irrational} are irrational"),
        };
        format!(
            "formulas for degree {degree} and {number} are that long: ask for a lower moment, or for a function of \
             lower degree or with fewer knots"
        )
    }

    fn find(&self, matches: impl Fn(&Claim) -> bool) -> Option<usize> {
        self.derivation.steps.iter().position(|step| matches(&step.claim))
    }

    fn moment(&mut self, powers: Powers) -> Result<usize, Error> {
        order(powers.0.saturating_add(powers.1))?;
        let power = self.power(powers)?;
        let split = self.step(Rule::SplitAtKnots, vec![power])?;
        let Claim::Moduli(_, form) = self.claim(split) else {
            unreachable!("SplitAtKnots claims a modulus form")
        };
        let mut premises = vec![split];
        // Expectations stand in the order of the terms: the count of the work pairs them by it.
        for (_, k, factor) in terms(&form.clone()) {
            premises.push(self.expectation(k, &factor)?);
        }
        self.step(Rule::Linearity, premises)
    }

    fn pair_moment(&mut self, (n, m): Powers) -> Result<usize, Error> {
        order(n.saturating_add(m))?;
        let mut premises = Vec::new();
        let mut forms = Vec::new();
        for powers in [(n, 0), (0, m)] {
            let known = |claim: &Claim| matches!(claim, Claim::Moduli(p, _) if *p == powers);
            let split = match self.find(known) {
                Some(known) => known,
                None => {
                    let power = self.power(powers)?;
                    self.step(Rule::SplitAtKnots, vec![power])?
                }
            };
            let Claim::Moduli(_, form) = self.claim(split) else {
                unreachable!("SplitAtKnots claims a modulus form")
            };
            forms.push(terms(form));
            premises.push(split);
        }
        for (_, i, f) in &forms[0] {
            for (_, j, k) in &forms[1] {
                premises.push(self.mixed([*i, *j], [f, k])?);
            }
        }
        self.step(Rule::PairLinearity, premises)
    }

    /// E[uⁱ f(u) wʲ k(w)].
    fn mixed(&mut self, powers: [u32; 2], factors: [&Factor; 2]) -> Result<usize, Error> {
        let known = self.find(
            |claim| matches!(claim, Claim::Mixed(p, [f, k], _) if *p == powers && [f, k] == factors),
        );
        if let Some(known) = known {
            return Ok(known);
        }
        let ([i, j], [f, k]) = (powers, factors);
        // Powers go before signs: a sign is the derivative of a modulus without powers.
        let (rule, premise) = match (f, k) {
            (_, Factor::One) if j == 0 => (Rule::Marginal(Axis::First), self.expectation(i, f)?),
            (Factor::One, _) if i == 0 => (Rule::Marginal(Axis::Second), self.expectation(j, k)?),
            _ if i > 0 => (Rule::MultiplyBy(Axis::First), self.mixed([i - 1, j], factors)?),
            _ if j > 0 => (Rule::MultiplyBy(Axis::Second), self.mixed([i, j - 1], factors)?),
            (Factor::Sign(s), _) => {
                let modulus = self.mixed(powers, [&Factor::Modulus(s.clone()), k])?;
                (Rule::DifferentiateIn(Axis::First), modulus)
            }
            (_, Factor::Sign(t)) => {
                let modulus = self.mixed(powers, [f, &Factor::Modulus(t.clone())])?;
                (Rule::DifferentiateIn(Axis::Second), modulus)
            }
            (Factor::Modulus(s), Factor::Modulus(t)) => {
                let rule = Rule::DoubleCosineIntegral(s.clone(), t.clone());
                return self.step(rule, Vec::new());
            }
            (Factor::One, _) | (_, Factor::One) => unreachable!("of one pre-activation alone"),
        };
        self.step(rule, vec![premise])
    }

    fn power(&mut self, powers: Powers) -> Result<usize, Error> {
        if let Some(known) = self.find(|claim| matches!(claim, Claim::Signs(p, _) if *p == powers))
        {
            return Ok(known);
        }
        let (rest, one) = match powers {
            (0, 0) => return self.step(Rule::ZerothPower, Vec::new()),
            (1, 0) => return self.step(Rule::NormalForm(Which::First), Vec::new()),
            (0, 1) => return self.step(Rule::NormalForm(Which::Second), Vec::new()),
            (0, m) => ((0, m - 1), (0, 1)),
            (n, m) => ((n - 1, m), (1, 0)),
        };
        let premises = vec![self.power(rest)?, self.power(one)?];
        self.step(Rule::ProductOfSigns, premises)
    }

    fn expectation(&mut self, k: u32, factor: &Factor) -> Result<usize, Error> {
        let known = self
            .find(|claim| matches!(claim, Claim::Expectation(m, f, _) if *m == k && f == factor));
        if let Some(known) = known {
            return Ok(known);
        }
        if k > 0 {
            let lower = self.expectation(k - 1, factor)?;
            return self.step(Rule::MultiplyByU, vec![lower]);
        }
        match factor {
            Factor::One => self.step(Rule::Normalisation, Vec::new()),
            Factor::Modulus(knot) => self.step(Rule::CosineIntegral(knot.clone()), Vec::new()),
            Factor::Sign(knot) => {
                let modulus = self.expectation(0, &Factor::Modulus(knot.clone()))?;
                self.step(Rule::DifferentiateModulus, vec![modulus])
            }
        }
    }
}

/// Why a rule makes no claim: only a limit may not exist.
fn refusal(rule: &Rule, subject: &Subject, premises: &[&Claim]) -> Error {
    let (Rule::Limit(symbol, point), [Claim::Result(_, value)]) = (rule, premises) else {
        unreachable!("every other rule fits its premises")
    };
    let reason = match subject.pair {
        true => Some(LimitError::Pair),
        false => value.limit(symbol, point, &subject.domain).err(),
    };
    let reason = reason.map_or_else(String::new, |error| error.to_string());
    Error::new(ErrorKind::Divergent(reason), Span::default())
}

fn order(n: u32) -> Result<(), Error> {
    if n as usize > Limit::Order.maximum() {
        return Err(Error::limit(Limit::Order, Some(n as usize), Span::default())
            .help("ask for a lower moment"));
    }
    Ok(())
}
