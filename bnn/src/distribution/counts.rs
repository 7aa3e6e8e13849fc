//! A mixture of Poisson distributions, the logarithm of whose rate is a mixture of Normals.
//!
//! ```text
//! P(y) = Σ w E[rʸ e⁻ʳ/y!]        log r ~ N(m, s²)
//! P(Y ≤ y) = Σ w E[Q(y + 1, r)] = Σ w E[Φ((log t − m)/s)]        t ~ Gamma(y + 1, 1)
//! ```
//!
//! Expectations are trapezoidal rules: of probabilities over log r, around the top of what is averaged; of distribution functions over
//! log r or log t, whichever is the wider one beside what is averaged. Their cost does not
//! depend on the size of the counts. Q is the regularised incomplete gamma function, by its series, its continued fraction (DLMF
//! 8.11.4 and 8.9.2) or Temme's uniform expansion (DLMF 8.12.3).

use super::{Component, Moments};
use crate::standard_normal::{normal_cdf, normal_quantile};

/// Sums over at most so many counts have a term for each.
const FEW: f64 = 256.0;
/// From this count on the distribution function is smooth between counts.
const SMOOTH: f64 = 64.0;
/// By how much halving a panel may change a sum over more counts, relative to the width of the distribution.
const TOLERANCE: f64 = 1e-8;

/// Counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Counts {
    /// Of the log rate, without noise.
    parts: Vec<Component>,
}

impl Counts {
    pub(super) fn new(parts: Vec<Component>) -> Self {
        Self { parts }
    }

    pub(super) fn parts(&self) -> &[Component] {
        &self.parts
    }

    pub(super) fn cdf(&self, y: f64) -> f64 {
        if y < 0.0 { 0.0 } else { self.tails(y.floor())[0] }
    }

    pub(super) fn survival(&self, y: f64) -> f64 {
        if y < 0.0 { 1.0 } else { self.tails(y.floor())[1] }
    }

    /// P(Y ≤ y) and P(Y > y) for y > −1. Between counts they go on as the gamma function does.
    fn tails(&self, y: f64) -> [f64; 2] {
        self.parts.iter().fold([0.0; 2], |[below, above], p| {
            let tails = tails(p.mean, p.variance().max(0.0).sqrt(), y + 1.0);
            [below + p.weight * tails[0], above + p.weight * tails[1]]
        })
    }

    pub(super) fn log_density(&self, y: f64) -> f64 {
        if y < 0.0 || y.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        let log = |p: &Component| {
            p.weight.ln() + log_probability(p.mean, p.variance().max(0.0).sqrt(), y)
        };
        log_sum(&self.parts.iter().map(log).collect::<Vec<_>>())
    }

