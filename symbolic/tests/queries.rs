//! Queries beside raw moments: central and joint moments, derivatives.

mod common;

use common::{
    HARD, QUERIED, SHRINK, SMOOTH, cases, checked, mean, moment, parameter, parametric, parse,
    power, rewritten, xi2,
};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Derivation, Knot};
use insta::assert_snapshot;
use proptest::prelude::*;

#[test]
fn the_third_central_moment_of_relu_by_hand() {
    let [first, second, third] = [1, 2, 3].map(|n| moment("max(0, x)", n));
    let by_hand =
        &(&third - &(&first * &second).scale(&integer(3))) + &power(&first, 3).scale(&integer(2));
    assert_eq!(checked(parse("max(0, x)").central(3)).form(), by_hand);
}

#[test]
fn central_moments_follow_from_raw_ones() {
    for text in QUERIED {
        let activation = parse(text);
        let [first, second] = [1, 2].map(|n| moment(text, n));
        let variance = checked(activation.variance());
        assert_eq!(variance.form(), &second - &power(&first, 2), "{text}");
        assert_eq!(checked(activation.central(2)).form(), variance.form(), "{text}");
    }
    for text in ["max(0, x)", "|x^2 - 2|", "leaky(x; eps in (0, 1)) = max(eps*x, x)", SHRINK] {
        let [first, second, third, fourth] = [1, 2, 3, 4].map(|n| moment(text, n));
        let terms = [
            fourth,
            (&first * &third).scale(&integer(-4)),
            (&power(&first, 2) * &second).scale(&integer(6)),
            power(&first, 4).scale(&integer(-3)),
        ];
        let sum = terms.iter().fold(Form::zero(), |sum, term| &sum + term);
        assert_eq!(checked(parse(text).central(4)).form(), sum, "{text}");
    }
}

/// The central moments of the identity are those of the Normal distribution.
#[test]
fn central_moments_of_the_identity() {
    let identity = parse("x");
    for (n, factor) in [(2, 1), (3, 0), (4, 3), (5, 0), (6, 15)] {
        let expected = power(&xi2(), n / 2).scale(&integer(factor));
        assert_eq!(checked(identity.central(n)).form(), expected, "{n}");
    }
}

#[test]
fn central_moments_ignore_a_shift() {
    for text in ["max(0, x)", "|x^2 - 2|", HARD, SMOOTH] {
        let third = |change: &dyn Fn(&str) -> String| {
            checked(parse(&rewritten(text, change)).central(3)).form()
        };
        let plain = third(&|body| body.to_owned());
        assert_eq!(third(&|body| format!("{body} + 5/3")), plain, "{text}");
        assert_eq!(third(&|body| format!("-2*({body})")), plain.scale(&integer(-8)), "{text}");
    }
}

/// Stein's lemma: Cov(u, g(u)) = ξ² ∂E[g]/∂γ.
#[test]
fn the_covariance_with_the_pre_activation_is_a_slope() {
    for text in QUERIED {
        let activation = parse(text);
        let covariance = checked(parse("x").covariance(&activation));
        let slope = checked(activation.moment(1).and_then(|m| m.differentiate(&Symbol::Gamma)));
        assert_eq!(covariance.form(), &slope.form() * &xi2(), "{text}");
        assert_eq!(checked(activation.covariance(&parse("x"))).form(), covariance.form());
    }
}

#[test]
fn joint_moments_are_those_of_the_product() {
    for (g, h, product) in [
        ("max(0, x)", "|x - 1|", "max(0, x)*|x - 1|"),
        ("|x^2 - 2|", "x^2 - 2", "|x^2 - 2|*(x^2 - 2)"),
        ("|x^2 - 2|", "max(x^3, 1)", "|x^2 - 2|*max(x^3, 1)"),
        (
            "g(x; a < b) = clamp(x, a, b)",
            "h(x; a) = |x - a|",
            "f(x; a < b) = clamp(x, a, b)*|x - a|",
        ),
        (HARD, "h(x; alpha > 0) = relu(x - alpha)", "f(x; alpha > 0) = relu(x - alpha)*alpha"),
    ] {
        let (first, second) = (parse(g), parse(h));
        let both = checked(first.joint_moment(1, &second, 1)).form();
        assert_eq!(both, mean(product), "{product}");
        assert_eq!(checked(second.joint_moment(1, &first, 1)).form(), both, "{product}");
        let higher = checked(first.joint_moment(3, &second, 2)).form();
        assert_eq!(checked(second.joint_moment(2, &first, 3)).form(), higher, "{product}");
        let by_hand = &both - &(&mean(g) * &mean(h));
        assert_eq!(checked(first.covariance(&second)).form(), by_hand, "{product}");
    }
}

