//! `gaussform inspect`: formulas and derivations for people.

mod answer;
mod document;
mod point;
mod question;
mod shown;

use gaussform_symbolic::Case;

use crate::args::{Format, Inspect};
use crate::progress::Waiting;
use crate::report::{Blamed as _, Complaint, Document, Failure, Outcome};
use crate::style::{self, Style};
use crate::{output, source};

use answer::Answer;
use question::Question;

pub(crate) fn run(args: &Inspect, quiet: bool) -> Result<Outcome, Failure> {
    if let (Some(text), false) = (args.parameters.first(), args.format == Format::Html) {
        let message = "`--param` is the value of a parameter in the pictures of a page";
        let help = "give it with `--format html`: the formulas hold for all values; `eval` computes with one";
        return Err(Document::new("--param", text).whole(Complaint::new(message, help)));
    }
    if let (Some(width), false) = (args.width, args.format == Format::Text) {
        let message = "`--width` is for text: the other formats have lines of their own";
        let complaint = Complaint::new(message, "leave it out, or ask for `--format text`");
        return Err(Document::new("--width", width.to_string()).whole(complaint));
    }
    let waiting = Waiting::new("deriving", !quiet);
    let given = source::given(&args.subject, args.cases)?;
    let options = [("--with", &args.with), ("--joint", &args.joint)];
    let other = options.into_iter().find_map(|(name, text)| Some((name, text.as_deref()?)));
    let other = other.map(|(name, text)| -> Result<_, Failure> {
        let cases = source::other_cases(text, &given.known, name, args.cases)?;
        Ok(Other { name, text, cases })
    });
    let other = other.transpose()?;
    let mut all = Vec::new();
    for cases in &given.activations {
        all.push(answers(cases, other.as_ref(), args)?);
    }
    let text = match args.format {
        Format::Text => {
            let style = Style::of(args.out.as_deref());
            let width = style::columns(args.width, args.out.is_some());
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

/// A second activation, the option that gives it, and its text.
struct Other<'a> {
    name: &'static str,
    text: &'a str,
    cases: Vec<Case>,
}

/// An answer for every case of an activation, with every one of a second activation that goes with it.
fn answers<'a>(
    cases: &'a [Case],
    other: Option<&'a Other<'a>>,
    args: &'a Inspect,
) -> Result<Vec<Answer<'a>>, Failure> {
    let answer = |case: &'a Case, other: Option<&'a Case>, conditions| {
        let question = Question::new(&case.activation, other.map(|case| &case.activation), args)?;
        let others = other.map_or(&[][..], |case| &case.conditions);
        Answer::new(question, conditions, [&case.conditions, others])
    };
    let mut all = Vec::new();
    for case in cases {
        let Some(other) = other else {
            all.push(answer(case, None, case.conditions.clone())?);
            continue;
        };
        for second in &other.cases {
            let conditions = case.beside(second).map_err(|error| {
                let complaint = Complaint { message: error.kind.to_string(), help: error.help };
                Document::new(other.name, other.text).whole(complaint)
            })?;
            if let Some(conditions) = conditions {
                all.push(answer(case, Some(second), conditions)?);
            }
        }
    }
    Ok(all)
}
