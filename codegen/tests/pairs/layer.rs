//! The covariance matrix of a layer.

use gaussform_runtime::pair::{ACCURACY, Inputs};

use crate::functions::{Any, Numbers, count, declared, some};

/// Two units of a layer as a pair.
fn units(gamma: &[f64], cov: &[f64], i: usize, j: usize) -> Inputs {
    let n = gamma.len();
    Inputs {
        gamma: gamma[i],
        xi2: cov[i * n + i],
        gamma_h: gamma[j],
        xi2_h: cov[j * n + j],
        cov: cov[i * n + j],
    }
}

/// Whether a matrix has a Cholesky factor once so much is added to its diagonal.
fn is_positive(matrix: &[f64], n: usize, more: f64) -> bool {
    let mut factor = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i * n + k] * factor[j * n + k]).sum();
            let rest = matrix[i * n + j] - sum;
            if i == j {
                let rest = rest + more * matrix[i * n + i];
                if rest < 0.0 {
                    return false;
                }
                factor[i * n + i] = rest.sqrt();
            } else if factor[j * n + j] > 0.0 {
                factor[i * n + j] = rest / factor[j * n + j];
            }
        }
    }
    true
}

#[test]
fn a_layer_is_its_pairs_and_its_matrix_is_positive() {
    let mut numbers = Numbers::new(6);
    let n = 12;
    for g in some() {
        for strength in [0.1, 1.0, 10.0] {
            // L Lᵀ with units of different variances, some of them nearly the same.
            let root: Vec<f64> = (0..n * n)
                .map(|i| {
                    let unit = if i % n == 0 { strength } else { 1.0 };
                    unit * numbers.between(-1.0, 1.0)
                })
                .collect();
            let product = |i: usize, j: usize| -> f64 {
                (0..n).map(|k| root[i * n + k] * root[j * n + k]).sum()
            };
            let cov: Vec<f64> = (0..n * n).map(|k| product(k / n, k % n)).collect();
            let gamma: Vec<f64> = (0..n).map(|_| numbers.between(-2.0, 2.0)).collect();
            let mut out = vec![f64::NAN; n * n];
            g.layer_covariance(&gamma, &cov, &mut out);
            for i in 0..n {
                for j in 0..n {
                    let at = units(&gamma, &cov, i, j);
                    let one = g.pair_moments(&g, at).expect("a law").covariance;
                    let size = (out[i * n + i] * out[j * n + j]).sqrt();
                    let difference = (out[i * n + j] - one).abs();
                    assert!(difference <= 1e-13 * size, "{i} {j}: {difference:e} of {size:e}");
                    assert_eq!(out[i * n + j], out[j * n + i]);
                }
            }
            assert!(is_positive(&out, n, 1e-13));
        }
    }
}

/// Vectors take pairs of a layer by branches of their own. The functions increase, so that the promise is one of
/// relative errors.
#[test]
fn a_layer_of_a_function_that_increases_has_the_digits_of_its_pairs() {
    let functions = [
        "max(0, x)",
        "clamp(x, -1, 1)",
        "max(x/10, x)",
        "max(0, x)^3",
        "max(-1, x) + max(0, x - 2)^2 + max(0, x - 5)",
        "x^3 + max(0, x + 1)",
        "piecewise { x < 0: 0; x < 40: 1; else: 2 }",
    ];
    let functions = functions.map(|text| declared(&format!("g(x) = {text}")));
    let mut numbers = Numbers::new(1);
    let n = 19;
    for (round, g) in functions.iter().cycle().take(70).enumerate() {
        let spread = [0.1, 1.0, 1.0, 3.0, 8.0][round % 5];
        let mut gamma: Vec<f64> = (0..n).map(|_| numbers.between(-spread, spread)).collect();
        let mut sd: Vec<f64> = (0..n).map(|_| numbers.between(0.3, 2.5)).collect();
        // The units of a wide network at its start have one mean, and often one variance.
        if round % 3 == 0 {
            gamma.fill(if round % 2 == 0 { 0.0 } else { spread / 2.0 });
        }
        if round % 9 == 0 {
            sd.fill(1.5);
        }
        // Correlations of one common part, of either sign, and near 1.
        let part: Vec<f64> = (0..n).map(|_| numbers.between(-1.0, 1.0)).collect();
        let part: Vec<f64> = part.iter().map(|x| x.signum() * x.abs().powf(0.3)).collect();
        let mut cov = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let rho = if i == j { 1.0 } else { part[i] * part[j] };
                cov[i * n + j] = rho * sd[i] * sd[j];
            }
        }
        let mut out = vec![0.0; n * n];
        g.layer_covariance(&gamma, &cov, &mut out);
        for i in 0..n {
            for j in 0..i {
                let at = units(&gamma, &cov, i, j);
                let wanted = g.pair_moments(g, at).expect("a law").covariance;
                let error = (out[i * n + j] / wanted - 1.0).abs() / f64::EPSILON;
                let is_same = out[i * n + j] == wanted;
                // Each has the error of an exponent near −100.
                assert!(
                    is_same || error < 3.0 * ACCURACY,
                    "{error} ulp at {at:?}, function {}",
                    round % functions.len()
                );
            }
        }
    }
}

