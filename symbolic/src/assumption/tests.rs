//! Signs that follow from assumptions, and those that do not: single cases, and random polynomials that no point refutes.

use proptest::prelude::*;

use super::*;
use crate::exact::{Rational, integer, ratio};

const NAMES: [&str; 3] = ["a", "b", "c"];

fn p(name: &str) -> Polynomial {
    Polynomial::symbol(Symbol::Parameter(name.into()))
}

fn n(value: i64) -> Polynomial {
    Polynomial::constant(integer(value))
}

/// `left < right`.
fn less(left: &Polynomial, right: &Polynomial) -> Assumption {
    Assumption { polynomial: right - left, strict: true }
}

/// `left ≤ right`.
fn at_most(left: &Polynomial, right: &Polynomial) -> Assumption {
    Assumption { strict: false, ..less(left, right) }
}

fn unit(name: &str) -> [Assumption; 2] {
    [less(&n(0), &p(name)), less(&p(name), &n(1))]
}

#[test]
fn each_assumption_is_kept_once() {
    let first = less(&p("a"), &p("b"));
    let all = Assumptions::new([first.clone(), less(&n(0), &p("a")), first.clone()]);
    assert_eq!(all.iter().count(), 2);
    assert_eq!(all.with(first), all);
    assert_eq!(all.with(at_most(&p("a"), &p("b"))).iter().count(), 3);
}

#[test]
fn an_order_decides_differences() {
    let order = Assumptions::new([less(&p("a"), &p("b")), less(&p("b"), &p("c"))]);
    assert_eq!(order.sign(&(&p("b") - &p("a"))), Some(1));
    assert_eq!(order.sign(&(&p("a") - &p("c"))), Some(-1));
    assert_eq!(order.sign(&(&p("a") - &p("d"))), None);
    assert_eq!(Assumptions::default().sign(&(&p("a") - &p("b"))), None);
    let below_one = Assumptions::new([less(&p("a"), &p("b")), less(&p("b"), &n(1))]);
    assert_eq!(below_one.sign(&(&n(1) - &p("a"))), Some(1));
    assert_eq!(below_one.sign(&p("a")), None);
}

#[test]
fn squares_are_ordered_only_where_positive() {
    let squares = &p("b").pow(2) - &p("a").pow(2);
    let order = Assumptions::new([less(&p("a"), &p("b"))]);
    assert_eq!(order.sign(&squares), None);
    let positive = order.with(less(&n(0), &p("a")));
    assert_eq!(positive.sign(&squares), Some(1));
    assert_eq!(positive.sign(&(&p("b").pow(3) - &p("a").pow(3))), Some(1));
    assert_eq!(positive.sign(&-&(&p("a") * &p("b"))), Some(-1));
}

#[test]
fn an_interval_is_decided_exactly() {
    let eps = p("eps");
    let open = Assumptions::new(unit("eps"));
    for positive in [&n(1) - &eps, &n(1) - &eps.pow(2), &eps - &eps.pow(2)] {
        assert_eq!(open.sign(&positive), Some(1));
        assert_eq!(open.sign(&-&positive), Some(-1));
    }
    assert_eq!(open.sign(&(&eps.scale(&integer(2)) - &n(1))), None);
    // √2 and ∛2 lie outside, √½ inside.
    assert_eq!(open.sign(&(&eps.pow(2) - &n(2))), Some(-1));
    assert_eq!(open.sign(&(&eps.pow(3) - &n(2))), Some(-1));
    assert_eq!(open.sign(&(&eps.pow(2).scale(&integer(2)) - &n(1))), None);
    let closed = Assumptions::new([at_most(&n(0), &eps), at_most(&eps, &n(1))]);
    assert_eq!(closed.sign(&(&eps - &eps.pow(2))), None);
    assert!(closed.nonnegative(&(&eps - &eps.pow(2))));
    let outside = Assumptions::new([less(&n(2), &eps.pow(2)), at_most(&n(0), &eps)]);
    assert_eq!(outside.sign(&(&eps.scale(&ratio(5, 7)) - &n(1))), Some(1));
    let point = Assumptions::new([at_most(&n(2), &eps.pow(2)), at_most(&eps.pow(2), &n(2))]);
    assert_eq!(point.sign(&(&eps.pow(4) - &n(4))), Some(0));
    assert_eq!(point.sign(&(&eps.pow(4) - &n(3))), Some(1));
}

