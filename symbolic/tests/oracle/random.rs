//! Random functions and random Normals.

use std::fmt::Write;

use gaussform_symbolic::exact::{Rational, ratio};
use proptest::prelude::*;
use proptest::sample::select;

use super::Normal;

type Text = BoxedStrategy<String>;

pub(crate) fn normals() -> impl Strategy<Value = Normal> {
    (-8_i64..=8, 2_i64..=8)
        .prop_map(|(gamma, xi)| Normal { gamma: ratio(gamma, 4), xi: ratio(xi, 4) })
}

fn rationals() -> impl Strategy<Value = Rational> {
    (-6_i64..=6, 1_i64..=3).prop_map(|(n, d)| ratio(n, d))
}

/// Polynomials of one degree, by their coefficients.
fn polynomials(degree: usize) -> Text {
    let lead = select(vec![-1, 1, 1, 2]).prop_map(|lead| ratio(lead, 1));
    let other = prop_oneof![1 => Just(ratio(0, 1)), 2 => rationals()];
    let polynomial = (prop::collection::vec(other, degree), lead).prop_map(|(others, lead)| {
        let mut text = format!("({lead}*x^{}", others.len());
        for (k, c) in others.iter().enumerate().filter(|(_, c)| **c != ratio(0, 1)) {
            write!(text, " + {c}*x^{k}").expect("a string");
        }
        text + ")"
    });
    polynomial.boxed()
}

/// Polynomials of degree 2 to 5. Roots of the first kind are rational; of the others most are
/// not.
fn curves() -> Text {
    let roots = prop::collection::vec(rationals(), 2..=4).prop_map(|roots| {
        let factors: Vec<_> = roots.iter().map(|root| format!("(x - ({root}))")).collect();
        format!("({})", factors.join("*"))
    });
    prop_oneof![
        4 => roots,
        4 => polynomials(2),
        4 => polynomials(3),
        1 => polynomials(4),
        1 => polynomials(5),
    ]
    .boxed()
}

/// Texts of functions of x. Some are knotted curves side by side, with many knots and high
/// degrees; others nest.
pub(crate) fn functions() -> Text {
    let leaf = prop_oneof![
        2 => Just("x".to_owned()),
        1 => rationals().prop_map(|value| format!("({value})")),
        3 => polynomials(1),
        3 => curves(),
    ];
    let nested = leaf.prop_recursive(3, 10, 2, |inner| operations(&inner.boxed())).boxed();
    let knotted = || knots(&curves());
    prop_oneof![
        4 => nested,
        1 => knotted(),
        2 => (knotted(), knotted()).prop_map(|(a, b)| format!("{a} + {b}")),
        1 => (knotted(), knotted()).prop_map(|(a, b)| format!("{a}*{b}")),
        1 => (knotted(), knots(&polynomials(1))).prop_map(|(a, b)| format!("{a}*{b}")),
        1 => knots(&knotted()),
    ]
    .boxed()
}

/// A text made of smaller ones.
fn operations(inner: &Text) -> Text {
    let one = || inner.clone();
    let two = || (inner.clone(), inner.clone());
    prop_oneof![
        3 => two().prop_map(|(a, b)| format!("({a} + {b})")),
        2 => two().prop_map(|(a, b)| format!("({a} - {b})")),
        3 => two().prop_map(|(a, b)| format!("{a}*{b}")),
        1 => (one(), 2..=3).prop_map(|(a, n)| format!("({a})^{n}")),
        1 => one().prop_map(|a| format!("-{a}/3")),
        12 => knots(inner),
    ]
    .boxed()
}

/// A text made of smaller ones, with knots or jumps where they meet a bound or one another.
fn knots(inner: &Text) -> Text {
    let one = || inner.clone();
    let two = || (inner.clone(), inner.clone());
    let three = || (inner.clone(), inner.clone(), inner.clone());
    let comparison = select(vec!["<", "<=", ">", ">="]);
    prop_oneof![
        3 => one().prop_map(|a| format!("|{a}|")),
        2 => (one(), rationals()).prop_map(|(a, b)| format!("||{a}| - ({b})|")),
        4 => two().prop_map(|(a, b)| format!("max({a}, {b})")),
        2 => two().prop_map(|(a, b)| format!("min({a}, {b})")),
        1 => three().prop_map(|(a, b, c)| format!("max({a}, {b}, {c})")),
        1 => three().prop_map(|(a, b, c)| format!("min({a}, max({b}, {c}))")),
        1 => one().prop_map(|a| format!("relu({a})")),
        2 => (one(), rationals()).prop_map(|(a, b)| format!("clamp({a}, {b}, {b} + 2)")),
        1 => two().prop_map(|(a, b)| format!("sign({a})*{b}")),
        1 => one().prop_map(|a| format!("step({a})")),
        1 => (three(), comparison).prop_map(|((a, b, c), comparison)| {
            format!("piecewise {{ {a} {comparison} 1/2: {b}; else: {c} }}")
        }),
        1 => (three(), rationals()).prop_map(|((a, b, c), low)| format!(
            "piecewise {{ {low} < {a} <= {low} + 2: {b}; {a} > {c}: {b} + {c}; else: {c} }}"
        )),
    ]
    .boxed()
}
