//! Closed forms of two pre-activations against numerical integration in high precision, and against
//! a table of 40-digit truth.
//!
//! The two sides share the syntax tree and nothing else. One side evaluates the derived form, the
//! quadrant function by Plackett's integral. The other reads piecewise polynomials with floats for
//! knots and coefficients off the tree, and integrates g over u times the mean of h given u, which
//! it takes from truncated moments of the conditional Normal; derivatives are integrals with the
//! scores of the density.
//!
//! `GAUSSFORM_ORACLE_CASES` asks for another number of random pairs than the default.

#[path = "pair_oracle/closed.rs"]
mod closed;
mod common;
#[path = "oracle/forms.rs"]
mod forms;
#[path = "pair_oracle/integral.rs"]
mod integral;
#[path = "oracle/pieces.rs"]
#[allow(dead_code, reason = "shared with the oracle of one pre-activation")]
mod pieces;
#[path = "oracle/random.rs"]
mod random;
#[path = "oracle/real.rs"]
mod real;

use closed::Point;
use common::{cases, parse};
use forms::Forms;
use gaussform_symbolic::exact::{Rational, ratio};
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Derivation, Error, ErrorKind, Library, render};
use integral::Integrals;
use num_bigint::BigInt;
use pieces::Pieces;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRunner};
use random::{functions, normals};
use real::{Real, real};

/// The error allowed, relative to the root mean squares of the functions: 25 digits.
const ERROR: f64 = 1e-25;
/// The most knots, and the highest degree, of a function that is tried.
const KNOTS: usize = 4;
const DEGREE: i32 = 5;

/// u ~ N(γ, ξ²), with a rational ξ.
#[derive(Clone, Debug)]
pub(crate) struct Normal {
    pub(crate) gamma: Rational,
    pub(crate) xi: Rational,
}

const INPUTS: [Symbol; 5] =
    [Symbol::Gamma, Symbol::GammaOther, Symbol::Xi2, Symbol::Xi2Other, Symbol::Covariance];

/// ρ and √(1 − ρ²), both rational.
fn correlations() -> impl Strategy<Value = [Rational; 2]> {
    let sides =
        [(3, 4, 5), (4, 3, 5), (5, 12, 13), (12, 5, 13), (7, 24, 25), (24, 7, 25), (0, 1, 1)];
    (select(sides.to_vec()), prop::bool::ANY).prop_map(|((near, far, whole), negative)| {
        let near = if negative { -near } else { near };
        [ratio(near, whole), ratio(far, whole)]
    })
}

fn derivations(g: &Activation, h: &Activation) -> Result<Vec<Derivation>, Error> {
    let moment = g.pair_moment(1, h, 1)?;
    let slopes = INPUTS.iter().map(|symbol| moment.clone().differentiate(symbol));
    std::iter::once(Ok(moment.clone())).chain(slopes).collect()
}

fn compare(
    texts: [&str; 2],
    normals: &[Normal; 2],
    correlation: &[Rational; 2],
) -> Result<(), TestCaseError> {
    let read = |text: &str| -> Result<Activation, TestCaseError> {
        Activation::parse(text).map_err(|error| {
            assert!(matches!(error.kind, ErrorKind::Limit { .. }), "{text}: {error}");
            TestCaseError::reject("not in the class")
        })
    };
    let [g, h] = [read(texts[0])?, read(texts[1])?];
    for f in [&g, &h] {
        let fits = f.function.degree() <= DEGREE && f.function.knots().len() <= KNOTS;
        prop_assume!(fits);
    }
    let pieces = [0, 1].map(|i| Pieces::read(texts[i], &normals[i]));
    let integrals = Integrals::of(&pieces, normals, correlation);
    let mut point = Point::new(normals, correlation);
    for (derivation, expected) in derivations(&g, &h).expect("little work").iter().zip(&integrals.0)
    {
        prop_assert_eq!(derivation.replay(), Ok(()));
        prop_assert!(derivation.pair_certificates().is_ok());
        let derived = point.value(derivation.value());
        let (value, size) = expected;
        prop_assert!(
            (&derived - value).to_f64().abs() <= ERROR * size,
            "{} of {texts:?} is {derived}, not {value}",
            render::text::quantity(derivation.result().0),
        );
    }
    Ok(())
}

