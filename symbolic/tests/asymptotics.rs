//! Limits of moments: in parameters, far out, and without noise.

mod common;

use common::{
    HARD, QUERIED, SHRINK, checked, gamma, mean, moment, parameter, parse, power, whole, xi2,
};
use gaussform_symbolic::exact::{integer, ratio};
use gaussform_symbolic::moment::{Form, Function, Point};
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Derivation, ErrorKind, Knot, render};
use insta::assert_snapshot;

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
    for text in QUERIED {
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
    for text in QUERIED.into_iter().chain(jumps) {
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

/// On knots that meet, the limit of a function that jumps is another one. Knots that never meet, and functions that are
/// continuous there, need no such word.
#[test]
fn without_noise_knots_that_may_meet_are_told() {
    for (text, n, apart) in [
        ("g(x; a >= 0) = step(x - a) + step(x)", 1, &[0][..]),
        ("g(x; a > 0) = step(x - a) + step(x)", 1, &[]),
        ("g(x; a < b, b <= c) = step(x - a) + step(x - b) + step(x - c)", 1, &[1]),
        ("g(x; a <= b) = clamp(x, a, b)", 2, &[]),
        ("g(x; a <= b) = clamp(x, a, b) + step(x - b)", 2, &[0]),
    ] {
        let moment = checked(parse(text).moment(n));
        assert_eq!(moment.noiseless().apart, apart, "{text}");
    }
    let moment = checked(parse("g(x; a >= 0) = step(x - a) + step(x)").moment(1));
    assert!(render::text::noiseless(&moment).ends_with("\n  on knots for 0 < a"));
    assert!(render::latex::noiseless(&moment).contains("\\text{on knots for } 0 < a"));
    assert!(render::mathml::noiseless(&moment).contains("on knots for"));
    let slope = parse("g(x; a <= b) = clamp(x, a, b)").moment(1);
    let slope = slope.and_then(|moment| moment.differentiate(&Symbol::Gamma));
    assert_eq!(checked(slope).noiseless().apart, [0]);
}

/// Where relations leave one value to the other parameters, they may exclude a side of a point all the same.
#[test]
fn relations_exclude_sides() {
    let text = "g(x; a >= 1, b > 0, a*b <= 1) = clamp(x, -a, b)";
    let moment = checked(parse(text).moment(1));
    let at = |point: Point| moment.clone().limit(&parameter("b"), &point);
    assert!(at(Point::Above(integer(1))).is_err());
    assert!(at(Point::Below(integer(1))).is_ok());
    let moment = checked(parse("g(x; a, a^2 <= 1) = max(a*x, x)").moment(1));
    let near = |point: Point| moment.comes_near(&parameter("a"), &point);
    assert!(!near(Point::Above(integer(1))) && near(Point::Below(integer(1))));
    assert!(near(Point::Above(integer(-1))) && !near(Point::Infinity));
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
