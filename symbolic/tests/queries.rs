//! What can be asked beside raw moments: central and joint moments, derivatives, limits, cases.

mod common;

use std::sync::LazyLock;

use common::{
    Source, cases, checked, number, parameter, parametric, parse, rationals, rewritten, side,
    value_with,
};
use gaussform_symbolic::exact::{Rational, integer, ratio};
use gaussform_symbolic::moment::{Form, Function, Point};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Case, Condition, Derivation, ErrorKind, Knot, Library, Sign};
use insta::assert_snapshot;
use proptest::prelude::*;

const HARD: &str = "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/2";
const SHRINK: &str = "shrink(x; lambda > 0) = x - clamp(x, -lambda, lambda)";
const SMOOTH: &str = "smooth(x; a < b) = clamp((x - a)/(b - a), 0, 1)";

const ACTIVATIONS: [&str; 9] = [
    "max(0, x)",
    "step(x - 1/3) + x^2",
    "|x^2 - 2|",
    "clamp(x^2 - 3, -1, 2)*|x|",
    "leaky(x; eps in (0, 1)) = max(eps*x, x)",
    HARD,
    SHRINK,
    SMOOTH,
    "far(x; c > 2) = |x^2 - 2|*step(c - x)",
];

fn moment(text: &str, n: u32) -> Form {
    checked(parse(text).moment(n)).form()
}

fn mean(text: &str) -> Form {
    moment(text, 1)
}

fn power(form: &Form, n: u32) -> Form {
    (0..n).fold(Polynomial::one().into(), |product, _| &product * form)
}

fn gamma() -> Form {
    Polynomial::symbol(Symbol::Gamma).into()
}

fn xi2() -> Form {
    Polynomial::symbol(Symbol::Xi2).into()
}

fn whole(value: i64) -> Form {
    Polynomial::constant(integer(value)).into()
}

#[test]
fn the_third_central_moment_of_relu_by_hand() {
    let [first, second, third] = [1, 2, 3].map(|n| moment("max(0, x)", n));
    let by_hand =
        &(&third - &(&first * &second).scale(&integer(3))) + &power(&first, 3).scale(&integer(2));
    assert_eq!(checked(parse("max(0, x)").central(3)).form(), by_hand);
}

