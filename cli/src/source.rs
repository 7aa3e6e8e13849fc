//! The activations of a command: from an expression, from a file, from standard input, or from the library.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use gaussform_symbolic::polynomial::Polynomial;
use gaussform_symbolic::{Activation, Case, Error, ErrorKind, Library, Limit};

use crate::args::Subject;
use crate::report::{Blamed as _, Complaint, Document, Failure};
use crate::{cases, library, parameters};

/// The name of standard input in errors.
pub(crate) const STDIN: &str = "standard input";
/// The name of an expression on the command line in errors.
const EXPRESSION: &str = "expression";

/// The activations that a command is asked about.
pub(crate) struct Given {
    /// At least one activation, each in at least one case.
    pub(crate) activations: Vec<Vec<Case>>,
    /// The activations that are known by name.
    pub(crate) known: Library,
}

/// The activations that a command is asked about: at least one.
pub(crate) fn activations(subject: &Subject) -> Result<Vec<Activation>, Failure> {
    let cases = given(subject, false)?.activations.into_iter().flatten();
    Ok(cases.map(|case| case.activation).collect())
}

/// The activations that a command is asked about. With `split`, every case of each declaration that leaves an order
/// open.
pub(crate) fn given(subject: &Subject, split: bool) -> Result<Given, Failure> {
    let stdin = Path::new("-");
    if subject.expression.as_deref() == Some("-") && subject.file.as_deref() == Some(stdin) {
        return Err(stdin_twice());
    }
    let mut known = library::library()?;
    let mut declared = Vec::new();
    if let Some(path) = &subject.file {
        let document = read_source(path)?;
        declared = cases::declared(&document, &mut known, split)?;
        if declared.is_empty() {
            let help = "declare an activation, as in `hat(x) = max(0, 1 - |x|)`";
            let message = format!("{} declares nothing", document.name);
            return Err(Complaint::new(message, help).into());
        }
    }
    let activations = match subject.expression.as_deref() {
        None => declared,
        Some(text) => {
            let document = match text {
                "-" => read_source(stdin)?,
                text => Document::new(EXPRESSION, text),
            };
            // One that has several cases is not among the known names, so the file is asked first.
            let named = |cases: &Vec<Case>| cases[0].activation.name == document.text.trim();
            match declared.into_iter().find(named) {
                Some(cases) => vec![cases],
                None => read(&document, &mut known, split)?,
            }
        }
    };
    Ok(Given { activations, known })
}

/// The second activation of a command.
pub(crate) fn other(text: &str, known: &Library, option: &str) -> Result<Activation, Failure> {
    let cases = other_cases(text, known, option, false)?;
    Ok(cases.into_iter().next().expect("an activation has a case").activation)
}

/// The second activation of a command in its one case; with `split`, in every case that its declaration leaves open.
pub(crate) fn other_cases(
    text: &str,
    known: &Library,
    option: &str,
    split: bool,
) -> Result<Vec<Case>, Failure> {
    let mut activations = read(&Document::new(option, text), &mut known.clone(), split)?;
    match (activations.pop(), activations.is_empty()) {
        (Some(cases), true) => Ok(cases),
        _ => {
            let complaint = Complaint::new("several activations are declared", "give one of them");
            Err(Document::new(option, text).whole(complaint))
        }
    }
}

/// The one activation that a command is asked about, and the second that `--joint` gives.
pub(crate) fn pair(subject: &Subject, joint: &str) -> Result<[Activation; 2], Failure> {
    let Given { activations, known } = given(subject, false)?;
    let cases = activations.into_iter().flatten();
    let first = only(cases.map(|case| case.activation).collect(), subject)?;
    Ok([first, other(joint, &known, "--joint")?])
}

/// The one activation that a command is asked about, and the function that is 1 where a condition holds and 0 elsewhere. It has
/// the parameters of the activation.
pub(crate) fn conditioned(subject: &Subject, condition: &str) -> Result<[Activation; 2], Failure> {
    let Given { activations, known } = given(subject, false)?;
    let cases = activations.into_iter().flatten();
    let activation = only(cases.map(|case| case.activation).collect(), subject)?;
    if condition.trim().is_empty() {
        return Err(Complaint::new("the condition is empty", "write one such as `x > 0`").into());
    }
    let declared = parameters::declared(&activation);
    let declared = if declared.is_empty() { declared } else { format!("; {declared}") };
    let before = format!("given(x{declared}) = piecewise {{ ");
    let text = format!("{before}{condition}: 1; else: 0 }}");
    let parsed = Activation::parse_with(&text, &known).map_err(|error| {
        // Where it stands in the condition itself.
        let within = |at: usize| at.saturating_sub(before.len()).min(condition.len());
        let place = within(error.span.start)..within(error.span.end);
        let complaint = Complaint { message: error.kind.to_string(), help: error.help };
        Document::new("--given", condition).at(place, complaint)
    })?;
    if parsed.function.pieces().iter().all(Polynomial::is_zero) {
        let message = "no interval satisfies the condition, so that nothing can be given";
        let complaint =
            Complaint::new(message, "give one that holds on an interval, such as `x > 0`");
        return Err(Document::new("--given", condition).whole(complaint));
    }
    Ok([activation, parsed])
}

