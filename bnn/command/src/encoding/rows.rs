//! The inputs of rows as numbers: those of one column, and those of all columns side by side.

/// A column of some rows as inputs.
pub(crate) struct Encoded {
    /// The numbers, NaN where they are missing, of shape \[rows, width\].
    pub(crate) means: Vec<f64>,
    /// Number of inputs of the column.
    pub(crate) width: usize,
    /// The variance of each row's number; none if no noise is known, so that all are 0.
    pub(crate) variances: Option<Vec<f64>>,
    /// Whether the cell of each row is missing.
    pub(crate) missing: Vec<bool>,
    /// Number of values that lay so far outside those of training that they were moved nearer.
    pub(crate) far: usize,
    /// Number of words that are new.
    pub(crate) new: usize,
    /// A remark on cells that are no numbers or dates as the others are, and count as missing.
    pub(crate) unparsable: Option<String>,
}

/// Numbers of shape \[rows, width\].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rows {
    pub(super) values: Vec<f64>,
    pub(super) width: usize,
    pub(super) rows: usize,
}

impl Rows {
    /// Zeros for the inputs of these columns.
    fn new(encoded: &[Encoded], rows: usize) -> Self {
        let width = encoded.iter().map(|column| column.width).sum();
        Self { values: vec![0.0; width * rows], width, rows }
    }

    /// The means of the inputs, NaN where they are missing.
    pub(super) fn means(encoded: &[Encoded], rows: usize) -> Self {
        let mut out = Self::new(encoded, rows);
        let mut first = 0;
        // A column without inputs has no chunks, and chunks of none panic.
        for Encoded { means, width, .. } in encoded.iter().filter(|column| column.width > 0) {
            for (row, part) in out.iter_mut().zip(means.chunks_exact(*width)) {
                row[first..first + width].copy_from_slice(part);
            }
            first += width;
        }
        out
    }

    /// The variances with which the inputs were measured.
    pub(super) fn variances(encoded: &[Encoded], rows: usize) -> Self {
        let mut out = Self::new(encoded, rows);
        let mut first = 0;
        for Encoded { variances, width, .. } in encoded {
            for (row, variance) in out.iter_mut().zip(variances.iter().flatten()) {
                row[first] = *variance;
            }
            first += width;
        }
        out
    }

    /// The rows with a 0 or 1 more for each of the flags, which are false where there are none.
    pub(super) fn with(self, flags: &[&[bool]]) -> Self {
        if flags.is_empty() {
            return self;
        }
        let (width, rows) = (self.width + flags.len(), self.rows);
        let mut values = Vec::with_capacity(width * rows);
        for i in 0..rows {
            values.extend(&self.values[self.width * i..self.width * (i + 1)]);
            let flag = |flag: &&[bool]| f64::from(u8::from(flag.get(i).copied().unwrap_or(false)));
            values.extend(flags.iter().map(flag));
        }
        Self { values, width, rows }
    }

    /// The rows, in order; none if they have no numbers.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The rows, to be changed, in order.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.values.chunks_exact_mut(self.width.max(1))
    }

    /// The numbers of row `i`.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[self.width * i..self.width * (i + 1)]
    }

    /// The numbers of row `i`, to be changed.
    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.width * i..self.width * (i + 1)]
    }
}
