//! The test whether missing cells of a column say something of the target.
//!
//! With R² the share of the target's variance that differs between rows with and without the cell (for classes, the share of
//! the flag's variance between classes), n rows and d degrees of freedom (1, or the classes less one), a flag is added if
//!
//! ```text
//! −n log(1 − R²) > d log n
//! ```
//!
//! the criterion of Schwarz (BIC) for one more group.

/// Rows with and without the cell must be at least so many.
const LEAST: usize = 5;

/// The targets of some rows.
pub(super) enum Known<'a> {
    Numbers(&'a [f64]),
    /// The class of each row, and how many classes there are.
    Classes(&'a [usize], usize),
}

/// Whether the missing cells say something of the targets.
pub(super) fn informs(missing: &[bool], target: &Known<'_>) -> bool {
    let n = missing.len();
    let count = missing.iter().filter(|missing| **missing).count();
    if count < LEAST || n - count < LEAST {
        return false;
    }
    let flags: Vec<f64> = missing.iter().map(|missing| f64::from(u8::from(*missing))).collect();
    let (explained, freedom) = match target {
        Known::Numbers(y) => {
            let groups: Vec<usize> = missing.iter().map(|missing| usize::from(*missing)).collect();
            (between(y, &groups, 2), 1)
        }
        Known::Classes(labels, classes) => {
            (between(&flags, labels, *classes), classes.saturating_sub(1))
        }
    };
    -(n as f64) * (-explained).ln_1p() > freedom as f64 * (n as f64).ln()
}

/// The fraction of the variance of `values` that lies between the means of groups; 0 if the values do not vary.
fn between(values: &[f64], groups: &[usize], count: usize) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sums = vec![[0.0; 2]; count];
    for (value, group) in values.iter().zip(groups) {
        if let Some(sum) = sums.get_mut(*group) {
            *sum = [sum[0] + value - mean, sum[1] + 1.0];
        }
    }
    let whole: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let part: f64 = sums.iter().filter(|s| s[1] > 0.0).map(|s| s[0] * s[0] / s[1]).sum();
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::{Known, informs};

    #[test]
    fn flags_where_they_inform() {
        let missing: Vec<bool> = (0..200).map(|i| i % 4 == 0).collect();
        let y = |by: f64| -> Vec<f64> {
            (0..200)
                .map(|i| f64::from(i * 37 % 101) / 101.0 + if i % 4 == 0 { by } else { 0.0 })
                .collect()
        };
        assert!(informs(&missing, &Known::Numbers(&y(0.5))));
        assert!(!informs(&missing, &Known::Numbers(&y(0.0))));
        let labels =
            |odd: usize| -> Vec<usize> { (0..200).map(|i| usize::from(i % odd == 0)).collect() };
        assert!(informs(&missing, &Known::Classes(&labels(4), 2)));
        assert!(!informs(&missing, &Known::Classes(&labels(7), 2)));
        // Too few to say.
        assert!(!informs(&(0..200).map(|i| i == 3).collect::<Vec<_>>(), &Known::Numbers(&y(0.0))));
    }
}
