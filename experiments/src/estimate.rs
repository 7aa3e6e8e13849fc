//! Means over runs, as tables print them.

use gaussform_uci::Estimate;

/// The arithmetic mean.
pub(crate) fn mean(values: &[f64]) -> f64 {
    Estimate::of(values).mean
}

/// The mean with its standard error; in words, if a value is infinite or NaN.
pub(crate) fn estimate(values: &[f64]) -> String {
    if values.iter().any(|value| !value.is_finite()) {
        return "not finite".to_owned();
    }
    let Estimate { mean, standard_error } = Estimate::of(values);
    if values.len() < 2 {
        return format!("{mean:.3}");
    }
    format!("{mean:.3} ± {standard_error:.3}")
}
