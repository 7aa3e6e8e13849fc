//! A mixture of Normals in standardised units, seen through the unit of the target.
//!
//! ```text
//! F(y) = Σ w Φ((u − m)/s)        u the standardised y        quantile: the root of F = p between those of the parts
//! ```
//!
//! Moments of y are those of u in closed form where the unit is linear. Otherwise they are sums over the trapezoidal
//! rule for a standard Normal, which converges exponentially for smooth transforms.

use std::f64::consts::TAU;

use super::{Component, Moments, normal_rule};
use crate::data::TargetUnit;
use crate::standard_normal::{normal_cdf, normal_quantile};

/// Nodes of the trapezoidal rule for a standard Normal lie this far apart, up to ±[`NODES`] of them.
const STEP: f64 = 0.6;
/// Nodes on either side of 0.
const NODES: i32 = 15;

/// A mixture of Normals, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Normals {
    parts: Vec<Component>,
    unit: TargetUnit,
}

impl Normals {
    /// A mixture of at least one Normal.
    pub(super) fn new(parts: Vec<Component>, unit: TargetUnit) -> Self {
        Self { parts, unit }
    }

    pub(super) fn parts(&self) -> &[Component] {
        &self.parts
    }

    pub(super) fn unit(&self) -> &TargetUnit {
        &self.unit
    }

    /// Whether it is a single Normal.
    pub(super) fn is_normal(&self) -> bool {
        self.parts.len() == 1 && self.unit.transform.is_none()
    }

    /// The probability of at most `y`.
    pub(super) fn cdf(&self, y: f64) -> f64 {
        self.below(self.unit.apply(y))
    }

    /// The probability of more than `y`, with all its digits where that is small.
    pub(super) fn survival(&self, y: f64) -> f64 {
        self.above(self.unit.apply(y))
    }

    /// The logarithm of the density at `y`.
    pub(super) fn log_density(&self, y: f64) -> f64 {
        let slope = self.unit.log_slope(y);
        if slope == f64::INFINITY {
            // At the end of the range the density of u falls faster than the slope rises.
            return f64::NEG_INFINITY;
        }
        let u = self.unit.apply(y);
        let log = |p: &Component| {
            let v = p.variance();
            p.weight.ln() - 0.5 * ((TAU * v).ln() + (u - p.mean).powi(2) / v)
        };
        let most = self.parts.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
        if most == f64::NEG_INFINITY {
            return most;
        }
        most + self.parts.iter().map(|p| (log(p) - most).exp()).sum::<f64>().ln() + slope
    }

    /// The number whose [`score`](Self::score) is `z`.
    pub(super) fn quantile_of_score(&self, z: f64) -> f64 {
        self.unit.invert(self.standard_quantile(z))
    }

    /// Φ⁻¹(F(y)): how many standard deviations y would lie from the mean, were the distribution Normal.
    pub(super) fn score(&self, y: f64) -> f64 {
        let u = self.unit.apply(y);
        // For one Normal the score is exact at any distance, where Φ has run out of digits.
        if let [p] = &self.parts[..] {
            return (u - p.mean) / p.sd();
        }
        let (below, above) = (self.below(u), self.above(u));
        let score = if below < above { normal_quantile(below) } else { -normal_quantile(above) };
        // Beyond all digits, by the nearest part.
        if score.is_finite() {
            return score;
        }
        let scores = self.parts.iter().map(|p| (u - p.mean) / p.sd());
        scores.min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(score)
    }

