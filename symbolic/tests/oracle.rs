//! Closed forms against numerical integration in high precision.
//!
//! The two sides share the syntax tree and nothing else. One side evaluates the derived form:
//! rational coefficients, erf and exp. The other reads piecewise polynomials with floats for
//! knots and coefficients off the tree, and integrates gⁿ times the Normal density over each
//! piece by Gauss–Legendre.
//!
//! `GAUSSFORM_ORACLE_CASES` asks for another number of random cases than the default;
//! `GAUSSFORM_ORACLE_REPORT` for the statistics of what was drawn.

#[path = "oracle/closed.rs"]
mod closed;
mod common;
#[path = "oracle/forms.rs"]
mod forms;
#[path = "oracle/pieces.rs"]
mod pieces;
#[path = "oracle/quadrature.rs"]
mod quadrature;
#[path = "oracle/random.rs"]
mod random;
#[path = "oracle/real.rs"]
mod real;

use std::cell::RefCell;

use closed::Point;
use common::{Source, cases, checked, parse};
use forms::Forms;
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::Form;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Derivation, Error, ErrorKind, render};
use pieces::{Pieces, Polynomial};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRunner};
use quadrature::{DEGREE, Integrals};
use random::{functions, normals};
use real::{Real, real, whole};

/// The error allowed, relative to the expectation of the integrand's modulus: 25 digits.
const ERROR: f64 = 1e-25;
/// Where this expectation is smaller, the function lies too far in the tail: its closed form,
/// which is made of numbers near 1, has not enough digits.
const LEAST: f64 = 1e-30;
/// The most knots of a function that is tried.
const KNOTS: usize = 8;
/// Up to this product of knots and degree all quantities are derived.
const EASY: usize = 12;

/// u ~ N(γ, ξ²), with a rational ξ.
#[derive(Clone, Debug)]
struct Normal {
    gamma: Rational,
    xi: Rational,
}

/// Whether two numbers agree to 25 digits of `size`.
fn close(a: &Real, b: &Real, size: f64) -> bool {
    (a - b).to_f64().abs() <= ERROR * size
}

/// A function by its text, read by both sides.
struct Case {
    text: String,
    normal: Normal,
    activation: Activation,
    pieces: Pieces<Polynomial>,
}

impl Case {
    fn new(text: &str, normal: &Normal) -> Result<Self, Error> {
        let activation = Activation::parse(text)?;
        let pieces = Pieces::read(text, normal);
        Ok(Self { text: text.to_owned(), normal: normal.clone(), activation, pieces })
    }

    /// Holds the closed forms of the moments and their derivatives against the integrals; if
    /// `all`, those of the third moment and the variance too, which take most of the time.
    fn compare(&self, all: bool) -> Result<(), TestCaseError> {
        let integrals = Integrals::of(&self.pieces, &self.normal);
        let Integrals { moments, in_gamma, in_xi2 } = &integrals;
        prop_assume!(moments.iter().all(|(_, size)| *size > LEAST));
        let mut point = Point::new(&self.normal);
        let mut check = |derivation: &Derivation, (expected, size): &(Real, f64)| {
            let (quantity, value) = derivation.result();
            let derived = point.value(value);
            prop_assert!(
                close(&derived, expected, *size),
                "{} of {} is {derived}, not {expected}",
                render::text::quantity(quantity),
                self.text
            );
            Ok(())
        };
        // A derivative's steps begin with those of its moment: checking it checks both.
        let slope = |of: &Derivation| checked(of.clone().differentiate(&Symbol::Gamma));
        for (i, n) in [1, 2].into_iter().enumerate() {
            let moment = self.activation.moment(n).expect("little work");
            check(&moment, &moments[i])?;
            check(&slope(&moment), &in_gamma[i])?;
            let in_time = moment.differentiate(&Symbol::Xi2).expect("little work");
            prop_assert_eq!(in_time.replay(), Ok(()));
            check(&in_time, &in_xi2[i])?;
        }
        if !all {
            return Ok(());
        }
        check(&checked(self.activation.moment(3)), &moments[2])?;
        let variance = self.activation.variance().expect("little work");
        let [(mean, size), (second, square), _] = moments;
        check(&variance, &(second - &(mean * mean), square + size * size))?;
        let [(slow, least), (steep, most)] = in_gamma;
        let expected = steep - &(&(&whole(2) * mean) * slow);
        check(&slope(&variance), &(expected, most + 2.0 * size * least))
    }
}

/// How many cases there were of each kind.
#[derive(Debug, Default)]
struct Drawn {
    all: u32,
    with_irrational_knots: u32,
    with_jumps: u32,
    by_knots: [u32; KNOTS + 1],
    by_degree: [u32; DEGREE + 1],
}

impl Drawn {
    fn add(&mut self, case: &Case) {
        let function = &case.activation.function;
        self.all += 1;
        let irrational = function.knots().iter().any(closed::is_irrational);
        self.with_irrational_knots += u32::from(irrational);
        self.with_jumps += u32::from(case.pieces.jumps());
        self.by_knots[function.knots().len()] += 1;
        self.by_degree[function.degree() as usize] += 1;
    }

