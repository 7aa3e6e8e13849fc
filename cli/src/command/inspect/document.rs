//! Answers as documents: a page, and JSON.

use gaussform_report::page::{self, PageEntry};
use gaussform_report::record::{Document, Entry};
use gaussform_symbolic::{Activation, Case, Condition};

use super::answer::Answer;
use super::shown::name;
use crate::args::Inspect;
use crate::parameters;
use crate::report::{Blamed as _, Complaint, Document as Source, Failure};

/// Bytes of an expression that is the title of its page.
const TITLE: usize = 100;

/// A page about all answers.
pub(super) fn page(all: &[Vec<Answer<'_>>], args: &Inspect) -> Result<String, Failure> {
    let mut parts = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for answer in all.iter().flatten() {
        let entry = entry(answer)?;
        let activation = &answer.question.activation;
        parts.push(match (args.parameters.as_slice(), answer.question.other) {
            ([], _) => PageEntry::new(entry),
            (given, None) => {
                PageEntry::with_values(entry, parameters::exact_values(activation, given)?)
            }
            (given, Some(other)) => {
                let [mut values, others] =
                    parameters::exact_values_of_both([activation, other], given)?;
                values.extend(others);
                PageEntry::with_values(entry, values)
            }
        });
        let name = name(answer);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // A bare expression says more than the letter that it is called by.
    let title = match args.subject.expression.as_deref() {
        Some(text) if names == ["g"] && text != "-" && text.len() <= TITLE => {
            text.trim().to_owned()
        }
        _ => names.join(", "),
    };
    Ok(page::write(&title, &parts))
}

/// All answers, an entry for each case.
pub(super) fn json(all: &[Vec<Answer<'_>>]) -> Result<String, Failure> {
    let entries = all.iter().flatten().map(entry).collect::<Result<Vec<_>, _>>()?;
    Ok(Document::write(&entries).map_err(Failure::bug)?.to_json())
}

fn entry(answer: &Answer<'_>) -> Result<Entry, Failure> {
    let question = &answer.question;
    if question.is_noiseless() {
        let complaint = Complaint::new(
            "pages and JSON have no limits in ξ², but those of the certificates",
            "leave `--limit xi2=0` out, or ask for `--format text`, `latex` or `mathml`",
        );
        return Err(Source::new("--limit", "xi2=0").whole(complaint));
    }
    let case = |activation: &Activation, conditions: &[Condition]| Case {
        conditions: conditions.to_vec(),
        activation: activation.clone(),
    };
    let [first, second] = answer.each;
    let (case, other) =
        (case(question.activation, first), question.other.map(|other| case(other, second)));
    let results = answer.background.iter().chain(&answer.derivations).cloned().collect();
    Ok(Entry { case, other, pair: question.is_pair(), results })
}
