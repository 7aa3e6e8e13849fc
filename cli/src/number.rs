//! Numbers on the command line: how they are read, and with how many digits they are written.

use std::fmt::LowerExp;
use std::str::FromStr;

use gaussform_symbolic::exact::{Rational, decimal};
use num_traits::ToPrimitive;

use crate::report::{Blamed as _, Complaint, Document, Failure};

/// Decimal exponents beyond this do not occur in floating point.
const MAX_EXPONENT: u32 = 5_000;
/// Characters of a wrong number that are repeated in the complaint about it.
const LONGEST_SHOWN: usize = 40;

/// A precision of the command line.
pub(crate) trait Number: gaussform_runtime::Float + FromStr + LowerExp {
    /// The name of the precision.
    const NAME: &'static str;
    /// The number of digits after the first one that tell every value from its neighbours.
    const DIGITS: usize;
    /// The least positive value with all digits.
    const LEAST: Self;
}

impl Number for f64 {
    const NAME: &'static str = "f64";
    const DIGITS: usize = 16;
    const LEAST: f64 = f64::MIN_POSITIVE;
}

impl Number for f32 {
    const NAME: &'static str = "f32";
    const DIGITS: usize = 8;
    const LEAST: f32 = f32::MIN_POSITIVE;
}

/// The value with enough digits that reading them gives the same value.
pub(crate) fn digits<T: Number>(value: T) -> String {
    format!("{value:.*e}", T::DIGITS)
}

/// A finite number from its text: a decimal or a quotient of two, with either minus sign.
pub(crate) fn finite<T: Number>(name: &str, text: &str) -> Result<T, Complaint> {
    let text = text.trim();
    let remedy = "write a finite number such as 0.5, 1e-3 or 1/3";
    let shown = shortened(text);
    let plain = text.replacen('−', "-", 1);
    let decimal = quotient(&plain).unwrap_or(plain);
    match decimal.parse::<T>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) if text.contains(|c: char| c.is_ascii_digit()) => {
            let message = format!("`{name}` is `{shown}`, which is too large for {}", T::NAME);
            Err(Complaint::new(message, remedy))
        }
        Ok(_) => Err(Complaint::new(format!("`{name}` is `{shown}`, which is not finite"), remedy)),
        Err(_) if text.is_empty() => Err(Complaint::new(format!("`{name}` is empty"), remedy)),
        Err(_) => Err(Complaint::new(format!("`{name}` is `{shown}`, not a number"), remedy)),
    }
}

/// The start of a text that may be long, or have lines.
fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let start: String = line.chars().take(LONGEST_SHOWN).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// A quotient as a decimal, rounded to double precision.
fn quotient(text: &str) -> Option<String> {
    let value = text.contains('/').then(|| exact(text))??;
    value.to_f64().map(digits)
}

/// A decimal with a sign, or a quotient of two: `-0.5`, `1/3`.
pub(crate) fn exact(text: &str) -> Option<Rational> {
    let (negative, size) = match text.strip_prefix(['-', '−']) {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (above, below) = size.split_once('/').unwrap_or((size, "1"));
    let (above, below) = (decimal(above, MAX_EXPONENT)?, decimal(below, MAX_EXPONENT)?);
    let size = (below != Rational::default()).then(|| above / below)?;
    Some(if negative { -size } else { size })
}

/// γ from its text.
pub(crate) fn gamma<T: Number>(text: &str) -> Result<T, Complaint> {
    finite("gamma", text)
}

/// ξ² from its text.
pub(crate) fn xi2<T: Number>(text: &str) -> Result<T, Complaint> {
    variance("xi2", text)
}

/// The variance of a pre-activation from its text.
pub(crate) fn variance<T: Number>(name: &str, text: &str) -> Result<T, Complaint> {
    let meaning = "ξ² ≥ 0, the variance (not the standard deviation) of the pre-activation";
    variance_of(meaning, name, text)
}

/// A variance from its text. `meaning` says what to give.
pub(crate) fn variance_of<T: Number>(
    meaning: &str,
    name: &str,
    text: &str,
) -> Result<T, Complaint> {
    let value: T = finite(name, text)?;
    if value < T::ZERO {
        let message = format!("`{name}` is `{}`, but a variance is not negative", text.trim());
        return Err(Complaint::new(message, format!("give {meaning}")));
    }
    // −0 is 0, and so is a variance that is computed from it.
    Ok(if value == T::ZERO { T::ZERO } else { value })
}

/// A variance from the text of its root, the square rounded once.
pub(crate) fn squared<T: Number>(name: &str, text: &str) -> Result<T, Complaint> {
    let value: T = finite(name, text)?;
    if value < T::ZERO {
        let message =
            format!("`{name}` is `{}`, but a standard deviation is not negative", text.trim());
        return Err(Complaint::new(message, "give ξ ≥ 0, or the variance as `xi2`"));
    }
    let root = exact(&text.trim().replacen('−', "-", 1));
    if root.as_ref().is_some_and(|root| *root == Rational::default()) {
        return Ok(T::ZERO);
    }
    // What is finite and has an exponent beyond the limit is small.
    let square = root.map_or(Some(0.0), |root| (&root * &root).to_f64());
    let square = T::from_f64(square.unwrap_or(f64::NAN));
    if square < T::LEAST {
        let message = format!("the square of `{name}` is too small for {}", T::NAME);
        return Err(Complaint::new(message, "give a larger standard deviation, or 0 for none"));
    }
    if !square.is_finite() {
        let message = format!("the square of `{name}` is too large for {}", T::NAME);
        return Err(Complaint::new(message, "give a smaller standard deviation"));
    }
    Ok(square)
}

/// γ and ξ² from the options `--gamma` and `--xi2`, or `--xi` instead of that.
pub(crate) fn point<T: Number>(
    gamma_text: Option<&str>,
    xi2_text: Option<&str>,
    xi_text: Option<&str>,
) -> Result<(T, T), Failure> {
    let read = |option: &str, text: &str, parse: &dyn Fn(&str) -> Result<T, Complaint>| {
        parse(text).map_err(|complaint| Document::new(option, text).whole(complaint))
    };
    let at_gamma = read("--gamma", gamma_text.unwrap_or(""), &gamma)?;
    let at_xi2 = match xi_text {
        Some(text) => read("--xi", text, &|text| squared("xi", text))?,
        None => read("--xi2", xi2_text.unwrap_or(""), &xi2)?,
    };
    Ok((at_gamma, at_xi2))
}
