//! The standard Normal distribution: its distribution function Φ and its quantiles Φ⁻¹, for numbers.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Φ(x).
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// Φ⁻¹(p), by Newton's method from a start that is good in the tails.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return match p {
            0.0 => f64::NEG_INFINITY,
            1.0 => f64::INFINITY,
            _ => f64::NAN,
        };
    }
    if p > 0.5 {
        return -normal_quantile(1.0 - p);
    }
    let t = (-2.0 * p.ln()).sqrt();
    let mut x = -(t - (2.307_53 + 0.270_61 * t) / (1.0 + t * (0.992_29 + t * 0.044_81)));
    for _ in 0..6 {
        let density = (-0.5 * x * x).exp() / (SQRT_2 * std::f64::consts::PI.sqrt());
        let e = (normal_cdf(x) - p) / density;
        x -= e / (1.0 + 0.5 * x * e);
    }
    x
}
