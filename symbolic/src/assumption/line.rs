//! One parameter alone: the line is cut at every root, and nothing changes sign between cuts.

use std::collections::BTreeSet;

use super::Assumption;
use crate::polynomial::{BUDGET, Polynomial, Root, Symbol, Univariate, between, real_roots};

/// Up to which degree assumptions are taken into account; the others are as if not made.
const DEGREE: i32 = 24;

/// All signs that `value` takes where the assumptions hold, all of them in `symbol` alone.
pub(super) fn signs(value: &Polynomial, symbol: &Symbol, given: &[&Assumption]) -> BTreeSet<i8> {
    let curve = |p: &Polynomial| p.univariate(symbol).expect("no other symbol occurs");
    let mut degree = 0;
    let mut conditions = Vec::new();
    for assumption in given {
        degree += assumption.polynomial.degree(symbol);
        if degree > DEGREE {
            break;
        }
        conditions.push((assumption, curve(&assumption.polynomial)));
    }
    let value = curve(value);
    let mut cuts: Vec<Root> = Vec::new();
    for curve in conditions.iter().map(|(_, curve)| curve).chain([&value]) {
        // Roots that take too long to find leave everything open.
        let Some(roots) = real_roots(curve, BUDGET) else { return [-1, 0, 1].into() };
        cuts.extend(roots.into_iter().map(|(root, _)| root));
    }
    cuts.sort();
    cuts.dedup();
    // The cuts are cells too: inequalities that are not strict may hold there alone.
    let cells = between(&cuts).into_iter().map(Root::Rational).chain(cuts.iter().cloned());
    cells
        .filter(|x| conditions.iter().all(|(assumption, c)| assumption.admits(sign_at(c, x))))
        .map(|x| sign_at(&value, &x))
        .collect()
}

fn sign_at(curve: &Univariate, x: &Root) -> i8 {
    match x {
        Root::Rational(x) => curve.sign_at(x),
        Root::Algebraic(x) => x.sign_of(curve),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::exact::{Rational, integer, ratio};
    use crate::polynomial::sign;

    /// The product of (x − r) over these r and of x² + 1 or x² − 19.
    fn product(roots: &[i64], up: bool) -> Polynomial {
        let x = Polynomial::symbol(Symbol::Parameter("x".into()));
        let start = &x.pow(2) - &Polynomial::constant(integer(if up { -1 } else { 19 }));
        roots.iter().fold(start, |all, r| &all * &(&x - &Polynomial::constant(integer(*r))))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 64,
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(7),
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_sign_is_found_and_no_other(
            value in (prop::collection::vec(-2_i64..3, 0..4), any::<bool>()),
            given in prop::collection::vec(
                (prop::collection::vec(-2_i64..3, 0..3), any::<bool>(), any::<bool>()), 0..3),
        ) {
            let symbol = Symbol::Parameter("x".into());
            let at = |(roots, up): (&[i64], bool), (x, root): &(Rational, bool)| {
                let x = Polynomial::constant(x.clone());
                let near = product(roots, up).substitute(&symbol, &x);
                let near = near.as_constant().expect("one parameter");
                if *root && !up { 0 } else { sign(&near) }
            };
            let list: Vec<_> = given
                .iter()
                .map(|(r, up, strict)| Assumption { polynomial: product(r, *up), strict: *strict })
                .collect();
            // Halves and ±√19, for which ±4.36 stands, meet every cell.
            let halves = (-10..=10).map(|i| (ratio(i, 2), false));
            let expected: BTreeSet<i8> = halves
                .chain([(ratio(-109, 25), true), (ratio(109, 25), true)])
                .filter(|x| given.iter().zip(&list).all(|((r, up, _), a)| a.admits(at((r, *up), x))))
                .map(|x| at((&value.0, value.1), &x))
                .collect();
            let value = product(&value.0, value.1);
            let found = signs(&value, &symbol, &list.iter().collect::<Vec<_>>());
            prop_assert_eq!(found, expected);
        }
    }
}