#[test]
fn terms_add_up() {
    let (alpha, beta) = (p("alpha"), p("beta"));
    let both = Assumptions::new([less(&n(0), &alpha), less(&n(0), &beta)]);
    assert_eq!(both.sign(&(&(&alpha * &beta) + &alpha)), Some(1));
    assert_eq!(both.sign(&-&(&alpha + &beta)), Some(-1));
    assert_eq!(both.sign(&(&alpha - &beta)), None);
    assert!(!both.nonnegative(&(&alpha - &beta)));
}

#[test]
fn nonnegative_is_less_than_positive() {
    let order = Assumptions::new([at_most(&p("a"), &p("b"))]);
    let difference = &p("b") - &p("a");
    assert!(order.nonnegative(&difference));
    assert!(!order.nonnegative(&-&difference));
    assert_eq!(order.sign(&difference), None);
    let equal = order.with(at_most(&p("b"), &p("a")));
    assert_eq!(equal.sign(&difference), Some(0));
    assert_eq!(Assumptions::default().sign(&n(0)), Some(0));
}

#[test]
fn squares_need_no_assumption() {
    let none = Assumptions::default();
    let square = (&p("x") - &n(1)).pow(2);
    assert!(none.nonnegative(&square));
    assert_eq!(none.sign(&square), None);
    assert_eq!(none.sign(&(&p("x").pow(2) + &n(1))), Some(1));
    let sum = &p("a").pow(2) + &p("b").pow(2);
    assert_eq!(none.sign(&(&sum + &n(1))), Some(1));
    assert!(none.nonnegative(&(&sum - &(&p("a") * &p("b")))));
    let apart = Assumptions::new([less(&p("a"), &p("b"))]);
    assert!(apart.nonnegative(&(&p("a") - &n(1)).pow(2)), "though a relation is left");
}

#[test]
fn contradictions_are_found() {
    let (a, b, c) = (p("a"), p("b"), p("c"));
    let contradictory = |list: &[Assumption]| Assumptions::new(list.to_vec()).contradictory();
    assert!(contradictory(&[less(&a, &b), less(&b, &a)]));
    assert!(contradictory(&[less(&a, &b), less(&b, &c), less(&c, &a)]));
    assert!(contradictory(&[unit("a").as_slice(), &[less(&n(2), &a)]].concat()));
    assert!(contradictory(&[less(&a.pow(2), &n(0))]));
    assert!(contradictory(&[less(&n(0), &a), less(&a, &b), less(&b.pow(2), &a.pow(2))]));
    assert!(contradictory(&[at_most(&n(0), &n(-1))]));
    assert!(!contradictory(&[]));
    assert!(!contradictory(&[less(&a, &b), at_most(&b, &c)]));
    assert!(!contradictory(&[at_most(&a, &b), at_most(&b, &a)]));
    assert!(!contradictory(&[at_most(&n(0), &a), at_most(&a, &n(0))]));
}

fn at(value: &Polynomial, point: &[i64]) -> Rational {
    let pairs = NAMES.iter().zip(point);
    let constant = pairs.fold(value.clone(), |value, (name, x)| {
        value.substitute(&Symbol::Parameter((*name).into()), &n(*x))
    });
    constant.as_constant().expect("every parameter has a value")
}

/// A sum of monomials in a, b and c with these coefficients.
fn combine(coefficients: &[i64]) -> Polynomial {
    let (a, b, c) = (p("a"), p("b"), p("c"));
    let quadratic = [&a * &a, &a * &b, &b * &c];
    let monomials = [n(1), a, b, c].into_iter().chain(quadratic);
    monomials
        .zip(coefficients)
        .fold(n(0), |sum, (monomial, k)| &sum + &monomial.scale(&integer(*k)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_point_refutes_an_answer(
        given in prop::collection::vec((prop::collection::vec(-2_i64..3, 4), any::<bool>()), 1..5),
        bent in prop::collection::vec(-1_i64..2, 7),
        value in prop::collection::vec(-2_i64..3, 4..8),
    ) {
        let linear = given.iter().map(|(k, strict)| (combine(k), *strict));
        let list = linear.chain([(combine(&bent), false)]);
        let assumptions = Assumptions::new(
            list.map(|(polynomial, strict)| Assumption { polynomial, strict }),
        );
        let value = combine(&value);
        let (answer, above) = (assumptions.sign(&value), assumptions.nonnegative(&value));
        let contradictory = assumptions.contradictory();
        for index in 0..125 {
            let point = [index / 25 - 2, index / 5 % 5 - 2, index % 5 - 2];
            if assumptions.iter().all(|a| a.admits(sign(&at(&a.polynomial, &point)))) {
                prop_assert!(!contradictory);
                let sign = sign(&at(&value, &point));
                prop_assert!(answer.is_none_or(|answer| answer == sign));
                prop_assert!(!above || sign >= 0);
            }
        }
    }
}
