//! Numbers that users give and numbers that they get.

use std::fmt::LowerExp;
use std::str::FromStr;

use crate::report::{Complaint, Document, Failure};

/// A precision of the command line.
pub(crate) trait Number: gaussform_runtime::Float + FromStr + LowerExp {
    /// Its name.
    const NAME: &'static str;
    /// How many digits after the first tell every value from its neighbours.
    const DIGITS: usize;
}

impl Number for f64 {
    const NAME: &'static str = "f64";
    const DIGITS: usize = 16;
}

impl Number for f32 {
    const NAME: &'static str = "f32";
    const DIGITS: usize = 8;
}

/// The value with so many digits that reading them gives the same value.
pub(crate) fn digits<T: Number>(value: T) -> String {
    format!("{value:.*e}", T::DIGITS)
}

/// A finite number from its text.
pub(crate) fn finite<T: Number>(name: &str, text: &str) -> Result<T, Complaint> {
    let text = text.trim();
    let remedy = "write a finite decimal number such as 0.5 or 1e-3";
    match text.parse::<T>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => {
            let message = format!("`{name}` is `{text}`, which is too large for {}", T::NAME);
            Err(Complaint::new(message, remedy))
        }
        Ok(_) => Err(Complaint::new(format!("`{name}` is `{text}`, which is not finite"), remedy)),
        Err(_) if text.is_empty() => Err(Complaint::new(format!("`{name}` is empty"), remedy)),
        Err(_) => Err(Complaint::new(format!("`{name}` is `{text}`, not a number"), remedy)),
    }
}

/// γ from its text.
pub(crate) fn gamma<T: Number>(text: &str) -> Result<T, Complaint> {
    finite("gamma", text)
}

/// ξ² from its text.
pub(crate) fn xi2<T: Number>(text: &str) -> Result<T, Complaint> {
    let value: T = finite("xi2", text)?;
    if value < T::ZERO {
        let message = format!("`xi2` is `{}`, but a variance is not negative", text.trim());
        return Err(Complaint::new(
            message,
            "give ξ² ≥ 0, the variance (not the standard deviation) of the pre-activation",
        ));
    }
    Ok(value)
}

/// γ and ξ² from the options of these names.
pub(crate) fn point<T: Number>(gamma_text: &str, xi2_text: &str) -> Result<(T, T), Failure> {
    let located = |option: &str, text: &str| {
        let document = Document::new(option, text);
        move |complaint| document.whole(complaint)
    };
    let at_gamma = gamma(gamma_text).map_err(located("--gamma", gamma_text))?;
    let at_xi2 = xi2(xi2_text).map_err(located("--xi2", xi2_text))?;
    Ok((at_gamma, at_xi2))
}