#[test]
fn units_that_are_the_same_have_the_same_rows() {
    let mut numbers = Numbers::new(8);
    let n = 12;
    for _ in 0..count(8) {
        let g = Any::random(&mut numbers).dynamic();
        // Each unit three times: u, u again, and −u with another mean.
        let root: Vec<f64> = (0..n * n).map(|_| numbers.between(-1.0, 1.0)).collect();
        let of = |i: usize, k: usize| {
            let sign = if i % 3 == 2 { -1.0 } else { 1.0 };
            sign * root[(i / 3) * n + k]
        };
        let product = |i: usize, j: usize| (0..n).map(|k| of(i, k) * of(j, k)).sum::<f64>();
        let cov: Vec<f64> = (0..n * n).map(|k| product(k / n, k % n)).collect();
        let means: Vec<f64> = (0..n).map(|_| numbers.between(-2.0, 2.0)).collect();
        let gamma: Vec<f64> =
            (0..n).map(|i| if i % 3 == 2 { means[i] } else { means[i / 3] }).collect();
        let mut out = vec![f64::NAN; n * n];
        g.layer_covariance(&gamma, &cov, &mut out);
        assert!(out.iter().all(|x| x.is_finite()));
        for first in (0..n).step_by(3) {
            for j in 0..n {
                let [a, b] = [out[first * n + j], out[(first + 1) * n + j]];
                let size = (out[first * n + first] * out[j * n + j]).sqrt();
                assert!((a - b).abs() <= 2e-13 * size, "{first} {j}: {a:e} {b:e}");
            }
        }
        assert!(is_positive(&out, n, 1e-12));
        assert!(!is_positive(&out, n, -0.5), "a matrix that is nearly singular");
    }
}

#[test]
fn a_unit_without_variance_and_no_law() {
    let g = declared("g(x) = max(0, x)");
    let mut out = vec![0.0; 9];
    g.layer_covariance(&[0.1, 0.2, 0.3], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0], &mut out);
    assert_eq!([out[3], out[4], out[7]], [0.0; 3]);
    assert!(out[6].is_nan() && out[2].is_nan());
    assert!(out[0] > 0.0);
}

#[test]
fn numbers_of_units_that_fill_no_vectors() {
    let g = declared("g(x) = max(0, x)");
    for n in [0, 1, 2, 7, 31, 32, 33, 65] {
        let gamma: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let cov: Vec<f64> =
            (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.01 * (k % 3) as f64 }).collect();
        // Read below the diagonal only.
        let mut out = vec![f64::NAN; n * n];
        g.layer_covariance(&gamma, &cov, &mut out);
        for i in 0..n {
            for j in 0..i {
                let at = units(&gamma, &cov, i, j);
                let one = g.pair_moments(&g, at).expect("a law").covariance;
                assert!((out[i * n + j] - one).abs() <= 4e-15 * one, "{i} {j} of {n}");
                assert_eq!(out[i * n + j], out[j * n + i]);
            }
        }
    }
}