#[test]
fn an_activation_with_itself() {
    for text in QUERIED {
        let activation = parse(text);
        let square = checked(activation.joint_moment(1, &activation, 1)).form();
        assert_eq!(square, moment(text, 2), "{text}");
        let powers = checked(activation.joint_moment(2, &activation, 1)).form();
        assert_eq!(powers, moment(text, 3), "{text}");
        let covariance = checked(activation.covariance(&activation)).form();
        assert_eq!(covariance, checked(activation.variance()).form(), "{text}");
    }
}

#[test]
fn a_pair_must_agree_on_its_parameters() {
    let error = |g: &str, h: &str| parse(g).covariance(&parse(h)).expect_err(g);
    let reports = [
        ("g(x; a > 0) = a*x", "h(x; a > 1) = a*x"),
        ("g(x; a) = |x - a|", "h(x; b) = |x - b|"),
        ("g(x; a < b) = clamp(x, a, b)", "h(x; b < a) = clamp(x, b, a)"),
        ("|x^2 - 2|", "h(x; a) = |x - a|"),
    ]
    .map(|(g, h)| format!("{g} with {h}: {}", error(g, h)));
    assert_snapshot!(reports.join("\n"), @"
    g(x; a > 0) = a*x with h(x; a > 1) = a*x: the two activations declare `a` in different ways; `a > 0` in one, `a > 1` in the other
    g(x; a) = |x - a| with h(x; b) = |x - b|: the order of the knots `a` and `b` does not follow from what is declared; declare what decides it: `a < b` or `a > b`
    g(x; a < b) = clamp(x, a, b) with h(x; b < a) = clamp(x, b, a): no values of the parameters satisfy what both activations declare
    |x^2 - 2| with h(x; a) = |x - a|: the order of the knots `a` and `-1.414…` does not follow from what is declared; declare what decides it: `a < -1.415` or `a > -1.414`
    ");
}

fn symbols(activation: &Activation) -> Vec<Symbol> {
    let parameters = activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
    [Symbol::Gamma, Symbol::Xi2].into_iter().chain(parameters).collect()
}

#[test]
fn derivatives_commute() {
    for text in QUERIED {
        let activation = parse(text);
        let all = symbols(&activation);
        for quantity in [activation.moment(1), activation.moment(2), activation.variance()] {
            let quantity = quantity.expect("little work");
            let twice = |a: &Symbol, b: &Symbol| {
                let once = quantity.clone().differentiate(a).expect("little work");
                checked(once.differentiate(b)).form()
            };
            for (i, a) in all.iter().enumerate() {
                for b in &all[i + 1..] {
                    assert_eq!(twice(a, b), twice(b, a), "{text} in {a:?} and {b:?}");
                }
            }
        }
    }
}

/// ∂M/∂ξ² = ½ ∂²M/∂γ², by steps of derivations.
#[test]
fn moments_solve_the_heat_equation() {
    let solves = |moment: Derivation| {
        let along = |moment: &Derivation, symbol| moment.clone().differentiate(symbol);
        let once = along(&moment, &Symbol::Gamma).expect("little work");
        let twice = checked(along(&once, &Symbol::Gamma)).form();
        checked(along(&moment, &Symbol::Xi2)).form() == twice.scale(&ratio(1, 2))
    };
    for text in QUERIED {
        let (activation, other) = (parse(text), parse("x^2 + x"));
        assert!(solves(checked(activation.moment(2))), "{text}");
        assert!(solves(checked(activation.joint_moment(1, &other, 1))), "{text}");
        assert!(!solves(checked(activation.variance())), "{text}");
    }
}

/// The expectation and the derivative in a parameter may change places, if g is continuous. For
/// the hard sigmoid that is ½ (Ω(γ + α) − Ω(γ − α)) of Eq. 27, and ∂Ω(γ + α)/∂α its error function.
#[test]
fn parameter_derivatives_of_moments_are_moments_of_derivatives() {
    for (text, name, slope) in [
        (HARD, "alpha", "(sign(x + alpha) + sign(x - alpha))/2"),
        (SHRINK, "lambda", "(sign(-x - lambda) - sign(x - lambda))/2"),
        (SMOOTH, "a", "(x - b)/(b - a)^2*step(x - a)*step(b - x)"),
        (SMOOTH, "b", "(a - x)/(b - a)^2*step(x - a)*step(b - x)"),
        ("leaky(x; eps in (0, 1)) = max(eps*x, x)", "eps", "min(x, 0)"),
        ("g(x; p > 0) = |x - 1/p|", "p", "sign(x - 1/p)/p^2"),
    ] {
        let derivative = |n| {
            let moment = parse(text).moment(n);
            checked(moment.and_then(|m| m.differentiate(&parameter(name)))).form()
        };
        assert_eq!(derivative(1), mean(&rewritten(text, |_| slope.to_owned())), "{text}");
        // ∂g² = 2 g ∂g
        let square = rewritten(text, |body| format!("2*({body})*{slope}"));
        assert_eq!(derivative(2), mean(&square), "{text}");
    }
    // A jump that moves is what is lost: ∂E[step(u − t)]/∂t is minus the density at t.
    let jump = parse("g(x; t) = step(x - t)");
    let density = checked(jump.moment(1).and_then(|m| m.differentiate(&parameter("t")))).form();
    let slope = jump.moment(1).and_then(|m| m.differentiate(&Symbol::Gamma));
    assert_eq!(density, -&checked(slope).form());
}

/// A moment with numbers for the parameters.
fn with_numbers(form: &Form, values: &[(Symbol, Rational)]) -> Form {
    let put = |polynomial: &Polynomial| {
        values.iter().fold(polynomial.clone(), |p, (symbol, value)| {
            p.substitute(symbol, &Polynomial::constant(value.clone()))
        })
    };
    let mut sum = Form::zero();
    for (product, coefficient) in form.terms() {
        let coefficient = put(coefficient);
        let function = product.factors().next().map(|(function, _)| function);
        let knot = |t: &Knot| Knot::new(put(&t.polynomial()).as_constant().expect("numbers"));
        sum = &sum
            + &match function {
                None => coefficient.into(),
                Some(Function::Erf(t)) => Form::term(coefficient, Function::Erf(knot(t))),
                Some(Function::Gauss(t)) => Form::term(coefficient, Function::Gauss(knot(t))),
                Some(other) => Form::term(coefficient, other.clone()),
            };
    }
    sum
}

proptest! {
    #![proptest_config(cases(200))]

    /// Deriving and putting numbers in are exchangeable.
    #[test]
    fn a_moment_with_parameters_has_the_moments_for_numbers(
        body in parametric(),
        (low, width, below) in (1_i64..20, 1_i64..20, 1_i64..5),
    ) {
        let Ok(activation) = Activation::parse(&format!("g(x; 0 < a < b) = {body}")) else {
            return Ok(());
        };
        prop_assume!(activation.function.degree() < 5);
        let (a, b) = (ratio(low, below), ratio(low + width, below));
        let words = body.split_inclusive(|c: char| !c.is_alphabetic());
        let plain = words.map(|word| match word.trim_end_matches(|c: char| !c.is_alphabetic()) {
            "a" => word.replacen('a', &format!("({a})"), 1),
            "b" => word.replacen('b', &format!("({b})"), 1),
            _ => word.to_owned(),
        });
        let numbers = parse(&plain.collect::<String>());
        let irrational = |knot: &Knot| knot.rational().is_none();
        prop_assume!(!numbers.function.knots().iter().any(irrational));
        let values = [(parameter("a"), a.clone()), (parameter("b"), b.clone())];
        for n in 1..=2 {
            let symbolic = checked(activation.moment(n)).form();
            let expected = checked(numbers.moment(n)).form();
            prop_assert_eq!(with_numbers(&symbolic, &values), expected, "{} at {}, {}", body, a, b);
        }
    }
}
