//! Real targets of which some are known by an interval only: E log of Normal densities and of Normal probabilities.

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use burn::module::{Module, Param};
use burn::tensor::{Tensor, TensorData};

use super::linear::Linear;
use crate::layer::{LinearOutput, PassError, read};
use crate::posterior::Start;

/// y ~ N(f, 1/β) with one learned β, where a row tells y itself, or that y lies between two numbers, one of which may be
/// infinite.
///
/// With Normal f ~ N(m, v): E log p = −½ β \[(y − m)² + v\] + ½ log β − ½ log 2π for a known y, and
/// E log \[Φ((u − f)√β) − Φ((l − f)√β)\] for an interval (l, u), by the trapezoidal rule over f, which converges
/// geometrically. It runs on the host in f64.
#[derive(Module, Debug)]
pub struct Censored {
    pub(crate) log_precision: Param<Tensor<1>>,
}

impl Censored {
    pub(crate) fn new(start: &mut Start<'_>) -> Self {
        let zero = Tensor::from_data(TensorData::new(vec![0.0], [1]), (start.device, start.dtype));
        Self { log_precision: Param::from_tensor(zero) }
    }

    /// log β, of shape \[1\].
    #[must_use]
    pub fn log_precision(&self) -> Tensor<1> {
        self.log_precision.val()
    }

    /// E log p of each row, of shape \[n, 1\]. The two columns of `y` are the ends of the interval, equal where the target is
    /// known.
    ///
    /// # Errors
    ///
    /// [`PassError::Read`], if the outputs cannot be read from their device.
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>) -> Result<Tensor<2>, PassError> {
        let m = f.mean.clone();
        let v = f.variance().unwrap_or_else(|| m.zeros_like());
        let log_beta = self.log_precision().reshape([1, 1]);
        let numbers = [m.clone(), v.clone(), y, log_beta.clone()].map(|t| read(t.detach()));
        let [means, variances, y, beta] = numbers;
        let (means, variances, y, beta) = (means?, variances?, y?, beta?);
        let log_precision = beta.first().copied().unwrap_or_default();
        let rows = means.iter().zip(&variances).zip(y.chunks(2));
        let rows = rows.map(|((m, v), y)| expected(*m, v.max(0.0), [y[0], y[1]], log_precision));
        let [mut value, mut d_mean, mut d_variance, mut d_beta] = [const { Vec::new() }; 4];
        for [a, b, c, d] in rows {
            value.push(a);
            d_mean.push(b);
            d_variance.push(c);
            d_beta.push(d);
        }
        let sum = Linear::new(value, &m).with(m, d_mean, 1).with(v, d_variance, 1);
        Ok(sum.with(log_beta, d_beta, 1).finish())
    }
}

/// E log p for f ~ N(m, v), and its derivatives in m, v and log β.
fn expected(m: f64, v: f64, [low, high]: [f64; 2], log_precision: f64) -> [f64; 4] {
    let beta = log_precision.exp();
    if low == high {
        let (d, squares) = (low - m, (low - m) * (low - m) + v);
        let value = 0.5 * (log_precision - TAU.ln() - beta * squares);
        return [value, beta * d, -0.5 * beta, 0.5 - 0.5 * beta * squares];
    }
    let (sd, root) = (v.sqrt(), beta.sqrt());
    // Beyond, a weight is below the rounding of the sum: e^(−8.5²/2) is 2e-16.
    const FAR: f64 = 8.5;
    // Steps below the width of the edges, which is 1/√β.
    let steps = (FAR / 0.3 * (0.8 * sd * root).max(1.0)).min(5000.0) as i32;
    let steps = if sd == 0.0 { 0 } else { steps };
    let (mut total, mut out) = (0.0, [0.0; 4]);
    for i in -steps..=steps {
        let z = FAR * f64::from(i) / f64::from(steps.max(1));
        let weight = (-0.5 * z * z).exp();
        total += weight;
        for (sum, term) in out.iter_mut().zip(inside(m + sd * z, [low, high], root)) {
            *sum += weight * term;
        }
    }
    out.map(|sum| sum / total)
}

