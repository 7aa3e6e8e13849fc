//! Random functions of 2 to 64 knots, at points among them, against the oracle: convex and concave ones, stairs, needles, and
//! slopes that grow by a factor from knot to knot, with knots evenly apart, at random places or ever closer to 0.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::to_f64;
use gaussform_codegen::Kernel;
use gaussform_symbolic::{Activation as Declared, Limit};

use crate::setting;
use crate::subject::{Fraction, fraction, function, text};
use crate::tally::{Points, Tally};

/// The kind of a random function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Hinges of one slope.
    Even,
    /// Hinges of slopes that grow with the distance from a knot, on both sides of it.
    Growing,
    /// Hinges of random slopes.
    Zigzag,
    /// Steps.
    Stairs,
    /// Tents of some width and height on a line.
    Needles,
    /// Hinges to the power 2 or 3.
    Curved,
}

const KINDS: [Kind; 6] =
    [Kind::Even, Kind::Growing, Kind::Zigzag, Kind::Stairs, Kind::Needles, Kind::Curved];

/// A random function and its knots.
struct Subject {
    kind: Kind,
    declaration: String,
    function: Function,
    knots: Vec<f64>,
}

/// So many places in ascending order.
fn places(random: &mut Random, count: i64) -> Vec<Fraction> {
    let below = *random.of(&[1, 3, 10, 1000]);
    let first = fraction(random, 3, &[below]).0 - count / 2;
    let mut places: Vec<Fraction> = match random.draw() % 3 {
        0 => (0..count).map(|i| (first + i, below)).collect(),
        1 => (0..count).map(|_| fraction(random, 4, &[1, 2, 7, 60])).collect(),
        _ => (0..count)
            .map(|i| {
                let sign = if random.draw().is_multiple_of(2) { 1 } else { -1 };
                (sign, 1 << (i % 40))
            })
            .collect(),
    };
    places.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    places.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    places
}

fn subject(random: &mut Random) -> Subject {
    let kind = *random.of(&KINDS);
    // Needles have three knots each.
    let most = Limit::Knots.maximum() / if kind == Kind::Needles { 3 } else { 1 };
    let count = random.between(2_f64.ln(), (most as f64 + 1.0).ln()).exp().floor() as i64;
    let places = places(random, count);
    let power = if kind == Kind::Curved { 2 + random.draw() % 2 } else { 1 };
    let (ratio, middle) = (1 + random.draw() % 3, random.draw() % count as u64);
    let width = 10_i64.pow((random.draw() % 9) as u32);
    let term = |random: &mut Random, i: usize, place: &Fraction| {
        let place = text(*place);
        let factor = text(fraction(random, 3, &[1, 2, 5]));
        match kind {
            Kind::Even => format!("max(0, x - ({place}))"),
            Kind::Growing => {
                let steps = (i as u64).abs_diff(middle);
                let side = if (i as u64) < middle { "-" } else { "" };
                format!("{ratio}^{steps}*max(0, {side}(x - ({place})))")
            }
            Kind::Zigzag | Kind::Curved => format!("({factor})*max(0, x - ({place}))^{power}"),
            Kind::Stairs => format!("({factor})*(piecewise {{ x < {place}: 0; else: 1 }})"),
            Kind::Needles => {
                let height = 10_i64.pow((random.draw() % 6) as u32);
                format!("({height})*max(0, 1 - {width}*|x - ({place})|)")
            }
        }
    };
    let mut terms: Vec<String> =
        places.iter().enumerate().map(|(i, place)| term(random, i, place)).collect();
    terms.push(format!("({})*x", text(fraction(random, 2, &[1, 3]))));
    let declaration = terms.join(" + ");
    let read = Declared::parse(&declaration).unwrap_or_else(|e| panic!("{declaration}: {e}"));
    let function = function(&declaration, &read.function);
    let knots: Vec<f64> = function.knots.iter().map(to_f64).collect();
    Subject { kind, declaration, function, knots }
}

/// γ among the knots or beside them, and a ξ that is small or large beside their distances.
fn point(random: &mut Random, knots: &[f64], is_single: bool) -> [f64; 2] {
    let [first, last] =
        [0, knots.len().saturating_sub(1)].map(|i| knots.get(i).copied().unwrap_or(0.0));
    let i = (random.draw() % knots.len().max(2) as u64) as usize;
    let near = match knots.get(i..i + 2) {
        Some(pair) if random.draw().is_multiple_of(2) => pair[1] - pair[0],
        _ => (last - first).max(1e-3),
    };
    let xi = near * 10_f64.powf(random.between(-1.5, 1.5));
    let gamma = match random.draw() % 3 {
        0 => random.between(first, last),
        1 => knots.get(i).copied().unwrap_or(0.0) + random.between(-3.0, 3.0) * xi,
        _ => random.between(first - 12.0 * xi, last + 12.0 * xi),
    };
    let xi2 = xi * xi;
    if is_single { [f64::from(gamma as f32), f64::from(xi2 as f32)] } else { [gamma, xi2] }
}

#[test]
fn many_knots_lose_no_digits() {
    const POINTS: usize = 10;
    let functions = setting("GAUSSFORM_HUNT", 400) / 4;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1) + 2_000);
    let oracle = Oracle::new(640);
    let mut tally = Tally::default();
    for _ in 0..functions {
        let Subject { kind, declaration, function, knots } = subject(&mut random);
        let activation = Declared::parse(&declaration).expect("a declaration");
        let kernel = Kernel::new(&activation).expect("a kernel");
        let points = Points::new(POINTS, |is_single| point(&mut random, &knots, is_single));
        let name = format!("{kind:?} of {}: {declaration}", knots.len());
        tally.compare(&name, (&kernel, &[]), (&oracle, &function), &points);
    }
    tally.end(&format!("{functions} functions of up to 64 knots"));
}
