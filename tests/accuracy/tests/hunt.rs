//! A hunt for a function that a kernel is wrong for: random piecewise polynomials of kinds that nobody chose to pass,
//! at points on and around their knots, single and in slices, against the truth.
//!
//! `GAUSSFORM_HUNT=2000` takes so many functions, `GAUSSFORM_HUNT_SEED=7` others.

use gaussform_accuracy::function::Function;
use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::{ratio, to_f64};
use gaussform_codegen::{ACCURACY, ACCURACY_OF_SLOPE, Kernel};
use gaussform_runtime::kernel::pieces::Table;
use gaussform_runtime::{Activation, Float, MomentsGradMut};
use gaussform_symbolic::Activation as Declared;

/// A fraction of small numbers.
type Fraction = (i64, i64);

fn text((above, below): Fraction) -> String {
    format!("{above}/{below}")
}

fn fraction(random: &mut Random, most: i64, below: &[i64]) -> Fraction {
    let below = *random.of(below);
    let limit = (most * below) as f64;
    (random.between(-limit, limit + 1.0).floor() as i64, below)
}

/// What is special about a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
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
struct Subject {
    kind: Kind,
    declaration: String,
    function: Function,
    knots: Vec<f64>,
}

fn subject(random: &mut Random) -> Subject {
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
    // The oracle takes the pieces as the engine reads them: exact numbers, which it evaluates in its own way.
    let read = Declared::parse(&declaration).expect("a declaration");
    let symbol = gaussform_symbolic::polynomial::Symbol::Variable;
    let polynomials = read.function.pieces().iter().map(|piece| {
        let coefficients = piece.coefficients(&symbol);
        let numbers = coefficients.iter().map(|c| c.as_constant().expect("a number"));
        numbers.map(|c| ratio(&c.to_string())).collect()
    });
    let places: Vec<_> =
        read.function.knots().iter().map(|k| k.rational().expect("rational").clone()).collect();
    let function = Function::new(
        &declaration,
        places.iter().map(|place| ratio(&place.to_string())).collect(),
        polynomials.collect(),
    );
    let mut knots: Vec<f64> = knots.iter().map(value).collect();
    if knots.is_empty() {
        knots.push(0.0);
    }
    Subject { kind, declaration, function, knots }
}

/// γ and ξ² beside the knots, at every scale.
fn point(random: &mut Random, knots: &[f64], is_single: bool) -> [f64; 2] {
    let knot = *random.of(knots);
    let widths: Vec<f64> = knots.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let width = if widths.is_empty() { 1.0 } else { *random.of(&widths) };
    let far = if is_single { 6.0 } else { 30.0 };
    let xi2 = match random.draw() % 4 {
        0 => random.between(-6.0, 4.0).exp(),
        1 => (width * 10_f64.powf(random.between(-2.5, 2.5))).powi(2),
        2 => 10_f64.powf(random.between(-6.0, 6.0)),
        _ => 10_f64.powf(random.between(-far, far)),
    };
    let tail = if is_single { 12.0 } else { 37.0 };
    let z = match random.draw() % 5 {
        0 => 0.0,
        1 => random.between(-1.0, 1.0),
        2 => random.between(-8.0, 8.0),
        3 => random.between(-tail, tail),
        _ => 10_f64.powf(random.between(-9.0, -1.0)),
    };
    let gamma = knot + z * xi2.sqrt();
    let gamma = if random.draw().is_multiple_of(10) { knot * (1.0 + f64::EPSILON) } else { gamma };
    if is_single { [f64::from(gamma as f32), f64::from(xi2 as f32)] } else { [gamma, xi2] }
}

