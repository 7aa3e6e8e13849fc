//! A hunt for a function that a kernel is wrong for: random piecewise polynomials of kinds that nobody chose to pass,
//! with numbers and with parameters, at points on and around their knots, single and in slices, against the truth.
//!
//! `GAUSSFORM_HUNT=2000` takes so many functions, `GAUSSFORM_HUNT_SEED=7` others.

mod degree;
mod logarithms;
mod measure;
mod parameters;
mod subject;

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::to_f64;
use gaussform_codegen::{ACCURACY, Kernel};
use gaussform_symbolic::Activation as Declared;

use measure::{error, point, slice};
use subject::{Subject, subject};

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
