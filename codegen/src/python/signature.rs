//! The parameters of an activation in the functions of a module.

use gaussform_symbolic::Activation;
use gaussform_symbolic::grammar::Endpoint;

use super::Target;
use super::layout::{head, statement};
use super::number::float;
use crate::ir::Word;
use crate::quotient::Words;
use crate::rounding::nearest;

/// A part of the prelude for the parameters of an activation.
///
/// `SIGNATURE`, `ARGUMENTS` and `NAMED` stand for the parameters behind other arguments, `CHECK` for the
/// call of the function that `CHECKS` stands for. Lines between `#: if parameters` and `#: end` are for
/// activations that have some.
pub(super) fn filled(source: &str, activation: &Activation, target: Target) -> String {
    let names: Vec<&str> = activation.parameters.iter().map(|p| &*p.name).collect();
    let is_plain = names.is_empty();
    let all = names.join(", ");
    let mut text = String::new();
    let mut inside = false;
    for line in source.lines() {
        match line.trim() {
            "#: if parameters" => inside = true,
            "#: end" => inside = false,
            _ if is_plain && inside => {}
            "CHECK" if is_plain => {}
            "CHECK" => text += &format!("    _check_parameters({all})\n"),
            "CHECKS" => text += &checks(activation),
            _ => text += &format!("{line}\n"),
        }
    }
    if is_plain {
        let text = [", SIGNATURE", ", ARGUMENTS", ", NAMED"]
            .iter()
            .fold(text, |text, place| text.replace(place, ""));
        return text.lines().map(head).collect();
    }
    let kind = if target == Target::PyTorch { "Tensor | float" } else { "ArrayLike" };
    let signature: Vec<String> = names.iter().map(|name| format!("{name}: {kind}")).collect();
    let named: Vec<String> = names.iter().map(|name| format!("{name}={name}")).collect();
    let text = text
        .replace("SIGNATURE", &format!("*, {}", signature.join(", ")))
        .replace("ARGUMENTS", &all)
        .replace("NAMED", &named.join(", "));
    text.lines().map(head).collect()
}

/// The function that checks the declared domains and relations.
fn checks(activation: &Activation) -> String {
    let names: Vec<&str> = activation.parameters.iter().map(|p| &*p.name).collect();
    let mut text = format!("def _check_parameters({}):\n", names.join(", "));
    for parameter in &activation.parameters {
        let name = &parameter.name;
        let bound = |end: &Option<Endpoint>, open: &str| {
            end.as_ref().map(|end| {
                let equal = if end.closed { "=" } else { "" };
                format!("({name} {open}{equal} {})", float::<f64>(nearest(&end.value)))
            })
        };
        let bounds = [bound(&parameter.lower, ">"), bound(&parameter.upper, "<")];
        let bounds: Vec<String> = bounds.into_iter().flatten().collect();
        let (text_of, holds) = match bounds.is_empty() {
            true => (format!("finite {name}"), "True".to_owned()),
            false => (parameter.to_string(), bounds.join(" & ")),
        };
        text += &statement(1, &format!("_check(\"{text_of}\", lambda {name}: {holds}, {name})"));
    }
    let words = Words::new(activation);
    for relation in &activation.relations {
        let [lesser, greater] =
            [&relation.lesser, &relation.greater].map(|side| plain(&words.quotient(side), &names));
        let sign = if relation.strict { "<" } else { "<=" };
        let all = names.join(", ");
        let call =
            format!("_check(\"{relation}\", lambda {all}: {lesser} {sign} {greater}, {all})");
        text += &statement(1, &call);
    }
    text
}

/// A word as an expression in numbers.
fn plain(word: &Word, names: &[&str]) -> String {
    let pair = |sides: &[Word; 2], sign: &str| {
        let [left, right] = sides.each_ref().map(|side| plain(side, names));
        format!("({left} {sign} {right})")
    };
    match word {
        Word::Constant(value) => float::<f64>(nearest(value)),
        Word::Parameter(index) => names[*index].to_owned(),
        Word::Negate(value) => format!("(-{})", plain(value, names)),
        Word::Add(sides) => pair(sides, "+"),
        Word::Multiply(sides) => pair(sides, "*"),
        Word::Divide(sides) => pair(sides, "/"),
    }
}

/// Lines that show how the module is used.
pub(super) fn usage(activation: &Activation, target: Target) -> String {
    let name = &activation.name;
    let parameters = match activation.parameters.len() {
        0 => String::new(),
        _ => {
            let names = activation.parameters.iter().map(|p| format!(", {0}={0}", p.name));
            names.collect()
        }
    };
    let lines: &[String] = &match target {
        Target::Numpy => [
            "gamma, xi2 = np.linspace(-3, 3, 7), 1.0".to_owned(),
            format!("mean, variance = {name}.moments(gamma, xi2{parameters})"),
            format!("grad = {name}.moments_grad(gamma, xi2{parameters})  # grad.dmean_dgamma, ..."),
        ],
        Target::Jax => [
            format!("mean, variance = {name}.moments(jnp.linspace(-3, 3, 7), 1.0{parameters})"),
            format!("loss = lambda gamma: {name}.moments(gamma, 1.0{parameters})[0].sum()"),
            "slope = jax.jit(jax.grad(loss))(jnp.linspace(-3, 3, 7))".to_owned(),
        ],
        Target::PyTorch => [
            "gamma = torch.linspace(-3, 3, 7, requires_grad=True)".to_owned(),
            format!("mean, variance = {name}.moments(gamma, torch.tensor(1.0){parameters})"),
            "mean.sum().backward()  # gamma.grad".to_owned(),
        ],
    };
    lines.iter().map(|line| format!("    {line}\n")).collect()
}
