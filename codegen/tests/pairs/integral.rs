//! Random functions against an integral that knows neither tails nor series.

use gaussform_runtime::pair::Inputs;

use crate::functions::{Kinked, Numbers};

/// E[g′] and the same of the absolute terms.
fn slope(g: &Kinked, gamma: f64, xi2: f64) -> [f64; 2] {
    let erf = |(d, t): &(f64, f64)| d * libm_erf((gamma - t) / (2.0 * xi2).sqrt());
    let value = g.slope + g.kinks.iter().map(erf).sum::<f64>();
    [value, g.slope.abs() + g.kinks.iter().map(|(d, _)| d.abs()).sum::<f64>()]
}

/// erf by its series and, beyond 3, its continued fraction.
fn libm_erf(x: f64) -> f64 {
    let a = x.abs();
    let value = if a < 3.0 {
        let (mut term, mut sum, mut n) = (a, a, 1.0);
        while term > 1e-18 * sum {
            term *= 2.0 * a * a / (2.0 * n + 1.0);
            sum += term;
            n += 1.0;
        }
        sum * (-a * a).exp() * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let fraction = (1..60).rev().fold(a, |f, k| a + f64::from(k) / 2.0 / f);
        1.0 - (-a * a).exp() / fraction / std::f64::consts::PI.sqrt()
    };
    value.copysign(x)
}

/// Cov = c E[g′] E[h′] + ∫₀ᶜ (c − c′) Σ jumps of slopes · density of (u, w) at the knots dc′, and the
/// same of the absolute terms.
fn by_density(g: &Kinked, h: &Kinked, at: Inputs) -> [f64; 2] {
    let (s, t) = (at.xi2.sqrt(), at.xi2_h.sqrt());
    let rho = at.cov / (s * t);
    let [mean, size_of_mean] = slope(g, at.gamma, at.xi2);
    let [mean_h, size_of_mean_h] = slope(h, at.gamma_h, at.xi2_h);
    let density = |x: f64, signed: bool| {
        let mut sum = 0.0;
        for (d, k) in &g.kinks {
            for (e, l) in &h.kinks {
                let (a, b) = ((k - at.gamma) / s, (l - at.gamma_h) / t);
                // In y = artanh x; dx = (1 − x²) dy.
                let rest = 1.0 - x * x;
                let q = (a * a - 2.0 * x * a * b + b * b) / rest;
                let jump = 4.0 * d * e;
                let jump = if signed { jump } else { jump.abs() };
                sum += jump * (-q / 2.0).exp() * rest.sqrt() / std::f64::consts::TAU;
            }
        }
        sum
    };
    let end = rho.atanh();
    let steps = 4000;
    let [mut value, mut size] = [0.0; 2];
    // Boole's rule.
    for i in 0..=steps {
        let weight = match (i % 4, i) {
            (0, 0) => 7.0,
            (0, i) if i == steps => 7.0,
            (0, _) => 14.0,
            (2, _) => 12.0,
            _ => 32.0,
        };
        let x = (end * f64::from(i) / f64::from(steps)).tanh();
        value += weight * (rho - x) * density(x, true);
        size += weight * (rho - x).abs() * density(x, false);
    }
    let unit = end / f64::from(steps) * 2.0 / 45.0 * s * t;
    let apart = at.cov * mean * mean_h;
    [apart + unit * value, at.cov.abs() * size_of_mean * size_of_mean_h + unit.abs() * size]
}

#[test]
fn random_functions_against_an_integral_of_densities() {
    let mut numbers = Numbers::new(1);
    let mut worst = 0.0_f64;
    for _ in 0..80 {
        let (g, h) = (Kinked::random(&mut numbers), Kinked::random(&mut numbers));
        let (a, b) = (g.dynamic(), h.dynamic());
        for _ in 0..3 {
            let (s, t) = (numbers.between(-2.0, 3.0).exp2(), numbers.between(-2.0, 3.0).exp2());
            let rho = numbers.between(-3.0, 3.0).tanh();
            let at = Inputs {
                gamma: numbers.between(-4.0, 4.0),
                xi2: s * s,
                gamma_h: numbers.between(-4.0, 4.0),
                xi2_h: t * t,
                cov: rho * s * t,
            };
            let value = a.pair_moments(&b, at).expect("a law").covariance;
            let [truth, size] = by_density(&g, &h, at);
            let error = (value - truth).abs() / size;
            assert!(
                error < 2e-13,
                "{error:e} at {at:?}: {value:e}, {truth:e}; {:?} {:?}",
                g.kinks,
                h.kinks
            );
            worst = worst.max(error);
        }
    }
    // Rounding is seen, so that the comparison is one.
    assert!(worst > 0.0);
}
