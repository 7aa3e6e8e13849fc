//! Deriving a moment, step by step, and replaying what was written down.

use super::certificate::{Certificate, CertificateError, certify};
use super::rule::{Claim, Kernel, Quantity, Rule, terms};
use crate::error::{Error, Limit, Span};
use crate::moment::Form;
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

/// One step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule used.
    pub rule: Rule,
    /// The indices of the earlier steps whose claims it uses.
    pub premises: Vec<usize>,
    /// What it claims.
    pub claim: Claim,
}

/// A derived quantity, with every step that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    function: Piecewise,
    steps: Vec<Step>,
}

impl Derivation {
    /// Derives E\[g(u)ⁿ\].
    ///
    /// # Errors
    ///
    /// If `n` exceeds [`Limit::Order`] or the derivation [`Limit::Work`].
    pub fn moment(function: &Piecewise, n: u32) -> Result<Self, Error> {
        check(function, n)?;
        let mut derivation = Self { function: function.clone(), steps: Vec::new() };
        derivation.derive_moment(n);
        Ok(derivation)
    }

    /// Derives Var g(u).
    ///
    /// # Errors
    ///
    /// If the derivation exceeds [`Limit::Work`].
    pub fn variance(function: &Piecewise) -> Result<Self, Error> {
        check(function, 2)?;
        let mut derivation = Self { function: function.clone(), steps: Vec::new() };
        let mean = derivation.derive_moment(1);
        let second = derivation.derive_moment(2);
        derivation.step(Rule::Variance, vec![second, mean]);
        Ok(derivation)
    }

    /// A derivation as it was written down; `None` if the last step claims no result. Whether
    /// the steps follow from each other is for [`replay`](Self::replay) to decide.
    #[must_use]
    pub fn from_parts(function: Piecewise, steps: Vec<Step>) -> Option<Self> {
        let concluded = matches!(steps.last()?.claim, Claim::Result(..));
        concluded.then_some(Self { function, steps })
    }

    /// Goes on to the partial derivative of the result in γ, ξ² or a parameter.
    #[must_use]
    pub fn differentiate(mut self, symbol: &Symbol) -> Self {
        let last = self.steps.len() - 1;
        self.step(Rule::Differentiate(symbol.clone()), vec![last]);
        self
    }

    /// The activation that the derivation is about.
    #[must_use]
    pub fn function(&self) -> &Piecewise {
        &self.function
    }

    /// The steps, the result last.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What was derived, and its value.
    #[must_use]
    pub fn result(&self) -> (&Quantity, &Form) {
        match self.steps.last().map(|step| &step.claim) {
            Some(Claim::Result(quantity, form)) => (quantity, form),
            _ => unreachable!("a derivation ends with a result"),
        }
    }

    /// The value of what was derived.
    #[must_use]
    pub fn form(&self) -> &Form {
        self.result().1
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
                .map(|p| self.steps[..i].get(*p).map(|step| &step.claim))
                .collect();
            let follows = premises.and_then(|claims| step.rule.apply(&self.function, &claims));
            if follows.as_ref() != Some(&step.claim) {
                return Err(i);
            }
        }
        Ok(())
    }

    /// Proves every moment in the derivation by the heat equation and its limit.
    ///
    /// # Errors
    ///
    /// The first condition that fails.
    pub fn certificates(&self) -> Result<Vec<Certificate>, CertificateError> {
        let moments = self.steps.iter().filter_map(|step| match &step.claim {
            Claim::Result(Quantity::Moment(n), form) => Some((*n, form)),
            _ => None,
        });
        moments.map(|(n, form)| certify(form, &self.function, n)).collect()
    }

    fn step(&mut self, rule: Rule, premises: Vec<usize>) -> usize {
        let claims: Vec<&Claim> = premises.iter().map(|p| &self.steps[*p].claim).collect();
        let claim = rule.apply(&self.function, &claims).expect("the rule fits its premises");
        self.steps.push(Step { rule, premises, claim });
        self.steps.len() - 1
    }

    fn find(&self, matches: impl Fn(&Claim) -> bool) -> Option<usize> {
        self.steps.iter().position(|step| matches(&step.claim))
    }

    fn derive_moment(&mut self, n: u32) -> usize {
        let power = self.derive_power(n);
        let split = self.step(Rule::SplitAtKnots, vec![power]);
        let Claim::Moduli(_, form) = &self.steps[split].claim else {
            unreachable!("SplitAtKnots claims a modulus form")
        };
        let mut premises = vec![split];
        for (_, k, kernel) in terms(&form.clone()) {
            premises.push(self.derive_expectation(k, &kernel));
        }
        self.step(Rule::Linearity, premises)
    }

    fn derive_power(&mut self, n: u32) -> usize {
        if let Some(known) = self.find(|claim| matches!(claim, Claim::Signs(m, _) if *m == n)) {
            return known;
        }
        match n {
            0 => self.step(Rule::ZerothPower, Vec::new()),
            1 => self.step(Rule::NormalForm, Vec::new()),
            _ => {
                let (rest, one) = (self.derive_power(n - 1), self.derive_power(1));
                self.step(Rule::ProductOfSigns, vec![rest, one])
            }
        }
    }

    fn derive_expectation(&mut self, k: u32, kernel: &Kernel) -> usize {
        let known = self
            .find(|claim| matches!(claim, Claim::Expectation(m, f, _) if *m == k && f == kernel));
        if let Some(known) = known {
            return known;
        }
        if k > 0 {
            let lower = self.derive_expectation(k - 1, kernel);
            return self.step(Rule::MultiplyByU, vec![lower]);
        }
        match kernel {
            Kernel::One => self.step(Rule::Normalisation, Vec::new()),
            Kernel::Modulus(knot) => self.step(Rule::CosineIntegral(knot.clone()), Vec::new()),
            Kernel::Sign(knot) => {
                let modulus = self.derive_expectation(0, &Kernel::Modulus(knot.clone()));
                self.step(Rule::DifferentiateModulus, vec![modulus])
            }
        }
    }
}

/// Bounds the time that the derivation of E\[gⁿ\] takes.
fn check(function: &Piecewise, n: u32) -> Result<(), Error> {
    for (limit, needed) in [(Limit::Order, n as usize), (Limit::Work, work(function, n))] {
        if needed > limit.maximum() {
            return Err(Error::limit(limit, Some(needed), Span::default())
                .help("ask for a lower moment, or a function of lower degree"));
        }
    }
    Ok(())
}

/// How long the derivation takes, in microseconds or so of an unoptimised build: it has as many
/// steps as the power has degrees, for each knot, with forms that grow with the square of
/// that; and parameters multiply the terms.
fn work(function: &Piecewise, n: u32) -> usize {
    let degree = usize::try_from(function.degree()).unwrap_or(usize::MAX).max(1);
    let knots = function.knots().len();
    let most = function.pieces().iter().map(Polynomial::len).max().unwrap_or(1);
    let terms = (most / (degree + 1)).max(1).saturating_pow(n.min(4));
    let size = degree.saturating_mul(n as usize).saturating_pow(3);
    size.saturating_mul(5 * knots + 1).saturating_mul(terms)
}