    /// The continuous ranked probability score ∫ (F(x) − 1\[x ≥ y\])² dx, in the units of the data: in closed form for
    /// a mixture of Normals (Grimit et al. 2006, "The continuous ranked probability score for circular variables …",
    /// Eq. 5), else by a rule of 1200 nodes, to some 1e-4 of it.
    pub(super) fn crps(&self, y: f64) -> f64 {
        let u = self.unit.apply(y);
        // The closed form has a term for each pair of parts.
        if self.unit.transform.is_none() && self.parts.len() <= 100 {
            let to_y: f64 =
                self.parts.iter().map(|p| p.weight * absolute(u - p.mean, p.variance())).sum();
            let mut between = 0.0;
            for (i, a) in self.parts.iter().enumerate() {
                between += a.weight * a.weight * absolute(0.0, 2.0 * a.variance());
                for b in &self.parts[..i] {
                    let d = absolute(a.mean - b.mean, a.variance() + b.variance());
                    between += 2.0 * a.weight * b.weight * d;
                }
            }
            return self.unit.scale.sd * (to_y - 0.5 * between);
        }
        // F is 0 or 1 beyond the outer quantiles, so that what lies between y and them counts with its length.
        let [first, last] = [-8.0, 8.0].map(|z| self.standard_quantile(z));
        let inside = u.clamp(first, last);
        let beyond = if inside == u { 0.0 } else { (y - self.unit.invert(inside)).abs() };
        // Steps that grow with the distance from the middle: the tails of a scale mixture are thousands of times as long.
        let [low, middle, high] = [-1.0, 0.0, 1.0].map(|z| self.standard_quantile(z));
        let grid = Grid { middle, width: (0.5 * (high - low)).max(f64::MIN_POSITIVE) };
        beyond
            + self.integral(&grid, [first, inside], |x| self.below(x).powi(2))
            + self.integral(&grid, [inside, last], |x| self.above(x).powi(2))
    }

    /// Mean and variances.
    pub(super) fn moments(&self) -> Moments {
        if self.unit.transform.is_none() {
            let scale = self.unit.scale;
            let sum = |f: &dyn Fn(&Component) -> f64| {
                self.parts.iter().map(|p| p.weight * f(p)).sum::<f64>()
            };
            let mean = sum(&|p| p.mean);
            let between = sum(&|p| (p.mean - mean).powi(2));
            let unit = scale.sd * scale.sd;
            return Moments {
                mean: scale.invert(mean),
                below: unit * (sum(&|p| p.below) + between),
                last: unit * sum(&|p| p.last),
                noise: unit * sum(&|p| p.noise),
            };
        }
        // The variance of E[y | what is known], of which more is known each time.
        let mean = self.expected(|p| (0.0, p.variance()), |y| y);
        let variance = |known: &dyn Fn(&Component) -> f64| {
            self.expected(|p| (known(p), p.variance() - known(p)), |y| (y - mean).powi(2))
        };
        let below = variance(&|p| p.below);
        let weights = variance(&|p| p.below + p.last);
        let all = variance(&|p| p.variance());
        Moments {
            mean,
            below,
            last: (weights - below).max(0.0),
            // A prediction promises a noise above 0.
            noise: (all - weights).max(f64::MIN_POSITIVE),
        }
    }

    /// E f(E[y | known]), where the variance of each part is divided into what is known and what is not.
    fn expected(&self, divide: impl Fn(&Component) -> (f64, f64), f: impl Fn(f64) -> f64) -> f64 {
        let rule = normal_rule(STEP, NODES);
        let mut total = 0.0;
        for p in &self.parts {
            let (known, unknown) = divide(p);
            let (known, unknown) = (known.sqrt(), unknown.max(0.0).sqrt());
            let given = |at: f64| match unknown > 0.0 {
                true => rule.iter().map(|(z, w)| w * self.unit.invert(at + unknown * z)).sum(),
                false => self.unit.invert(at),
            };
            total += p.weight
                * match known > 0.0 {
                    true => rule.iter().map(|(z, w)| w * f(given(p.mean + known * z))).sum(),
                    false => f(given(p.mean)),
                };
        }
        total
    }

    fn below(&self, u: f64) -> f64 {
        self.parts.iter().map(|p| p.weight * normal_cdf((u - p.mean) / p.sd())).sum()
    }

    fn above(&self, u: f64) -> f64 {
        self.parts.iter().map(|p| p.weight * normal_cdf((p.mean - u) / p.sd())).sum()
    }

    /// The u whose score is `z`, by Newton's method on the smaller tail, kept between two ends by halving.
    fn standard_quantile(&self, z: f64) -> f64 {
        let of_parts = || self.parts.iter().map(|part| part.mean + z * part.sd());
        let mut low = of_parts().fold(f64::INFINITY, f64::min);
        let mut high = of_parts().fold(f64::NEG_INFINITY, f64::max);
        if low >= high {
            return low;
        }
        let tail = normal_cdf(-z.abs());
        let mut u = low + 0.5 * (high - low);
        for _ in 0..200 {
            // Above 0 beyond the root.
            let excess = if z <= 0.0 { self.below(u) - tail } else { tail - self.above(u) };
            if excess == 0.0 {
                break;
            }
            if excess > 0.0 {
                high = u;
            } else {
                low = u;
            }
            let density = |part: &Component| {
                let sd = part.sd();
                part.weight * (-0.5 * ((u - part.mean) / sd).powi(2)).exp() / (sd * TAU.sqrt())
            };
            let newton = u - excess / self.parts.iter().map(density).sum::<f64>();
            let middle = low + 0.5 * (high - low);
            // Where the density underflows, Newton's step is no number, and the middle serves.
            let next = if newton >= low && newton <= high { newton } else { middle };
            let ends = middle <= low || middle >= high || (next - u).abs() <= 1e-15 * u.abs();
            u = next;
            if ends {
                break;
            }
        }
        u
    }

