//! The functions of a header that a program calls, for both precisions.

use std::fmt::Write as _;

use gaussform_symbolic::{Activation, Parameter};

use super::Dialect;
use super::names::parameter;
use super::source::literal;
use super::word;
use crate::quotient::Words;

const FUNCTIONS: &str = include_str!("prelude/interface.h");
const PARAMETERS: &str = include_str!("prelude/parameters.h");
const ARRAYS: &str = include_str!("prelude/arrays.h");
const ARRAYS_OF_CUDA: &str = include_str!("prelude/arrays_cuda.h");
const DEVICE: &str = include_str!("prelude/device.h");

/// All functions of an activation.
///
/// `has_single` says that there are functions in single precision for it, so that nothing is computed in double
/// precision and rounded.
pub(super) fn text(activation: &Activation, dialect: Dialect, has_single: bool) -> String {
    let names = activation.parameters.iter().map(|p| parameter(&p.name, &activation.name));
    let names: Vec<String> = names.collect();
    let mut text = domain(activation, &names);
    let parameters: String = names.iter().map(|name| format!(", double {name}")).collect();
    let arguments: String = names.iter().map(|name| format!(", {name}")).collect();
    // An array has an element.
    let values = if names.is_empty() { "0.0".to_owned() } else { names.join(", ") };
    for (real, suffix) in [("double", ""), ("float", "_f32")] {
        // The text that is put in first has places of its own.
        let mut template = FUNCTIONS
            .replace("@parameter_grad@", if names.is_empty() { "" } else { PARAMETERS.trim_end() });
        match dialect {
            Dialect::C => template.push_str(ARRAYS),
            Dialect::Cuda => template.extend([ARRAYS_OF_CUDA, DEVICE]),
        }
        let is_single = has_single && real == "float";
        let (work, inner) = if is_single { ("float", "_f32") } else { ("double", "") };
        let functions = template
            .replace("@work@", work)
            .replace("@inner@", inner)
            .replace("@real@", real)
            .replace("@suffix@", suffix)
            .replace("@parameters@", &parameters)
            .replace("@arguments@", &arguments)
            .replace("@values@", &format!("{{{values}}}"))
            .replace("@count@", &names.len().to_string())
            .replace("@name@", &activation.name);
        let _ = writeln!(text, "{functions}");
    }
    text
}

/// The function that checks the declared domains and relations.
fn domain(activation: &Activation, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut checks: Vec<String> = activation
        .parameters
        .iter()
        .zip(names)
        .map(|(parameter, name)| interval(parameter, name))
        .collect();
    let words = Words::new(activation);
    checks.extend(activation.relations.iter().map(|relation| {
        let [lesser, greater] =
            [&relation.lesser, &relation.greater].map(|side| word::text(&words.quotient(side)));
        let test = if relation.strict { "lt" } else { "le" };
        format!("gsf_word_{test}({lesser}, {greater})")
    }));
    let list: Vec<String> = activation
        .parameters
        .iter()
        .map(ToString::to_string)
        .chain(activation.relations.iter().map(ToString::to_string))
        .collect();
    let arguments: Vec<String> = names.iter().map(|name| format!("double {name}")).collect();
    format!(
        "/* Whether the parameters lie where they are declared to: {}.\n   \
         Outside of it the other functions have no meaning. */\n\
         GSF_FN int {}_is_valid({}) {{\n    \
         const double p[] = {{{}}};\n    (void)p;\n    \
         return {};\n}}\n\n",
        list.join("; "),
        activation.name,
        arguments.join(", "),
        names.join(", "),
        checks.join("\n        && ")
    )
}

fn interval(parameter: &Parameter, name: &str) -> String {
    let mut text = format!("gsf_is_finite({name})");
    for (end, sign) in [(&parameter.lower, ">"), (&parameter.upper, "<")] {
        if let Some(end) = end {
            let equal = if end.closed { "=" } else { "" };
            let _ = write!(text, " && {name} {sign}{equal} {}", literal(&end.value));
        }
    }
    text
}
