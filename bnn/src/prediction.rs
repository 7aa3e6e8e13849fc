//! Predictions for new rows, in the units of the data, with the variance in three parts: from the layers below the
//! last, from the weights of the last layer, and from the noise.

use crate::data::{Matrix, Scale, TargetUnit};
use crate::distribution::{Component, Distribution, Moments};

/// Predictive distributions of real targets, in the units of the data: all matrices have a row for each example and a
/// column for each target.
#[derive(Clone, Debug, PartialEq)]
pub struct RealPrediction {
    /// The predictive means.
    pub mean: Matrix,
    /// The variance that the layers before the last bring (Jankowiak, Eq. 44: from A), ≥ 0.
    pub from_below: Matrix,
    /// The variance that the weights of the last layer add (from B), ≥ 0.
    pub from_last: Matrix,
    /// The variance of the noise, which no more data would take away, > 0.
    pub noise: Matrix,
    /// The distributions of the matrices' elements, row by row.
    distributions: Vec<Distribution>,
}

impl RealPrediction {
    /// Normal distributions, the variance of each in its three parts.
    ///
    /// # Panics
    ///
    /// If the matrices differ in shape.
    #[must_use]
    pub fn normal(mean: &Matrix, from_below: &Matrix, from_last: &Matrix, noise: &Matrix) -> Self {
        let shape = |m: &Matrix| (m.rows(), m.columns());
        for (name, m) in [("from_below", from_below), ("from_last", from_last), ("noise", noise)] {
            assert_eq!(shape(m), shape(mean), "`{name}` differs from `mean` in its shape");
        }
        let unit = TargetUnit::from(Scale { mean: 0.0, sd: 1.0 });
        let distribution = |i: usize| {
            let [mean, below, last, noise] =
                [mean, from_below, from_last, noise].map(|m| m.values()[i]);
            let part = Component { weight: 1.0, mean, below, last, noise };
            Distribution::normals(vec![part], unit.clone())
        };
        let distributions = (0..mean.values().len()).map(distribution).collect();
        Self::of(mean.columns(), distributions)
    }

    /// The predictions with these distributions, row by row.
    pub(crate) fn of(columns: usize, distributions: Vec<Distribution>) -> Self {
        let moments: Vec<Moments> = distributions.iter().map(Distribution::moments).collect();
        let matrix =
            |f: fn(&Moments) -> f64| Matrix::filled(columns, moments.iter().map(f).collect());
        Self {
            mean: matrix(|m| m.mean),
            from_below: matrix(|m| m.below),
            from_last: matrix(|m| m.last),
            noise: matrix(|m| m.noise),
            distributions,
        }
    }

    /// The distributions, row by row: that of target `j` in row `i` is number `i · columns + j`.
    #[must_use]
    pub fn distributions(&self) -> &[Distribution] {
        &self.distributions
    }

    /// The predictions of one target, its number counted from 0.
    ///
    /// # Panics
    ///
    /// If there is no such target.
    #[must_use]
    pub fn target(&self, number: usize) -> Self {
        let targets = self.mean.columns();
        assert!(number < targets, "there are {targets} targets");
        let own = self.distributions.iter().skip(number).step_by(targets);
        Self::of(1, own.cloned().collect())
    }

    /// The predictive variances, the sum of the three parts.
    #[must_use]
    pub fn variance(&self) -> Matrix {
        let parts = self.from_below.values().iter().zip(self.from_last.values());
        let sums = parts.zip(self.noise.values()).map(|((a, b), c)| a + b + c).collect();
        Matrix::filled(self.mean.columns(), sums)
    }

    /// The variances that the uncertainty of the weights brings. More data would reduce them.
    #[must_use]
    pub fn epistemic(&self) -> Matrix {
        let parts = self.from_below.values().iter().zip(self.from_last.values());
        Matrix::filled(self.mean.columns(), parts.map(|(a, b)| a + b).collect())
    }

    /// The p-quantile of each target, for `p` in (0, 1): the target is below it with probability `p`.
    #[must_use]
    pub fn quantile(&self, p: f64) -> Matrix {
        let quantiles = self.distributions.iter().map(|d| d.quantile(p)).collect();
        Matrix::filled(self.mean.columns(), quantiles)
    }

    /// The probability that each target is at most `y`, which has the shape of the means.
    ///
    /// # Panics
    ///
    /// If `y` has another shape than the means.
    #[must_use]
    pub fn cdf(&self, y: &Matrix) -> Matrix {
        self.at(y, Distribution::cdf)
    }

