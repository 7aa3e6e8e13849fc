//! Random functions of kinds that nobody chose to pass.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::ratio;
use gaussform_symbolic::{Activation as Declared, Piecewise};

/// A fraction of small numbers.
pub(crate) type Fraction = (i64, i64);

pub(crate) fn text((above, below): Fraction) -> String {
    format!("{above}/{below}")
}

pub(crate) fn fraction(random: &mut Random, most: i64, below: &[i64]) -> Fraction {
    let below = *random.of(below);
    let limit = (most * below) as f64;
    (random.between(-limit, limit + 1.0).floor() as i64, below)
}

/// The kind of a random function, by what makes it hard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Continuous,
    Jumps,
    Narrow,
    Far,
    /// Far knots, and pieces in powers of x itself that meet at them: their constants are huge.
    Global,
    Offset,
    Hinges,
    HighDegree,
    Flat,
    MultipleRoots,
}

const KINDS: [Kind; 10] = [
    Kind::Continuous,
    Kind::Jumps,
    Kind::Narrow,
    Kind::Far,
    Kind::Global,
    Kind::Offset,
    Kind::Hinges,
    Kind::HighDegree,
    Kind::Flat,
    Kind::MultipleRoots,
];

/// A random function as a declaration, and as the oracle has it.
pub(crate) struct Subject {
    pub(crate) kind: Kind,
    pub(crate) declaration: String,
    pub(crate) function: Function,
    pub(crate) knots: Vec<f64>,
}

pub(crate) fn subject(random: &mut Random) -> Subject {
    let kind = *random.of(&KINDS);
    let count = match kind {
        Kind::Hinges => 3 + random.draw() % 10,
        Kind::HighDegree | Kind::MultipleRoots => random.draw() % 3,
        Kind::Global => 1 + random.draw() % 3,
        _ => 1 + random.draw() % 6,
    };
    let degree = match kind {
        Kind::Hinges => 1,
        Kind::HighDegree => 5 + random.draw() % 8,
        Kind::MultipleRoots => 2 + random.draw() % 5,
        _ => *random.of(&[0, 1, 1, 1, 2, 2, 3, 4]),
    };
    let mut knots: Vec<Fraction> =
        (0..count).map(|_| fraction(random, 4, &[1, 2, 7, 10])).collect();
    if kind == Kind::Narrow {
        let tiny = 10_i64.pow(1 + (random.draw() % 6) as u32);
        knots.truncate(3);
        let beside: Vec<Fraction> = knots.iter().map(|&(a, b)| (a * tiny + b, b * tiny)).collect();
        knots.extend(beside);
    }
    if matches!(kind, Kind::Far | Kind::Global) {
        for knot in &mut knots {
            knot.0 *= 10_i64.pow((random.draw() % 6) as u32);
        }
    }
    let value = |knot: &Fraction| knot.0 as f64 / knot.1 as f64;
    knots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    knots.dedup_by(|a, b| a.0 * b.1 == b.0 * a.1);
    // Each piece in powers of the distance from a place, which is the knot before it if it is to be continuous.
    let pieces: Vec<String> = (0..=knots.len())
        .map(|i| {
            let place = match kind {
                Kind::MultipleRoots => fraction(random, 3, &[1, 3]),
                Kind::Global => (0, 1),
                _ => knots.get(i.saturating_sub(1)).copied().unwrap_or((0, 1)),
            };
            let first = if kind == Kind::MultipleRoots { degree } else { 1 };
            let last =
                if kind == Kind::Flat && random.draw().is_multiple_of(2) { 0 } else { degree };
            let terms = (first..=last).map(|j| {
                let coefficient = fraction(random, 3, &[1, 2, 5]);
                format!("({})*(x - ({}))^{j}", text(coefficient), text(place))
            });
            let terms: Vec<String> = terms.collect();
            if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
        })
        .collect();
    assemble(random, kind, &knots, &pieces, value)
}

/// Adds a constant to each piece.
fn assemble(
    random: &mut Random,
    kind: Kind,
    knots: &[Fraction],
    pieces: &[String],
    value: impl Fn(&Fraction) -> f64,
) -> Subject {
    let jumps = matches!(kind, Kind::Jumps | Kind::Flat | Kind::HighDegree);
    let offset = if kind == Kind::Offset { 10_i64.pow(2 + (random.draw() % 5) as u32) } else { 0 };
    let mut parts = String::new();
    // What is added to a piece that is in powers of x, so that it meets the one before it.
    let mut level = "0".to_owned();
    for (i, piece) in pieces.iter().enumerate() {
        let constant = if jumps || i == 0 { fraction(random, 3, &[1, 2, 5]) } else { (0, 1) };
        if let (Kind::Global, Some(knot)) = (kind, knots.get(i.wrapping_sub(1))) {
            let at = |piece: &str| piece.replace('x', &format!("({})", text(*knot)));
            level += &format!(" + {} - ({})", at(&pieces[i - 1]), at(piece));
        }
        let end = knots.get(i).map_or("else".to_owned(), |knot| format!("x < {}", text(*knot)));
        parts += &format!("{end}: {piece} + {} + {offset} + {level}; ", text(constant));
    }
    let declaration = format!("piecewise {{ {parts}}}");
    let read = Declared::parse(&declaration).expect("a declaration");
    let function = function(&declaration, &read.function);
    let mut knots: Vec<f64> = knots.iter().map(value).collect();
    if knots.is_empty() {
        knots.push(0.0);
    }
    Subject { kind, declaration, function, knots }
}

/// A function without parameters as the oracle has it: exact numbers as the engine reads them, which the oracle
/// evaluates in its own way.
pub(crate) fn function(name: &str, read: &Piecewise) -> Function {
    let symbol = gaussform_symbolic::polynomial::Symbol::Variable;
    let polynomials = read.pieces().iter().map(|piece| {
        let coefficients = piece.coefficients(&symbol);
        let numbers = coefficients.iter().map(|c| c.as_constant().expect("a number"));
        numbers.map(|c| ratio(&c.to_string())).collect()
    });
    let places = read.knots().iter().map(|k| k.rational().expect("rational").clone());
    Function::new(
        name,
        places.map(|place| ratio(&place.to_string())).collect(),
        polynomials.collect(),
    )
}
