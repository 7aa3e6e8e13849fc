//! The probability that intervals and sets hold, counted on rows that were not held out.

use gaussform_bnn::{
    CalibrationError, ClassCalibration, ClassPrediction, Matrix, NormalCalibration, Random,
    RealPrediction, class_score,
};

use crate::support::matrix;

/// Predictions N(0, 1) of `rows` rows, a third of the variance in each part.
fn standard(rows: usize) -> RealPrediction {
    let part = || matrix(1, &vec![1.0 / 3.0; rows]);
    RealPrediction::normal(&matrix(1, &vec![0.0; rows]), &part(), &part(), &part())
}

/// Targets far from Normal, three times as wide as predicted.
fn laplace(rows: usize, random: &mut Random) -> Matrix {
    let draw = |r: &mut Random| {
        // The product of two Normal numbers has the variance 1 and heavy tails.
        3.0 * r.normal() * r.normal()
    };
    matrix(1, &(0..rows).map(|_| draw(random)).collect::<Vec<_>>())
}

#[test]
fn intervals_hold_what_they_promise_on_average() {
    // Over many divisions the share inside is Beta distributed around its mean, ⌈(n + 1)p⌉/(n + 1).
    let mut random = Random::new(4);
    let (held_out, later, times) = (19, 50, 400);
    for probability in [0.5, 0.9, 0.95] {
        let mut inside = 0usize;
        for _ in 0..times {
            let y = laplace(held_out, &mut random);
            let calibration = NormalCalibration::fit(&standard(held_out), &y).unwrap();
            let intervals = calibration.intervals(&standard(later), probability).unwrap();
            let y = laplace(later, &mut random);
            let ends = intervals.lower.values().iter().zip(intervals.upper.values());
            inside += ends.zip(y.values()).filter(|((a, b), y)| *a <= y && y <= b).count();
        }
        let observed = inside as f64 / (later * times) as f64;
        let n = f64::from(held_out as u32);
        let promised = ((n + 1.0) * probability - 1e-9).ceil() / (n + 1.0);
        // Less than four standard errors of the mean of 400 Beta variables.
        let error = (promised * (1.0 - promised) / ((n + 2.0) * times as f64)).sqrt();
        let sampling = (promised * (1.0 - promised) / (later * times) as f64).sqrt();
        assert!(
            (observed - promised).abs() < 4.0 * error.hypot(sampling),
            "{probability}: {observed} for {promised}"
        );
    }
}

#[test]
fn scores_are_counted_by_hand() {
    let y = matrix(1, &[0.5, -1.0, 2.0, -4.0]);
    let calibration = NormalCalibration::fit(&standard(4), &y).unwrap();
    // Of 4 scores the ⌈5 · 0.6⌉ = 3rd, and the 4th.
    for (probability, q) in [(0.2, 0.5), (0.6, 2.0), (0.8, 4.0)] {
        let intervals = calibration.intervals(&standard(1), probability).unwrap();
        assert!((intervals.lower.values()[0] + q).abs() < 1e-12, "{probability}");
        assert!((intervals.upper.values()[0] - q).abs() < 1e-12, "{probability}");
    }
    assert_eq!(
        calibration.intervals(&standard(1), 0.81).unwrap_err().to_string(),
        "4 held-out rows promise no probability of 0.81; hold out at least 5, or ask for less"
    );
    // Where n − S e^(−2x) + x/0.3² is 0, for n = 4 and S = 21.25: between 1 and the likeliest factor.
    let factor = calibration.factors()[0];
    let slope = 4.0 - 21.25 / factor.powi(2) + factor.ln() / 0.09;
    assert!(slope.abs() < 1e-9 && factor > 1.0 && factor < (21.25_f64 / 4.0).sqrt(), "{factor}");
    let curvature = 2.0 * 21.25 / factor.powi(2) + 1.0 / 0.09;
    assert!((calibration.factor_errors()[0] - curvature.sqrt().recip()).abs() < 1e-9);
    let scaled = calibration.scaled(&standard(2)).unwrap();
    assert!((scaled.variance().values()[1] - factor * factor).abs() < 1e-12);
    assert!((scaled.noise.values()[0] - factor * factor / 3.0).abs() < 1e-12);
}

/// Probabilities of classes with the logits `sharpness`·z, and classes drawn with the logits z.
fn classes(rows: usize, sharpness: f64, random: &mut Random) -> (ClassPrediction, Vec<usize>) {
    let (mut p, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let z: Vec<f64> = (0..3).map(|_| 2.0 * random.normal()).collect();
        let softmax = |beta: f64| {
            let sum: f64 = z.iter().map(|z| (beta * z).exp()).sum();
            z.iter().map(|z| (beta * z).exp() / sum).collect::<Vec<_>>()
        };
        // The largest of logits with Gumbel noise, from a Normal number's probability.
        let uniform = 0.5 * libm::erfc(-random.normal() / 2f64.sqrt());
        let truth = softmax(1.0);
        let below = [truth[0], truth[0] + truth[1]];
        labels.push(below.iter().filter(|b| uniform > **b).count());
        p.extend(softmax(sharpness));
    }
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    (ClassPrediction { probabilities: matrix(3, &p), names, information: vec![0.1; rows] }, labels)
}