    /// The log density of each target at `y`, which has the shape of the means. It is in nats, for a density by the
    /// unit of the data.
    ///
    /// # Panics
    ///
    /// If `y` has another shape than the means.
    #[must_use]
    pub fn log_density(&self, y: &Matrix) -> Matrix {
        self.at(y, Distribution::log_density)
    }

    /// The mean of [`log_density`](Self::log_density) over rows and targets; NaN for none.
    ///
    /// # Panics
    ///
    /// If `y` has another shape than the means.
    #[must_use]
    pub fn mean_log_density(&self, y: &Matrix) -> f64 {
        self.log_density(y).values().iter().sum::<f64>() / y.values().len() as f64
    }

    /// `f` of each distribution and its element of `y`, of the shape of the means.
    ///
    /// # Panics
    ///
    /// If `y` has another shape than the means.
    pub(crate) fn at(&self, y: &Matrix, f: impl Fn(&Distribution, f64) -> f64) -> Matrix {
        assert_eq!(y.values().len(), self.mean.values().len(), "`y` differs in its shape");
        let values = self.distributions.iter().zip(y.values()).map(|(d, y)| f(d, *y)).collect();
        Matrix::filled(self.mean.columns(), values)
    }
}

/// Predictive probabilities of classes.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassPrediction {
    /// The probabilities, a row for each example and a column for each class. Rows add up to 1.
    pub probabilities: Matrix,
    /// The names of the classes.
    pub names: Vec<String>,
    /// For each row the mutual information of class and weights in nats, ≥ 0: the part of the entropy that comes from
    /// the uncertainty of the weights. The rest of the entropy is what the data cannot explain.
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

/// The predictive distributions of all rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// Real targets.
    Real(RealPrediction),
    /// Classes.
    Classes(ClassPrediction),
}

impl Prediction {
    /// The mixture of predictions of the same rows, of at least one, with equal weights.
    pub(crate) fn mixture(all: Vec<Self>) -> Self {
        let share = 1.0 / all.len() as f64;
        let mut real: Vec<RealPrediction> = Vec::new();
        let mut classes: Vec<ClassPrediction> = Vec::new();
        for prediction in all {
            match prediction {
                Self::Real(p) => real.push(p),
                Self::Classes(p) => classes.push(p),
            }
        }
        match (&real[..], classes.first()) {
            ([only], _) => Self::Real(only.clone()),
            ([first, ..], _) => {
                let mix =
                    |i: usize| Distribution::mixture(real.iter().map(|p| &p.distributions[i]));
                let distributions = (0..first.distributions.len()).map(mix).collect();
                Self::Real(RealPrediction::of(first.mean.columns(), distributions))
            }
            ([], Some(first)) => {
                let k = first.probabilities.columns();
                let mean = |i: usize| -> f64 {
                    classes.iter().map(|p| share * p.probabilities.values()[i]).sum()
                };
                let count = first.probabilities.values().len();
                let probabilities = Matrix::filled(k, (0..count).map(mean).collect());
                // The entropy of a member that is not its information is what the data cannot explain.
                let own: Vec<Vec<f64>> = classes.iter().map(ClassPrediction::entropy).collect();
                let information = probabilities.iter().enumerate().map(|(i, row)| {
                    let unexplained =
                        classes.iter().zip(&own).map(|(p, e)| e[i] - p.information[i]);
                    (entropy(row) - share * unexplained.sum::<f64>()).max(0.0)
                });
                let information = information.collect();
                Self::Classes(ClassPrediction {
                    probabilities,
                    names: first.names.clone(),
                    information,
                })
            }
            ([], None) => Self::Classes(ClassPrediction {
                probabilities: Matrix::filled(1, Vec::new()),
                names: Vec::new(),
                information: Vec::new(),
            }),
        }
    }

    /// The prediction of real targets; none if classes are predicted.
    #[must_use]
    pub fn real(self) -> Option<RealPrediction> {
        match self {
            Self::Real(p) => Some(p),
            Self::Classes(_) => None,
        }
    }

    /// The prediction of classes; none if real targets are predicted.
    #[must_use]
    pub fn classes(self) -> Option<ClassPrediction> {
        match self {
            Self::Classes(p) => Some(p),
            Self::Real(_) => None,
        }
    }
}

pub(crate) fn entropy(p: &[f64]) -> f64 {
    -p.iter().map(|p| if *p > 0.0 { p * p.ln() } else { 0.0 }).sum::<f64>()
}
