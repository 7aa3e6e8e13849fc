//! Logarithms of moments far in the tails, against expansions that share no code with them.

#![allow(clippy::unwrap_used)]

use gaussform_codegen::{Dynamic, Kernel};
use gaussform_runtime::{Activation, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut};
use gaussform_symbolic::Activation as Declared;

fn declared(text: &str) -> Declared {
    Declared::parse(text).unwrap()
}

/// By formulas and by a table.
fn both(text: &str, gamma: f64, xi2: f64) -> [LogMomentsGrad<f64>; 2] {
    let activation = declared(text);
    let kernel = Kernel::new(&activation).unwrap();
    let dynamic = Dynamic::new(&activation, &[]).unwrap();
    [kernel.fixed(&[]).log_moments_grad(gamma, xi2), dynamic.log_moments_grad(gamma, xi2)]
}

#[track_caller]
fn near(found: f64, wanted: f64) {
    let units = ((found - wanted) / wanted.abs().max(1.0) / f64::EPSILON).abs();
    assert!(found == wanted || units <= 16.0, "{found:e} but {wanted:e}: {units} units");
}

/// ln E[max(0, x)], ln E[max(0, x)²] for ξ = 1 and γ = −s far below 0, with derivatives of the first in s, by the
/// asymptotic series of Mills' ratio.
fn tail(s: f64) -> [f64; 2] {
    let series = |order: i32| {
        // J_n(s) = φ(s) s^(−n−1) Σ_k (−1)^k (n + 2k)!/(n! k! (2 s²)^k)
        let (mut term, mut sum) = (1.0, 0.0);
        for k in 0..12 {
            sum += term;
            let m = f64::from(order + 2 * k);
            term *= -(m + 1.0) * (m + 2.0) / (f64::from(k + 1) * 2.0 * s * s);
        }
        let start = -0.5 * s * s - 0.5 * (2.0 * std::f64::consts::PI).ln();
        start - f64::from(order + 1) * s.ln() + sum.ln()
    };
    // E[max(0, x)] = J₁ and E[max(0, x)²] = 2 J₂, of which the square of the mean is nothing.
    [series(1), series(2) + std::f64::consts::LN_2]
}

#[test]
fn an_improvement_far_below() {
    near(both("max(0, x)", -40.0, 1.0)[0].log_mean, -808.298_568_356_62);
    for s in [40.0, 60.0, 105.0, 107.0, 1e3, 1e5, 3e7, 1e9, 1e12, 1e18, 3e18, 1e20, 1e100] {
        let [mean, variance] = tail(s);
        for found in both("max(0, x)", -s, 1.0) {
            near(found.log_mean, mean);
            near(found.log_variance, variance);
            // ∂ ln J₁/∂γ = J₀/J₁, ∂ ln J₁/∂ξ² at ξ = 1 is φ/(2 J₁).
            let series = |a: f64, b: f64| 1.0 + (a + b / (s * s)) / (s * s);
            if s >= 1e3 {
                near(found.dlog_mean_dgamma, s * series(2.0, -6.0));
                near(found.dlog_mean_dxi2, 0.5 * s * s * series(3.0, -6.0));
            }
        }
    }
}

#[test]
fn scaling_is_exact() {
    // E[max(0, ξ z + γ)] = ξ E[max(0, z + γ/ξ)].
    for exponent in [-500, -100, 100, 400] {
        let xi = 2f64.powi(exponent);
        for (one, scaled) in
            both("max(0, x)", -50.0, 1.0).into_iter().zip(both("max(0, x)", -50.0 * xi, xi * xi))
        {
            let shift = f64::from(exponent) * std::f64::consts::LN_2;
            near(scaled.log_mean, one.log_mean + shift);
            near(scaled.log_variance, one.log_variance + 2.0 * shift);
            near(scaled.dlog_mean_dgamma, one.dlog_mean_dgamma / xi);
        }
    }
}

#[test]
fn saturation_has_a_variance() {
    // Beyond the end of a clamp the variance is that of the ramp below it, mirrored.
    for s in [45.0, 200.0, 1e5, 1e9] {
        let ramp = both("max(0, x)", -s, 1.0)[0];
        for found in both("clamp(x, -1, 1)", 1.0 + s, 1.0) {
            near(found.log_variance, ramp.log_variance);
            near(found.dlog_variance_dgamma, -ramp.dlog_variance_dgamma);
            near(found.dlog_variance_dxi2, ramp.dlog_variance_dxi2);
            assert!(found.log_mean.is_nan(), "the clamp may be negative");
        }
        for found in both("clamp(x, 0, 1)", 1.0 + s, 1.0) {
            near(found.log_mean, 0.0);
        }
    }
}

