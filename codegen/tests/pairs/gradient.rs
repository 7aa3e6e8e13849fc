//! The vector–Jacobian product of a layer beside the derivatives of its pairs.

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::pair::{Inputs, LayerGradient};

use crate::functions::{Numbers, declared, some};

/// The gradient of a loss with these derivatives in the matrix, pair by pair: in γ, and in c with variances on the
/// diagonal.
fn one_by_one(g: &Dynamic, gamma: &[f64], cov: &[f64], cotangent: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let n = gamma.len();
    let (mut on_gamma, mut on_cov) = (vec![0.0; n], vec![0.0; n * n]);
    for i in 0..n {
        for j in 0..n {
            let weight = cotangent[i * n + j];
            if i == j {
                let m = g.moments_grad(gamma[i], cov[i * n + i]);
                on_gamma[i] += weight * m.dvariance_dgamma;
                on_cov[i * n + i] += weight * m.dvariance_dxi2;
                continue;
            }
            let at = Inputs {
                gamma: gamma[i],
                xi2: cov[i * n + i],
                gamma_h: gamma[j],
                xi2_h: cov[j * n + j],
                cov: cov[i * n + j],
            };
            let m = g.pair_moments(g, at).expect("a law");
            on_gamma[i] += weight * m.dcovariance_dgamma;
            on_gamma[j] += weight * m.dcovariance_dgamma_h;
            on_cov[i * n + i] += weight * m.dcovariance_dxi2;
            on_cov[j * n + j] += weight * m.dcovariance_dxi2_h;
            on_cov[i * n + j] = weight * m.dcovariance_dcov;
        }
    }
    (on_gamma, on_cov)
}

#[test]
fn a_layer_gives_back_the_derivatives_of_its_pairs() {
    let mut numbers = Numbers::new(31);
    // More than whole vectors.
    let n = 11;
    let more = ["g(x) = piecewise { x < -1: -1; x < 1/2: x; else: 2 }", "g(x) = x/3 + 1"];
    for g in some().into_iter().chain(more.map(declared)) {
        for strength in [0.2, 1.0, 30.0] {
            // A common part makes some pairs stronger than the integral serves.
            let part: Vec<f64> = (0..n).map(|_| strength * numbers.between(-1.0, 1.0)).collect();
            let mut cov = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    cov[i * n + j] = part[i] * part[j];
                }
                cov[i * n + i] += numbers.between(0.5, 2.0);
            }
            let gamma: Vec<f64> = (0..n).map(|_| numbers.between(-2.0, 2.0)).collect();
            let cotangent: Vec<f64> = (0..n * n).map(|_| numbers.between(-1.0, 1.0)).collect();
            let [mut out, mut alone, mut on_cov] = [(); 3].map(|()| vec![f64::NAN; n * n]);
            let mut on_gamma = vec![f64::NAN; n];
            let gradient = LayerGradient { gamma: &mut on_gamma, cov: &mut on_cov };
            g.layer_vjp(&gamma, &cov, &cotangent, &mut out, gradient);
            g.layer_covariance(&gamma, &cov, &mut alone);
            let (gamma_wanted, cov_wanted) = one_by_one(&g, &gamma, &cov, &cotangent);
            let close = |value: &[f64], wanted: &[f64], what: &str| {
                let size = wanted.iter().fold(1e-300, |size: f64, x| size.max(x.abs()));
                for (value, wanted) in value.iter().zip(wanted) {
                    let error = (value - wanted).abs();
                    assert!(error <= 1e-12 * size, "{what}: {value} beside {wanted}, {strength}");
                }
            };
            close(&out, &alone, "covariance");
            close(&on_gamma, &gamma_wanted, "gamma");
            close(&on_cov, &cov_wanted, "cov");
        }
    }
}
