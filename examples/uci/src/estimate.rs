//! A mean over splits.

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
