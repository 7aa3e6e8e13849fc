//! Matrices of `f64` on the host, of shape \[examples, columns\].

/// A dense matrix of `f64`, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    columns: usize,
    values: Vec<f64>,
}

/// The values do not fill whole rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{values} values do not fill rows of {columns} columns")]
pub struct RaggedError {
    /// Number of values.
    pub values: usize,
    /// Number of columns that there should be.
    pub columns: usize,
}

impl Matrix {
    /// The matrix with these values, row by row.
    ///
    /// # Errors
    ///
    /// [`RaggedError`], if the number of values is no multiple of `columns`, or `columns` is 0.
    pub fn new(columns: usize, values: Vec<f64>) -> Result<Self, RaggedError> {
        if columns == 0 || !values.len().is_multiple_of(columns) {
            return Err(RaggedError { values: values.len(), columns });
        }
        Ok(Self { columns, values })
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len() / self.columns
    }

    /// Number of columns, at least 1.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// All values, row by row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.columns)
    }

    /// The rows with these numbers, in the order given, if all of them exist.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Option<Self> {
        let mut values = Vec::with_capacity(rows.len() * self.columns);
        for &row in rows {
            let start = row.checked_mul(self.columns)?;
            values.extend_from_slice(self.values.get(start..)?.get(..self.columns)?);
        }
        Some(Self { columns: self.columns, values })
    }

    /// The matrix of these values, which must fill whole rows of `columns` ≥ 1.
    pub(crate) fn filled(columns: usize, values: Vec<f64>) -> Self {
        debug_assert!(columns > 0 && values.len().is_multiple_of(columns));
        Self { columns, values }
    }

    /// The matrix whose rows are `map` of these rows.
    pub(crate) fn map_rows(&self, map: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        Self { columns: self.columns, values: self.iter().flat_map(map).collect() }
    }
}
