//! The scale of a noise, by the residuals of the rows that a model was trained on.
//!
//! A row's residual r, which is y − m by the square root of 1 less its leverage, has the noise of one of several parts, of variance k s, and the doubt d of its inputs, both Normal.
//! The factor k of all variances is the most probable one,
//!
//! ```text
//! Σ over rows  weight · log Σ over parts  share · N(r; 0, k s + d)
//! ```
//!
//! by expectation and maximisation: of the part p and the noise ε given r, k becomes the mean of E \[ε²/s\], where
//! E \[ε²\] = (k s r/(k s + d))² + k s d/(k s + d). Each step raises the sum. For one part without doubt the first step
//! is the last, the mean of r²/s.

/// The residual r of a row under one part N(0, k s + d) of the row's noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Residual {
    /// The share of the part, > 0.
    pub(crate) share: f64,
    /// r² ≥ 0.
    pub(crate) square: f64,
    /// s > 0.
    pub(crate) variance: f64,
    /// d ≥ 0.
    pub(crate) doubt: f64,
}

/// The least variance of noise that residuals may give on average, in standardised units.
const LEAST: f64 = 1e-8;
/// How close the logarithms of two factors are at the end, and after how many steps that is at the latest.
const CLOSE: f64 = 1e-9;
const STEPS: usize = 500;

/// k for these rows, each with its weight; 1 where there is none that is finite.
pub(crate) fn most_probable_scale(rows: &[(f64, Vec<Residual>)]) -> f64 {
    let total: f64 = rows.iter().map(|(weight, _)| weight).sum();
    let mean = |of: &dyn Fn(&[Residual]) -> f64| {
        rows.iter().map(|(weight, parts)| weight * of(parts)).sum::<f64>() / total
    };
    // Residuals that are all 0 would make k 0, and no logarithm of it would ever be close.
    let least = LEAST / mean(&|parts| parts.iter().map(|p| p.share * p.variance).sum());
    let mut k = 1.0_f64;
    for _ in 0..STEPS {
        let next = mean(&|parts| expected(parts, k)).max(least);
        if !next.is_finite() {
            return 1.0;
        }
        let moved = (next / k).ln().abs();
        k = next;
        if moved < CLOSE {
            break;
        }
    }
    k
}

/// E \[ε²/s\] of a row given its residual.
fn expected(parts: &[Residual], k: f64) -> f64 {
    let log = |p: &Residual| {
        let variance = k * p.variance + p.doubt;
        p.share.ln() - 0.5 * (variance.ln() + p.square / variance)
    };
    // Far from the mean all densities may underflow; relative to the largest they do not.
    let most = parts.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
    let add = |(all, sum): (f64, f64), part: &Residual| {
        let noise = k * part.variance;
        let share = noise / (noise + part.doubt);
        let square = share * share * part.square + share * part.doubt;
        let p = (log(part) - most).exp();
        (all + p, sum + p * square / part.variance)
    };
    let (all, sum) = parts.iter().fold((0.0, 0.0), add);
    sum / all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The sum itself, at a factor.
    fn likelihood(rows: &[(f64, Vec<Residual>)], k: f64) -> f64 {
        let density = |p: &Residual| {
            let variance = k * p.variance + p.doubt;
            p.share * (-0.5 * p.square / variance).exp() / variance.sqrt()
        };
        rows.iter().map(|(w, parts)| w * parts.iter().map(density).sum::<f64>().ln()).sum()
    }

    #[test]
    fn no_other_factor_is_more_probable() {
        let mut random = Random::new(1);
        for parts in [1, 3] {
            for doubt in [0.0, 0.7] {
                let row = |i: i32| {
                    let part = |j: i32| Residual {
                        share: f64::from(j + 1),
                        square: random.normal().powi(2),
                        variance: (0.3 * random.normal()).exp() / 20.0,
                        doubt: if i % 2 == 0 { doubt * random.uniform() } else { 0.0 },
                    };
                    (f64::from(i % 3), (0..parts).map(part).collect())
                };
                let rows: Vec<_> = (0..200).map(row).collect();
                let k = most_probable_scale(&rows);
                let best = likelihood(&rows, k);
                for other in [0.5, 0.9, 0.999, 1.001, 1.1, 2.0] {
                    assert!(likelihood(&rows, other * k) < best, "{parts}, {doubt}: {other} · {k}");
                }
            }
        }
    }

    #[test]
    fn residuals_of_nothing_leave_some_noise() {
        let row = (1.0, vec![Residual { share: 1.0, square: 0.0, variance: 0.5, doubt: 0.0 }]);
        assert!((most_probable_scale(&[row]) / 2e-8 - 1.0).abs() < 1e-12);
    }
}