    /// By doubling and halving.
    pub(super) fn quantile_of_score(&self, z: f64) -> f64 {
        let tail = normal_cdf(-z.abs());
        let enough = |y: f64| match (z <= 0.0, self.tails(y)) {
            (true, [below, _]) => below >= tail,
            (false, [_, above]) => above <= tail,
        };
        if enough(0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        // All counts up to there are exact in a double.
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
        let half = 0.5 * self.log_density(y).exp();
        let (below, above) = (self.cdf(y) - half, self.survival(y) + half);
        if below < above {
            normal_quantile(below.max(f64::MIN_POSITIVE))
        } else {
            -normal_quantile(above.max(f64::MIN_POSITIVE))
        }
    }

    /// ∫ (F(x) − 1\[x ≥ y\])² dx, which for a count y is a sum over all counts. Of a wide distribution that sum is an integral,
    /// corrected for the slopes at its ends (Euler and Maclaurin, DLMF 2.10.1), to a part in 10⁶.
    pub(super) fn crps(&self, y: f64) -> f64 {
        let count = y.floor().max(0.0);
        let beside = if y < 0.0 { -y } else { (y - count) * (2.0 * self.cdf(count) - 1.0) };
        let first = self.quantile_of_score(-8.0).min(count);
        let last = self.quantile_of_score(8.0).max(count);
        // Each side of y takes its own tail, which keeps its digits where it is small.
        let term = |x: f64| match (x < count - 0.5, self.tails(x)) {
            (true, [below, _]) => below * below,
            (false, [_, above]) => above * above,
        };
        let smooth = if last - first <= FEW { last } else { first.max(SMOOTH) };
        let mut sum = beside;
        let mut k = first;
        while k < smooth {
            sum += term(k);
            k += 1.0;
        }
        if smooth == last {
            return sum;
        }
        let (start, step, end) = (smooth - 0.5, (count - 0.5).max(smooth - 0.5), last + 0.5);
        let square = |side: usize| move |x: f64| self.tails(x)[side].powi(2);
        let [low, high] = [-1.0, 1.0].map(|z| self.quantile_of_score(z));
        let tolerance = TOLERANCE * (high.max(count) - low.min(count));
        sum += integral(&square(0), start, step, tolerance);
        sum += integral(&square(1), step, end, tolerance);
        // The slope of F half a step below a count.
        let slope = |count: f64| self.tails(count)[0] - self.tails(count - 1.0)[0];
        let [below, above] = self.tails(start);
        sum + match count > smooth {
            true => below * slope(smooth) / 12.0 - slope(count) / 12.0,
            false => -above * slope(smooth) / 12.0,
        }
    }

    pub(super) fn moments(&self) -> Moments {
        let sum =
            |f: &dyn Fn(&Component) -> f64| self.parts.iter().map(|p| p.weight * f(p)).sum::<f64>();
        let rate = |p: &Component| (p.mean + 0.5 * (p.below + p.last)).exp();
        let mean = sum(&rate);
        // The variance of E[r | what is known].
        let below = sum(&|p| rate(p).powi(2) * p.below.exp()) - mean * mean;
        let all = sum(&|p| rate(p).powi(2) * (p.below + p.last).exp()) - mean * mean;
        let below = below.max(0.0);
        Moments { mean, below, last: (all - below).max(0.0), noise: mean }
    }
}

/// log P(y) for the count y, if the log rate is Normal with mean `m` and standard deviation `s`: the trapezoidal rule around the top of
/// what is averaged, which is concave in its logarithm, so that tails are right relative to themselves.
fn log_probability(m: f64, s: f64, y: f64) -> f64 {
    if s == 0.0 {
        return log_poisson(m, y);
    }
    let log = |u: f64| {
        let z = (u - m) / s;
        log_poisson(u, y) - 0.5 * z * z
    };
    // Newton's method from the right, from where it never passes the top.
    let precision = (s * s).recip();
    // Beyond 709 the power of e is infinite.
    let mut top = m.max(y.ln()).min(700.0);
    for _ in 0..1000 {
        let step = (top.exp() - y + (top - m) * precision) / (top.exp() + precision);
        top -= step;
        if step.abs() < 1e-3 / (top.exp() + precision).sqrt() {
            break;
        }
    }
    // Of e^(−eᵘ) it is 1 that is a width.
    let step = 0.3 * (top.exp() + precision).sqrt().recip().min(1.0);
    let highest = log(top);
    let side = |sign: f64| {
        let logs = (1..).map(move |i| log(top + sign * step * f64::from(i)));
        logs.take_while(|l| *l > highest - 40.0)
    };
    let logs: Vec<f64> = side(1.0).chain(side(-1.0)).chain([highest]).collect();
    log_sum(&logs) + (step / (s * std::f64::consts::TAU.sqrt())).ln()
}

/// log(rʸ e⁻ʳ/y!), from ten on by Stirling's series: y log r is far larger there than what is left of it.
fn log_poisson(log_rate: f64, y: f64) -> f64 {
    if y < 10.0 {
        return y * log_rate - log_rate.exp() - libm::lgamma(y + 1.0);
    }
    let square = y * y;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / y;
    -y * excess(log_rate - y.ln()) - 0.5 * (std::f64::consts::TAU * y).ln() - series
}

fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}

/// P(Y ≤ a − 1) and P(Y > a − 1) of a Poisson number whose log rate is Normal with mean `m` and standard deviation `s`.
fn tails(m: f64, s: f64, a: f64) -> [f64; 2] {
    if s == 0.0 {
        let [p, q] = gamma(a, m.exp());
        return [q, p];
    }
    let mut sums = [0.0; 3];
    let mut add = |weight: f64, [below, above]: [f64; 2]| {
        sums[0] += weight * below;
        sums[1] += weight * above;
        sums[2] += weight;
    };
    // The standard deviation of log t.
    let width = a.sqrt().recip();
    if s <= width {
        for i in -30..=30 {
            let z = 0.35 * f64::from(i);
            let [p, q] = gamma(a, (m + s * z).exp());
            add((-0.5 * z * z).exp(), [q, p]);
        }
    } else {
        let weight = |t: f64| (-a * excess(t)).exp();
        let below = |t: f64| {
            let z = (a.ln() - m + t) / s;
            [normal_cdf(z), normal_cdf(-z)]
        };
        let step = 0.25 * width;
        let right = (0..).map(|i| step * f64::from(i));
        let left = (1..).map(|i| -step * f64::from(i));
        let is_there = |t: &f64| a * excess(*t) < 80.0;
        right
            .take_while(is_there)
            .chain(left.take_while(is_there))
            .for_each(|t| add(weight(t), below(t)));
    }
    [sums[0] / sums[2], sums[1] / sums[2]]
}

