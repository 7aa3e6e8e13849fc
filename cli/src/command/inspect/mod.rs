//! `gaussform inspect`: formulas and derivations for people.

mod answer;
mod point;
mod question;
mod shown;

use gaussform_symbolic::{Activation, Case};

use crate::args::{Format, Inspect};
use crate::report::Failure;
use crate::style::Style;
use crate::{Outcome, output, source};

use answer::Answer;
use question::Question;

pub(crate) fn run(args: &Inspect) -> Result<Outcome, Failure> {
    let given = source::given(&args.subject, args.cases)?;
    let other = match &args.with {
        Some(text) => Some(source::other(text, &given.known)?),
        None => None,
    };
    let mut shown = Vec::new();
    for cases in &given.activations {
        let answers = answers(cases, other.as_ref(), args)?;
        shown.push(match args.format {
            Format::Text => shown::text(&answers, Style::stdout()),
            Format::Latex => shown::markup(&answers, &shown::LATEX),
            Format::Mathml => shown::markup(&answers, &shown::MATHML),
        });
    }
    output::deliver(&shown.join("\n"), None)?;
    Ok(Outcome::Done)
}

/// An answer for every case of an activation.
fn answers<'a>(
    cases: &'a [Case],
    other: Option<&'a Activation>,
    args: &'a Inspect,
) -> Result<Vec<Answer<'a>>, Failure> {
    let answer = |case: &'a Case| {
        let question = Question::new(&case.activation, other, args)?;
        Answer::new(question, &case.conditions)
    };
    cases.iter().map(answer).collect()
}
