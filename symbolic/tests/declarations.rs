//! An activation as a text that is read back: the same function, also on its knots.

mod common;

use common::{cases, continuous, factors, functions, parametric, polynomials};
use gaussform_symbolic::{Activation, Library};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// The text of an activation, after it was read back.
fn there_and_back(activation: &Activation) -> String {
    let text = activation.declaration();
    let read = Activation::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut undocumented = activation.clone();
    undocumented.docs.clear();
    assert_eq!(read, undocumented, "{text}");
    // Values on knots do not count in the comparison, and stand in the text.
    assert_eq!(read.declaration(), text);
    text
}

fn declaration(text: &str) -> String {
    there_and_back(&Activation::parse(text).expect("a declaration"))
}

/// A text that cannot be read in the first place is passed over.
fn random(text: &str) -> Result<(), TestCaseError> {
    match Activation::parse(text) {
        Ok(activation) => {
            there_and_back(&activation);
            Ok(())
        }
        Err(_) => Err(TestCaseError::reject("outside of the class, or too large")),
    }
}

#[test]
fn the_library() {
    let [activations, splines, approximations] = [
        include_str!("../../generated/activations.gf"),
        include_str!("../../generated/splines.gf"),
        include_str!("../../generated/approximations.gf"),
    ];
    let text = [activations, splines, approximations].join("\n");
    let library = Activation::parse_file(&text, &Library::new()).expect("the library");
    assert!(library.len() > 40);
    for activation in &library {
        there_and_back(activation);
    }
}

#[test]
fn kernels_of_the_tests() {
    for text in [
        include_str!("../../tests/accuracy/kernels/activations.gf"),
        include_str!("../../tests/moving/activations.gf"),
    ] {
        for activation in Activation::parse_file(text, &Library::new()).expect("declarations") {
            there_and_back(&activation);
        }
    }
}

#[test]
fn values_on_knots() {
    assert_eq!(declaration("g(u) = sign(u)"), "g(x) = piecewise { x < 0: -1; x <= 0: 0; else: 1 }");
    assert_eq!(declaration("step(x) - step(-x) - sign(x)"), "g(x) = 0");
    assert_eq!(
        declaration("piecewise { x < 1: x; x <= 1: 7; else: x }"),
        "g(x) = piecewise { x < 1: x; x <= 1: 7; else: x }"
    );
}

#[test]
fn parameters() {
    assert_eq!(
        declaration("g(u; x >= 1/2, a in [0, 1), x > a, 2*a + 1 < x^2) = max(a, u/x)"),
        "g(x_; x >= 1/2, a in [0, 1), a < x, 1 + 2*a < x^2) = \
         piecewise { x_ < a*x: a; else: x_/x }"
    );
}

#[test]
fn irrational_knots() {
    assert_eq!(
        declaration("max(0, x^2 - 2)"),
        "g(x) = piecewise { x <= -3/2: x^2 - 2; x < -5/4: piecewise { 2 - x^2 < 0: x^2 - 2; \
         else: 0 }; x <= 5/4: 0; x < 3/2: piecewise { x^2 - 2 < 0: 0; else: x^2 - 2 }; \
         else: x^2 - 2 }"
    );
    // A value of its own on the knot, roots that are close to each other, and a knot that moves beside one.
    declaration("sign(x^2 - 2)*(x + 1) + step(2 - x^2)");
    declaration("|(x^2 - 2)*(x^2 - 2 - 1/1000)*(x^3 - 3)|");
    declaration("f(x; a > 1.4142135624) = |x^2 - 2| + max(0, x - a)");
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn random_functions(text in functions()) {
        random(&text)?;
    }

    #[test]
    fn random_irrational_knots(p in polynomials(), q in factors(), g in continuous(), h in functions()) {
        random(&format!("|{p}| + {q}*({g})"))?;
        random(&format!("sign({p})*{q} + step({q})*({h})"))?;
    }

    #[test]
    fn random_parameters(body in parametric()) {
        random(&format!("f(x; a, b, a < b) = {body}"))?;
    }
}
