//! Moments seen from one piece are the derived moments, whatever the piece: as forms, exactly.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Regime};

/// Functions with bounded pieces: with and without jumps, of degree up to 4, with knots that no
/// float holds and with knots that move.
const BOUNDED: [&str; 12] = [
    "clamp(x, -1, 1)",
    "max(0, 1 - |x|)",
    "sign(x + 2) + 3*step(x - 1/7)",
    "x*clamp(x + 3, 0, 6)/6",
    "clamp(x, -1/3, 2/3)^3",
    "||x| - 1| + x^2",
    "|x^2 - 2|",
    "max(x^4 - 3*x, x + 1)",
    "g(x; a < b) = clamp(x, a, b)",
    "g(x; a < b, c) = piecewise { x < a: x^2; x < b: c*x; else: 1 - x }",
    "g(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
    "g(x; lambda > 0) = x - clamp(x, -lambda, lambda)",
];

/// A bounded piece whose value at the left end is kept: it is much larger than the rise.
const HIGH: [&str; 2] = ["clamp(x, 10, 11)", "100 + clamp(x, -1, 1)^2"];

fn check(activation: &Activation, regime: &Regime<'_>, place: &str) {
    let mean = activation.moment(1).expect("a low order");
    let variance = activation.variance().expect("little work");
    assert_eq!(regime.mean(), mean.form(), "mean of {place}");
    assert_eq!(regime.variance(), variance.form(), "variance of {place}");
}

fn parse(text: &str) -> Activation {
    Activation::parse(text).expect("a valid activation")
}

#[test]
fn from_every_piece() {
    for text in BOUNDED.iter().chain(&HIGH) {
        let activation = parse(text);
        for base in 0..activation.function.pieces().len() {
            let regime = Regime::new(&activation.function, base);
            check(&activation, &regime, &format!("{text}, base {base}"));
        }
    }
}

#[test]
fn from_the_levels_of_every_bounded_piece() {
    for text in BOUNDED.iter().chain(&HIGH) {
        let activation = parse(text);
        for base in 1..activation.function.pieces().len() - 1 {
            for (end, regime) in Regime::levels(&activation.function, base).iter().enumerate() {
                check(&activation, regime, &format!("{text}, level {end} of {base}"));
            }
        }
    }
}

/// The levels of piece 1.
fn levels(text: &str) -> Vec<Polynomial> {
    let activation = parse(text);
    let regimes = Regime::levels(&activation.function, 1);
    regimes.iter().map(|regime| regime.polynomial().clone()).collect()
}

#[test]
fn a_piecewise_linear_function_has_the_level_zero_unless_it_is_large() {
    for text in ["clamp(x, -1, 1)", "max(0, 1 - |x|)"] {
        assert_eq!(levels(text), [Polynomial::zero()], "{text}");
    }
    let number = |n| Polynomial::constant(integer(n));
    assert_eq!(levels("clamp(x, 10, 11)"), [number(10)]);
    let a = Polynomial::symbol(Symbol::Parameter("a".into()));
    assert_eq!(levels("g(x; a < b) = clamp(x, a, b)"), [a]);
}

#[test]
fn the_levels_of_a_curved_piece_are_its_values_at_both_ends() {
    let number = |n| Polynomial::constant(integer(n));
    assert_eq!(levels("clamp(x, 1, 2)^3"), [number(1), number(8)]);
}

#[test]
fn around_a_level_every_piece_differs_also_the_base() {
    let activation = parse("clamp(x, 10, 11)");
    let differences = Regime::levels(&activation.function, 1)[0].differences();
    let places: Vec<_> = differences.iter().map(|d| (d.piece, d.near, d.far, d.right)).collect();
    assert_eq!(places, [(0, 0, None, false), (1, 0, Some(1), true), (2, 1, None, true)]);
    let number = |n| Polynomial::constant(integer(n));
    let polynomials: Vec<_> = differences.into_iter().map(|d| d.polynomial).collect();
    let rising = &Polynomial::symbol(Symbol::Variable) - &number(10);
    assert_eq!(polynomials, [Polynomial::zero(), rising, number(1)]);
}
