//! Declarations with their cases: one each, or all that a declaration leaves open.

use gaussform_symbolic::grammar::{Declaration, parse_file};
use gaussform_symbolic::{Activation, Case, Error, ErrorKind, Library};

use crate::report::{Blamed as _, Complaint, Document, Failure};

/// The one case of an activation that has no more.
pub(crate) fn only(activation: Activation) -> Vec<Case> {
    vec![Case { conditions: Vec::new(), activation }]
}

/// The activations that a text declares; those with one case can be called by name from then on.
pub(crate) fn declared(
    document: &Document,
    known: &mut Library,
    split: bool,
) -> Result<Vec<Vec<Case>>, Failure> {
    let wrong = |error| refusal(document, error);
    if !split {
        let activations = Activation::parse_file(&document.text, known).map_err(wrong)?;
        known.extend(activations.iter().map(|g| (g.name.clone(), g.clone())));
        return Ok(activations.into_iter().map(only).collect());
    }
    let mut all: Vec<Vec<Case>> = Vec::new();
    for declaration in parse_file(&document.text).map_err(wrong)? {
        let cases = Activation::declared_cases(&declaration, known).map_err(wrong)?;
        if all.iter().any(|earlier| earlier[0].activation.name == declaration.name.text) {
            return Err(twice(document, &declaration));
        }
        if let [Case { conditions, activation }] = cases.as_slice()
            && conditions.is_empty()
        {
            known.insert(activation.name.clone(), activation.clone());
        }
        all.push(cases);
    }
    Ok(all)
}

fn twice(document: &Document, declaration: &Declaration) -> Failure {
    let span = declaration.name.span;
    let message = ErrorKind::Duplicate(declaration.name.text.clone()).to_string();
    document.at(span.start..span.end, Complaint::new(message, "choose another name"))
}

/// The error of a declaration; one that leaves something open has a remedy of the command line.
fn refusal(document: &Document, mut error: Error) -> Failure {
    let open = error.is_open();
    if let Some(help) = error.help.as_mut().filter(|_| open) {
        help.push_str("; `gaussform inspect --cases` shows every case");
    }
    document.error(error)
}
