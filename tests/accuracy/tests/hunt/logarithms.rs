//! Logarithms of mean and variance of random functions that begin somewhere, seen from far below.

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::points::Random;
use gaussform_accuracy::real::{Real, to_f64};
use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation as Declared;

use super::setting;
use super::subject::{fraction, function, text};
use super::tally::Tally;

/// A sum of powers of hinges, which is 0 at first and not negative.
fn declaration(random: &mut Random) -> (String, f64) {
    let count = 1 + random.draw() % 4;
    let mut knots: Vec<(i64, i64)> = (0..count).map(|_| fraction(random, 3, &[1, 2, 7])).collect();
    knots.sort_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)));
    let terms = knots.iter().map(|&knot| {
        let coefficient = 1 + random.draw() % 5;
        let power = 1 + random.draw() % 3;
        let hinge = format!("max(0, x - ({}))", text(knot));
        match random.draw() % 3 {
            0 => format!("{coefficient}*min({hinge}, 1/{power})"),
            1 => format!("{coefficient}*sign({hinge})"),
            _ => format!("{coefficient}*{hinge}^{power}"),
        }
    });
    (terms.collect::<Vec<_>>().join(" + "), knots[0].0 as f64 / knots[0].1 as f64)
}

#[test]
fn no_logarithm_is_wrong() {
    const POINTS: usize = 8;
    let functions = setting("GAUSSFORM_HUNT", 400) / 4;
    let mut random = Random::new(setting("GAUSSFORM_HUNT_SEED", 1));
    let oracle = Oracle::new(1000);
    let mut tally = Tally::default();
    for _ in 0..functions {
        let (text, first) = declaration(&mut random);
        let declared = Declared::parse(&text).expect("a declaration");
        let kernel = Kernel::new(&declared).expect("a kernel");
        assert!(kernel.is_nonnegative(), "{text}");
        let truth_of = function(&text, &declared.function);
        for _ in 0..POINTS {
            let xi2 = 10_f64.powf(random.between(-4.0, 2.0));
            let gamma = first - random.between(-3.0, 60.0) * xi2.sqrt();
            let truth = oracle.truth(&truth_of, gamma, xi2).values;
            let slope = |derivative: usize, of: usize| to_f64(&(&truth[derivative] / &truth[of]));
            let logarithm = |of: &Real| to_f64(&of.ln());
            let xi = xi2.sqrt();
            // With what errors are measured against where it is larger; the deviation beside the mean.
            let beside = to_f64(&(&truth[2].sqrt() / &truth[0]));
            let wanted = [
                (logarithm(&truth[0]), 1.0),
                (logarithm(&truth[2]), 1.0),
                (slope(3, 0), beside / xi),
                (slope(4, 0), beside / xi2),
                (slope(5, 2), 1.0 / xi),
                (slope(6, 2), 1.0 / xi2),
            ];
            let got = kernel.fixed(&[]).log_moments_grad(gamma, xi2).to_array();
            for (i, (got, (wanted, scale))) in got.into_iter().zip(wanted).enumerate() {
                let error = (got - wanted).abs() / wanted.abs().max(scale) / f64::EPSILON;
                // A quotient has the errors of both.
                let most = 2.0 * kernel.accuracy();
                tally.record(error, most, || {
                    format!("{i}: {text} at {gamma:e}, {xi2:e}: {got:e}, not {wanted:e}")
                });
            }
        }
    }
    tally.end(&format!("logarithms of {functions} functions"));
}