#[test]
fn a_temperature_undoes_what_sharpened_the_probabilities() {
    let mut random = Random::new(9);
    for sharpness in [0.4, 1.0, 3.0] {
        let (held_out, labels) = classes(20_000, sharpness, &mut random);
        let calibration = ClassCalibration::fit(&held_out, &labels).unwrap();
        let ratio = calibration.temperature() / sharpness;
        assert!((0.95..1.05).contains(&ratio), "{sharpness}: {ratio}");
        let (later, labels) = classes(5_000, sharpness, &mut random);
        let scaled = calibration.scaled(&later).unwrap();
        assert_eq!(scaled.labels(), later.labels());
        let [before, after] = [&later, &scaled].map(|p| class_score(p, &labels));
        assert!(after.calibration_error < 0.03, "{sharpness}");
        assert!(after.log_likelihood > before.log_likelihood - 1e-3, "{sharpness}");
    }
}

#[test]
fn few_rows_change_little_and_many_decide() {
    // All classes right, with probabilities that say little: the likeliest temperature is 0.
    let p = |rows: usize| ClassPrediction {
        probabilities: matrix(2, &[0.7, 0.3].repeat(rows)),
        names: ["a", "b"].map(str::to_owned).to_vec(),
        information: vec![0.0; rows],
    };
    let fit = |rows: usize| ClassCalibration::fit(&p(rows), &vec![0; rows]).unwrap();
    let temperatures = [3, 28, 1000].map(|rows| fit(rows).temperature());
    assert!(temperatures.is_sorted_by(|a, b| a > b), "{temperatures:?}");
    assert!(
        temperatures[0] > 0.9 && temperatures[1] > 0.5 && temperatures[2] < 0.4,
        "{temperatures:?}"
    );
    assert!(fit(1000).temperature_error() <= 0.3);
    // Three rows by chance close to their means.
    let close = NormalCalibration::fit(&standard(3), &matrix(1, &[0.1, -0.2, 0.15])).unwrap();
    assert!(close.factors()[0] > 0.6, "{:?}", close.factors());
    // The share of intervals of two standard deviations that hold the truth: over many samples of few and many rows.
    let mut random = Random::new(8);
    for (rows, truth) in [(20, 1.6_f64), (2000, 0.4)] {
        let (mut inside, times) = (0, 200);
        for _ in 0..times {
            let y: Vec<f64> = (0..rows).map(|_| truth * random.normal()).collect();
            let c = NormalCalibration::fit(&standard(rows), &matrix(1, &y)).unwrap();
            let [log, error] = [c.factors()[0].ln(), c.factor_errors()[0]];
            inside += usize::from((log - truth.ln()).abs() < 2.0 * error);
        }
        assert!(inside * 10 > times * 8, "{rows}: {inside} of {times}");
    }
}

#[test]
fn sets_hold_what_they_promise() {
    let mut random = Random::new(11);
    let (held_out, labels) = classes(2_000, 3.0, &mut random);
    let calibration = ClassCalibration::fit(&held_out, &labels).unwrap();
    let (later, labels) = classes(10_000, 3.0, &mut random);
    let mut sizes = Vec::new();
    for probability in [0.8, 0.9, 0.99] {
        let sets = calibration.sets(&later, probability).unwrap();
        let inside = sets.iter().zip(&labels).filter(|(set, label)| set.contains(label)).count();
        let observed = inside as f64 / labels.len() as f64;
        // The guess is always in its set, which may only add.
        assert!(observed > probability - 0.03, "{probability}: {observed}");
        assert!(sets.iter().all(|set| !set.is_empty()));
        sizes.push(sets.iter().map(Vec::len).sum::<usize>());
    }
    assert!(sizes.is_sorted() && sizes[0] < sizes[2], "{sizes:?}");
}

#[test]
fn rows_that_calibrate_nothing_are_errors() {
    let fit = |y: &[f64]| NormalCalibration::fit(&standard(2), &matrix(1, y));
    assert!(matches!(fit(&[1.0]), Err(CalibrationError::Shape { expected: 2, found: 1 })));
    assert!(matches!(fit(&[1.0, f64::NAN]), Err(CalibrationError::NotFinite { row: 1 })));
    let calibration = fit(&[1.0, 2.0]).unwrap();
    for p in [0.0, 1.0, -1.0, f64::NAN] {
        let error = calibration.intervals(&standard(1), p);
        assert!(matches!(error, Err(CalibrationError::Probability(_))));
    }
    // Nothing to learn from: certain and right, or all targets at their means.
    assert_eq!(fit(&[0.0, 0.0]).unwrap().factors(), [1.0]);
    let (p, _) = classes(2, 1.0, &mut Random::new(1));
    let label = ClassCalibration::fit(&p, &[0, 3]);
    assert!(matches!(label, Err(CalibrationError::Label { row: 1, label: 3, classes: 3 })));
    let certain = ClassPrediction { probabilities: matrix(3, &[1.0, 0.0, 0.0]), ..p.clone() };
    let right = ClassCalibration::fit(&certain, &[0]).unwrap();
    let wrong = ClassCalibration::fit(&certain, &[1]).unwrap();
    assert!(right.temperature() > 0.9 && wrong.temperature() > 1.5);
    assert!(wrong.scaled(&certain).unwrap().probabilities.values().iter().all(|p| p.is_finite()));
}
