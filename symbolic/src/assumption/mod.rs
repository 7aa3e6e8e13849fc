//! Assumptions on the parameters as polynomial inequalities, and the signs that follow from them.
//!
//! One parameter alone is decided exactly (`line`). Several are decided by a certificate: the
//! polynomial is written as a sum of things that are known not to be negative, term by term
//! (`terms`) or as products of assumptions that linear programming finds (`certificate`). An
//! answer is always right; that there is none may mean that it was not found.

mod certificate;
mod line;
mod simplex;
mod terms;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::polynomial::{Polynomial, Symbol, sign};

/// An assumption on the parameters: `polynomial > 0` if strict, `polynomial ≥ 0` otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assumption {
    /// The polynomial that is not negative.
    pub(crate) polynomial: Polynomial,
    /// Whether it is not zero either.
    pub(crate) strict: bool,
}

impl Assumption {
    /// Whether a value of this sign satisfies the assumption.
    fn admits(&self, sign: i8) -> bool {
        if self.strict { sign > 0 } else { sign >= 0 }
    }
}

/// Everything that is known of the parameters, in the order in which it was said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assumptions(Vec<Assumption>);

/// A proved lower bound of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    /// The polynomial is ≥ 0.
    Nonnegative,
    /// The polynomial is > 0.
    Positive,
}

/// The proved lower bounds of a polynomial and of its negative.
type Bounds = [Option<Bound>; 2];

impl Assumptions {
    /// The assumptions of a list, each of them once.
    #[must_use]
    pub(crate) fn new(list: impl IntoIterator<Item = Assumption>) -> Self {
        list.into_iter().fold(Self::default(), |mut all, more| {
            all.insert(more);
            all
        })
    }

    /// The assumptions with polynomials in place of symbols.
    pub(crate) fn substitute_all(&self, values: &[(Symbol, Polynomial)]) -> Self {
        Self::new(self.0.iter().map(|assumption| Assumption {
            polynomial: assumption.polynomial.substitute_all(values),
            strict: assumption.strict,
        }))
    }

    /// The assumptions and one more.
    #[must_use]
    pub(crate) fn with(&self, more: Assumption) -> Self {
        let mut all = self.clone();
        all.insert(more);
        all
    }

    fn insert(&mut self, more: Assumption) {
        if !self.0.contains(&more) {
            self.0.push(more);
        }
    }

    /// The assumptions, in the order in which they were made.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Assumption> {
        self.0.iter()
    }

    /// The sign that a polynomial has wherever the assumptions hold, if that follows from them.
    ///
    /// From contradictory assumptions every sign follows, so ask
    /// [`contradictory`](Self::contradictory) first.
    ///
    /// # Panics
    ///
    /// If an exponent is negative.
    #[must_use]
    pub(crate) fn sign(&self, value: &Polynomial) -> Option<i8> {
        match self.bounds(value) {
            [Some(Bound::Positive), _] => Some(1),
            [_, Some(Bound::Positive)] => Some(-1),
            [Some(_), Some(_)] => Some(0),
            _ => None,
        }
    }

    /// Whether it follows that a polynomial is ≥ 0 wherever the assumptions hold.
    ///
    /// # Panics
    ///
    /// If an exponent is negative.
    #[must_use]
    pub(crate) fn nonnegative(&self, value: &Polynomial) -> bool {
        self.bounds(value)[0].is_some()
    }

    /// Whether no values of the parameters satisfy all assumptions, as far as that is found.
    #[must_use]
    pub(crate) fn contradictory(&self) -> bool {
        let impossible = |a: &Assumption| {
            a.polynomial.as_constant().is_some_and(|constant| !a.admits(sign(&constant)))
        };
        let symbols: BTreeSet<_> = self.iter().flat_map(|a| a.polynomial.symbols()).collect();
        let empty = |symbol: &Symbol| {
            let alone = alone(&self.0.iter().collect::<Vec<_>>(), symbol);
            !alone.is_empty() && line::signs(&Polynomial::one(), symbol, &alone).is_empty()
        };
        self.iter().any(impossible) || symbols.iter().any(empty) || {
            // If 0 is a sum with a positive part, then the assumptions say that 0 > 0.
            let all: Vec<_> = self.0.iter().collect();
            certificate::bound(&Polynomial::zero(), &all) == Some(Bound::Positive)
        }
    }

    /// The lower bounds of `value` and of −`value` that follow from the assumptions. The search ends once one of them
    /// is positive.
    fn bounds(&self, value: &Polynomial) -> Bounds {
        if let Some(constant) = value.as_constant() {
            return from_signs(&[sign(&constant)].into());
        }
        let symbols = value.symbols();
        let given = self.relevant(&symbols);
        let mut bounds = [None, None];
        if let (Some(symbol), 1) = (symbols.first(), symbols.len()) {
            let alone = alone(&given, symbol);
            bounds = from_signs(&line::signs(value, symbol, &alone));
            // With no relation to another parameter there is nothing more to be found.
            if alone.len() == given.len() {
                return bounds;
            }
        }
        // The cheap proof goes first, and often makes the others needless.
        let proofs: [&dyn Fn() -> Bounds; 3] = [
            &|| terms::bounds(value, &given),
            &|| [certificate::bound(value, &given), None],
            &|| [None, certificate::bound(&-value, &given)],
        ];
        for proof in proofs {
            if bounds.contains(&Some(Bound::Positive)) {
                break;
            }
            let [above, below] = proof();
            bounds = [bounds[0].max(above), bounds[1].max(below)];
        }
        bounds
    }

    /// The assumptions that have to do with these symbols, also by way of other symbols.
    fn relevant(&self, symbols: &BTreeSet<Symbol>) -> Vec<&Assumption> {
        let mut reached = symbols.clone();
        loop {
            let touching = |a: &&Assumption| !a.polynomial.symbols().is_disjoint(&reached);
            let given: Vec<_> = self.iter().filter(touching).collect();
            let before = reached.len();
            reached.extend(given.iter().flat_map(|a| a.polynomial.symbols()));
            if reached.len() == before {
                return given;
            }
        }
    }
}

/// The assumptions in which `symbol` and nothing else occurs.
fn alone<'a>(given: &[&'a Assumption], symbol: &Symbol) -> Vec<&'a Assumption> {
    let only = BTreeSet::from([symbol.clone()]);
    given.iter().copied().filter(|a| a.polynomial.symbols() == only).collect()
}

/// The bounds of a value, and of its negative, that takes exactly these signs.
fn from_signs(signs: &BTreeSet<i8>) -> Bounds {
    let bound = |sign: i8| match (signs.contains(&-sign), signs.contains(&0)) {
        (true, _) => None,
        (false, true) => Some(Bound::Nonnegative),
        (false, false) => Some(Bound::Positive),
    };
    [bound(1), bound(-1)]
}
