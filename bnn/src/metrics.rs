//! How good predictions are.

use std::f64::consts::TAU;

/// The root of the mean squared difference of `mean` and `y`, in their units; NaN for none.
///
/// # Panics
///
/// If the slices differ in length.
#[must_use]
pub fn rmse(mean: &[f64], y: &[f64]) -> f64 {
    assert_eq!(mean.len(), y.len(), "`mean` and `y` differ in length");
    let squares: f64 = mean.iter().zip(y).map(|(m, y)| (m - y).powi(2)).sum();
    (squares / y.len() as f64).sqrt()
}

/// The mean of log N(y; mean, variance) over the rows, in nats; NaN for none.
///
/// `variance` is > 0; all three are in the same units, and the result is of that unit's density.
///
/// # Panics
///
/// If the slices differ in length.
#[must_use]
pub fn mean_log_likelihood(mean: &[f64], variance: &[f64], y: &[f64]) -> f64 {
    assert_eq!(mean.len(), y.len(), "`mean` and `y` differ in length");
    assert_eq!(variance.len(), y.len(), "`variance` and `y` differ in length");
    let density = |((m, v), y): ((&f64, &f64), &f64)| -0.5 * ((TAU * v).ln() + (y - m).powi(2) / v);
    mean.iter().zip(variance).zip(y).map(density).sum::<f64>() / y.len() as f64
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
