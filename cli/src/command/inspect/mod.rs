//! `gaussform inspect`: formulas and derivations for people.

mod answer;
mod document;
mod point;
mod question;
mod shown;

use gaussform_symbolic::{Activation, Case};

use crate::args::{Format, Inspect};
use crate::progress::Waiting;
use crate::report::{Failure, Outcome};
use crate::style::Style;
use crate::{output, source, width};

use answer::Answer;
use question::Question;

pub(crate) fn run(args: &Inspect, quiet: bool) -> Result<Outcome, Failure> {
    let waiting = Waiting::new("deriving", !quiet);
    let given = source::given(&args.subject, args.cases)?;
    let other = match (&args.with, &args.joint) {
        (Some(text), _) => Some(source::other(text, &given.known, "--with")?),
        (_, Some(text)) => Some(source::other(text, &given.known, "--joint")?),
        _ => None,
    };
    let mut all = Vec::new();
    for cases in &given.activations {
        all.push(answers(cases, other.as_ref(), args)?);
    }
    let text = match args.format {
        Format::Text => {
            let style = Style::of(args.out.as_deref());
            let width = width::columns(args.width, args.out.is_some());
            joined(&all, |answers| shown::text(answers, style, width))
        }
        Format::Latex => joined(&all, |answers| shown::markup(answers, &shown::LATEX)),
        Format::Mathml => joined(&all, |answers| shown::markup(answers, &shown::MATHML)),
        Format::Html => document::page(&all, args)?,
        Format::Json => document::json(&all)?,
    };
    drop(waiting);
    output::deliver(&text, args.out.as_deref())?;
    Ok(Outcome::Done)
}

fn joined(all: &[Vec<Answer<'_>>], show: impl Fn(&[Answer<'_>]) -> String) -> String {
    all.iter().map(|answers| show(answers)).collect::<Vec<_>>().join("\n")
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
