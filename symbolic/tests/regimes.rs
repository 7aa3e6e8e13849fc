//! Moments seen from one piece are the derived moments, whatever the piece: as forms, exactly.

use gaussform_symbolic::exact::integer;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};
use gaussform_symbolic::{Activation, Regime};

/// Functions with bounded pieces: with and without jumps, of degree up to 4, with knots that no
/// float holds and with knots that move.
const BOUNDED: [&str; 14] = [
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
    PYRAMID,
    "g(x; h, c) = piecewise { |x| < 1: h*x; else: c }",
];

/// A function with the same values on both sides of a piece, twice.
const PYRAMID: &str = "piecewise { |x| < 1: 2; |x| < 2: 1; else: 0 }";

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
            for (i, regime) in Regime::ends(&activation.function, base).iter().enumerate() {
                check(&activation, regime, &format!("{text}, end {i} of {base}"));
            }
            for (regime, piece) in Regime::levels(&activation.function, base) {
                check(&activation, &regime, &format!("{text}, level {piece} of {base}"));
            }
        }
    }
}

/// The levels around a piece, each with the piece that it is that of.
fn levels(text: &str, base: usize) -> Vec<(Polynomial, usize)> {
    let activation = parse(text);
    let levels = Regime::levels(&activation.function, base);
    levels.iter().map(|(regime, piece)| (regime.polynomial().clone(), *piece)).collect()
}

fn number(n: i64) -> Polynomial {
    Polynomial::constant(integer(n))
}

#[test]
fn a_piecewise_linear_function_has_the_level_zero_unless_it_is_large() {
    assert_eq!(levels("clamp(x, -1, 1)", 1), [(number(0), 0)]);
    assert_eq!(levels("clamp(x, 10, 11)", 1), [(number(10), 0)]);
    let a = Polynomial::symbol(Symbol::Parameter("a".into()));
    assert_eq!(levels("g(x; a < b) = clamp(x, a, b)", 1), [(a, 0)]);
}

#[test]
fn the_level_is_that_of_the_pieces_on_both_sides() {
    assert_eq!(levels("max(0, 1 - |x|)", 2), [(number(0), 0)]);
    assert_eq!(levels(PYRAMID, 2), [(number(1), 1), (number(0), 0)]);
    assert_eq!(levels(PYRAMID, 3), [(number(0), 0)]);
    let c = Polynomial::symbol(Symbol::Parameter("c".into()));
    let around = "g(x; h, c) = piecewise { |x| < 1: h*x; else: c }";
    assert_eq!(levels(around, 1), [(c, 0)]);
    // Beside it g goes through every value, but stays at none.
    assert_eq!(levels("piecewise { |x| < 1: 5; else: x }", 1), [(number(5), 0)]);
}

#[test]
fn the_ends_of_a_piece_are_its_values_there() {
    let activation = parse("clamp(x, 1, 2)^3");
    let ends = Regime::ends(&activation.function, 1);
    assert_eq!(ends.map(|end| end.polynomial().clone()), [number(1), number(8)]);
}

#[test]
fn around_a_level_every_piece_differs_also_the_base() {
    let activation = parse("clamp(x, 10, 11)");
    let differences = Regime::levels(&activation.function, 1)[0].0.differences();
    let places: Vec<_> = differences.iter().map(|d| (d.piece, d.near, d.far, d.right)).collect();
    assert_eq!(places, [(0, 0, None, false), (1, 0, Some(1), true), (2, 1, None, true)]);
    let polynomials: Vec<_> = differences.into_iter().map(|d| d.polynomial).collect();
    let rising = &Polynomial::symbol(Symbol::Variable) - &number(10);
    assert_eq!(polynomials, [Polynomial::zero(), rising, number(1)]);
}
