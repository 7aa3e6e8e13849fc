//! One function, one normal form, however it is written; and the normal form is the function.

mod common;

use common::{Source, cases, continuous, function, functions, rationals, value_at};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::{Activation, ErrorKind, Knot, Library, Piecewise};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// The function of a random expression; a case is passed over if it leaves the class, by an
/// irrational knot or a limit.
fn random(text: &str) -> Result<Piecewise, TestCaseError> {
    match Activation::parse(text) {
        Ok(activation) => Ok(activation.function),
        Err(error) => match error.kind {
            ErrorKind::IrrationalKnot { .. } | ErrorKind::Limit { .. } => {
                Err(TestCaseError::reject("not in the class"))
            }
            _ => Err(TestCaseError::fail(format!("{text}: {error}"))),
        },
    }
}

/// `outer` with `inner` in the place of x.
fn substitute(outer: &str, inner: &str) -> String {
    let argument = format!("({inner})");
    outer.split("max").map(|part| part.replace('x', &argument)).collect::<Vec<_>>().join("max")
}

/// All of these texts have one normal form.
fn same(texts: &[String]) -> Result<(), TestCaseError> {
    let first = random(&texts[0])?;
    for text in &texts[1..] {
        prop_assert_eq!(&random(text)?, &first, "{} and {}", texts[0], text);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_maximum_is_a_sum_with_a_modulus(a in functions(), b in functions()) {
        same(&[
            format!("max({a}, {b})"),
            format!("max({b}, {a})"),
            format!("({a} + {b} + |{a} - {b}|)/2"),
            format!("-min(-({a}), -({b}))"),
            format!("piecewise {{ {a} > {b}: {a}; else: {b} }}"),
            format!("{b} + relu({a} - {b})"),
        ])?;
    }

    #[test]
    fn a_modulus_is_a_maximum(a in functions()) {
        same(&[
            format!("|{a}|"),
            format!("abs({a})"),
            format!("max({a}, -({a}))"),
            format!("({a})*sign({a})"),
            format!("piecewise {{ {a} < 0: -({a}); else: {a} }}"),
        ])?;
    }

    #[test]
    fn relu_is_a_product_with_a_step(a in functions()) {
        same(&[
            format!("relu({a})"),
            format!("max(0, {a})"),
            format!("({a})*step({a})"),
            format!("({a} + |{a}|)/2"),
        ])?;
    }

    #[test]
    fn a_clamp_is_a_minimum_of_a_maximum(a in functions(), low in rationals(), width in 0_i64..4) {
        let high = &low + integer(width);
        same(&[
            format!("clamp({a}, {low}, {high})"),
            format!("min(max({a}, {low}), {high})"),
            format!("max(min({a}, {high}), {low})"),
            format!("piecewise {{ {a} < {low}: {low}; {a} <= {high}: {a}; else: {high} }}"),
        ])?;
    }

    #[test]
    fn products_expand(a in continuous(), b in continuous(), c in continuous()) {
        same(&[format!("({a})*({b} - {c})"), format!("({a})*({b}) - ({a})*({c})")])?;
        same(&[format!("({a} + {b})^2"), format!("({a})^2 + 2*({a})*({b}) + ({b})^2")])?;
        same(&[format!("|({a})*({b})|"), format!("|{a}|*|{b}|")])?;
        same(&[format!("|{a}|^2"), format!("({a})^2")])?;
    }

    #[test]
    fn branches_may_come_in_any_order(
        (a, b, c) in (continuous(), continuous(), continuous()),
        (s, t) in (rationals(), rationals()),
    ) {
        let (s, t) = (s.clone().min(t.clone()), s.max(t));
        same(&[
            format!("piecewise {{ x < {s}: {a}; x < {t}: {b}; else: {c} }}"),
            format!("piecewise {{ x > {t}: {c}; x > {s}: {b}; else: {a} }}"),
            format!("piecewise {{ {s} <= x < {t}: {b}; x <= {s}: {a}; else: {c} }}"),
            format!("{a} + ({b} - ({a}))*step(x - {s}) + ({c} - ({b}))*step(x - {t})"),
        ])?;
    }

    #[test]
    fn a_call_is_a_substitution(outer in functions(), inner in continuous()) {
        let library = Activation::parse_file(&format!("f(x) = {outer}"), &Library::new());
        let library = library.ok().and_then(|mut file| file.pop()).map(|f| ("f".to_owned(), f));
        prop_assume!(library.is_some());
        let called = Activation::parse_with(&format!("f({inner})"), &library.into_iter().collect());
        let substituted = random(&substitute(&outer, &inner))?;
        prop_assert_eq!(called.map(|g| g.function), Ok(substituted));
    }

    #[test]
    fn products_of_signs_are_products_of_values(a in functions(), b in functions()) {
        let (f, g) = (random(&a)?, random(&b)?);
        prop_assert_eq!(f.sign_form().times(&g.sign_form()), f.times(&g).sign_form());
        prop_assert_eq!(f.sign_form().times(&f.sign_form()), f.pow(2).sign_form());
    }

    #[test]
    fn the_normal_form_has_the_values_of_the_text(
        text in functions(),
        points in prop::collection::vec(rationals(), 8),
    ) {
        let (normal, source) = (random(&text)?, Source::read(&text));
        for x in points.iter().chain(normal.knots().iter().map(Knot::value)) {
            prop_assert_eq!(value_at(&normal, x), source.at(x), "{} at {}", text, x);
        }
    }

    #[test]
    fn every_knot_is_a_change_of_polynomial(text in functions()) {
        let normal = random(&text)?;
        prop_assert!(normal.pieces().windows(2).all(|pair| pair[0] != pair[1]));
        prop_assert!(normal.knots().windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn arithmetic_is_that_of_the_values(a in functions(), b in functions()) {
        let (f, g) = (random(&a)?, random(&b)?);
        prop_assert_eq!(f.plus(&g), random(&format!("{a} + {b}"))?);
        prop_assert_eq!(f.minus(&g), random(&format!("{a} - ({b})"))?);
        prop_assert_eq!(f.times(&g), random(&format!("({a})*({b})"))?);
        prop_assert_eq!(f.scale(&ratio(2, 3)), random(&format!("({a})*2/3"))?);
        prop_assert_eq!(f.minus(&f), Piecewise::constant(integer(0)));
    }
}

/// The values of two texts agree at rational points, parameters set to the given numbers.
fn agree(engine: &str, parameters: &[Rational], expected: &str) {
    let (one, other) = (Source::read(engine), Source::read(expected));
    for x in (-24..=24).map(|k| ratio(k, 6)) {
        assert_eq!(one.with(&x, parameters), other.at(&x), "{engine} at {x}");
    }
}

#[test]
fn parameters_are_carried_through() {
    let file = "leaky(t; eps in (0, 1)) = max(eps*t, t)\ng(x) = leaky(2*x - 1, 1/4)";
    let parsed = Activation::parse_file(file, &Library::new()).expect("a library");
    assert_eq!(parsed[1].function, function("max((2*x - 1)/4, 2*x - 1)"));
    agree("leaky(t; eps in (0, 1)) = max(eps*t, t)", &[ratio(1, 4)], "max(x/4, x)");
    agree(file, &[], "max((2*x - 1)/4, 2*x - 1)");
}

#[test]
fn nothing_is_left_of_a_kink_that_cancels() {
    for (text, plain) in [
        ("|x| - |-x|", "0"),
        ("max(x, 0) + min(x, 0)", "x"),
        ("|x^2 + 1|", "x^2 + 1"),
        ("|x^2|", "x^2"),
        ("|(x - 1)^2*(x + 2)^4|", "(x - 1)^2*(x + 2)^4"),
        ("sign(x)^2", "1"),
        ("step(x) + step(-x)", "1"),
        ("max(x, x, x)", "x"),
        ("relu(x)^2 + relu(-x)^2", "x^2"),
        ("clamp(x, -1, 1) + relu(x - 1) - relu(-x - 1)", "x"),
    ] {
        assert_eq!(function(text), function(plain), "{text}");
        assert!(function(text).knots().is_empty(), "{text}");
    }
}

#[test]
fn roots_of_odd_multiplicity_are_knots_and_those_of_even_are_not() {
    let cubic = function("|(x - 1)^3*(x - 2)^2*(3*x + 1)|");
    let places: Vec<_> = cubic.knots().iter().map(|knot| knot.value().clone()).collect();
    assert_eq!(places, [ratio(-1, 3), integer(1)]);
}
