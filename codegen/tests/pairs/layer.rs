//! The covariance matrix of a layer.

use gaussform_runtime::pair::Inputs;

use crate::functions::{Numbers, some};

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
    let mut numbers = Numbers(6);
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
                    let at = Inputs {
                        gamma: gamma[i],
                        xi2: cov[i * n + i],
                        gamma_h: gamma[j],
                        xi2_h: cov[j * n + j],
                        cov: cov[i * n + j],
                    };
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
