//! A mixture of Poisson distributions, the logarithm of whose rate is a mixture of Normals.
//!
//! ```text
//! P(y) = Σ w E[rʸ e⁻ʳ/y!]        log r ~ N(m, v)        P(Y ≤ y) = Σ w E[Q(y + 1, r)]
//! ```
//!
//! The expectation over r is a trapezoidal rule; Q is the regularised incomplete gamma function, by its series or its
//! continued fraction (DLMF 8.11.4 and 8.9.2).

use super::{Moments, Part};
use crate::standard_normal::{normal_cdf, normal_quantile};

/// Sums over counts have so many terms at most; beyond, they go on in larger steps.
const TERMS: usize = 4000;

/// Counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counts {
    /// Of the log rate, without noise.
    parts: Vec<Part>,
}

impl Counts {
    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Shares and rates.
    fn rates(&self) -> Vec<(f64, f64)> {
        let of = |p: &Part| {
            let mixture = rate_mixture(p.mean, p.variance());
            mixture.into_iter().map(|(share, rate)| (p.weight * share, rate)).collect::<Vec<_>>()
        };
        self.parts.iter().flat_map(of).collect()
    }

    pub(super) fn cdf(&self, y: f64) -> f64 {
        at_most(&self.rates(), y)
    }

    pub(super) fn survival(&self, y: f64) -> f64 {
        more_than(&self.rates(), y)
    }

    pub(super) fn log_density(&self, y: f64) -> f64 {
        log_probability(&self.rates(), y)
    }

