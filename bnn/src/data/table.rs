//! Tables of examples: inputs with or without variances, targets with or without weights and censoring. All are
//! checked before training.

use serde::{Deserialize, Serialize};

use super::{Matrix, Scale, TargetUnit};

/// Sums of squares of numbers up to this one are finite.
pub(crate) const LARGEST: f64 = 1e150;

/// The targets of all rows: real numbers or classes.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Real numbers, a column for each target, in any units.
    Real(Matrix),
    /// One class for each row.
    Classes {
        /// The class of each row, a number below that of the names.
        labels: Vec<usize>,
        /// The names of the classes.
        names: Vec<String>,
    },
}

/// Inputs and targets, a row for each example, in the units of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The inputs; an image is a row, channel by channel.
    pub x: Matrix,
    /// The variances of the inputs, if they were measured with noise, of the shape of `x`.
    pub x_variance: Option<Matrix>,
    /// The targets.
    pub y: Targets,
    /// How often each row counts in the likelihood, a number ≥ 0 for each; once, if not given.
    pub weights: Option<Vec<f64>>,
    /// How much is known of the target of each row, for
    /// [`LikelihoodKind::Censored`](crate::LikelihoodKind::Censored). Without it all targets are known.
    pub censored: Option<Vec<Censoring>>,
}

/// How much is known of the real target y of a row: the number itself, or a bound of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Censoring {
    /// The target is y.
    #[default]
    Known,
    /// The target is y or more, as the life of a part that still works.
    AtLeast,
    /// The target is y or less, as a concentration that a device cannot resolve.
    AtMost,
    /// The target lies between y and a larger number.
    Until {
        /// The upper end of the interval, > y.
        upper: f64,
    },
}

impl Censoring {
    /// The ends of the interval that holds the target; both are y for a known target.
    pub(crate) fn ends(self, y: f64) -> [f64; 2] {
        match self {
            Self::Known => [y, y],
            Self::AtLeast => [y, f64::INFINITY],
            Self::AtMost => [f64::NEG_INFINITY, y],
            Self::Until { upper } => [y, upper],
        }
    }
}

/// The units of the targets, or the names of the classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetScale {
    /// The unit of each target.
    Real(Vec<TargetUnit>),
    /// The names of the classes.
    Classes(Vec<String>),
}

/// Why data does not fit a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The data has another number of columns than the model has inputs.
    #[error("the model has {expected} inputs, but the data has {found} columns")]
    Inputs {
        /// The model's number of inputs.
        expected: usize,
        /// The data's number of columns.
        found: usize,
    },
    /// There is no row of data.
    #[error("there is no data: at least one row is needed")]
    Empty,
    /// A number in the data is infinite or NaN.
    #[error("row {row} of the {part} holds {value}; every number must be finite")]
    NotFinite {
        /// Inputs, or targets.
        part: &'static str,
        /// The row's number, from 0.
        row: usize,
        /// The number in that row.
        value: f64,
    },
    /// A number is so large that its square, or a sum of squares, may not be finite.
    #[error(
        "row {row} of the {part} holds {value:e}; a number must lie within ±1e150: choose another unit"
    )]
    Large {
        /// Inputs, or targets.
        part: &'static str,
        /// The row's number, from 0.
        row: usize,
        /// The number in that row.
        value: f64,
    },
    /// The numbers of a column differ by so little that its variance has no digits.
    #[error(
        "column {column} of the {part} has a standard deviation of {sd:e}, below 1e-150: choose another unit"
    )]
    Narrow {
        /// Inputs, or targets.
        part: &'static str,
        /// The column's number, from 0.
        column: usize,
        /// The standard deviation of the column, in its units.
        sd: f64,
    },
    /// The logarithm of a target was asked for that has none.
    #[error(
        "row {row} of the targets holds {value} in column {column}, which has no logarithm: choose the transform asinh or \
         quantile, or none"
    )]
    NotPositive {
        /// The row's number, from 0.
        row: usize,
        /// The column's number, from 0.
        column: usize,
        /// The number in that row.
        value: f64,
    },
    /// A variance is negative.
    #[error("row {row} of the variances of the inputs holds {value}; a variance is not negative")]
    Negative {
        /// The row's number, from 0.
        row: usize,
        /// The variance in that row.
        value: f64,
    },
    /// The weight of a row is negative or no finite number.
    #[error("row {row} has the weight {value}; a weight is a finite number that is not negative")]
    Weight {
        /// The row's number, from 0.
        row: usize,
        /// The weight of the row.
        value: f64,
    },
    /// The upper end of an interval is not above the target.
    #[error(
        "row {row} is to lie between its target and {upper}, which is not a larger finite number"
    )]
    Interval {
        /// The row's number, from 0.
        row: usize,
        /// The upper end of the interval.
        upper: f64,
    },
    /// A count is not 0, 1, 2, ….
    #[error("row {row} of the targets holds {value}, which is no count; choose another likelihood")]
    Count {
        /// The row's number, from 0.
        row: usize,
        /// The number in that row.
        value: f64,
    },
    /// Rows are censored, but the likelihood takes every target as known.
    #[error("rows are censored, but the likelihood takes every target as known; choose `Censored`")]
    Censored,
    /// There are not as many targets, or variances, as rows.
    #[error("there are {rows} rows of inputs but {found} of the {part}")]
    Rows {
        /// The columns whose count differs from that of the inputs: targets, weights or variances.
        part: &'static str,
        /// How many rows of inputs there are.
        rows: usize,
        /// The number of rows of these columns.
        found: usize,
    },
    /// The targets are of another kind or number than the likelihood's.
    #[error("the likelihood wants {expected}, but the data has {found}; choose another likelihood")]
    Targets {
        /// The kind and number of targets that the likelihood takes.
        expected: String,
        /// The kind and number of targets in the data.
        found: String,
    },
    /// A label has no name.
    #[error("row {row} is of class {label}, but there are {classes} classes")]
    Label {
        /// The row's number, from 0.
        row: usize,
        /// The class of the row.
        label: usize,
        /// The number of classes.
        classes: usize,
    },
}

