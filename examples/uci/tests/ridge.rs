//! Ridge regression against sums done by hand and against refitting.

use gaussform_bnn::{Matrix, Random};
use gaussform_uci::{Ridge, RidgeError};

#[test]
fn one_input_by_hand() {
    let x = Matrix::new(1, vec![-1.0, 0.0, 1.0]).unwrap();
    let (_, model) = Ridge::fit_with(&x, &[-1.0, 0.0, 2.0], 1.0).unwrap();
    // Sxy = 3 and Sxx = 2, so w = 3 / (2 + 1); residuals −1/3, −1/3, 2/3.
    assert!((model.weights()[0] - 1.0).abs() < 1e-15);
    assert!((model.noise() - 2.0 / 9.0).abs() < 1e-15);
    let predicted = model.predict(&Matrix::new(1, vec![4.0]).unwrap());
    assert!((predicted[0] - (1.0 / 3.0 + 4.0)).abs() < 1e-15);
}

#[test]
fn the_leave_one_out_error_is_that_of_refitting() {
    let mut random = Random::new(9);
    let rows = 12;
    let x = Matrix::new(3, (0..3 * rows).map(|_| random.normal()).collect()).unwrap();
    let y: Vec<f64> = x.iter().map(|r| r[0] - 2.0 * r[1] + random.normal() + 3.0).collect();
    let penalty = 0.7;
    let (shortcut, _) = Ridge::fit_with(&x, &y, penalty).unwrap();

    let mut refitted = 0.0;
    for left_out in 0..rows {
        let kept: Vec<usize> = (0..rows).filter(|&i| i != left_out).collect();
        let targets: Vec<f64> = kept.iter().map(|&i| y[i]).collect();
        let (_, model) = Ridge::fit_with(&x.select(&kept).unwrap(), &targets, penalty).unwrap();
        let predicted = model.predict(&x.select(&[left_out]).unwrap())[0];
        refitted += (y[left_out] - predicted).powi(2) / rows as f64;
    }
    assert!((shortcut - refitted).abs() < 1e-10 * refitted, "{shortcut} against {refitted}");

    let chosen = Ridge::fit(&x, &y).unwrap();
    let (least, _) = Ridge::fit_with(&x, &y, chosen.penalty()).unwrap();
    assert!(least <= shortcut);
}

#[test]
fn a_redundant_column_is_no_obstacle_but_nan_is() {
    let x = Matrix::new(2, vec![1.0, 2.0, 2.0, 4.0, 3.0, 6.0, 4.0, 8.0]).unwrap();
    let model = Ridge::fit(&x, &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert!((model.predict(&x)[3] - 4.0).abs() < 1e-3);
    assert_eq!(Ridge::fit(&x, &[f64::NAN; 4]), Err(RidgeError::Singular));
    assert_eq!(Ridge::fit(&x, &[1.0]), Err(RidgeError::Size { rows: 4, targets: 1 }));
}