/// log P(low < y < high) for a known f, its derivatives in f, half the second one, and that in log β.
fn inside(f: f64, [low, high]: [f64; 2], root: f64) -> [f64; 4] {
    let (a, b) = ((low - f) * root, (high - f) * root);
    // Of the two tails the one where both ends are closer to −∞ keeps its digits.
    let mirrored = a + b > 0.0;
    let (a, b) = if mirrored { (-b, -a) } else { (a, b) };
    let (log_a, log_b) = (log_normal(a), log_normal(b));
    // By logarithms: both tails may underflow, and their difference with them.
    let log = log_b + (-(log_a - log_b).exp()).ln_1p();
    // φ/P and xφ/P at an end, which are 0 where it is infinite.
    let ratio = |x: f64| {
        if x.is_infinite() {
            [0.0; 2]
        } else {
            let r = (-0.5 * x * x - 0.5 * TAU.ln() - log).exp();
            [r, x * r]
        }
    };
    let ([ra, xa], [rb, xb]) = (ratio(a), ratio(b));
    let (slope, bend) = (rb - ra, xb - xa);
    let sign = if mirrored { 1.0 } else { -1.0 };
    [log, sign * root * slope, -0.5 * root * root * (bend + slope * slope), 0.5 * bend]
}

/// log Φ(x); below −30 by the first terms of the asymptotic series of the Mills ratio.
fn log_normal(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        return x;
    }
    if x > -30.0 {
        return (0.5 * libm::erfc(-x * FRAC_1_SQRT_2)).ln();
    }
    let s = 1.0 / (x * x);
    let series = 1.0 - s * (1.0 - 3.0 * s * (1.0 - 5.0 * s * (1.0 - 7.0 * s)));
    -0.5 * x * x - 0.5 * TAU.ln() - (-x).ln() + series.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simpson's rule over y within the interval and over f, apart from Φ.
    fn truth(m: f64, v: f64, [low, high]: [f64; 2], beta: f64) -> f64 {
        let integral = |a: f64, b: f64, n: usize, f: &dyn Fn(f64) -> f64| -> f64 {
            let h = (b - a) / n as f64;
            let weight = |i: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as f64 };
            (0..=n).map(|i| weight(i) * f(a + h * i as f64)).sum::<f64>() * h / 3.0
        };
        let density = |x: f64, v: f64| (-0.5 * x * x / v).exp() / (TAU * v).sqrt();
        let probability = |f: f64| {
            let far = 12.0 / beta.sqrt();
            let (a, b) = (low.max(f.min(high) - far), high.min(f.max(low) + far));
            integral(a, b, 400, &|y| density(y - f, 1.0 / beta))
        };
        let sd = v.sqrt();
        integral(m - 8.0 * sd, m + 8.0 * sd, 600, &|f| density(f - m, v) * probability(f).ln())
    }

    #[test]
    fn intervals_are_integrals_and_derivatives_differences() {
        let infinity = f64::INFINITY;
        for (m, v, ends, log_beta) in [
            (0.3, 0.2, [0.5, infinity], 0.7),
            (0.3, 0.2, [-infinity, 0.1], 0.7),
            (1.0, 2.0, [0.4, 0.9], 1.0),
            (-1.0, 0.5, [1.0, 2.5], 0.0),
            (0.0, 9.0, [1.0, infinity], -1.0),
        ] {
            let at = |m, v, b| expected(m, v, ends, b);
            let ours = at(m, v, log_beta);
            let exact = truth(m, v, ends, f64::exp(log_beta));
            assert!((ours[0] - exact).abs() < 1e-6 * (1.0 + exact.abs()), "{ours:?} for {exact}");
            let h = 1e-5;
            let differences = [
                at(m + h, v, log_beta)[0] - at(m - h, v, log_beta)[0],
                at(m, v + h, log_beta)[0] - at(m, v - h, log_beta)[0],
                at(m, v, log_beta + h)[0] - at(m, v, log_beta - h)[0],
            ];
            for (d, ours) in differences.iter().zip(&ours[1..]) {
                let d = d / (2.0 * h);
                assert!((ours - d).abs() < 1e-6 * (1.0 + d.abs()), "{ends:?}: {ours} for {d}");
            }
        }
    }

    #[test]
    fn far_ends_and_narrow_intervals_are_finite() {
        for ends in [[200.0, f64::INFINITY], [-1e6, -1e5], [0.3, 0.3 + 1e-9], [50.0, 50.1]] {
            let ours = expected(0.0, 0.5, ends, 3.0);
            assert!(ours.iter().all(|x| x.is_finite()), "{ends:?}: {ours:?}");
        }
    }
}
