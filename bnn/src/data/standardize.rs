//! Standardisation of columns to mean 0 and standard deviation 1.
//!
//! ```text
//! u = (x − mean)/sd        sd² = 1/N Σ (x − mean)², or 1 for a constant column
//! ```
//!
//! Distances from the mean are taken in units of the largest one, so that no square overflows or underflows.

use serde::{Deserialize, Serialize};

use super::Matrix;

/// How the inputs of a model are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// Each column to mean 0 and standard deviation 1.
    #[default]
    Columns,
    /// All columns by one mean and one standard deviation, as pixels of an image.
    Whole,
    /// Inputs stay as they are.
    None,
}

/// Mean and standard deviation of a column, in the units of the column.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scale {
    /// The mean.
    pub mean: f64,
    /// The population standard deviation (divided by N); 1 for a constant column.
    pub sd: f64,
}

impl Scale {
    /// The scale of these values. It has mean 0 and standard deviation 1 if there are none.
    #[must_use]
    pub fn fit(values: impl Iterator<Item = f64> + Clone) -> Self {
        let Some(first) = values.clone().next() else {
            return Self { mean: 0.0, sd: 1.0 };
        };
        // Decided by comparison: the rounded mean of equal numbers need not equal them.
        if values.clone().all(|v| v == first) {
            return Self { mean: first, sd: 1.0 };
        }
        let n = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / n;
        // In units of the farthest, so that no square overflows or underflows.
        let farthest = values.clone().fold(0.0, |far: f64, v| far.max((v - mean).abs()));
        let squares: f64 = values.map(|v| ((v - mean) / farthest).powi(2)).sum();
        let sd = farthest * (squares / n).sqrt();
        Self { mean, sd }
    }

    /// `value` in standardised units.
    #[must_use]
    pub fn apply(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }

    /// A standardised `value` in the original units.
    #[must_use]
    pub fn invert(&self, value: f64) -> f64 {
        value * self.sd + self.mean
    }
}

/// A [`Scale`] for each column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standardizer {
    columns: Vec<Scale>,
}

impl Standardizer {
    /// A standardiser of these scales, column by column, such as those of a network that was trained elsewhere.
    #[must_use]
    pub fn new(columns: Vec<Scale>) -> Self {
        Self { columns }
    }

    /// The scales of the columns of `x`.
    #[must_use]
    pub fn fit(x: &Matrix) -> Self {
        Self::fit_by(x, Scaling::Columns)
    }

    /// The scales of the columns of `x`, one for each or one for all.
    #[must_use]
    pub fn fit_by(x: &Matrix, scaling: Scaling) -> Self {
        let column = |j: usize| x.iter().map(move |row| row[j]);
        let columns = match scaling {
            Scaling::Columns => (0..x.columns()).map(|j| Scale::fit(column(j))).collect(),
            Scaling::Whole => vec![Scale::fit(x.values().iter().copied()); x.columns()],
            Scaling::None => vec![Scale { mean: 0.0, sd: 1.0 }; x.columns()],
        };
        Self { columns }
    }

    /// The scales, column by column.
    #[must_use]
    pub fn scales(&self) -> &[Scale] {
        &self.columns
    }

    /// Variances in squared units of the columns as variances of standardised numbers, v/sd², of the shape of `v`.
    ///
    /// # Panics
    ///
    /// If `v` has not as many columns as the matrix that the scales were fitted on.
    #[must_use]
    pub fn apply_to_variances(&self, v: &Matrix) -> Matrix {
        assert_eq!(v.columns(), self.columns.len(), "`v` differs in its number of columns");
        v.map_rows(|row| row.iter().zip(&self.columns).map(|(v, s)| v / s.sd.powi(2)).collect())
    }

    /// `x` in standardised units.
    ///
    /// # Panics
    ///
    /// If `x` has not as many columns as the matrix that the scales were fitted on.
    #[must_use]
    pub fn apply(&self, x: &Matrix) -> Matrix {
        assert_eq!(x.columns(), self.columns.len(), "`x` differs in its number of columns");
        let row = |row: &[f64]| -> Vec<f64> {
            row.iter().zip(&self.columns).map(|(&v, scale)| scale.apply(v)).collect()
        };
        x.map_rows(row)
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn no_unit_is_too_large_or_too_small() {
        for unit in [1e-300, 1e-160, 1.0, 1e160, 1e300] {
            let Scale { mean, sd } = Scale::fit([unit, 3.0 * unit, 2.0 * unit].into_iter());
            let expected = [2.0 * unit, unit * (2.0_f64 / 3.0).sqrt()];
            for (found, expected) in [mean, sd].into_iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-12, "{unit}: {found}, {expected}");
            }
        }
    }
}