/// eᵗ − 1 − t.
fn excess(t: f64) -> f64 {
    if t.abs() > 0.1 {
        return t.exp_m1() - t;
    }
    // Σ tᵏ/k! from k = 2 on, by Horner.
    let sum = (3..=12).rev().fold(1.0, |sum, k| 1.0 + sum * t / f64::from(k));
    0.5 * t * t * sum
}

/// ∫ f over \[from, to\] by Gauss and Lobatto with six nodes, two of which are the ends.
fn panel(f: &impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const RULE: [(f64, f64); 3] = [
        (0.285_231_516_480_645_1, 0.554_858_377_035_486_3),
        (0.765_055_323_929_464_7, 0.378_474_956_297_847),
        (1.0, 1.0 / 15.0),
    ];
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    if half == 0.0 {
        return 0.0;
    }
    half * RULE.iter().map(|(x, w)| w * (f(middle - half * x) + f(middle + half * x))).sum::<f64>()
}

/// ∫ f over \[from, to\], in panels that are halved until halving one changes it by no more than `tolerance`. A monotone `f` hides no
/// step between nodes, since the ends are among them.
fn integral(f: &impl Fn(f64) -> f64, from: f64, to: f64, tolerance: f64) -> f64 {
    let mut sum = 0.0;
    let mut open = vec![(from, to, panel(f, from, to))];
    while let Some((from, to, whole)) = open.pop() {
        let middle = 0.5 * (from + to);
        let halves = [(from, middle), (middle, to)].map(|(a, b)| (a, b, panel(f, a, b)));
        let both = halves[0].2 + halves[1].2;
        if (both - whole).abs() <= tolerance || to - from <= 1.0 {
            sum += both;
        } else {
            open.extend(halves);
        }
    }
    sum
}