    /// ∫ f(u) dy from u = a to b, by the trapezoidal rule between 601 u of a grid.
    fn integral(&self, grid: &Grid, [a, b]: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
        const STEPS: usize = 600;
        let [from, to] = [a, b].map(|u| grid.place(u));
        let value = |u: f64| (f(u), self.unit.invert(u));
        let mut total = 0.0;
        let mut left = value(a);
        for i in 1..=STEPS {
            let at = from + (to - from) * i as f64 / STEPS as f64;
            let right = value(if i == STEPS { b } else { grid.at(at) });
            total += 0.5 * (left.0 + right.0) * (right.1 - left.1);
            left = right;
        }
        total
    }
}

/// Places v with u = middle + width · sinh v.
struct Grid {
    middle: f64,
    width: f64,
}

impl Grid {
    fn place(&self, u: f64) -> f64 {
        ((u - self.middle) / self.width).asinh()
    }

    fn at(&self, v: f64) -> f64 {
        self.middle + self.width * v.sinh()
    }
}

/// E|x| for x ~ N(m, v).
fn absolute(m: f64, v: f64) -> f64 {
    let s = v.sqrt();
    if s == 0.0 {
        return m.abs();
    }
    let z = m / s;
    2.0 * s * (-0.5 * z * z).exp() / TAU.sqrt() + m * (2.0 * normal_cdf(z) - 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{Component, Distribution};
    use crate::data::{TargetUnit, TransformChoice};
    use crate::likelihood::student::scale_mixture;

    /// Mixtures under every transform.
    fn all() -> Vec<Distribution> {
        let part = |weight, mean, below, noise| Component { weight, mean, below, last: 0.1, noise };
        let mixtures = [
            vec![part(1.0, 0.3, 0.2, 0.5)],
            vec![part(0.7, -0.5, 0.1, 0.2), part(0.25, 1.0, 0.0, 1.0), part(0.05, 0.0, 0.3, 4.0)],
        ];
        let y: Vec<f64> =
            (0..300).map(|i| (f64::from(i) * 0.7).sin().exp() + 0.01 * f64::from(i)).collect();
        let choices = [
            TransformChoice::None,
            TransformChoice::Log,
            TransformChoice::Asinh,
            TransformChoice::Quantile,
        ];
        let units = choices.map(|choice| TargetUnit::fit(choice, &y).unwrap());
        let pairs = mixtures.iter().flat_map(|m| units.iter().map(move |u| (m.clone(), u.clone())));
        pairs.map(|(parts, unit)| Distribution::normals(parts, unit)).collect()
    }

    /// Σ f(y, density · dy) over a grid that holds all but 1e-9 of the distribution.
    fn sum(d: &Distribution, f: &mut dyn FnMut(f64, f64)) {
        // In steps of the score, in which all of them are smooth.
        let at = |i: usize| d.quantile_of_score(-7.5 + 15.0 * i as f64 / 4000.0);
        let mut left = at(0);
        for i in 1..=4000 {
            let right = at(i);
            let middle = 0.5 * (left + right);
            f(middle, d.log_density(middle).exp() * (right - left));
            left = right;
        }
    }

    #[test]
    fn densities_add_up_to_the_distribution_function_and_the_moments() {
        for d in all() {
            let (mut mass, mut mean, mut second) = (0.0, 0.0, 0.0);
            sum(&d, &mut |y, share| {
                mass += share;
                mean += share * y;
                second += share * y * y;
            });
            // The density of a quantile transform jumps at its knots, within steps of this sum.
            assert!((mass - 1.0).abs() < 1e-3, "{d:?}: {mass}");
            let moments = d.moments();
            let variance = second - mean * mean;
            let total = moments.below + moments.last + moments.noise;
            assert!((moments.mean / mean - 1.0).abs() < 2e-3, "{d:?}: {mean}, {moments:?}");
            assert!((total / variance - 1.0).abs() < 1e-2, "{d:?}: {variance}, {moments:?}");
            assert!(moments.below >= 0.0 && moments.last >= 0.0 && moments.noise > 0.0);
            let half = d.quantile(0.5);
            let mut below = 0.0_f64;
            sum(&d, &mut |y, share| below += if y < half { share } else { 0.0 });
            assert!((below - 0.5).abs() < 3e-3, "{d:?}: {below}");
        }
    }

    #[test]
    fn quantiles_are_roots_also_far_out() {
        for d in all() {
            for p in [1e-12, 1e-4, 0.05, 0.3, 0.5, 0.8, 0.999] {
                let y = d.quantile(p);
                assert!((d.cdf(y) / p - 1.0).abs() < 1e-6, "{d:?} at {p}: {}", d.cdf(y));
            }
            for z in [-9.0, -3.0, 0.0, 2.0, 12.0] {
                let found = d.score(d.quantile_of_score(z));
                assert!((found - z).abs() < 1e-5 * (1.0 + z.abs()), "{d:?} at {z}: {found}");
            }
        }
    }

    #[test]
    fn the_ranked_probability_score_is_the_integral_that_defines_it() {
        for d in all() {
            for y in [d.quantile(0.02), d.quantile(0.6), d.quantile(0.9999)] {
                let (first, last) = (d.quantile(1e-9).min(y), d.quantile(1.0 - 1e-9).max(y));
                let mut expected = 0.0;
                for (from, to) in [(first, y), (y, last)] {
                    let step = (to - from) / 20_000.0;
                    expected += (0..20_000)
                        .map(|i| {
                            let x = from + (i as f64 + 0.5) * step;
                            (d.cdf(x) - f64::from(u8::from(x >= y))).powi(2) * step
                        })
                        .sum::<f64>();
                }
                assert!(
                    (d.crps(y) / expected - 1.0).abs() < 2e-3,
                    "{d:?}: {}, {expected}",
                    d.crps(y)
                );
            }
        }
    }

    #[test]
    fn long_tails_have_the_score_of_the_closed_form() {
        let parts = |share: f64, mean: f64| {
            let parts = scale_mixture(0.7, 2.5).into_iter();
            let part = |(weight, noise)| Component {
                weight: share * weight,
                mean,
                below: 0.1,
                last: 0.0,
                noise,
            };
            parts.map(part).collect::<Vec<_>>()
        };
        let unit = TargetUnit::fit(TransformChoice::None, &[1.0, 2.0, 4.0]).unwrap();
        let one = Distribution::normals(parts(1.0, 0.2), unit.clone());
        // More parts than the closed form takes.
        let many = [parts(0.5, 0.2), parts(0.3, 0.2), parts(0.2, 0.2)].concat();
        assert!(many.len() > 100);
        let many = Distribution::normals(many, unit);
        for y in [-3.0, 1.0, 2.0, 2.5, 40.0, 1e5] {
            let (found, expected) = (many.crps(y), one.crps(y));
            assert!((found / expected - 1.0).abs() < 1e-3, "{y}: {found}, {expected}");
        }
    }

    #[test]
    fn a_target_beyond_the_range_of_a_logarithm_has_a_score() {
        let y: Vec<f64> = (1..50).map(f64::from).collect();
        let unit = TargetUnit::fit(TransformChoice::Log, &y).unwrap();
        let part = Component { weight: 1.0, mean: 0.0, below: 0.1, last: 0.0, noise: 0.5 };
        let d = Distribution::normals(vec![part], unit);
        // All of the distribution lies above 0, so that the score grows with the distance.
        assert!((d.crps(-2.0) - d.crps(0.0) - 2.0).abs() < 1e-9, "{}", d.crps(-2.0));
        assert!(d.crps(0.0) > d.crps(1.0) && d.crps(0.0).is_finite());
    }

    #[test]
    fn wider_distributions_are_wider_on_both_sides() {
        for d in all() {
            let wide = d.widened(3.0);
            assert!(
                wide.quantile(0.95) > d.quantile(0.95) && wide.quantile(0.05) < d.quantile(0.05)
            );
        }
    }
}
