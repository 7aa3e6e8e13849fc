//! Values of parameters: each in its domain, and all of them in the declared relations.

use std::collections::BTreeMap;

use gaussform_codegen::Dynamic;
use gaussform_symbolic::exact::Rational;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Activation, Parameter, Relation, similar};

use crate::number::{exact, finite};
use crate::report::{Blamed as _, Complaint, Document, Failure};

/// A value as it was given.
#[derive(Clone, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) text: &'a str,
    /// The decimal as it is written: 0.1 lies in [0.1, 1] although its double does not.
    pub(crate) exact: Rational,
    pub(crate) value: f64,
}

/// Exact values of all parameters: from options `name=value`, or if none is given, the ones that are
/// known to satisfy what is declared.
pub(crate) fn exact_values(
    activation: &Activation,
    given: &[String],
) -> Result<BTreeMap<Symbol, Rational>, Failure> {
    if given.is_empty() {
        return Ok(activation.witness().clone());
    }
    Ok(exactly(activation, &complete(activation, given)?))
}

/// The options for the parameters of each activation. An option for a name that both have goes to both.
pub(crate) fn of_both([g, h]: [&Activation; 2], given: &[String]) -> [Vec<String>; 2] {
    let has = |activation: &Activation, text: &str| {
        let name = text.split('=').next().unwrap_or("").trim();
        activation.parameters.iter().any(|parameter| *parameter.name == *name)
    };
    let others = given.iter().filter(|text| has(h, text)).cloned().collect();
    // What neither has is wrong, and said of the first.
    let own = given.iter().filter(|text| has(g, text) || !has(h, text)).cloned().collect();
    [own, others]
}

/// Exact values of all parameters of both activations, as [`exact_values`] has them of one.
pub(crate) fn exact_values_of_both(
    both: [&Activation; 2],
    given: &[String],
) -> Result<[BTreeMap<Symbol, Rational>; 2], Failure> {
    let values = match given {
        [] => both.map(|activation| activation.witness().clone()),
        given => {
            let [own, others] = of_both(both, given);
            let own = exactly(both[0], &complete(both[0], &own)?);
            [own, exactly(both[1], &complete(both[1], &others)?)]
        }
    };
    let differs = |(symbol, value)| values[1].get(symbol).is_some_and(|other| other != value);
    match values[0].iter().find(|entry| differs(*entry)) {
        Some((Symbol::Parameter(name), _)) => {
            let message = format!("`{name}` is a parameter of both activations");
            Err(Complaint::new(message, format!("give its value: `--param {name}=NUMBER`")).into())
        }
        _ => Ok(values),
    }
}

/// The values by the symbols of the parameters.
pub(crate) fn exactly(activation: &Activation, given: &[Given<'_>]) -> BTreeMap<Symbol, Rational> {
    let symbols = activation.parameters.iter().map(|p| Symbol::Parameter(p.name.clone()));
    symbols.zip(given.iter().map(|given| given.exact.clone())).collect()
}

/// An activation with values of its parameters, to be run.
pub(crate) fn dynamic(activation: &Activation, given: &[Given<'_>]) -> Result<Dynamic, Failure> {
    let fixed = activation.with_values(&exactly(activation, given))?;
    Dynamic::new(&fixed, &[])
        .map_err(|error| Failure::plain(format!("`{}`: {error}", activation.name)))
}

/// A value for each parameter; together they are as declared.
pub(crate) fn complete<'a>(
    activation: &Activation,
    given: &'a [String],
) -> Result<Vec<Given<'a>>, Failure> {
    let values = known(activation, given)?;
    if let Some(at) = values.iter().position(Option::is_none) {
        return Err(missing(activation, &activation.parameters[at]));
    }
    let values: Vec<Given<'_>> = values.into_iter().flatten().collect();
    if let Some(relation) = broken(activation, &values) {
        let of_it = activation.parameters.iter().zip(&values);
        let of_it = of_it.filter(|(parameter, _)| mentions(relation, parameter));
        let texts: Vec<&str> = of_it.map(|(_, given)| given.text).collect();
        return Err(Document::new("--param", texts.join(" ")).whole(complaint(relation)));
    }
    Ok(values)
}

