//! The benchmark's protocol: a model sees the training rows, and is scored on the others in the units
//! of the data.

use gaussform_bnn::{Matrix, mean_log_likelihood, rmse};

use crate::dataset::Dataset;
use crate::split::Split;

/// One split of a data set, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The training inputs.
    pub x_train: Matrix,
    /// The training targets.
    pub y_train: Vec<f64>,
    /// The test inputs.
    pub x_test: Matrix,
    /// The test targets.
    pub y_test: Vec<f64>,
}

/// How well a method predicts the test rows of a fold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The root mean squared error, in the units of the target.
    pub rmse: f64,
    /// The mean log likelihood in nats of a row, the density being of the target's units.
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
        Ok(Self { x_train, y_train, x_test, y_test })
    }

    /// The score of predictive means and variances for the test rows.
    #[must_use]
    pub fn score(&self, mean: &[f64], variance: &[f64]) -> Score {
        Score {
            rmse: rmse(mean, &self.y_test),
            log_likelihood: mean_log_likelihood(mean, variance, &self.y_test),
        }
    }
}

/// A mean over splits with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation (divided by n − 1) over √n; NaN for a single value.
    pub standard_error: f64,
}

impl Estimate {
    /// The estimate from these values; NaN for none.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        Self { mean, standard_error: (squares / (n - 1.0) / n).sqrt() }
    }
}
