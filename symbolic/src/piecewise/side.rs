//! On which side of an irrational number a function lies: where p(u) is the number t, its minimal
//! polynomial m has m(p(u)) = 0, and among the roots of that are those where p(u) is a conjugate.

use std::cmp::Ordering;

use super::Piecewise;
use super::signs::{Signs, arranged};
use crate::domain::{Domain, Knot, Obstacle};
use crate::error::Limit;
use crate::exact::{Rational, integer};
use crate::polynomial::{
    Algebraic, BUDGET, Polynomial, Root, Symbol, Univariate, between, real_roots, sign,
};

impl Piecewise {
    /// The sign of the function less an irrational number: −1, 0 or 1 at every point.
    pub(crate) fn side_of(&self, number: &Algebraic, domain: &Domain) -> Result<Self, Obstacle> {
        let conjugates = Algebraic::roots_of(number.minimal()).into_iter().map(Root::Algebraic);
        let number = Number { value: number, separators: between(&conjugates.collect::<Vec<_>>()) };
        self.signs(
            |piece, lower, upper| number.sides(piece, lower, upper, domain),
            |value, knot| number.side_on(value, knot, domain),
        )
    }
}

/// An irrational number with rational ones between it and its conjugates.
struct Number<'a> {
    value: &'a Algebraic,
    separators: Vec<Rational>,
}

impl Number<'_> {
    fn sides(
        &self,
        piece: &Polynomial,
        lower: Option<&Knot>,
        upper: Option<&Knot>,
        domain: &Domain,
    ) -> Signs {
        let variable = &Symbol::Variable;
        let coefficients = piece.coefficients(variable);
        let [.., lead] = coefficients.as_slice() else { return Ok((Vec::new(), vec![self.of(0)])) };
        if coefficients.len() == 1 {
            return Ok((Vec::new(), vec![self.constant_side(piece, domain)?]));
        }
        let (Some(lead), Some(plain)) = (lead.as_constant(), self.conjugate(piece, variable))
        else {
            return Err(Obstacle::Parametric(piece.clone()));
        };
        let work = plain.degree().saturating_mul(usize::try_from(plain.bits()).unwrap_or(1 << 20));
        if work > Limit::Roots.maximum() {
            return Err(Obstacle::Work(work));
        }
        let found = real_roots(&plain, BUDGET).ok_or(Obstacle::Work(work))?;
        // A rational root has a rational value.
        // Where p is t the other factors of m(p) = Π (p − tᵢ) are not 0, so the multiplicity is that
        // for p − t.
        let roots = found.into_iter().filter_map(|(root, multiplicity)| match root {
            Root::Algebraic(root) if self.is_taken(piece, variable, &root) => {
                Some((Knot::Algebraic(root), multiplicity))
            }
            _ => None,
        });
        arranged(sign(&lead), roots.collect(), lower, upper, domain)
    }

    fn side_on(&self, value: &Polynomial, knot: &Knot, domain: &Domain) -> Result<i8, Obstacle> {
        let Knot::Algebraic(root) = knot else { return self.constant_side(value, domain) };
        let symbol = Symbol::Root(root.clone());
        if !value.contains(&symbol) {
            return self.constant_side(value, domain);
        }
        let Some(conjugate) = self.conjugate(value, &symbol) else {
            return Err(Obstacle::Parametric(value.clone()));
        };
        if root.sign_of(&conjugate) == 0 && self.is_taken(value, &symbol, root) {
            return Ok(0);
        }
        // The value and the root differ, so that a number between them is found.
        let mut bits = 32;
        loop {
            let (lower, upper) = self.value.enclosure(bits);
            let against = |bound: Rational| side(value, &symbol, root, &bound);
            match (against(lower), against(upper)) {
                (1, 1) => return Ok(1),
                (-1, -1) => return Ok(-1),
                _ => bits *= 2,
            }
        }
    }

    /// The side of what does not depend on u.
    fn constant_side(&self, value: &Polynomial, domain: &Domain) -> Result<i8, Obstacle> {
        let knot = match value.as_constant() {
            Some(value) => Knot::Rational(value),
            None => domain.knot(value.clone()),
        };
        Ok(match domain.order(&knot, &Knot::Algebraic(self.value.clone()))? {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })
    }

    fn of(&self, value: i64) -> i8 {
        if self.value.cmp_rational(&integer(value)).is_gt() { -1 } else { 1 }
    }

    /// m(p), if p holds no parameters.
    fn conjugate(&self, p: &Polynomial, symbol: &Symbol) -> Option<Univariate> {
        let p = Polynomial::free(p.univariate_coefficients(symbol)?);
        let minimal = self.value.minimal().coefficients().iter().rev();
        let value = minimal.fold(Polynomial::zero(), |sum, coefficient| {
            &(&sum * &p) + &Polynomial::constant(Rational::from(coefficient.clone()))
        });
        value.univariate(&Symbol::Variable)
    }

    /// Whether p takes this very number at a root of m(p): as many separators are below.
    fn is_taken(&self, p: &Polynomial, symbol: &Symbol, root: &Algebraic) -> bool {
        let below = |bound: &&Rational| side(p, symbol, root, bound) > 0;
        let passed = self.separators.iter().filter(below).count();
        // One separator lies to the left of all conjugates.
        passed == self.value.index() + 1
    }
}

/// The sign of p(root) − bound.
fn side(p: &Polynomial, symbol: &Symbol, root: &Algebraic, bound: &Rational) -> i8 {
    let difference = Polynomial::free(p.univariate_coefficients(symbol).unwrap_or_default());
    let difference = &difference - &Polynomial::constant(bound.clone());
    difference.univariate(&Symbol::Variable).map_or(0, |p| root.sign_of(&p))
}
