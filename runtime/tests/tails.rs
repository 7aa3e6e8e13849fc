//! The scaled tails against arbitrary precision, in units of the machine epsilon.

mod oracle;

use gaussform_runtime::Float;
use gaussform_runtime::kernel::tails;
use oracle::{Points, Real};

/// 0, tiny, dense to 12, and up to the cut-off.
fn points(cut_off: f64, count: usize) -> Vec<f64> {
    let mut random = Points::new(1);
    let mut s = vec![0.0, 1e-300, 1e-20, 1e-9, 0.002_191, 1.0, cut_off];
    for i in 0..count {
        s.push(random.between(0.0, [0.1, 1.0, 4.0, 12.0, cut_off][i % 5]));
    }
    s
}

/// The largest relative error of each order, in units of `epsilon`.
fn worst<T: Float, const N: usize>(cut_off: f64, count: usize, epsilon: f64) -> f64 {
    let mut worst = 0.0_f64;
    for s in points(cut_off, count) {
        let s = T::from_f64(s);
        let truth = oracle::tails(s.to_f64(), N);
        for (n, (value, truth)) in tails::<T, N>(s).iter().zip(&truth).enumerate() {
            assert!(value.is_finite(), "R_{n}({s})");
            // Beyond the range of f32 what is left is an absolute error.
            if truth.to_f64() > epsilon * 1e-30 {
                let error = truth.relative_error(&Real::new(value.to_f64())) / epsilon;
                worst = worst.max(error);
            }
        }
    }
    worst
}

#[test]
fn orders_that_have_a_fit_in_f64() {
    // Bounds near the largest errors that thousands of points gave.
    assert!(worst::<f64, 3>(64.0, 30, f64::EPSILON) < 2.8);
    assert!(worst::<f64, 5>(64.0, 30, f64::EPSILON) < 3.3);
    assert!(worst::<f64, 7>(64.0, 30, f64::EPSILON) < 4.0);
    assert!(worst::<f64, 9>(64.0, 30, f64::EPSILON) < 4.8);
}

#[test]
fn orders_that_have_a_fit_in_f32() {
    let epsilon = f64::from(f32::EPSILON);
    assert!(worst::<f32, 3>(24.0, 30, epsilon) < 2.8);
    assert!(worst::<f32, 5>(24.0, 30, epsilon) < 3.3);
    assert!(worst::<f32, 7>(24.0, 30, epsilon) < 4.0);
    assert!(worst::<f32, 9>(24.0, 30, epsilon) < 4.8);
}

#[test]
fn high_orders() {
    assert!(worst::<f64, 17>(64.0, 15, f64::EPSILON) < 2.0);
    assert!(worst::<f64, 41>(64.0, 10, f64::EPSILON) < 2.0);
    assert!(worst::<f64, 64>(64.0, 3, f64::EPSILON) < 2.0);
    assert!(worst::<f32, 12>(24.0, 15, f64::from(f32::EPSILON)) < 0.51);
}

#[test]
fn one_order_is_the_mills_ratio() {
    let [mills] = tails::<f64, 1>(0.0);
    assert!((mills - (core::f64::consts::PI / 2.0).sqrt()).abs() < 1e-15);
    assert_eq!(tails::<f64, 0>(1.0), []);
}
