//! The benchmark's protocol: standardise by the training rows, report in original units.

use crate::dataset::Dataset;
use crate::matrix::Matrix;
use crate::metrics::{mean_log_likelihood, rmse};
use crate::split::Split;
use crate::standardize::{Scale, Standardizer};

/// One split of a data set, standardised by the means and standard deviations of its training
/// rows.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The training inputs, standardised.
    pub x_train: Matrix,
    /// The training targets, standardised.
    pub y_train: Vec<f64>,
    /// The test inputs, standardised.
    pub x_test: Matrix,
    /// The test targets, in their original units.
    pub y_test: Vec<f64>,
    /// The scale of the training targets.
    pub target: Scale,
}

/// How well a method predicts the test rows of a fold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The root mean squared error, in the original units of the target.
    pub rmse: f64,
    /// The mean log likelihood in nats of a row, the density being of the original units.
    pub log_likelihood: f64,
}

/// The split does not fit the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the split is empty or names a row that the data, of {rows} rows, does not have")]
pub struct FoldError {
    /// How many rows the data has.
    pub rows: usize,
}

impl Fold {
    /// The fold of `data` that `split` makes.
    ///
    /// # Errors
    ///
    /// [`FoldError`], if `split` names a row that `data` does not have, or none to train or test.
    pub fn new(data: &Dataset, split: &Split) -> Result<Self, FoldError> {
        let error = FoldError { rows: data.x.rows().min(data.y.len()) };
        let pick = |rows: &[usize]| {
            let y: Option<Vec<f64>> = rows.iter().map(|&i| data.y.get(i).copied()).collect();
            data.x.select(rows).zip(y).filter(|(x, _)| x.rows() > 0).ok_or(error)
        };
        let (x_train, y_train) = pick(&split.train)?;
        let (x_test, y_test) = pick(&split.test)?;
        let inputs = Standardizer::fit(&x_train);
        let target = Scale::fit(y_train.iter().copied());
        Ok(Self {
            x_train: inputs.apply(&x_train),
            y_train: y_train.iter().map(|&y| target.apply(y)).collect(),
            x_test: inputs.apply(&x_test),
            y_test,
            target,
        })
    }

    /// Predictive means in the original units, given the standardised ones.
    #[must_use]
    pub fn means(&self, mean: &[f64]) -> Vec<f64> {
        mean.iter().map(|&m| self.target.invert(m)).collect()
    }

    /// Predictive variances in the original units squared, given the standardised ones.
    #[must_use]
    pub fn variances(&self, variance: &[f64]) -> Vec<f64> {
        variance.iter().map(|v| v * self.target.sd.powi(2)).collect()
    }

    /// The score of standardised predictive means and variances for the test rows.
    #[must_use]
    pub fn score(&self, mean: &[f64], variance: &[f64]) -> Score {
        let (mean, variance) = (self.means(mean), self.variances(variance));
        Score {
            rmse: rmse(&mean, &self.y_test),
            log_likelihood: mean_log_likelihood(&mean, &variance, &self.y_test),
        }
    }
}