/// The regularised incomplete gamma functions P(a, x) and Q(a, x).
fn gamma(a: f64, x: f64) -> [f64; 2] {
    if x <= 0.0 {
        return [0.0, 1.0];
    }
    if let Some(found) = uniform(a, x) {
        return found;
    }
    let front = (a * x.ln() - x - libm::lgamma(a)).exp();
    // The series converges fast below a, and the continued fraction above.
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

/// P(a, x) and Q(a, x) by Temme's expansion, if a is large and x near it.
///
/// ```text
/// Q(a, x) = Φ(−η√a) + e^(−aη²/2)/√(2πa) Σ cₖ(η)/aᵏ        ½η² = x/a − 1 − ln(x/a)
/// ```
///
/// The cₖ are power series in η (Temme 1979, "The asymptotic expansion of the incomplete gamma functions").
fn uniform(a: f64, x: f64) -> Option<[f64; 2]> {
    const C0: [f64; 9] = [
        -1.0 / 3.0,
        1.0 / 12.0,
        -2.0 / 135.0,
        1.0 / 864.0,
        1.0 / 2835.0,
        -139.0 / 777_600.0,
        1.0 / 25_515.0,
        -571.0 / 261_273_600.0,
        -281.0 / 151_559_100.0,
    ];
    const C1: [f64; 5] = [-1.0 / 540.0, -1.0 / 288.0, 1.0 / 378.0, -77.0 / 77_760.0, 1.0 / 4860.0];
    const C2: [f64; 3] = [25.0 / 6048.0, -139.0 / 51_840.0, 1.0 / 1296.0];
    if a < 1e3 {
        return None;
    }
    // The logarithm of x/a, with the digits that the quotient would lose near 1.
    let t = ((x - a) / a).ln_1p();
    let half_square = excess(t);
    let eta = (2.0 * half_square).sqrt().copysign(t);
    if eta.abs() > 0.5 {
        return None;
    }
    let series = |c: &[f64]| c.iter().rev().fold(0.0, |sum, c| sum * eta + c);
    let sum = series(&C0) + (series(&C1) + series(&C2) / a) / a;
    let rest = (-a * half_square).exp() / (std::f64::consts::TAU * a).sqrt() * sum;
    let z = eta * a.sqrt();
    Some([(normal_cdf(z) - rest).clamp(0.0, 1.0), (normal_cdf(-z) + rest).clamp(0.0, 1.0)])
}

#[cfg(test)]
mod tests {
    use super::super::Component;
    use super::{Counts, gamma};
    use crate::standard_normal::normal_cdf;

    fn counts(mean: f64, variance: f64) -> Counts {
        Counts::new(vec![
            Component {
                weight: 0.6,
                mean,
                below: 0.5 * variance,
                last: 0.5 * variance,
                noise: 0.0,
            },
            Component { weight: 0.4, mean: mean + 0.7, below: variance, last: 0.0, noise: 0.0 },
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

    /// Q(a + 1, x) = Q(a, x) + xᵃ e⁻ˣ/Γ(a + 1), where a series, a fraction and an expansion meet.
    #[test]
    fn the_gamma_functions_of_neighbours_differ_by_a_probability() {
        for a in [1.0, 40.0, 999.5, 1e3, 1e4] {
            for z in [-9.0, -3.0, -0.5, 0.0, 0.5, 3.0, 9.0] {
                let x = (a + z * f64::sqrt(a)).max(0.1);
                let [[p, q], [less, more]] = [gamma(a, x), gamma(a + 1.0, x)];
                let probability = (a * x.ln() - x - libm::lgamma(a + 1.0)).exp();
                let slack = 1e-10 * probability + 1e-14 * (q.min(p) + f64::MIN_POSITIVE);
                let close = |found: f64, part: f64| {
                    (found - probability).abs() <= slack + 1e-15 * part.min(1.0)
                };
                assert!(
                    close(more - q, q) && close(p - less, p),
                    "{a} {z}: {q} {more} {probability}"
                );
            }
        }
    }

    /// The integral that stands for a sum of many terms, beside the sum.
    #[test]
    fn scores_of_wide_distributions_are_the_sum_that_defines_them() {
        for (mean, variance) in [(7.0, 0.0), (6.5, 0.001), (6.0, 0.3), (3.5, 2.0)] {
            let d = counts(mean, variance);
            let cdf: Vec<f64> = (0..40_000).map(|k| d.cdf(f64::from(k))).collect();
            for y in [0.0, 40.0, 700.0, 3000.0] {
                let term =
                    |(k, cdf): (usize, &f64)| (cdf - f64::from(u8::from(k as f64 >= y))).powi(2);
                let expected: f64 = cdf.iter().enumerate().map(term).sum();
                let found = d.crps(y);
                assert!(
                    (found / expected - 1.0).abs() < 1e-6,
                    "{mean} {variance} {y}: {found} {expected}"
                );
            }
        }
        let d = counts(1.0, 0.4);
        assert!((d.crps(2.5) - 0.5 * (d.crps(2.0) + d.crps(3.0))).abs() < 1e-12);
        assert!((d.crps(-1.0) - d.crps(0.0) - 1.0).abs() < 1e-12);
    }

    /// Beside the doubt of a large rate the noise of counts is nothing, and a log-normal number has a closed score (Baran and Lerch
    /// 2015, "Log-normal distribution based ensemble model output statistics models").
    #[test]
    fn a_score_of_large_counts_takes_no_longer_than_one_of_small_ones() {
        let (m, s) = (1e10_f64.ln(), 0.5);
        let part = Component { weight: 1.0, mean: m, below: s * s, last: 0.0, noise: 0.0 };
        let d = Counts::new(vec![part]);
        for z in [-3.0, 0.0, 1.5] {
            let y = (m + s * z).exp().round();
            let part = normal_cdf(z - s) + normal_cdf(s / std::f64::consts::SQRT_2) - 1.0;
            let expected = y * (2.0 * normal_cdf(z) - 1.0) - 2.0 * (m + 0.5 * s * s).exp() * part;
            let found = d.crps(y);
            assert!((found / expected - 1.0).abs() < 1e-6, "{z}: {found} {expected}");
            assert!((d.cdf(y) - normal_cdf(z)).abs() < 1e-9, "{z}: {}", d.cdf(y));
            let log = -0.5 * z * z - (y * s * std::f64::consts::TAU.sqrt()).ln();
            assert!((d.log_density(y) - log).abs() < 1e-8, "{z}: {} {log}", d.log_density(y));
        }
    }

    /// Beside a fine sum over the log rate, also far out.
    #[test]
    fn probabilities_are_averages_over_the_log_rate() {
        for (m, s) in [(3.0, 0.05), (3.0, 0.3), (3.0, 2.0), (-1.0, 3.0), (9.0, 0.011), (9.0, 0.009)]
        {
            let part = Component { weight: 1.0, mean: m, below: s * s, last: 0.0, noise: 0.0 };
            let d = Counts::new(vec![part]);
            for y in [0.0, 1.0, 2.0, 9.0, 30.0, 500.0, 8000.0, 40_000.0] {
                let step = 1e-3_f64.min(s / 50.0);
                let logs = (-40_000..=40_000).map(|i| {
                    let l = m + step * f64::from(i);
                    let z = (l - m) / s;
                    y * l - l.exp() - libm::lgamma(y + 1.0) - 0.5 * z * z
                });
                let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = logs.map(|log| (log - most).exp()).sum();
                let expected = most + (sum * step / (s * std::f64::consts::TAU.sqrt())).ln();
                let found = d.log_density(y);
                let slack = 1e-7 + 1e-9 * expected.abs();
                assert!((found - expected).abs() < slack, "{m} {s} {y}: {found} {expected}");
            }
        }
    }
}