#[test]
fn central_moments_follow_from_raw_ones() {
    for text in ACTIVATIONS {
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
    for text in ACTIVATIONS {
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
    for text in ACTIVATIONS {
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
    for text in ACTIVATIONS {
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
    for text in ACTIVATIONS {
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

fn limit(derivation: Derivation, symbol: &Symbol, point: &Point) -> Form {
    checked(derivation.limit(symbol, point)).form()
}

fn above(value: i64) -> Point {
    Point::Above(integer(value))
}

fn below(value: i64) -> Point {
    Point::Below(integer(value))
}

/// E_t for a number t.
fn erf(t: i64) -> Form {
    Form::term(Polynomial::one(), Function::Erf(Knot::new(integer(t))))
}

/// Below Eq. 27: for α → ∞ the hard sigmoid is the identity.
#[test]
fn a_wide_hard_sigmoid_is_the_identity() {
    let (hard, alpha) = (parse(HARD), parameter("alpha"));
    let at = |derivation| limit(checked(derivation), &alpha, &Point::Infinity);
    assert_eq!(at(hard.moment(1)), gamma());
    assert_eq!(at(hard.moment(2)), &power(&gamma(), 2) + &xi2());
    assert_eq!(at(hard.moment(5)), moment("x", 5));
    assert_eq!(at(hard.variance()), xi2());
    assert_eq!(at(hard.central(4)), power(&xi2(), 2).scale(&integer(3)));
    assert_eq!(
        at(hard.covariance(&parse("max(0, x)"))),
        checked(parse("x").covariance(&parse("max(0, x)"))).form()
    );
    // The slope in α is gone before α gets there.
    let slope = hard.moment(2).and_then(|m| m.differentiate(&alpha));
    assert_eq!(at(slope), Form::zero());
}

#[test]
fn narrow_transitions_become_jumps() {
    let ramp = parse("ramp(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)");
    let (alpha, sign) = (parameter("alpha"), "sign(x)");
    for n in 1..=4 {
        let narrow = limit(checked(ramp.moment(n)), &alpha, &above(0));
        assert_eq!(narrow, moment(sign, n), "{n}");
        assert_eq!(limit(checked(ramp.moment(n)), &alpha, &Point::Infinity), Form::zero(), "{n}");
    }
    let slope = ramp.moment(1).and_then(|m| m.differentiate(&Symbol::Gamma));
    assert_eq!(limit(checked(slope), &alpha, &above(0)), erf(0).derivative(&Symbol::Gamma));
    assert_eq!(limit(checked(ramp.variance()), &alpha, &above(0)), &whole(1) - &power(&erf(0), 2));

    let smooth = parse("smooth(x; w > 0) = clamp(x/w + 1/2, 0, 1)");
    let w = parameter("w");
    assert_eq!(limit(checked(smooth.moment(1)), &w, &above(0)), mean("step(x)"));
    let half = whole(1).scale(&ratio(1, 2));
    assert_eq!(limit(checked(smooth.moment(1)), &w, &Point::Infinity), half);
    // A bend that becomes a jump of the slope: twice relu's mean, from a parabola between.
    let soft = parse("soft(x; w > 0) = piecewise { x < 0: 0; x < w: x^2/w; else: 2*x - w }");
    let relu = mean("2*relu(x)");
    assert_eq!(limit(checked(soft.moment(1)), &w, &above(0)), relu);
}

#[test]
fn soft_shrink_between_its_limits() {
    let (shrink, lambda) = (parse(SHRINK), parameter("lambda"));
    for n in 1..=3 {
        let moment_at = |point: &Point| limit(checked(shrink.moment(n)), &lambda, point);
        assert_eq!(moment_at(&above(0)), moment("x", n), "{n}");
        assert_eq!(moment_at(&Point::Infinity), Form::zero(), "{n}");
        let two = "x - clamp(x, -2, 2)";
        assert_eq!(moment_at(&above(2)), moment(two, n), "{n}");
        assert_eq!(moment_at(&below(2)), moment(two, n), "{n}");
    }
}

#[test]
fn far_means_see_the_outer_pieces() {
    for text in ACTIVATIONS {
        let activation = parse(text);
        let pieces = activation.function.pieces();
        for n in 1..=2 {
            for (point, piece) in [
                (Point::NegativeInfinity, &pieces[0]),
                (Point::Infinity, &pieces[pieces.len() - 1]),
            ] {
                let far = limit(checked(activation.moment(n)), &Symbol::Gamma, &point);
                // E[p(u)] of a polynomial: γ + ξ² ∂_γ in the place of u.
                let coefficients = piece.pow(n).coefficients(&Symbol::Variable);
                let expected = coefficients
                    .iter()
                    .rev()
                    .fold(Form::zero(), |sum, c| &sum.times_u() + &c.clone().into());
                assert_eq!(far, expected, "{text}, {n}, {point:?}");
            }
        }
    }
}

#[test]
fn limits_commute_with_derivatives() {
    let (hard, alpha) = (parse(HARD), parameter("alpha"));
    for symbol in [Symbol::Gamma, Symbol::Xi2] {
        let moment = checked(hard.moment(2));
        let first = checked(moment.clone().limit(&alpha, &Point::Infinity));
        let one = checked(first.differentiate(&symbol)).form();
        let slope = checked(moment.differentiate(&symbol));
        assert_eq!(limit(slope, &alpha, &Point::Infinity), one);
    }
}

#[test]
fn limits_that_are_none_are_errors() {
    let reports = [
        ("g(x; a > 0) = max(0, x + a)", "a", Point::Infinity),
        ("g(x; a > 0) = x/a", "a", above(0)),
        ("g(x; a > 0) = |x|/a^2 + a", "a", above(0)),
        ("g(x; a > 0) = max(0, x - a)", "a", Point::NegativeInfinity),
        ("g(x; a > 0) = max(0, x - a)", "a", below(0)),
        ("g(x; a > 0) = max(0, x - a)", "a", above(-1)),
        ("g(x; a in (0, 1)) = max(a*x, x)", "a", above(1)),
        ("g(x; a in (0, 1)) = max(a*x, x)", "a", Point::Infinity),
        ("g(x; a, b) = clamp(x - a*b, 0, 1)", "a", Point::Infinity),
    ]
    .map(|(text, name, point)| {
        let derivation = checked(parse(text).moment(1));
        let error = derivation.limit(&parameter(name), &point).expect_err(text);
        assert!(matches!(error.kind, ErrorKind::Divergent(_)), "{text}");
        let place = match point {
            Point::Infinity => "inf".to_owned(),
            Point::NegativeInfinity => "-inf".to_owned(),
            Point::Above(value) => format!("{value}+"),
            Point::Below(value) => format!("{value}-"),
        };
        format!("{text}, {name} -> {place}: {error}")
    });
    assert_snapshot!(reports.join("\n"), @"
    g(x; a > 0) = max(0, x + a), a -> inf: there is no finite limit
    g(x; a > 0) = x/a, a -> 0+: there is no finite limit
    g(x; a > 0) = |x|/a^2 + a, a -> 0+: there is no finite limit
    g(x; a > 0) = max(0, x - a), a -> -inf: what is declared keeps the parameter away from there
    g(x; a > 0) = max(0, x - a), a -> 0-: what is declared keeps the parameter away from there
    g(x; a > 0) = max(0, x - a), a -> -1+: what is declared keeps the parameter away from there
    g(x; a in (0, 1)) = max(a*x, x), a -> 1+: what is declared keeps the parameter away from there
    g(x; a in (0, 1)) = max(a*x, x), a -> inf: what is declared keeps the parameter away from there
    g(x; a, b) = clamp(x - a*b, 0, 1), a -> inf: what is declared does not decide where `a*b` goes
    ");

    let relu = checked(parse("max(0, x)").moment(1));
    for (symbol, point) in [
        (Symbol::Xi2, above(0)),
        (Symbol::Xi2, Point::Infinity),
        (Symbol::Gamma, above(0)),
        (Symbol::Variable, Point::Infinity),
    ] {
        assert!(relu.clone().limit(&symbol, &point).is_err(), "{symbol:?} to {point:?}");
    }
}

/// At the ends of a closed domain and inside an open one, a limit from within is there.
#[test]
fn limits_at_the_ends_of_a_domain() {
    let (leaky, eps) = (parse("leaky(x; eps in (0, 1)) = max(eps*x, x)"), parameter("eps"));
    let at = |point: &Point| limit(checked(leaky.moment(2)), &eps, point);
    assert_eq!(at(&above(0)), moment("max(0, x)", 2));
    assert_eq!(at(&below(1)), moment("x", 2));
    let half = moment("max(x/2, x)", 2);
    assert_eq!(at(&Point::Above(ratio(1, 2))), half);
    assert_eq!(at(&Point::Below(ratio(1, 2))), half);
}

/// For ξ → 0 the n-th moment is g(γ)ⁿ between knots; on a knot it is the mean of both sides.
#[test]
fn without_noise_a_moment_is_a_power() {
    let jumps = ["sign(x)", "step(x^2 - 2)*(x + 3)", "g(x; t) = step(x - t)*(x - 2*t)"];
    for text in ACTIVATIONS.into_iter().chain(jumps) {
        let activation = parse(text);
        let (knots, pieces) = (activation.function.knots(), activation.function.pieces());
        let at = |piece: &Polynomial, place: &Polynomial, n| {
            piece.substitute(&Symbol::Variable, place).pow(n)
        };
        for n in 1..=3 {
            let noiseless = checked(activation.moment(n)).noiseless();
            let gamma = Polynomial::symbol(Symbol::Gamma);
            // A power may have fewer knots.
            let mut between: Vec<_> = pieces.iter().map(|piece| at(piece, &gamma, n)).collect();
            between.dedup();
            assert_eq!(noiseless.between, between, "{text}");
            for (knot, on) in noiseless.knots.iter().zip(&noiseless.on) {
                let place = knots.iter().position(|known| known == knot).expect("a knot");
                let sides = &pieces[place..];
                let [left, right] = [0, 1].map(|i| at(&sides[i], &knot.polynomial(), n));
                let expected = (&left + &right).scale(&ratio(1, 2));
                let found = on.get(&0).map_or_else(Polynomial::zero, |roots| roots[0].clone());
                assert_eq!(found, expected, "{text} on {knot:?}");
                assert!(on.keys().all(|exponent| *exponent >= 0), "{text} on {knot:?}");
            }
        }
    }
    // Half a jump squared is left of the variance on it.
    let variance = checked(parse("3*step(x)").variance()).noiseless();
    assert_eq!(variance.between, [Polynomial::zero(), Polynomial::zero()]);
    assert_eq!(variance.on[0][&0], [Polynomial::constant(ratio(9, 4))]);
}

/// A limit in a parameter leaves other knots than those of the function.
#[test]
fn without_noise_a_limit_has_its_own_knots() {
    let ramp = parse("ramp(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)");
    let narrow = checked(ramp.moment(1).and_then(|m| m.limit(&parameter("alpha"), &above(0))));
    let noiseless = narrow.noiseless();
    assert_eq!(noiseless.knots, [Knot::new(integer(0))]);
    assert_eq!(noiseless.between, [-1, 1].map(|n| Polynomial::constant(integer(n))));
}

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

const CASES: [&str; 15] = [
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

#[test]
fn moments_of_cases_prove_themselves() {
    for case in EXPLORED.iter().flat_map(|(_, cases)| cases) {
        checked(case.activation.variance());
    }
}
