//! Random functions of a high degree, or of many knots, up to the most that the language takes, against the oracle.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::to_f64;
use gaussform_codegen::Kernel;
use gaussform_symbolic::{Activation as Declared, Limit};

use crate::setting;
use crate::subject::{Fraction, fraction, function, text};
use crate::tally::{Points, Tally};

/// The kind of a random function, by what makes it hard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A power of a clamped line.
    Power,
    /// Some terms of a high degree in powers of the distance from a knot, with jumps.
    Pieces,
    /// Some terms of a high degree in powers of the distance from a knot, without jumps.
    Continuous,
    /// A sum of powers of hinges.
    Hinges,
    /// Straight pieces between many knots.
    Straight,
}

const KINDS: [Kind; 5] =
    [Kind::Power, Kind::Pieces, Kind::Continuous, Kind::Hinges, Kind::Straight];

/// A random function and its knots.
struct Subject {
    kind: Kind,
    declaration: String,
    function: Function,
    knots: Vec<f64>,
}

/// From 1 to the most that is accepted, small numbers as often as large ones.
fn size(random: &mut Random, limit: Limit) -> u64 {
    let most = limit.maximum() as f64;
    random.between(0.0, (most + 1.0).ln()).exp().floor() as u64
}

fn subject(random: &mut Random) -> Subject {
    let kind = *random.of(&KINDS);
    let degree = size(random, Limit::Degree);
    let place = |random: &mut Random| fraction(random, 4, &[1, 2, 7, 10]);
    let declaration = match kind {
        Kind::Power => {
            let (a, width) = (place(random), 1 + random.draw() % 4);
            let hinge = format!("clamp(x - ({}), -1/2, {width})", text(a));
            let rest = fraction(random, 3, &[1, 2, 5]);
            format!("{hinge}^{degree} + ({})*x", text(rest))
        }
        Kind::Pieces | Kind::Continuous => pieces(random, kind == Kind::Pieces, degree),
        Kind::Hinges | Kind::Straight => {
            let degree = if kind == Kind::Straight { 1 } else { degree };
            let hinge = |random: &mut Random| {
                let (a, factor) = (place(random), fraction(random, 3, &[1, 2, 5]));
                format!("({})*max(0, x - ({}))^{degree}", text(factor), text(a))
            };
            let count = size(random, Limit::Knots);
            (0..count).map(|_| hinge(random)).collect::<Vec<_>>().join(" + ")
        }
    };
    let read = Declared::parse(&declaration).expect("a declaration");
    let function = function(&declaration, &read.function);
    let mut knots: Vec<f64> = function.knots.iter().map(to_f64).collect();
    if knots.is_empty() {
        knots.push(0.0);
    }
    Subject { kind, declaration, function, knots }
}

/// Up to six pieces, each with three terms.
fn pieces(random: &mut Random, jumps: bool, degree: u64) -> String {
    let count = 1 + random.draw() % 5;
    let mut knots: Vec<Fraction> =
        (0..count).map(|_| fraction(random, 4, &[1, 2, 7, 10])).collect();
    knots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    knots.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    let mut parts = String::new();
    // The value of the pieces before at the last knot, if it is to be met.
    let mut level = "0".to_owned();
    for i in 0..=knots.len() {
        let place = text(knots[i.saturating_sub(1)]);
        let term = |random: &mut Random, power: u64| {
            format!("({})*(x - ({place}))^{power}", text(fraction(random, 3, &[1, 2, 5])))
        };
        let some = 1 + random.draw() % degree;
        let piece = [1, some, degree].map(|power| term(random, power)).join(" + ");
        if jumps {
            level = text(fraction(random, 3, &[1, 2, 5]));
        }
        let end = knots.get(i).map_or("else".to_owned(), |knot| format!("x < {}", text(*knot)));
        parts += &format!("{end}: {piece} + {level}; ");
        if let (false, Some(knot)) = (jumps, knots.get(i)) {
            level = format!("{level} + {}", piece.replace('x', &format!("({})", text(*knot))));
        }
    }
    format!("piecewise {{ {parts}}}")
}

/// γ and ξ² around the knots, where powers do not overflow.
fn point(random: &mut Random, knots: &[f64], is_single: bool) -> [f64; 2] {
    let knot = *random.of(knots);
    let xi2 = random.between(-12.0, 5.0).exp();
    let z = match random.draw() % 4 {
        0 => 0.0,
        1 => random.between(-1.0, 1.0),
        2 => random.between(-8.0, 8.0),
        _ => random.between(-30.0, 30.0),
    };
    let gamma = knot + z * xi2.sqrt();
    if is_single { [f64::from(gamma as f32), f64::from(xi2 as f32)] } else { [gamma, xi2] }
}

#[test]
fn no_high_degree_is_wrong() {
    const POINTS: usize = 6;
    let functions = setting("GAUSSFORM_HUNT", 400) / 8;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1) + 1_000);
    let mut tally = Tally::default();
    for _ in 0..functions {
        let Subject { kind, declaration, function, knots } = subject(&mut random);
        let activation = Declared::parse(&declaration).expect("a declaration");
        let kernel = Kernel::new(&activation).expect("a kernel");
        // Squares of values near the ends of the points have so many digits before the point.
        let degree = u64::try_from(activation.function.degree()).expect("a degree");
        let oracle = Oracle::new(640 + 20 * degree);
        let points = Points::new(POINTS, |is_single| point(&mut random, &knots, is_single));
        let name = format!("{kind:?}: {declaration}");
        tally.compare(&name, (&kernel, &[]), (&oracle, &function), &points);
    }
    tally.end(&format!("{functions} functions of high degree or many knots"));
}