/// The largest error of a result in units in the last place: the mean beside the root of the second moment, its
/// derivatives beside √Var/ξ and √Var/ξ², those of the variance beside Var/ξ and Var/ξ², each if it is larger
/// than the value.
fn error(truth: &[f64; 7], xi2: f64, got: &[f64; 7], is_single: bool) -> f64 {
    let (second, variance, xi) = (truth[1], truth[2], xi2.sqrt());
    let deviation = variance.sqrt();
    let scales = [
        second.sqrt(),
        second,
        variance,
        deviation / xi,
        deviation / xi2,
        variance / xi,
        variance / xi2,
    ];
    let (unit, least, most) = if is_single {
        (f64::from(f32::EPSILON), 1e-33, 1e33)
    } else {
        (f64::EPSILON, 1e-290, 1e290)
    };
    let of = |i: usize| {
        let scale = scales[i].max(truth[i].abs());
        if !(scale > least && scale < most) {
            return if got[i].is_nan() { f64::INFINITY } else { 0.0 };
        }
        let error = (got[i] - truth[i]).abs() / scale / unit;
        let is_impossible = error.is_nan() || (1..=2).contains(&i) && got[i] < 0.0;
        if is_impossible { f64::INFINITY } else { error }
    };
    // What is promised of the last but one is less.
    let share = |i: usize| if i == 5 { of(i) * (ACCURACY / ACCURACY_OF_SLOPE) } else { of(i) };
    (0..7).map(share).fold(0.0, f64::max)
}

/// A slice by the batched method, the second moment from the others.
fn slice<T: Float>(table: &Table<'_>, points: &[[f64; 2]]) -> Vec<[f64; 7]> {
    let [gamma, xi2] = [0, 1].map(|i| points.iter().map(|p| T::from_f64(p[i])).collect::<Vec<_>>());
    let mut columns = vec![vec![T::ZERO; points.len()]; 6];
    let slices: Vec<&mut [T]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    let slices = slices.try_into().unwrap_or_else(|_| unreachable!("six"));
    table.moments_grad_into(&gamma, &xi2, MomentsGradMut::new(slices));
    let row = |i: usize| {
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|k: usize| columns[k][i].to_f64());
        [a, b + a * a, b, c, d, e, f]
    };
    (0..points.len()).map(row).collect()
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn no_function_is_wrong() {
    const POINTS: usize = 10;
    let functions = setting("GAUSSFORM_HUNT", 400);
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1));
    let oracle = Oracle::new(640);
    let (mut worst, mut failures) = (0.0, Vec::new());
    for _ in 0..functions {
        let subject = subject(&mut random);
        let activation = Declared::parse(&subject.declaration).expect("a declaration");
        let kernel = Kernel::new(&activation).expect("a kernel");
        let doubles: Vec<_> =
            (0..POINTS).map(|_| point(&mut random, &subject.knots, false)).collect();
        let singles: Vec<_> =
            (0..POINTS).map(|_| point(&mut random, &subject.knots, true)).collect();
        let mut check = |points: &[[f64; 2]], results: &[[f64; 7]], is_single: bool, how: &str| {
            for (&[gamma, xi2], got) in points.iter().zip(results) {
                let truth = oracle.truth(&subject.function, gamma, xi2).values;
                let truth: [f64; 7] = std::array::from_fn(|i| to_f64(&truth[i]));
                let error = error(&truth, xi2, got, is_single);
                worst = f64::max(worst, error);
                if error > ACCURACY {
                    let Subject { kind, declaration, .. } = &subject;
                    failures.push(format!(
                        "{error:.3e} ulp, {how}, {kind:?}: {declaration} at {gamma:e}, {xi2:e}: {got:?}"
                    ));
                }
            }
        };
        let single = |&[gamma, xi2]: &[f64; 2]| kernel.moments_grad(&[], gamma, xi2).to_array();
        let results: Vec<[f64; 7]> = doubles.iter().map(single).collect();
        check(&doubles, &results, false, "single");
        if let Some(numbers) = kernel.numbers() {
            check(&doubles, &numbers.with(|t| slice::<f64>(t, &doubles)), false, "slice of f64");
            check(&singles, &numbers.with(|t| slice::<f32>(t, &singles)), true, "slice of f32");
        }
    }
    #[allow(clippy::print_stdout, reason = "of a hunt on request one wants to know")]
    {
        println!("{functions} functions, largest error {worst:.2} ulp");
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