/// The names of both. Every bare expression is called g.
pub(crate) fn names([g, h]: [&Activation; 2]) -> [&str; 2] {
    [&g.name, if h.name == "g" { "h" } else { &h.name }]
}

/// The one activation that a command is asked about.
pub(crate) fn activation(subject: &Subject) -> Result<Activation, Failure> {
    only(activations(subject)?, subject)
}

fn only(mut activations: Vec<Activation>, subject: &Subject) -> Result<Activation, Failure> {
    match (activations.pop(), activations.as_slice()) {
        (Some(only), []) => Ok(only),
        (last, others) => {
            let names: Vec<&str> = others.iter().chain(&last).map(|g| g.name.as_str()).collect();
            let message = format!("{} activations are declared, and one is wanted", names.len());
            let remedy = match (&subject.file, subject.expression.as_deref()) {
                (Some(_), _) => "name one of them with --file".to_owned(),
                (None, Some("-")) => {
                    format!("name one of them with --file -, as in `{} --file -`", names[0])
                }
                (None, _) => "give one of them alone".to_owned(),
            };
            Err(Complaint::new(message, format!("{remedy}: {}", names.join(", "))).into())
        }
    }
}

/// The error of a command that was told to read standard input in two places.
pub(crate) fn stdin_twice() -> Failure {
    let help = "put one of the two inputs into a file";
    Complaint::new("standard input can be read only once", help).into()
}

/// A name, an expression or declarations.
fn read(document: &Document, known: &mut Library, split: bool) -> Result<Vec<Vec<Case>>, Failure> {
    let text = document.text.trim();
    if let Some(activation) = known.get(text) {
        return Ok(vec![cases::only(activation.clone())]);
    }
    if text.is_empty() {
        let help = "give an expression in x such as `max(0, x)`, a declaration, or a name that \
                    `gaussform list` shows";
        let what = if document.name == EXPRESSION { "the expression" } else { &document.name };
        return Err(Complaint::new(format!("{what} is empty"), help).into());
    }
    if declares(text) {
        return cases::declared(document, known, split);
    }
    let parsed = Activation::parse_with(&document.text, known);
    parsed.map(|activation| vec![cases::only(activation)]).map_err(|error| {
        let remedy = match &error.kind {
            ErrorKind::UnknownName(name) if name == text => unknown_activation(text, &error, known),
            ErrorKind::Syntax(_) if Path::new(text).is_file() => {
                Some(format!("to read the file of this name, write `--file {text}`"))
            }
            _ => None,
        };
        let failure = document.error(error);
        match remedy {
            Some(remedy) => failure.with_help(remedy),
            None => failure,
        }
    })
}

/// Whether the text has a sign of equality that is no part of a comparison and stands in no brackets, which
/// expressions do not have.
fn declares(text: &str) -> bool {
    let lines = text.split(['\n', '\r']);
    let code = lines.map(|line| line.split('#').next().unwrap_or("")).collect::<String>();
    let code = ["<=", ">=", "==", "!="].iter().fold(code, |code, sign| code.replace(sign, ""));
    let mut depth = 0_i32;
    code.chars().any(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        c == '=' && depth <= 0
    })
}

/// Advice about the names that are known, for an expression that is a name on its own.
fn unknown_activation(name: &str, error: &Error, known: &Library) -> Option<String> {
    let telling = |help: &String| {
        help.starts_with("did you mean")
            || help.starts_with("it is no")
            || help.contains("is a function")
    };
    if error.help.as_ref().is_some_and(telling) {
        return None;
    }
    // The engine has advice on what is called, too.
    let called = Activation::parse_with(&format!("{name}(x)"), known).err();
    let advice = called.and_then(|error| error.help).filter(telling);
    Some(advice.unwrap_or_else(|| {
        "give an expression in x, a declaration, or a name that `gaussform list` shows or `--file` \
         declares"
            .to_owned()
    }))
}

/// The text of a file of declarations, `-` for standard input.
fn read_source(path: &Path) -> Result<Document, Failure> {
    let limit = Limit::Length.maximum();
    let mut bytes = Vec::new();
    // One byte more than is accepted shows that there is too much, however long the input is.
    let most = (limit as u64).saturating_add(1);
    let (name, read) = if path == Path::new("-") {
        (STDIN.to_owned(), io::stdin().lock().take(most).read_to_end(&mut bytes))
    } else {
        let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        (path.display().to_string(), read)
    };
    if let Err(error) = read {
        return Err(Failure::plain(format!("cannot read {name}: {error}")));
    }
    if bytes.len() > limit {
        let message = format!("{name} is too large: at most {limit} bytes are accepted");
        return Err(Complaint::new(message, "split it").into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            // Some editors begin a file in UTF-8 with a byte order mark.
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            Ok(Document::new(name, text))
        }
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let message = format!("{name} is not UTF-8 text: line {line} has other bytes");
            Err(Complaint::new(message, "save it as UTF-8").into())
        }
    }
}