    /// The random functions are worth little if they are all simple.
    fn check(&self) {
        let share = |count: u32| f64::from(count) / f64::from(self.all);
        assert!(share(self.with_irrational_knots) > 0.5, "{self:?}");
        assert!(share(self.with_jumps) > 0.2, "{self:?}");
        assert!(share(self.by_knots[4..].iter().sum()) > 0.3, "{self:?}");
        assert!(share(self.by_degree[4..].iter().sum()) > 0.3, "{self:?}");
    }
}

#[test]
fn closed_forms_of_random_functions_are_the_integrals() {
    let count = std::env::var("GAUSSFORM_ORACLE_CASES").ok().and_then(|n| n.parse().ok());
    let count = count.unwrap_or(2000);
    let config = ProptestConfig {
        max_global_rejects: 20 * count,
        // The default costs as much as the quadrature in a build without optimisation.
        rng_algorithm: RngAlgorithm::XorShift,
        ..cases(count)
    };
    let all = prop::bool::weighted(0.1);
    let drawn = RefCell::new(Drawn::default());
    let result =
        TestRunner::new(config).run(&(functions(), normals(), all), |(text, normal, all)| {
            let case = match Case::new(&text, &normal) {
                Ok(case) => case,
                Err(error) => {
                    let limit = matches!(error.kind, ErrorKind::Limit { .. });
                    prop_assert!(limit, "{text}: {error}");
                    return Err(TestCaseError::reject("not in the class"));
                }
            };
            let function = &case.activation.function;
            let (degree, knots) = (function.degree() as usize, function.knots().len());
            prop_assume!(degree <= DEGREE && (1..=KNOTS).contains(&knots));
            case.compare(all || degree * knots <= EASY)?;
            drawn.borrow_mut().add(&case);
            Ok(())
        });
    result.unwrap_or_else(|error| panic!("{error}"));
    let drawn = drawn.into_inner();
    if std::env::var_os("GAUSSFORM_ORACLE_REPORT").is_some() {
        #[expect(clippy::print_stdout, reason = "asked for")]
        {
            println!("{drawn:#?}");
        }
    }
    if count >= 1000 {
        drawn.check();
    }
}

#[test]
fn closed_forms_of_known_activations_are_the_integrals() {
    let normal = Normal { gamma: ratio(-3, 8), xi: ratio(5, 4) };
    for text in [
        "max(0, x)^2",
        "x*clamp(x + 3, 0, 6)/6",
        "||x| - 1| + step(x - 1/2)",
        "piecewise { x < -1: 0; x < 0: 1 + x; x < 1: 2 - x; else: x^2 }",
        "|x - 1|*|x + 1|*|x|*|x - 2/3|*|x + 2/3|*|x - 1/3|*|x + 4/3|*|x - 5/2|",
        "max(x^4 - 3*x, x + 1)",
        "x*|x^2 - 2| - step(x^3 - x - 1)",
    ] {
        let case = Case::new(text, &normal).expect("a right text");
        case.compare(true).expect("they agree");
    }
}

/// Sensitivity of the comparison: an error of one part in 10²⁰ of any coefficient is seen.
#[test]
fn a_wrong_coefficient_is_seen() {
    for text in ["clamp(x, -1, 2)^2", "|x^3 - x - 1|"] {
        let normal = Normal { gamma: ratio(1, 4), xi: ratio(3, 4) };
        let (expected, size) = &Integrals::of(&Pieces::read(text, &normal), &normal).moments[0];
        let mut point = Point::new(&normal);
        let mut agrees = |form: &Form| close(&point.evaluate(form), expected, *size);
        let mean = checked(parse(text).moment(1)).form();
        assert!(agrees(&mean));
        for (product, coefficient) in mean.terms() {
            let change = coefficient.scale(&integer(10).pow(-20));
            let function = product.factors().next().map(|(function, _)| function.clone());
            let change = match function {
                Some(function) => Form::term(change, function),
                None => change.into(),
            };
            assert!(!agrees(&(&mean + &change)), "{text}: {product:?}");
        }
    }
}

/// The numerical reading of the tree against an exact one at single points, which needs no
/// knots: here the roots that the engine has to find are checked without it.
#[test]
fn the_numerical_reading_has_the_right_values() {
    let result = TestRunner::new(cases(300)).run(&(functions(), normals()), |(text, normal)| {
        let pieces = Pieces::read(&text, &normal);
        let source = Source::read(&text);
        for k in -15..=15 {
            // No knot has such a denominator.
            let z = ratio(1000 * k + 1, 1009);
            let exact = real(&source.at(&(&normal.gamma + &normal.xi * &z)));
            let value = pieces.at(&real(&z));
            let error = (&value - &exact).to_f64().abs();
            let size = exact.to_f64().abs() + 1.0;
            prop_assert!(error < 1e-60 * size, "{text} is {exact} at z = {z}, not {value}");
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