#[test]
fn closed_forms_of_random_pairs_are_the_integrals() {
    let count = std::env::var("GAUSSFORM_ORACLE_CASES").ok().and_then(|n| n.parse().ok());
    let count = count.unwrap_or(6);
    let config = ProptestConfig {
        max_global_rejects: 100 * count,
        rng_algorithm: RngAlgorithm::XorShift,
        ..cases(count)
    };
    let strategy = ((functions(), functions()), (normals(), normals()), correlations());
    let result = TestRunner::new(config)
        .run(&strategy, |((g, h), (u, w), correlation)| compare([&g, &h], &[u, w], &correlation));
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn closed_forms_of_known_pairs_are_the_integrals() {
    let u = Normal { gamma: ratio(-3, 8), xi: ratio(5, 4) };
    let w = Normal { gamma: ratio(1, 2), xi: ratio(3, 4) };
    let correlation = [ratio(-12, 13), ratio(5, 13)];
    for texts in [
        ["relu(x)", "relu(x)"],
        ["step(x - 1/3)", "clamp(x, -1, 1)"],
        ["x*clamp(x + 3, 0, 6)/6", "|x^2 - 2|"],
        ["|x^3 - x - 1|", "max(0, 1 - |x|)"],
    ] {
        compare(texts, &[u.clone(), w.clone()], &correlation).expect("they agree");
    }
}

/// Sensitivity of the comparison: an error of one part in 10²⁰ of any coefficient is seen.
#[test]
fn a_wrong_coefficient_is_seen() {
    let normals = [ratio(1, 4), ratio(-1, 2)].map(|gamma| Normal { gamma, xi: ratio(3, 4) });
    let correlation = [ratio(3, 5), ratio(4, 5)];
    let texts = ["clamp(x, -1, 2)", "max(0, x)"];
    let pieces = [0, 1].map(|i| Pieces::read(texts[i], &normals[i]));
    let (expected, size) = &Integrals::of(&pieces, &normals, &correlation).0[0];
    let mut point = Point::new(&normals, &correlation);
    let form = parse(texts[0]).pair_moment(1, &parse(texts[1]), 1).expect("little work").form();
    let mut error = |form: &_| (&point.evaluate(form) - expected).to_f64().abs() / size;
    assert!(error(&form) <= ERROR);
    for (product, coefficient) in form.terms() {
        let change = coefficient.scale(&ratio(10, 1).pow(-20));
        let changed = match product.factors().next() {
            Some((f, _)) => &form + &gaussform_symbolic::moment::Form::term(change, f.clone()),
            None => &form + &change.into(),
        };
        assert!(error(&changed) > ERROR, "{product:?}");
    }
}

/// A number in decimal notation.
fn decimal(text: &str) -> Real {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().expect("an exponent");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let number: BigInt = format!("{whole}{fraction}").parse().expect("digits");
    let places = exponent - i32::try_from(fraction.len()).expect("few digits");
    real(&(Rational::from_integer(number) * ratio(10, 1).pow(places)))
}

/// The rows whose values are not lost in the cancellation of closed forms with 96 digits: a
/// correlation not too near 1, and no far tails.
#[test]
fn closed_forms_are_the_table() {
    let table = include_str!("../../tests/golden/bivariate.csv");
    let declarations = include_str!("../../tests/golden/bivariate.gf");
    let functions = Activation::parse_file(declarations, &Library::new()).expect("declarations");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let column = |name: &str| header.iter().position(|n| *n == name).expect("a column");
    let mut derived: Vec<([String; 2], Vec<Derivation>)> = Vec::new();
    let (mut checked, mut left_out) = (0, 0);
    for line in lines {
        let row: Vec<&str> = line.split(',').collect();
        let text = |name: &str| row[column(name)];
        let number = |name: &str| text(name).parse::<f64>().expect("a number");
        let inputs = ["m1", "m2", "v1", "v2", "c"].map(number);
        let [m1, m2, v1, v2, c] = inputs;
        let far = (m1.abs() / v1.sqrt()).max(m2.abs() / v2.sqrt());
        let clear = v1 > 0.0 && v2 > 0.0 && (c / (v1 * v2).sqrt()).abs() < 0.999;
        let scales = ["scale_egh", "scale_cov", "scale_dc"].map(number);
        if !clear || far > 8.0 || scales.iter().any(|scale| *scale < 1e-25) {
            left_out += 1;
            continue;
        }
        let names = [text("g").to_owned(), text("h").to_owned()];
        if derived.last().is_none_or(|(known, _)| *known != names) {
            let function = |name: &String| functions.iter().find(|g| g.name == *name);
            let [g, h] = names.each_ref().map(|name| function(name).expect("it is declared"));
            let covariance = g.pair_covariance(h).expect("little work");
            let mut all = vec![g.pair_moment(1, h, 1).expect("little work"), covariance.clone()];
            all.extend(
                INPUTS
                    .iter()
                    .map(|symbol| covariance.clone().differentiate(symbol).expect("little work")),
            );
            derived.push((names, all));
        }
        let mut point = Point::at(inputs);
        let (scale, slope) = (number("scale_cov"), number("scale_dc"));
        let scales = [
            number("scale_egh"),
            scale,
            scale / v1.sqrt(),
            scale / v2.sqrt(),
            scale / v1,
            scale / v2,
            slope,
        ];
        let columns = ["Egh", "cov", "dcov_dm1", "dcov_dm2", "dcov_dv1", "dcov_dv2", "dcov_dc"];
        let (_, derivations) = derived.last().expect("derived before");
        for ((derivation, name), scale) in derivations.iter().zip(columns).zip(scales) {
            let expected = decimal(text(name));
            let size = scale.max(expected.to_f64().abs());
            let error = (&point.value(derivation.value()) - &expected).to_f64().abs();
            assert!(error <= ERROR * size, "{name} in {line}: off by {:e}", error / size);
        }
        checked += 1;
    }
    assert!(checked > 200, "{checked} rows checked, {left_out} left out");
}
