//! One choice of the parameters that satisfies what is declared of them.
//!
//! Linear inequalities are projected onto the first parameters by elimination (Fourier and
//! Motzkin), so that a value that satisfies a projection can be continued to the others. What is not
//! linear decides as soon as one parameter alone is left in it, and may need another try.

use std::collections::BTreeMap;

use crate::assumption::{Assumption, Assumptions};
use crate::exact::{Rational, integer, ratio};
use crate::polynomial::{BUDGET, Polynomial, Root, Symbol, between, real_roots, sign};

/// How many values are tried.
const TRIES: usize = 2_000;
/// Beyond so many inequalities, projections are not pursued.
const PROJECTED: usize = 200;

type Witness = BTreeMap<Symbol, Rational>;

/// Values that satisfy the assumptions, strictly where that can be; `solved` gives some parameters
/// by polynomials in the others.
pub(super) fn find(
    parameters: &[Symbol],
    assumptions: &Assumptions,
    solved: &[(Symbol, Polynomial)],
) -> Option<Witness> {
    let free: Vec<Symbol> = parameters
        .iter()
        .filter(|p| solved.iter().all(|(other, _)| other != *p))
        .cloned()
        .collect();
    let of_free = |assumption: &Assumption| Assumption {
        polynomial: assumption.polynomial.substitute_all(solved),
        strict: assumption.strict,
    };
    let conditions: Vec<Assumption> = assumptions.iter().map(of_free).collect();
    let levels = levels(&free, &conditions);
    let inside = |strict: bool| {
        let mut search = Search { free: &free, levels: &levels, strict, tries: TRIES };
        let mut values = Witness::new();
        search.extend(&mut values).then_some(values)
    };
    // What holds no parameter belongs to no level, so it is checked here.
    let constants = conditions.iter().filter_map(|c| Some((c.polynomial.as_constant()?, c.strict)));
    if constants.into_iter().any(|(value, strict)| sign(&value) < i8::from(strict)) {
        return None;
    }
    // Inside the domain, knots that meet on its border alone are apart.
    let mut values = inside(true).or_else(|| inside(false))?;
    for (symbol, value) in solved {
        let value = value.evaluate(&values)?;
        values.insert(symbol.clone(), value);
    }
    Some(values)
}

/// For each parameter the conditions on it and on those before it.
fn levels(free: &[Symbol], conditions: &[Assumption]) -> Vec<Vec<Assumption>> {
    let mut levels: Vec<Vec<Assumption>> = vec![Vec::new(); free.len()];
    let (mut linear, other): (Vec<Assumption>, Vec<Assumption>) =
        conditions.iter().cloned().partition(|condition| is_linear(&condition.polynomial));
    for (level, symbol) in free.iter().enumerate().rev() {
        let (here, rest): (Vec<_>, Vec<_>) =
            linear.into_iter().partition(|condition| condition.polynomial.contains(symbol));
        linear = rest;
        // Projections only guide the search, so some may be dropped: what is declared is checked
        // itself.
        linear.extend(eliminated(&here, symbol).into_iter().take(PROJECTED));
        levels[level] = here;
    }
    for condition in other {
        let last = free.iter().rposition(|symbol| condition.polynomial.contains(symbol));
        if let Some(level) = last {
            levels[level].push(condition);
        }
    }
    levels
}

fn is_linear(polynomial: &Polynomial) -> bool {
    polynomial.terms().all(|(m, _)| m.powers().iter().map(|(_, e)| *e).sum::<i32>() <= 1)
}

/// The conditions on the other parameters that follow from these linear `conditions`, without `symbol`
/// (Fourier–Motzkin elimination).
fn eliminated(conditions: &[Assumption], symbol: &Symbol) -> Vec<Assumption> {
    let slope = |condition: &Assumption| {
        let coefficients = condition.polynomial.coefficients(symbol);
        coefficients.get(1).and_then(Polynomial::as_constant).unwrap_or_default()
    };
    let mut projected: Vec<Assumption> = Vec::new();
    for lower in conditions.iter().filter(|c| sign(&slope(c)) > 0) {
        for upper in conditions.iter().filter(|c| sign(&slope(c)) < 0) {
            let [up, down] = [slope(lower), -slope(upper)];
            let polynomial = &lower.polynomial.scale(&down) + &upper.polynomial.scale(&up);
            let condition = Assumption { polynomial, strict: lower.strict || upper.strict };
            if condition.polynomial.as_constant().is_none() && !projected.contains(&condition) {
                projected.push(condition);
            }
        }
    }
    projected
}

struct Search<'a> {
    free: &'a [Symbol],
    levels: &'a [Vec<Assumption>],
    strict: bool,
    tries: usize,
}

impl Search<'_> {
    /// Gives one parameter after the other a value, as long as nothing speaks against it.
    fn extend(&mut self, values: &mut Witness) -> bool {
        let Some(symbol) = self.free.get(values.len()) else { return true };
        let level = &self.levels[values.len()];
        let known: Vec<(Symbol, Polynomial)> = values
            .iter()
            .map(|(symbol, value)| (symbol.clone(), Polynomial::constant(value.clone())))
            .collect();
        let conditions: Vec<Assumption> = level
            .iter()
            .map(|c| Assumption {
                polynomial: c.polynomial.substitute_all(&known),
                strict: c.strict,
            })
            .collect();
        for value in candidates(&conditions, symbol) {
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            values.insert(symbol.clone(), value);
            let holds = conditions.iter().all(|condition| {
                let sign = condition.polynomial.evaluate(values).map_or(-1, |v| sign(&v));
                sign > 0 || sign == 0 && !condition.strict && !self.strict
            });
            if holds && self.extend(values) {
                return true;
            }
            values.remove(symbol);
        }
        false
    }
}

/// Plain numbers, then one in each interval on which the conditions do not change, then the ends.
fn candidates(conditions: &[Assumption], symbol: &Symbol) -> Vec<Rational> {
    let plain = [ratio(1, 3), integer(1), ratio(1, 2), integer(2), ratio(1, 4), integer(3)];
    let negative = plain.iter().take(4).map(|value| -value);
    let mut cuts: Vec<Root> = Vec::new();
    for condition in conditions {
        let curve = condition.polynomial.univariate(symbol);
        let roots = curve.and_then(|curve| real_roots(&curve, BUDGET)).unwrap_or_default();
        cuts.extend(roots.into_iter().map(|(root, _)| root));
    }
    cuts.sort();
    cuts.dedup();
    let ends = cuts.iter().filter_map(|cut| match cut {
        Root::Rational(value) => Some(value.clone()),
        Root::Algebraic(_) => None,
    });
    let all = plain.iter().cloned().chain(negative).chain(between(&cuts)).chain(ends);
    all.collect()
}