impl TargetScale {
    /// Real targets of these means and standard deviations, without transforms.
    #[must_use]
    pub fn real(scales: Vec<Scale>) -> Self {
        Self::Real(scales.into_iter().map(TargetUnit::from).collect())
    }
}

impl Table {
    /// Rows with one real target each.
    ///
    /// # Errors
    ///
    /// [`DataError::Rows`], if there are not as many targets as rows.
    pub fn regression(x: Matrix, y: &[f64]) -> Result<Self, DataError> {
        rows_fit("targets", &x, y.len())?;
        let y = Matrix::new(1, y.to_vec()).map_err(|_| DataError::Empty)?;
        Ok(Self { x, x_variance: None, y: Targets::Real(y), weights: None, censored: None })
    }

    /// Rows with a class each.
    ///
    /// # Errors
    ///
    /// [`DataError`], if there are not as many labels as rows, or a label has no name.
    pub fn classes(x: Matrix, labels: Vec<usize>, names: Vec<String>) -> Result<Self, DataError> {
        rows_fit("targets", &x, labels.len())?;
        let classes = names.len();
        if let Some((row, &label)) = labels.iter().enumerate().find(|(_, l)| **l >= classes) {
            return Err(DataError::Label { row, label, classes });
        }
        Ok(Self {
            x,
            x_variance: None,
            y: Targets::Classes { labels, names },
            weights: None,
            censored: None,
        })
    }

    /// The table with these weights of its rows. Training counts the likelihood of a row as often as its weight says, so
    /// that a weight of 2 is the row twice; scales of inputs and targets do not depend on weights.
    ///
    /// # Errors
    ///
    /// [`DataError`], if there are not as many weights as rows, one is negative or not finite, or none is above 0.
    pub fn with_weights(self, weights: Vec<f64>) -> Result<Self, DataError> {
        let weighted = Self { weights: Some(weights), ..self };
        weighted.check_weights()?;
        Ok(weighted)
    }

    /// The table with `censored`, which says for each row how much is known of its target.
    ///
    /// # Errors
    ///
    /// [`DataError`], if there are not as many as rows, or an upper end is not finite or not above the target.
    pub fn with_censored(self, censored: Vec<Censoring>) -> Result<Self, DataError> {
        let told = Self { censored: Some(censored), ..self };
        told.check_censored()?;
        Ok(told)
    }

    /// Whether there is a censoring for each row, each interval above its target.
    pub(crate) fn check_censored(&self) -> Result<(), DataError> {
        let Some(censored) = &self.censored else { return Ok(()) };
        rows_fit("censoring", &self.x, censored.len())?;
        let Targets::Real(y) = &self.y else { return Ok(()) };
        for (row, (c, y)) in censored.iter().zip(y.iter()).enumerate() {
            if let Censoring::Until { upper } = *c
                && !(upper.is_finite() && y.iter().all(|y| upper > *y))
            {
                return Err(DataError::Interval { row, upper });
            }
        }
        Ok(())
    }