/// A declared relation that the values do not satisfy.
pub(crate) fn broken<'a>(activation: &'a Activation, given: &[Given<'_>]) -> Option<&'a Relation> {
    let values = exactly(activation, given);
    activation.relations.iter().find(|relation| {
        let difference = (&relation.greater - &relation.lesser).evaluate(&values);
        !difference.is_some_and(|difference| relation.holds(&difference))
    })
}

/// The error for values that do not satisfy a relation.
pub(crate) fn complaint(relation: &Relation) -> Complaint {
    let message = format!("`{relation}` is declared, and does not hold");
    Complaint::new(message, format!("give values with {relation}"))
}

/// The values that are given for each parameter.
pub(crate) fn known<'a>(
    activation: &Activation,
    given: &'a [String],
) -> Result<Vec<Option<Given<'a>>>, Failure> {
    let mut values: Vec<Option<Given<'_>>> = Vec::new();
    values.resize_with(activation.parameters.len(), || None);
    for text in given {
        let (index, value) = read(activation, text)?;
        if values[index].is_some() {
            let parameter = &activation.parameters[index];
            let message = format!("`{}` is given twice", parameter.name);
            let name = 0..text.find('=').unwrap_or(text.len());
            return Err(
                Document::new("--param", text).at(name, Complaint::new(message, "give it once"))
            );
        }
        values[index] = Some(value);
    }
    Ok(values)
}

/// The index of a parameter and its value from `name=value`.
fn read<'a>(activation: &Activation, text: &'a str) -> Result<(usize, Given<'a>), Failure> {
    let document = Document::new("--param", text);
    let named = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let Some((name, value)) = named else {
        let message = "a parameter is given as `name=value`";
        return Err(document.whole(Complaint::new(message, "write it as `--param eps=0.1`")));
    };
    let found = activation.parameters.iter().position(|p| *p.name == *name.trim());
    let Some(index) = found else {
        let message = format!("`{}` has no parameter `{}`", activation.name, name.trim());
        let names = activation.parameters.iter().map(|p| &*p.name);
        let meant = similar(name.trim(), names);
        let help = match (meant, declared(activation).as_str()) {
            (Some(meant), some) => format!("did you mean `{meant}`? declared is: {some}"),
            (None, "") => "it has none: leave `--param` out".to_owned(),
            (None, some) => format!("declared is: {some}"),
        };
        return Err(document.at(0..name.len(), Complaint::new(message, help)));
    };
    let given = within(&activation.parameters[index], value)
        .map_err(|complaint| document.at(name.len() + 1..text.len(), complaint))?;
    Ok((index, Given { text, ..given }))
}

/// The value of a parameter, if its text is a number in the declared domain.
pub(crate) fn within<'a>(parameter: &Parameter, text: &'a str) -> Result<Given<'a>, Complaint> {
    let value: f64 = finite(&parameter.name, text)?;
    let text = text.trim();
    match exact(text).filter(|exact| parameter.contains(exact)) {
        Some(exact) => Ok(Given { text, exact, value }),
        None => {
            let message = format!("{text} is not in the domain of `{}`", parameter.name);
            Err(Complaint::new(message, format!("it is declared as `{parameter}`")))
        }
    }
}

pub(crate) fn missing(activation: &Activation, parameter: &Parameter) -> Failure {
    let message = format!("`{}` needs a value of `{}`", activation.name, parameter.name);
    let mut conditions = Vec::new();
    if is_bounded(parameter) {
        conditions.push(parameter.to_string());
    }
    let of_it = activation.relations.iter().filter(|relation| mentions(relation, parameter));
    conditions.extend(of_it.map(ToString::to_string));
    let with = if conditions.is_empty() { "" } else { " with " };
    let help = format!("add `--param {}=VALUE`{with}{}", parameter.name, conditions.join(" and "));
    Complaint::new(message, help).into()
}

fn mentions(relation: &Relation, parameter: &Parameter) -> bool {
    let symbol = Symbol::Parameter(parameter.name.clone());
    relation.lesser.contains(&symbol) || relation.greater.contains(&symbol)
}

fn is_bounded(parameter: &Parameter) -> bool {
    parameter.lower.is_some() || parameter.upper.is_some()
}

/// The parameters with their domains, their names as `letter` writes them, and the relations; a
/// parameter without a domain is declared by a relation that mentions it.
pub(crate) fn declarations(activation: &Activation, letter: fn(&str) -> String) -> Vec<String> {
    let related =
        |parameter: &&Parameter| activation.relations.iter().any(|r| mentions(r, parameter));
    let own = activation.parameters.iter().filter(|p| is_bounded(p) || !related(p));
    let own = own.map(|parameter| {
        let written = parameter.to_string();
        letter(&parameter.name) + written.strip_prefix(&*parameter.name).unwrap_or("")
    });
    own.chain(activation.relations.iter().map(ToString::to_string)).collect()
}

/// All that is declared, on one line.
pub(crate) fn declared(activation: &Activation) -> String {
    declarations(activation, str::to_owned).join(", ")
}
