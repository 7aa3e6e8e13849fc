//! Every case of a declaration that leaves an order open.

mod common;

use std::sync::LazyLock;

use common::{
    HARD, SHRINK, SMOOTH, Source, cases, checked, number, parameter, parse, rationals, side,
    value_with,
};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Case, Condition, Library, Sign};
use insta::assert_snapshot;
use proptest::prelude::*;

fn declared_cases(text: &str) -> Vec<Case> {
    Activation::cases(text, &Library::new()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn conditions(text: &str) -> String {
    let shown = |case: &Case| {
        let conditions = case.conditions.iter().map(ToString::to_string).collect::<Vec<_>>();
        format!("{text}: {}", conditions.join(", "))
    };
    declared_cases(text).iter().map(shown).collect::<Vec<_>>().join("\n")
}

#[test]
fn parameters_by_other_names_have_the_same_cases() {
    let texts = |[a, b, c]: [&str; 3]| {
        [
            format!("g(x; {a}, {b}, {c}) = max(|x - {a}|, |x - {b}|, {c})"),
            format!("g(x; {a}, {b}, {c}) = |x - {a}| + |x - {b}|*step(x - {c})"),
            format!("g(x; 0 < {a} < {b}, {c}) = |x/{b} - {c}| + |x - {a}|"),
        ]
    };
    let name = |old: &str| match old {
        "a" => "p".to_owned(),
        "b" => "q".to_owned(),
        _ => "r".to_owned(),
    };
    let exchanged = |old: &str| match old {
        "a" => "b".to_owned(),
        "b" => "a".to_owned(),
        other => other.to_owned(),
    };
    for (old, new) in texts(["a", "b", "c"]).iter().zip(texts(["p", "q", "r"])) {
        let (old, new) = (declared_cases(old), declared_cases(&new));
        assert!(old.len() > 1, "{old:?}");
        assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(&new) {
            let activation = &old.activation;
            assert_eq!(activation.with_parameter_names(name), new.activation);
            let other = activation.with_parameter_names(exchanged);
            assert_ne!(other, *activation);
            assert_eq!(other.with_parameter_names(exchanged), *activation);
        }
    }
}

const CASES: [&str; 16] = [
    "g(x; a, b) = clamp(x, a, b)",
    "g(x; a, b in (0, 1)) = clamp(x, a, b)",
    "g(x; a, b, c) = max(|x - a|, |x - b|, c)",
    "g(x; lambda) = x - clamp(x, -lambda, lambda)",
    "g(x; lambda) = relu(x - lambda) - relu(-x - lambda)",
    "g(x; a) = max(a*x, x)",
    "g(x; a, b) = max(a*x, b*x)",
    "g(x; a, b) = |x - a| + |x - b|",
    "g(x; a, b) = |(x - a)*(x - b)|",
    "g(x; a, b, c) = |x - a| + |x - b|*step(x - c)",
    "g(x; a) = |a*x^2 - a|",
    "g(x; a) = |a*x + 1|",
    "g(x; a) = |x - a^2| + |a|",
    "g(x; a, b) = |x - a*b| + |x|",
    "g(x; a > 0, b) = |x/a - b| - |x - 1|",
    "g(x; a < b) = |x - a| + max(x, b)",
];

#[test]
fn conditions_are_solved_and_borders_merged() {
    assert_snapshot!(CASES.map(conditions).join("\n\n"), @"
    g(x; a, b) = clamp(x, a, b): a <= b

    g(x; a, b in (0, 1)) = clamp(x, a, b): a <= b

    g(x; a, b, c) = max(|x - a|, |x - b|, c): a < b, a >= b - 2*c
    g(x; a, b, c) = max(|x - a|, |x - b|, c): a < b, a < b - 2*c
    g(x; a, b, c) = max(|x - a|, |x - b|, c): a = b, c >= 0
    g(x; a, b, c) = max(|x - a|, |x - b|, c): a = b, c < 0
    g(x; a, b, c) = max(|x - a|, |x - b|, c): a > b, a <= b + 2*c
    g(x; a, b, c) = max(|x - a|, |x - b|, c): a > b, a > b + 2*c

    g(x; lambda) = x - clamp(x, -lambda, lambda): lambda >= 0

    g(x; lambda) = relu(x - lambda) - relu(-x - lambda): lambda <= 0
    g(x; lambda) = relu(x - lambda) - relu(-x - lambda): lambda > 0

    g(x; a) = max(a*x, x): a <= 1
    g(x; a) = max(a*x, x): a > 1

    g(x; a, b) = max(a*x, b*x): a <= b
    g(x; a, b) = max(a*x, b*x): a > b

    g(x; a, b) = |x - a| + |x - b|: a <= b
    g(x; a, b) = |x - a| + |x - b|: a > b

    g(x; a, b) = |(x - a)*(x - b)|: a <= b
    g(x; a, b) = |(x - a)*(x - b)|: a > b

    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b < c, a <= c
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b < c, a > c
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b = c, a <= c
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b = c, a > c
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b > c, a <= c
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b > c, a > c, a <= b
    g(x; a, b, c) = |x - a| + |x - b|*step(x - c): b > c, a > c, a > b

    g(x; a) = |a*x^2 - a|: a <= 0
    g(x; a) = |a*x^2 - a|: a > 0

    g(x; a) = |a*x + 1|: a < 0
    g(x; a) = |a*x + 1|: a = 0
    g(x; a) = |a*x + 1|: a > 0

    g(x; a) = |x - a^2| + |a|: a <= 0
    g(x; a) = |x - a^2| + |a|: a > 0

    g(x; a, b) = |x - a*b| + |x|: a*b < 0
    g(x; a, b) = |x - a*b| + |x|: a*b = 0
    g(x; a, b) = |x - a*b| + |x|: a*b > 0

    g(x; a > 0, b) = |x/a - b| - |x - 1|: a*b - 1 < 0
    g(x; a > 0, b) = |x/a - b| - |x - 1|: a*b - 1 = 0
    g(x; a > 0, b) = |x/a - b| - |x - 1|: a*b - 1 > 0

    g(x; a < b) = |x - a| + max(x, b):
    ");
}

#[test]
fn one_case_is_the_declaration_itself() {
    for text in [HARD, SHRINK, SMOOTH, "|x^2 - 2|"] {
        let cases = declared_cases(text);
        assert_eq!(cases.len(), 1, "{text}");
        assert!(cases[0].conditions.is_empty(), "{text}");
        assert_eq!(cases[0].activation, parse(text), "{text}");
    }
}

/// Also cases that hold far out, or on a short interval only.
#[test]
fn cases_cover_all_that_is_declared() {
    for text in [
        "g(x; a) = |x - a| + |x - 20| + |x - 21|",
        "g(x; a) = |x - a| + |x - 1/3| + |x - 3/8|",
        "g(x; a) = (|a - 20| + |a - 21|)*x",
        "g(x; a > 0) = |x - 100*a| + |x - 1|",
    ] {
        let cases = declared_cases(text);
        for value in [ratio(-1, 1), ratio(1, 200), ratio(5, 14), ratio(41, 2), integer(1000)] {
            let values = [(parameter("a"), value)];
            let here = |case: &&Case| case.conditions.iter().all(|c| holds(c, &values));
            if cases[0].activation.parameters[0].contains(&values[0].1) {
                assert_eq!(cases.iter().filter(here).count(), 1, "{text} at {values:?}");
            }
        }
    }
}

/// Where the divisor is zero there is no function; on both sides of it there is.
#[test]
fn a_division_leaves_two_cases() {
    let expected = "g(x; a) = |x|/a: a < 0\ng(x; a) = |x|/a: a > 0";
    assert_eq!(conditions("g(x; a) = |x|/a"), expected);
}

#[test]
fn cases_that_no_relation_tells_apart_are_errors() {
    for text in ["g(x; a) = |x^2 - a|", "g(x; a) = |x^2 - a*x - 1|", "g(x; a) = |y - a|"] {
        assert!(Activation::cases(text, &Library::new()).is_err(), "{text}");
    }
}

fn holds(condition: &Condition, values: &[(Symbol, Rational)]) -> bool {
    let order = number(&condition.value, values).cmp(&integer(0));
    match condition.relation {
        Sign::Negative => order.is_lt(),
        Sign::NotPositive => order.is_le(),
        Sign::Zero => order.is_eq(),
        Sign::NotNegative => order.is_ge(),
        Sign::Positive => order.is_gt(),
    }
}

/// Every text with its cases.
static EXPLORED: LazyLock<Vec<(&str, Vec<Case>)>> =
    LazyLock::new(|| CASES.map(|text| (text, declared_cases(text))).into());

proptest! {
    #![proptest_config(cases(24))]

    /// At most one case holds, it has the values of the text, and its moments prove themselves.
    #[test]
    fn each_case_is_the_function_where_it_holds(
        sample in prop::collection::vec((-3_i64..=3, 1_i64..=2), 3),
        points in prop::collection::vec(rationals(), 6),
    ) {
        let sample: Vec<_> = sample.into_iter().map(|(n, d)| ratio(n, d)).collect();
        for (text, cases) in EXPLORED.iter() {
            let declared = &cases[0].activation;
            let named = declared.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
            let values: Vec<_> = named.zip(sample.clone()).collect();
            // The relations of a case are those that are declared and its own.
            let own: Vec<_> = cases[0].conditions.iter().filter_map(Condition::relation).collect();
            let inside = declared.parameters.iter().zip(&sample).all(|(p, v)| p.contains(v))
                && declared.relations.iter().filter(|r| !own.contains(r)).all(|relation| {
                    relation.holds(&number(&(&relation.greater - &relation.lesser), &values))
                });
            if !inside {
                continue;
            }
            let here = |case: &&Case| case.conditions.iter().all(|c| holds(c, &values));
            let found: Vec<&Case> = cases.iter().filter(here).collect();
            prop_assert!(found.len() <= 1, "{} at {:?}", text, values);
            let Some(case) = found.first() else {
                let excluded = text.contains("clamp") && !text.contains("lambda") && sample[0] > sample[1]
                    || text.contains("clamp(x, -lambda") && sample[0] < integer(0);
                prop_assert!(excluded, "{} at {:?} is in no case", text, values);
                continue;
            };
            let (function, source) = (&case.activation.function, Source::read(text));
            let plain: Vec<_> = values.iter().map(|(_, value)| value.clone()).collect();
            for x in &points {
                // On a knot the value may be that of the text or of the neighbourhood.
                if function.knots().iter().all(|knot| side(knot, x, &values).is_ne()) {
                    let value = value_with(function, x, &values);
                    prop_assert_eq!(value, source.with(x, &plain), "{} at {}, {:?}", text, x, values);
                }
            }
        }
    }
}

/// A leading coefficient that is 0 whatever the parameters are leaves a piece of lower degree, not one that is 0.
#[test]
fn leading_coefficients_that_are_zero() {
    for body in [
        "abs(a*x + 1)",
        "max(0, a*x + 1)",
        "sign(a*x - 1)",
        "piecewise { a*x + 1 > 0: 1; else: 0 }",
        "|a*x^2 + x - 1|",
        "max(a*x^3 - x^2, x)",
        "|(a*x - 2)*(x - 1)| + sign(a^2*x^2 + a*x)",
    ] {
        let text = format!("g(x; a in [0, 0]) = {body}");
        let (function, source) = (parse(&text).function, Source::read(&text));
        let values = [(Symbol::Parameter("a".into()), integer(0))];
        for x in (-6..7).map(|n| ratio(n, 2)) {
            assert_eq!(
                value_with(&function, &x, &values),
                source.with(&x, &[integer(0)]),
                "{text} at {x}"
            );
        }
    }
}

#[test]
fn moments_of_cases_prove_themselves() {
    for case in EXPLORED.iter().flat_map(|(_, cases)| cases) {
        checked(case.activation.variance());
    }
}