    /// The ends of the interval that holds the target of each row, in standardised units, in two columns.
    pub(crate) fn intervals(&self, y: &Matrix, unit: &TargetUnit) -> Matrix {
        let censoring =
            |i: usize| self.censored.as_ref().and_then(|c| c.get(i)).copied().unwrap_or_default();
        let ends = y.values().iter().enumerate().flat_map(|(i, y)| censoring(i).ends(*y));
        Matrix::filled(2, ends.map(|end| unit.apply(end)).collect())
    }

    /// The rows with these numbers, in the order given, if all of them exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Option<Self> {
        let x_variance = match &self.x_variance {
            Some(v) => Some(v.select(rows)?),
            None => None,
        };
        let y = match &self.y {
            Targets::Real(y) => Targets::Real(y.select(rows)?),
            Targets::Classes { labels, names } => Targets::Classes {
                labels: rows.iter().map(|&i| labels.get(i).copied()).collect::<Option<_>>()?,
                names: names.clone(),
            },
        };
        let weights = match &self.weights {
            Some(w) => Some(rows.iter().map(|&i| w.get(i).copied()).collect::<Option<_>>()?),
            None => None,
        };
        let censored = match &self.censored {
            Some(c) => Some(rows.iter().map(|&i| c.get(i).copied()).collect::<Option<_>>()?),
            None => None,
        };
        Some(Self { x: self.x.select(rows)?, x_variance, y, weights, censored })
    }

    /// Whether there is a weight for each row, finite and not negative, and one above 0.
    pub(crate) fn check_weights(&self) -> Result<(), DataError> {
        let Some(weights) = &self.weights else { return Ok(()) };
        rows_fit("weights", &self.x, weights.len())?;
        let wrong = |(_, w): &(usize, &f64)| !(**w >= 0.0 && w.is_finite());
        if let Some((row, &value)) = weights.iter().enumerate().find(wrong) {
            return Err(DataError::Weight { row, value });
        }
        if weights.iter().all(|w| *w == 0.0) { Err(DataError::Empty) } else { Ok(()) }
    }
}

/// Checks inputs for a model of `columns` inputs: at least one row, as many columns, finite numbers.
pub(crate) fn check_inputs(x: &Matrix, columns: usize) -> Result<(), DataError> {
    if x.columns() != columns {
        return Err(DataError::Inputs { expected: columns, found: x.columns() });
    }
    if x.rows() == 0 {
        return Err(DataError::Empty);
    }
    finite("inputs", x)
}

/// Checks inputs of `columns` columns and their variances, if there are any: equal numbers of rows, finite numbers,
/// and no variance below 0.
pub(crate) fn check_noisy(
    x: &Matrix,
    x_variance: Option<&Matrix>,
    columns: usize,
) -> Result<(), DataError> {
    check_inputs(x, columns)?;
    let Some(v) = x_variance else { return Ok(()) };
    rows_fit("variances", x, v.rows())?;
    check_inputs(v, columns)?;
    for (row, values) in v.iter().enumerate() {
        if let Some(&value) = values.iter().find(|v| **v < 0.0) {
            return Err(DataError::Negative { row, value });
        }
    }
    Ok(())
}

/// Whether all numbers are finite, and so are sums of their squares.
pub(crate) fn finite(part: &'static str, x: &Matrix) -> Result<(), DataError> {
    for (row, values) in x.iter().enumerate() {
        if let Some(&value) = values.iter().find(|v| !v.is_finite()) {
            return Err(DataError::NotFinite { part, row, value });
        }
        if let Some(&value) = values.iter().find(|v| v.abs() > LARGEST) {
            return Err(DataError::Large { part, row, value });
        }
    }
    Ok(())
}

/// Whether there are as many of a part, such as weights, as rows of inputs.
pub(crate) fn rows_fit(part: &'static str, x: &Matrix, found: usize) -> Result<(), DataError> {
    let rows = x.rows();
    if rows == found { Ok(()) } else { Err(DataError::Rows { part, rows, found }) }
}

/// A 1 in the column of each row's class and 0 elsewhere; of two classes the second column alone, if
/// there is to be one.
pub(crate) fn one_hot(labels: &[usize], columns: usize) -> Matrix {
    let row = |&label: &usize| {
        (0..columns).map(move |j| f64::from(u8::from(label == if columns == 1 { 1 } else { j })))
    };
    let values = labels.iter().flat_map(row).collect();
    Matrix::filled(columns, values)
}
