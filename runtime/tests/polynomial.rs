//! Polynomials in double words.

mod oracle;

use gaussform_runtime::kernel;
use oracle::Real;

fn polynomial(coefficients: &[[f64; 2]], x: f64) -> f64 {
    kernel::polynomial(coefficients, x).round()
}

fn exact(coefficients: &[[f64; 2]], x: f64) -> Real {
    coefficients.iter().rev().fold(Real::new(0.0), |sum, [hi, lo]| {
        sum * Real::new(x) + (Real::new(*hi) + Real::new(*lo))
    })
}

#[test]
fn near_a_double_root() {
    // (x − 1000)²
    let coefficients = [[1e6, 0.0], [-2000.0, 0.0], [1.0, 0.0]];
    for x in [1000.001, 1000.1, 999.5, 1e3 * (1.0 + 4.0 * f64::EPSILON), 0.3, -7.0] {
        let value = polynomial(&coefficients, x);
        let error = exact(&coefficients, x).relative_error(&Real::new(value));
        assert!(error <= 0.5 * f64::EPSILON, "{x}: {value} {error:e}");
    }
    assert_eq!(polynomial(&coefficients, 1000.0), 0.0);
}

#[test]
fn near_a_triple_root_that_is_not_a_float() {
    // (x − 1/3)³, the coefficient 1/3 to twice the precision.
    let third = 1.0 / 3.0;
    let coefficients =
        [[-third / 9.0, 0.0], [third, third * 0.5_f64.powi(54)], [-1.0, 0.0], [1.0, 0.0]];
    for x in [0.334, 0.3334, 0.33, third] {
        let truth = exact(&coefficients, x);
        let error = (Real::new(polynomial(&coefficients, x)) - truth.clone()).to_f64().abs();
        assert!(error <= f64::EPSILON * (0.5 * truth.to_f64().abs() + 4.0 * f64::EPSILON), "{x}");
    }
}

#[test]
fn huge_arguments() {
    assert_eq!(polynomial(&[[1.0, 0.0], [1.0, 0.0]], 1e308), 1e308);
    assert_eq!(polynomial(&[[1.0, 0.0], [-1.0, 0.0]], f64::MAX), -f64::MAX);
    assert_eq!(polynomial(&[[0.0, 0.0], [0.0, 0.0], [1.0, 0.0]], 1e200), f64::INFINITY);
    assert_eq!(polynomial(&[[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], 1e200), f64::NEG_INFINITY);
    assert_eq!(polynomial(&[[f64::MAX, 0.0], [f64::MAX, 0.0]], 0.0), f64::MAX);
    assert_eq!(polynomial(&[], 1.0), 0.0);
    assert_eq!(polynomial(&[[3.0, 0.0]], f64::MAX), 3.0);
}