#[test]
fn formulas_and_tables_agree() {
    let functions = [
        "max(0, x)",
        "clamp(x, 0, 1)",
        "x * clamp(x/6 + 1/2, 0, 1)",
        "max(0, x)^2",
        "|x|",
        "step(x)",
        "piecewise { x < 0: 0; x < 1/1000: x; else: 1/1000 }",
    ];
    for text in functions {
        for gamma in [-1e9, -1e5, -300.0, -60.0, -5.0, 0.25, 0.0, 3.0, 60.0, 1e5, 1e8] {
            for xi2 in [1e-6, 1.0, 30.0, 1e300, 1e-300, 5e-324, 0.0] {
                let [a, b] = both(text, gamma, xi2).map(|m| {
                    [
                        m.log_mean,
                        m.log_variance,
                        m.dlog_mean_dgamma,
                        m.dlog_mean_dxi2,
                        m.dlog_variance_dgamma,
                        m.dlog_variance_dxi2,
                    ]
                });
                for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
                    // Errors of slopes are small beside what the value is per ξ or ξ².
                    let size = match i {
                        0 | 1 => a.abs().max(1.0),
                        2 | 4 => a.abs().max(1.0 / f64::sqrt(xi2)),
                        _ => a.abs().max(1.0 / xi2),
                    };
                    let same = a == b || a.is_nan() && b.is_nan() && text.contains("/6");
                    let is_near = xi2 == 0.0 && i >= 2 || (a - b).abs() <= 1e-13 * size;
                    assert!(same || is_near, "{text} at {gamma}, {xi2}: {i}: {a:e} and {b:e}");
                }
            }
        }
    }
}

#[test]
fn limits_at_zero_variance() {
    for found in both("max(0, x)", -1.0, 0.0) {
        assert_eq!([found.log_mean, found.log_variance], [f64::NEG_INFINITY; 2]);
        assert_eq!([found.dlog_mean_dgamma, found.dlog_mean_dxi2], [f64::INFINITY; 2]);
    }
    for found in both("max(0, x)", 0.0, 0.0) {
        assert_eq!(found.log_mean, f64::NEG_INFINITY);
    }
    for found in both("max(0, x)", 2.0, 0.0) {
        near(found.log_mean, std::f64::consts::LN_2);
        near(found.dlog_mean_dgamma, 0.5);
        assert_eq!(found.dlog_variance_dgamma, 0.0);
        assert_eq!(found.log_variance, f64::NEG_INFINITY);
    }
    near(both("x^2", 3.0, 0.0)[0].dlog_variance_dgamma, 2.0 / 3.0);
    for found in both("0*x + 3", 3.0, 1.0) {
        near(found.log_mean, 3f64.ln());
        assert_eq!(found.log_variance, f64::NEG_INFINITY);
    }
}

#[test]
fn batches_agree_with_single_numbers() {
    let ramp = Dynamic::new(&declared("max(0, x)"), &[]).unwrap();
    let gamma: Vec<f64> = (0..601).map(|i| f64::from(i) * 0.25 - 120.0).collect();
    let xi2 = vec![1.0; gamma.len()];
    let mut slices = vec![vec![0.0; gamma.len()]; 6];
    let [a, b, c, d, e, f] = &mut slices[..] else { unreachable!() };
    let out = LogMomentsGradMut {
        log_mean: a,
        log_variance: b,
        dlog_mean_dgamma: c,
        dlog_mean_dxi2: d,
        dlog_variance_dgamma: e,
        dlog_variance_dxi2: f,
    };
    ramp.log_moments_grad_into(&gamma, &xi2, out);
    let (mut log_mean, mut log_variance) = (xi2.clone(), xi2.clone());
    let out = LogMomentsMut { log_mean: &mut log_mean, log_variance: &mut log_variance };
    ramp.log_moments_into(&gamma, &xi2, out);
    for i in 0..gamma.len() {
        let one = ramp.log_moments_grad(gamma[i], 1.0);
        near(slices[0][i], one.log_mean);
        near(slices[1][i], one.log_variance);
        near(slices[2][i], one.dlog_mean_dgamma);
        near(slices[5][i], one.dlog_variance_dxi2);
        near(log_mean[i], one.log_mean);
        near(log_variance[i], one.log_variance);
    }
    let far = ramp.log_moments(-40.0_f32, 1.0);
    assert_eq!(far.log_mean, -808.298_6);
}

#[test]
fn signs_are_decided() {
    for text in [
        "max(0, x)",
        "x^2",
        "|x|",
        "(x - 1)^2*(x^2 - 2)^2",
        "step(x)",
        "f(x; a > 0) = max(0, a*x)",
        "0",
    ] {
        assert!(declared(text).is_nonnegative(), "{text}");
    }
    for text in [
        "x",
        "clamp(x, -1, 1)",
        "x^2 - 1/1000000",
        "f(x; a > 0) = max(0, a*x) - a",
        "x * clamp(x/6 + 1/2, 0, 1)",
    ] {
        assert!(!declared(text).is_nonnegative(), "{text}");
    }
}
