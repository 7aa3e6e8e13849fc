//! Numbers that users give and numbers that they get.

use std::fmt::LowerExp;
use std::str::FromStr;

use gaussform_symbolic::exact::decimal;
use gaussform_symbolic::{Activation, Parameter};

use crate::report::{Complaint, Document, Failure};

/// Decimal exponents beyond this do not occur in floating point.
const MAX_EXPONENT: u32 = 5_000;

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

fn finite<T: Number>(name: &str, text: &str) -> Result<T, Complaint> {
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

/// The values of the activation's parameters, in their order, from options `name=value`.
pub(crate) fn parameters(activation: &Activation, given: &[String]) -> Result<Vec<f64>, Failure> {
    let mut values: Vec<Option<f64>> = vec![None; activation.parameters.len()];
    for text in given {
        let document = Document::new("--param", text);
        let Some((name, value)) = text.split_once('=') else {
            let message = "a parameter is given as `name=value`";
            return Err(document.whole(Complaint::new(message, "write it as `--param eps=0.1`")));
        };
        let found = activation.parameters.iter().position(|p| *p.name == *name.trim());
        let Some(index) = found else {
            let message = format!("`{}` has no parameter `{}`", activation.name, name.trim());
            let help = match declared(activation).as_str() {
                "" => "it has none: leave `--param` out".to_owned(),
                some => format!("declared is: {some}"),
            };
            return Err(document.at(0..name.len(), Complaint::new(message, help)));
        };
        let parameter = &activation.parameters[index];
        if values[index].is_some() {
            let message = format!("`{}` is given twice", parameter.name);
            return Err(document.at(0..name.len(), Complaint::new(message, "give it once")));
        }
        let value = within(parameter, value)
            .map_err(|complaint| document.at(name.len() + 1..text.len(), complaint))?;
        values[index] = Some(value);
    }
    let pairs = activation.parameters.iter().zip(&values);
    let missing: Vec<&Parameter> =
        pairs.filter(|(_, value)| value.is_none()).map(|(parameter, _)| parameter).collect();
    if let Some(parameter) = missing.first() {
        let message = format!("`{}` needs a value of `{}`", activation.name, parameter.name);
        let help = format!("add `--param {}=VALUE` with {parameter}", parameter.name);
        return Err(Complaint::new(message, help).into());
    }
    Ok(values.into_iter().flatten().collect())
}

/// The value of a parameter, if its text is a number in the declared domain.
fn within(parameter: &Parameter, text: &str) -> Result<f64, Complaint> {
    let value: f64 = finite(&parameter.name, text)?;
    let text = text.trim();
    let (negative, size) = match text.strip_prefix('-') {
        Some(size) => (true, size),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // The decimal as it is written: 0.1 lies in [0.1, 1] although its double does not.
    let exact = decimal(size, MAX_EXPONENT).map(|size| if negative { -size } else { size });
    if exact.is_some_and(|exact| parameter.contains(&exact)) {
        return Ok(value);
    }
    let message = format!("{text} is not in the domain of `{}`", parameter.name);
    Err(Complaint::new(message, format!("it is declared as `{parameter}`")))
}

/// All parameters with their domains.
pub(crate) fn declared(activation: &Activation) -> String {
    let domains: Vec<String> = activation.parameters.iter().map(ToString::to_string).collect();
    domains.join(", ")
}
