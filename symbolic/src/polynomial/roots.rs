//! The real roots of a polynomial, as exact numbers.

use std::cmp::Ordering;

use super::{Algebraic, Univariate};
use crate::exact::{Rational, integer};

/// Work that takes about a second at most, and far less as a rule.
pub(crate) const BUDGET: usize = 100_000;

/// A real root of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Root {
    /// The root is this number.
    Rational(Rational),
    /// The root is this irrational number.
    Algebraic(Algebraic),
}

impl PartialOrd for Root {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By value.
impl Ord for Root {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Rational(a), Self::Rational(b)) => a.cmp(b),
            (Self::Algebraic(a), Self::Algebraic(b)) => a.cmp(b),
            (Self::Algebraic(a), Self::Rational(b)) => a.cmp_rational(b),
            (Self::Rational(a), Self::Algebraic(b)) => b.cmp_rational(a).reverse(),
        }
    }
}

/// The distinct real roots in ascending order with their multiplicities; none for a constant.
///
/// `None` if factoring takes more than `budget` units of work: see [`Univariate::factors`].
#[must_use]
pub fn real_roots(p: &Univariate, budget: usize) -> Option<Vec<(Root, u32)>> {
    let mut roots = Vec::new();
    for (factor, multiplicity) in p.factors(budget)? {
        if let [constant, lead] = factor.coefficients() {
            let root = Rational::new(-constant, lead.clone());
            roots.push((Root::Rational(root), multiplicity));
        } else {
            let numbers = Algebraic::roots_of(&factor).into_iter().map(Root::Algebraic);
            roots.extend(numbers.map(|root| (root, multiplicity)));
        }
    }
    roots.sort();
    Some(roots)
}

/// One rational number in each of the intervals into which ascending numbers divide the line.
pub(crate) fn between(cuts: &[Root]) -> Vec<Rational> {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else {
        return vec![Rational::default()];
    };
    let mut samples = vec![bracket(first, 0).0 - integer(1)];
    samples.extend(cuts.windows(2).map(|pair| middle(&pair[0], &pair[1])));
    samples.push(bracket(last, 0).1 + integer(1));
    samples
}

fn middle(left: &Root, right: &Root) -> Rational {
    // Different numbers have disjoint enclosures at some precision, so this ends.
    let mut bits = 32;
    loop {
        let (lower, upper) = (bracket(left, bits).1, bracket(right, bits).0);
        if lower < upper {
            return (lower + upper) / integer(2);
        }
        bits *= 2;
    }
}

fn bracket(root: &Root, bits: u32) -> (Rational, Rational) {
    match root {
        Root::Rational(root) => (root.clone(), root.clone()),
        Root::Algebraic(root) => root.enclosure(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::{integer, ratio};

    fn roots(coefficients: &[i64]) -> Vec<(Root, u32)> {
        let coefficients: Vec<_> = coefficients.iter().map(|c| integer(*c)).collect();
        real_roots(&Univariate::new(&coefficients), 1_000).expect("little work")
    }

    #[test]
    fn rational_roots_are_exact() {
        // (3x − 1)(x + 2)² (x − 7)
        let expected = [(integer(-2), 2), (ratio(1, 3), 1), (integer(7), 1)];
        let expected = expected.map(|(root, multiplicity)| (Root::Rational(root), multiplicity));
        assert_eq!(roots(&[28, -60, -69, -10, 3]), expected);
        assert_eq!(roots(&[0, 0, 0, -5]), [(Root::Rational(integer(0)), 3)]);
        assert!(roots(&[1, 0, 1]).is_empty());
        assert!(roots(&[5]).is_empty());
        assert!(roots(&[]).is_empty());
    }

    #[test]
    fn roots_of_all_factors_ascend() {
        // (x² − 2)² (x − 1)³ (x³ − x − 1)
        let square = Univariate::new(&[integer(-2), integer(0), integer(1)]);
        let linear = Univariate::new(&[integer(-1), integer(1)]);
        let cubic = Univariate::new(&[integer(-1), integer(-1), integer(0), integer(1)]);
        let p = [&square, &linear, &linear, &linear, &cubic]
            .into_iter()
            .fold(square.clone(), |p, f| p.times(f));
        let found = real_roots(&p, 1_000).expect("little work");
        let multiplicities: Vec<_> = found.iter().map(|(_, multiplicity)| *multiplicity).collect();
        assert_eq!(multiplicities, [2, 3, 1, 2]);
        assert!(found.is_sorted());
        assert_eq!(found[1].0, Root::Rational(integer(1)));
        assert!(matches!(&found[2].0, Root::Algebraic(root) if *root.minimal() == cubic));
    }
}