    /// By doubling and halving.
    pub(super) fn quantile_of_score(&self, z: f64) -> f64 {
        let rates = self.rates();
        let tail = normal_cdf(-z.abs());
        let enough = |y: f64| match z <= 0.0 {
            true => at_most(&rates, y) >= tail,
            false => more_than(&rates, y) <= tail,
        };
        if enough(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while !enough(high) && high < 1e15 {
            low = high;
            high *= 2.0;
        }
        while high - low > 1.0 {
            let middle = (0.5 * (low + high)).floor();
            if enough(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    pub(super) fn score(&self, y: f64) -> f64 {
        let rates = self.rates();
        let half = 0.5 * log_probability(&rates, y).exp();
        let (below, above) = (at_most(&rates, y) - half, more_than(&rates, y) + half);
        if below < above {
            normal_quantile(below.max(f64::MIN_POSITIVE))
        } else {
            -normal_quantile(above.max(f64::MIN_POSITIVE))
        }
    }

    /// Σ (F(k) − 1\[k ≥ y\])² over all counts; in steps where there are too many.
    pub(super) fn crps(&self, y: f64) -> f64 {
        let rates = self.rates();
        let (first, last) =
            (self.quantile_of_score(-8.0).min(y), self.quantile_of_score(8.0).max(y));
        let step = ((last - first) / TERMS as f64).ceil().max(1.0);
        let mut total = 0.0;
        let mut k = first;
        while k < last {
            // The step at y is not stepped over.
            let next = if k < y { (k + step).min(y) } else { (k + step).min(last) };
            let term = match k >= y {
                true => more_than(&rates, k),
                false => at_most(&rates, k),
            };
            total += term * term * (next - k);
            k = next;
        }
        total
    }

    pub(super) fn moments(&self) -> Moments {
        let sum =
            |f: &dyn Fn(&Part) -> f64| self.parts.iter().map(|p| p.weight * f(p)).sum::<f64>();
        let rate = |p: &Part| (p.mean + 0.5 * (p.below + p.last)).exp();
        let mean = sum(&rate);
        // The variance of E[r | what is known].
        let below = sum(&|p| rate(p).powi(2) * p.below.exp()) - mean * mean;
        let all = sum(&|p| rate(p).powi(2) * (p.below + p.last).exp()) - mean * mean;
        let below = below.max(0.0);
        Moments { mean, below, last: (all - below).max(0.0), noise: mean }
    }
}

/// A Poisson distribution whose rate is e^z with z ~ N(`m`, `v`), as a mixture, `(weight, rate)`, weights adding up to 1: the
/// trapezoidal rule over z, in steps that the narrowest of the distributions allows.
fn rate_mixture(m: f64, v: f64) -> Vec<(f64, f64)> {
    const FAR: f64 = 7.5;
    let sd = v.max(0.0).sqrt();
    if sd == 0.0 {
        return vec![(1.0, m.exp())];
    }
    // As a function of log rate, a probability of about the mean count is 1/√rate wide.
    let width = (-0.5 * (m + 2.0 * sd)).exp().min(1.0) / sd;
    let steps = (FAR / (0.5 * width.min(1.0))).clamp(15.0, 2000.0) as i32;
    let node = |i: i32| FAR * f64::from(i) / f64::from(steps);
    let weight = |i: i32| (-0.5 * node(i) * node(i)).exp();
    let total: f64 = (-steps..=steps).map(weight).sum();
    (-steps..=steps).map(|i| (weight(i) / total, (m + sd * node(i)).exp())).collect()
}

/// log P(y), −∞ for what is no count.
fn log_probability(rates: &[(f64, f64)], y: f64) -> f64 {
    if y < 0.0 || y.fract() != 0.0 {
        return f64::NEG_INFINITY;
    }
    let log = |(w, r): &(f64, f64)| w.ln() + y * r.ln() - r;
    let most = rates.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
    most + rates.iter().map(|part| (log(part) - most).exp()).sum::<f64>().ln()
        - libm::lgamma(y + 1.0)
}

/// P(Y ≤ y).
fn at_most(rates: &[(f64, f64)], y: f64) -> f64 {
    if y < 0.0 {
        return 0.0;
    }
    rates.iter().map(|(w, r)| w * gamma(y.floor() + 1.0, *r)[1]).sum()
}

/// P(Y > y).
fn more_than(rates: &[(f64, f64)], y: f64) -> f64 {
    if y < 0.0 {
        return 1.0;
    }
    rates.iter().map(|(w, r)| w * gamma(y.floor() + 1.0, *r)[0]).sum()
}

/// The regularised incomplete gamma functions P(a, x) and Q(a, x).
fn gamma(a: f64, x: f64) -> [f64; 2] {
    if x <= 0.0 {
        return [0.0, 1.0];
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > 1e-17 * sum {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        let p = (front * sum).min(1.0);
        return [p, 1.0 - p];
    }
    // The continued fraction, by Lentz's method; a is at least 1.
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let mut c = 1.0 / tiny;
    let mut d = 1.0 / b;
    let mut h = d;
    for i in 1..100_000 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = an * d + b;
        d = 1.0 / if d.abs() < tiny { tiny } else { d };
        c = b + an / c;
        c = if c.abs() < tiny { tiny } else { c };
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    let q = (front * h).min(1.0);
    [1.0 - q, q]
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::{Counts, rate_mixture};

    fn counts(mean: f64, variance: f64) -> Counts {
        Counts::new(vec![
            Part { weight: 0.6, mean, below: 0.5 * variance, last: 0.5 * variance, noise: 0.0 },
            Part { weight: 0.4, mean: mean + 0.7, below: variance, last: 0.0, noise: 0.0 },
        ])
    }

    #[test]
    fn probabilities_add_up_to_the_distribution_function_and_the_moments() {
        for (mean, variance) in [(-2.0, 0.3), (1.0, 0.0), (1.5, 0.8), (5.0, 0.05)] {
            let d = counts(mean, variance);
            let (mut mass, mut first, mut second) = (0.0, 0.0, 0.0);
            for k in 0..6000 {
                let y = f64::from(k);
                let p = d.log_density(y).exp();
                mass += p;
                first += p * y;
                second += p * y * y;
                if [0, 3, 40, 700].contains(&k) {
                    assert!((d.cdf(y) - mass).abs() < 1e-9, "{mean} {variance} {k}: {}", d.cdf(y));
                    assert!((d.survival(y) - (1.0 - mass)).abs() < 1e-9);
                }
            }
            let m = d.moments();
            assert!((mass - 1.0).abs() < 1e-6, "{mean} {variance}: {mass}");
            assert!((m.mean / first - 1.0).abs() < 1e-4, "{m:?} {first}");
            let variance = second - first * first;
            assert!(
                ((m.below + m.last + m.noise) / variance - 1.0).abs() < 1e-2,
                "{m:?} {variance}"
            );
            assert_eq!(d.log_density(0.5), f64::NEG_INFINITY);
        }
    }

    #[test]
    fn quantiles_are_the_least_counts_and_scores_the_sum_that_defines_them() {
        let d = counts(1.0, 0.4);
        for z in [-3.0, -1.0, 0.0, 0.5, 2.0, 6.0] {
            let y = d.quantile_of_score(z);
            let tail = 0.5 * libm::erfc(z / std::f64::consts::SQRT_2);
            assert!(d.survival(y) <= tail && (y == 0.0 || d.survival(y - 1.0) > tail), "{z}: {y}");
        }
        for y in [0.0, 2.0, 30.0] {
            let term = |k: i32| {
                let k = f64::from(k);
                (d.cdf(k) - f64::from(u8::from(k >= y))).powi(2)
            };
            let expected: f64 = (0..2000).map(term).sum();
            assert!((d.crps(y) / expected - 1.0).abs() < 1e-6, "{y}: {} {expected}", d.crps(y));
        }
    }

    /// Mean and variance of a Poisson–log-normal number are closed (Aitchison and Ho 1989), its probabilities add up to 1.
    #[test]
    fn the_mixture_has_the_moments_of_a_poisson_log_normal() {
        for (m, v) in [(0.3_f64, 0.0), (0.3, 0.5), (-2.0, 2.0), (5.0, 0.01), (4.0, 1.0)] {
            let mixture = rate_mixture(m, v);
            let mean: f64 = mixture.iter().map(|(w, rate)| w * rate).sum();
            let square: f64 = mixture.iter().map(|(w, rate)| w * rate * (1.0 + rate)).sum();
            let expected = (m + 0.5 * v).exp();
            let variance = expected + expected * expected * v.exp_m1();
            assert!((mean / expected - 1.0).abs() < 1e-6, "{m}, {v}: {mean} for {expected}");
            let found = square - mean * mean;
            assert!((found / variance - 1.0).abs() < 1e-4, "{m}, {v}: {found} for {variance}");
        }
    }
}
