//! A hunt for a function that a kernel is wrong for: random piecewise polynomials of kinds that nobody chose to pass,
//! with numbers and with parameters, at points on and around their knots, single and in slices, against the truth.
//!
//! `GAUSSFORM_HUNT=2000` takes so many functions, `GAUSSFORM_HUNT_SEED=7` others.

mod degree;
mod far;
mod knots;
mod logarithms;
mod measure;
mod parameters;
mod subject;
mod tally;
mod turning;

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation as Declared;

use measure::point;
use subject::{Subject, subject};
use tally::{Points, Tally};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[test]
fn no_function_is_wrong() {
    const POINTS: usize = 10;
    let functions = setting("GAUSSFORM_HUNT", 400);
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1));
    let oracle = Oracle::new(640);
    let mut tally = Tally::default();
    for _ in 0..functions {
        let Subject { kind, declaration, function, knots } = subject(&mut random);
        let activation = Declared::parse(&declaration).expect("a declaration");
        let kernel = Kernel::new(&activation).expect("a kernel");
        let points = Points::new(POINTS, |is_single| point(&mut random, &knots, is_single));
        let name = format!("{kind:?}: {declaration}");
        tally.compare(&name, (&kernel, &[]), (&oracle, &function), &points);
    }
    tally.end(&format!("{functions} functions"));
}
