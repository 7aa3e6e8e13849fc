//! Folds and scores of the benchmark's protocol.

use std::f64::consts::TAU;

use gaussform_bnn::{Matrix, Scale, Standardizer, mean_log_likelihood, rmse};
use gaussform_uci::{Dataset, Estimate, Fold, FoldError, Split};

#[test]
fn a_constant_column_keeps_its_units() {
    // Ten times 0.1 does not add up to 1: the test is for equality, not for a small spread.
    let x = Matrix::new(2, [[0.1, 1.0], [0.1, 3.0], [0.1, 5.0]].concat()).unwrap();
    let scaled = Standardizer::fit(&x).apply(&x);
    let root = 1.5f64.sqrt();
    let expected = [0.0, -root, 0.0, 0.0, 0.0, root];
    for (value, expected) in scaled.values().iter().zip(expected) {
        assert!((value - expected).abs() < 1e-15);
    }
    let scale = Scale::fit([2.0, 4.0].into_iter());
    assert_eq!((scale.mean, scale.sd), (3.0, 1.0));
    assert_eq!(scale.invert(scale.apply(17.0)), 17.0);
}

#[test]
fn scores_are_of_the_test_rows() {
    let data = Dataset {
        x: Matrix::new(1, vec![0.0, 1.0, 2.0, 9.0]).unwrap(),
        y: vec![10.0, 20.0, 30.0, 25.0],
        splits: None,
    };
    let fold = Fold::new(&data, &Split { train: vec![0, 2], test: vec![1, 3] }).unwrap();
    assert_eq!((fold.x_test.values(), &fold.y_test[..]), (&[1.0, 9.0][..], &[20.0, 25.0][..]));
    let score = fold.score(&[20.0, 20.0], &[100.0, 100.0]);
    assert!((score.rmse - 12.5f64.sqrt()).abs() < 1e-12);
    let expected = -0.5 * ((TAU * 100.0).ln() + 0.5 * 0.25);
    assert!((score.log_likelihood - expected).abs() < 1e-12);
}

#[test]
fn a_split_that_does_not_fit_is_an_error() {
    let x = Matrix::new(1, vec![0.0, 1.0, 2.0]).unwrap();
    let data = Dataset { x, y: vec![1.0, 2.0, 3.0], splits: None };
    for (train, test) in [(vec![0, 3], vec![1]), (vec![], vec![1]), (vec![0], vec![])] {
        assert_eq!(Fold::new(&data, &Split { train, test }).unwrap_err(), FoldError { rows: 3 });
    }
}

#[test]
fn metrics_by_hand() {
    assert!((rmse(&[1.0, 2.0], &[4.0, 6.0]) - 12.5f64.sqrt()).abs() < 1e-15);
    let density = mean_log_likelihood(&[0.0], &[4.0], &[2.0]);
    assert!((density - (-0.5 * ((TAU * 4.0).ln() + 1.0))).abs() < 1e-15);
    let estimate = Estimate::of(&[1.0, 2.0, 3.0]);
    assert!((estimate.mean - 2.0).abs() < 1e-15);
    assert!((estimate.standard_error - (1.0f64 / 3.0).sqrt()).abs() < 1e-15);
    assert!(Estimate::of(&[1.0]).standard_error.is_nan());
}
