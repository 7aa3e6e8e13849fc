//! What a model says of new rows, in the units of the data, with where its doubt comes from.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use crate::data::Matrix;

/// Predictive distributions of real targets, a Normal for each row and target: all matrices have a
/// row for each example and a column for each target.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalPrediction {
    /// The predictive means.
    pub mean: Matrix,
    /// The variance that the layers before the last bring (Jankowiak, Eq. 44: from A), ≥ 0.
    pub from_below: Matrix,
    /// The variance that the weights of the last layer add (from B), ≥ 0.
    pub from_last: Matrix,
    /// The variance of the noise, which no more data would take away, > 0.
    pub noise: Matrix,
}

impl NormalPrediction {
    /// The predictive variances, the sum of the three parts.
    #[must_use]
    pub fn variance(&self) -> Matrix {
        let parts = self.from_below.values().iter().zip(self.from_last.values());
        let sums = parts.zip(self.noise.values()).map(|((a, b), c)| a + b + c).collect();
        Matrix::filled(self.mean.columns(), sums)
    }

    /// The variances that the uncertainty of the weights brings: what more data would take away.
    #[must_use]
    pub fn epistemic(&self) -> Matrix {
        let parts = self.from_below.values().iter().zip(self.from_last.values());
        Matrix::filled(self.mean.columns(), parts.map(|(a, b)| a + b).collect())
    }

    /// The number that a target is below with probability `p` in (0, 1).
    #[must_use]
    pub fn quantile(&self, p: f64) -> Matrix {
        let z = normal_quantile(p);
        let variance = self.variance();
        let numbers = self.mean.values().iter().zip(variance.values());
        Matrix::filled(self.mean.columns(), numbers.map(|(m, v)| m + z * v.sqrt()).collect())
    }

    /// The probability that a target is at most `y`, a matrix as the means.
    ///
    /// # Panics
    ///
    /// If `y` has another shape than the means.
    #[must_use]
    pub fn cdf(&self, y: &Matrix) -> Matrix {
        assert_eq!(y.values().len(), self.mean.values().len(), "`y` differs in its shape");
        let variance = self.variance();
        let numbers = self.mean.values().iter().zip(variance.values()).zip(y.values());
        let cdf = numbers.map(|((m, v), y)| normal_cdf((y - m) / v.sqrt())).collect();
        Matrix::filled(self.mean.columns(), cdf)
    }
}

/// Predictive probabilities of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassPrediction {
    /// A row for each example and a column for each class; rows add up to 1.
    pub probabilities: Matrix,
    /// The names of the classes.
    pub names: Vec<String>,
    /// For each row the mutual information of class and weights in nats, ≥ 0: the entropy that the
    /// weights do not know. The rest of the entropy is what the data cannot explain.
    pub information: Vec<f64>,
}

impl ClassPrediction {
    /// The most probable class of each row.
    #[must_use]
    pub fn labels(&self) -> Vec<usize> {
        let largest = |row: &[f64]| {
            row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i)
        };
        self.probabilities.iter().map(largest).collect()
    }

    /// The entropy of each row's probabilities in nats.
    #[must_use]
    pub fn entropy(&self) -> Vec<f64> {
        self.probabilities.iter().map(entropy).collect()
    }
}

/// What a model predicts.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// Real targets.
    Normal(NormalPrediction),
    /// Classes.
    Classes(ClassPrediction),
}

impl Prediction {
    /// The prediction of real targets, if it is one.
    #[must_use]
    pub fn normal(self) -> Option<NormalPrediction> {
        match self {
            Self::Normal(p) => Some(p),
            Self::Classes(_) => None,
        }
    }

    /// The prediction of classes, if it is one.
    #[must_use]
    pub fn classes(self) -> Option<ClassPrediction> {
        match self {
            Self::Classes(p) => Some(p),
            Self::Normal(_) => None,
        }
    }
}

pub(crate) fn entropy(p: &[f64]) -> f64 {
    -p.iter().map(|p| if *p > 0.0 { p * p.ln() } else { 0.0 }).sum::<f64>()
}

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
