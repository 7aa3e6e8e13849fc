//! Random functions with curved pieces that have no end and turn back beside their knot, so that the terms of a variance cancel.

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::to_f64;
use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation as Declared;

use crate::setting;
use crate::subject::{Fraction, fraction, function, text};
use crate::tally::{Points, Tally};

/// A polynomial in the distance from a place with coefficients of signs that alternate, mostly.
fn piece(random: &mut Random, place: Fraction) -> String {
    let reach = *random.of(&[(1, 10), (1, 3), (1, 1), (5, 2), (40, 1)]);
    let degree = 2 + random.draw() % 2;
    let terms = (0..=degree).map(|j| {
        let (above, below) = fraction(random, 2, &[3, 7, 20]);
        let sign = if random.draw().is_multiple_of(8) || j % 2 == 0 { "" } else { "-" };
        let unit = text(reach);
        format!("{sign}({}/{below})*((x - ({}))/({unit}))^{j}", above.abs(), text(place))
    });
    terms.collect::<Vec<_>>().join(" + ")
}

fn declaration(random: &mut Random) -> String {
    let mut knots = [fraction(random, 3, &[1, 2, 10]), fraction(random, 3, &[1, 2, 10])];
    knots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    let [left, right] = knots;
    let line = format!("({})*x", text(fraction(random, 3, &[1, 2])));
    match random.draw() % 4 {
        0 => {
            let turning = piece(random, left);
            format!("piecewise {{ x < {}: {turning}; else: {line} }}", text(left))
        }
        1 => {
            let turning = piece(random, left);
            format!("piecewise {{ x < {}: {line}; else: {turning} }}", text(left))
        }
        2 => {
            let [a, b] = [left, left].map(|place| piece(random, place));
            format!("piecewise {{ x < {}: {a}; else: {b} }}", text(left))
        }
        _ => {
            let [a, b] = [left, right].map(|place| piece(random, place));
            let [from, to] = [left, right].map(text);
            format!("piecewise {{ x < {from}: {a}; x < {to}: {line}; else: {b} }}")
        }
    }
}

/// γ near a knot, and a ξ of the sizes over which pieces turn back.
fn point(random: &mut Random, knots: &[f64], is_single: bool) -> [f64; 2] {
    let xi = 10_f64.powf(random.between(-1.7, 2.0));
    let at = if knots.is_empty() { 0.0 } else { *random.of(knots) };
    let gamma = match random.draw() % 3 {
        0 => at,
        1 => at + random.between(-1.0, 1.0) * xi,
        _ => at + random.between(-6.0, 6.0) * xi,
    };
    let xi2 = xi * xi;
    if is_single { [f64::from(gamma as f32), f64::from(xi2 as f32)] } else { [gamma, xi2] }
}

#[test]
fn pieces_without_an_end_may_turn_back() {
    const POINTS: usize = 20;
    let functions = setting("GAUSSFORM_HUNT", 400) / 4;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1) + 5_000);
    let oracle = Oracle::new(640);
    let mut tally = Tally::default();
    for _ in 0..functions {
        let declaration = declaration(&mut random);
        let activation = Declared::parse(&declaration).expect("a declaration");
        let function = function(&declaration, &activation.function);
        let knots: Vec<f64> = function.knots.iter().map(to_f64).collect();
        let kernel = Kernel::new(&activation).expect("a kernel");
        let points = Points::new(POINTS, |is_single| point(&mut random, &knots, is_single));
        tally.compare(&declaration, (&kernel, &[]), (&oracle, &function), &points);
        // With coefficients that are computed.
        let text = format!("f(x; c) = c*({declaration})");
        let declared = Declared::parse(&text).expect("a declaration");
        let kernel = Kernel::new(&declared).expect("a kernel");
        tally.compare(&text, (&kernel, &[1.0]), (&oracle, &function), &points);
    }
    tally.end(&format!("{functions} functions that turn back"));
}
