//! The predictive distribution of one number, in the units of the data.

mod counts;
mod normals;

use crate::data::TargetUnit;
use crate::standard_normal::normal_quantile;
use counts::Counts;
use normals::Normals;

/// One Normal of a mixture, in standardised units; its variance in the parts that a prediction tells apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Component {
    /// The weight of this Normal in the mixture, > 0; the weights of a mixture add up to 1.
    pub(crate) weight: f64,
    pub(crate) mean: f64,
    /// The variance that the layers before the last bring.
    pub(crate) below: f64,
    /// The variance that the weights of the last layer add.
    pub(crate) last: f64,
    /// The variance of the noise.
    pub(crate) noise: f64,
}

impl Component {
    fn variance(&self) -> f64 {
        self.below + self.last + self.noise
    }

    fn sd(&self) -> f64 {
        self.variance().sqrt()
    }

    /// The Normal with its distance from `mean`, and its standard deviation, multiplied by `factor`.
    fn widened(&self, mean: f64, factor: f64) -> Self {
        let square = factor * factor;
        Self {
            weight: self.weight,
            mean: mean + factor * (self.mean - mean),
            below: square * self.below,
            last: square * self.last,
            noise: square * self.noise,
        }
    }
}

/// The mean of a number and its variance in parts, in the units of the data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moments {
    pub(crate) mean: f64,
    pub(crate) below: f64,
    pub(crate) last: f64,
    pub(crate) noise: f64,
}

/// The predictive distribution of one number, in the units of the data: a mixture of Normals, seen through the transform of
/// the target, or a mixture of Poisson distributions.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution(Law);

#[derive(Clone, Debug, PartialEq)]
enum Law {
    Normals(Normals),
    Counts(Counts),
}

/// Evaluates one expression with the distribution of whichever law it is.
macro_rules! either {
    ($law:expr, $d:ident => $value:expr) => {
        match $law {
            Law::Normals($d) => $value,
            Law::Counts($d) => $value,
        }
    };
}

impl Distribution {
    /// A mixture of at least one Normal, in standardised units.
    pub(crate) fn normals(parts: Vec<Component>, unit: TargetUnit) -> Self {
        Self(Law::Normals(Normals::new(parts, unit)))
    }

    /// Counts with a log rate that is a mixture of at least one Normal.
    pub(crate) fn counts(parts: Vec<Component>) -> Self {
        Self(Law::Counts(Counts::new(parts)))
    }

    /// The mixture of distributions of one law and unit, at least one, with equal weights.
    pub(crate) fn mixture<'a>(all: impl ExactSizeIterator<Item = &'a Self>) -> Self {
        let share = 1.0 / all.len() as f64;
        let mut parts = Vec::new();
        let mut last = None;
        for d in all {
            let own = either!(&d.0, d => d.parts());
            parts.extend(own.iter().map(|p| Component { weight: share * p.weight, ..*p }));
            last = Some(&d.0);
        }
        match last {
            Some(Law::Normals(d)) => Self::normals(parts, d.unit().clone()),
            Some(Law::Counts(_)) | None => Self::counts(parts),
        }
    }

    /// Whether the distribution is a single Normal.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        matches!(&self.0, Law::Normals(d) if d.is_normal())
    }

    /// The probability of at most `y`.
    #[must_use]
    pub fn cdf(&self, y: f64) -> f64 {
        either!(&self.0, d => d.cdf(y))
    }

    /// The least probability of a central interval that has `y` in it. The intervals of counts have their ends in them.
    #[must_use]
    pub fn central(&self, y: f64) -> f64 {
        match &self.0 {
            Law::Normals(d) => (2.0 * d.cdf(y) - 1.0).abs(),
            Law::Counts(d) => {
                let (below, at_most) = (d.cdf(y - 1.0), d.cdf(y));
                (1.0 - 2.0 * at_most).max(2.0 * below - 1.0).max(0.0)
            }
        }
    }

    /// The probability of more than `y`, with full relative accuracy where it is small.
    #[must_use]
    pub fn survival(&self, y: f64) -> f64 {
        either!(&self.0, d => d.survival(y))
    }

    /// The logarithm of the density at `y`; of counts that of the probability of `y`.
    #[must_use]
    pub fn log_density(&self, y: f64) -> f64 {
        either!(&self.0, d => d.log_density(y))
    }

    /// The least number that is not exceeded with probability `p` in (0, 1): a root of the distribution function, which lies
    /// between the quantiles of the parts.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        self.quantile_of_score(normal_quantile(p))
    }

    /// The number whose [`score`](Self::score) is `z`; of counts the least with at least that.
    #[must_use]
    pub fn quantile_of_score(&self, z: f64) -> f64 {
        either!(&self.0, d => d.quantile_of_score(z))
    }

    /// Φ⁻¹(F(y)): how many standard deviations y would lie from the mean, were the distribution Normal. Of counts F is
    /// that of the middle of the step at y.
    #[must_use]
    pub fn score(&self, y: f64) -> f64 {
        either!(&self.0, d => d.score(y))
    }

    /// The continuous ranked probability score ∫ (F(x) − 1\[x ≥ y\])² dx, in the units of the data.
    #[must_use]
    pub fn crps(&self, y: f64) -> f64 {
        either!(&self.0, d => d.crps(y))
    }

    /// Mean and variances.
    pub(crate) fn moments(&self) -> Moments {
        either!(&self.0, d => d.moments())
    }

    /// The distribution with all distances from its mean multiplied by `factor` > 0, in the units that the network sees; of
    /// counts those of the log rate.
    pub(crate) fn widened(&self, factor: f64) -> Self {
        let parts = either!(&self.0, d => d.parts());
        let mean: f64 = parts.iter().map(|p| p.weight * p.mean).sum();
        let parts = parts.iter().map(|p| p.widened(mean, factor)).collect();
        match &self.0 {
            Law::Normals(d) => Self::normals(parts, d.unit().clone()),
            Law::Counts(_) => Self::counts(parts),
        }
    }
}

/// E f(z) for a standard Normal z by the trapezoidal rule: its nodes and weights, `step` apart, `count` on either side of 0.
fn normal_rule(step: f64, count: i32) -> Vec<(f64, f64)> {
    let node = |i: i32| {
        let z = step * f64::from(i);
        (z, (-0.5 * z * z).exp())
    };
    let nodes: Vec<(f64, f64)> = (-count..=count).map(node).collect();
    let sum: f64 = nodes.iter().map(|(_, w)| w).sum();
    nodes.into_iter().map(|(z, w)| (z, w / sum)).collect()
}
