//! Errors in the input, shown on standard error.

use std::io::Write;
use std::ops::Range;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};
use gaussform_codegen::KernelError;
use gaussform_codegen::python::PythonError;
use gaussform_report::plot::PlotError;
use gaussform_symbolic::Span;

use crate::style;

/// How a command ended that was asked for something meaningful.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Refuted,
}

/// Lines wider than this are shown in part.
const WIDTH: usize = 160;
/// The number of columns that are kept on either side of the place then.
const AROUND: usize = 60;

/// A text that a user gave, under the name that errors give it.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) name: String,
    pub(crate) text: String,
    /// How many lines of the file stand before the text.
    pub(crate) lines_before: usize,
}

impl Document {
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), lines_before: 0 }
    }

    /// A failure at a place of this text.
    pub(crate) fn at(&self, place: Range<usize>, complaint: Complaint) -> Failure {
        let place = Some(Box::new((self.clone(), place)));
        Failure { complaint, place, blame: Blame::Input }
    }

    /// A failure that is about all of this text.
    pub(crate) fn whole(&self, complaint: Complaint) -> Failure {
        self.at(0..self.text.len(), complaint)
    }

    /// An error of the engine in this text.
    pub(crate) fn error(&self, error: gaussform_symbolic::Error) -> Failure {
        let Span { start, end } = error.span;
        self.at(start..end, Complaint { message: error.kind.to_string(), help: error.help })
    }
}

/// An error, with advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl Complaint {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: Some(help.into()) }
    }
}

/// Whose doing a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blame {
    /// The input is wrong, or a file cannot be read or written.
    Input,
    /// A bug of the program.
    Program,
    /// Whoever read the output has seen enough, and wants to hear of nothing else.
    Reader,
}

/// Why a command has no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    complaint: Complaint,
    place: Option<Box<(Document, Range<usize>)>>,
    blame: Blame,
}

impl From<Complaint> for Failure {
    fn from(complaint: Complaint) -> Self {
        Self { complaint, place: None, blame: Blame::Input }
    }
}

/// A refusal of the engine that is about no place in the text.
impl From<gaussform_symbolic::Error> for Failure {
    fn from(error: gaussform_symbolic::Error) -> Self {
        Complaint { message: error.kind.to_string(), help: error.help }.into()
    }
}

impl From<KernelError> for Failure {
    fn from(error: KernelError) -> Self {
        with_remedy(&error).into()
    }
}

impl From<PythonError> for Failure {
    fn from(error: PythonError) -> Self {
        with_remedy(&error).into()
    }
}

/// An error whose text has its advice behind a semicolon.
fn with_remedy(error: &dyn std::error::Error) -> Complaint {
    let text = error.to_string();
    match text.split_once("; ") {
        Some((message, help)) => Complaint::new(message, help),
        None => Complaint { message: text, help: None },
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        match error {
            PlotError::Activation(error) => (*error).into(),
            PlotError::Kernel(error) => error.into(),
            other => Self::plain(other.to_string()),
        }
    }
}

impl Failure {
    pub(crate) fn plain(message: impl Into<String>) -> Self {
        Complaint { message: message.into(), help: None }.into()
    }

    /// A failure that is not the user's.
    pub(crate) fn bug(what: impl std::fmt::Display) -> Self {
        let help = "this is a bug in gaussform: please report it with the command line";
        let complaint = Complaint::new(format!("internal error: {what}"), help);
        Self { complaint, place: None, blame: Blame::Program }
    }

    /// The reader of the output has closed it.
    pub(crate) fn unheard() -> Self {
        let complaint = Complaint { message: "nobody reads the output".to_owned(), help: None };
        Self { complaint, place: None, blame: Blame::Reader }
    }

    /// The exit code of the process.
    pub(crate) fn code(&self) -> u8 {
        match self.blame {
            Blame::Input => 2,
            // As after a panic.
            Blame::Program => 101,
            // As of a process that the signal SIGPIPE has ended.
            Blame::Reader => 141,
        }
    }

    /// The complaint about the same place, with this help instead of its own.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.complaint.help = Some(help.into());
        self
    }

    /// The complaint with more to its help.
    pub(crate) fn with_further_help(mut self, more: &str) -> Self {
        let help = self.complaint.help.take();
        self.complaint.help = Some(help.map_or(more.to_owned(), |help| format!("{help}, {more}")));
        self
    }

    /// Shows the failure on standard error.
    pub(crate) fn print(&self) {
        if self.blame == Blame::Reader {
            return;
        }
        let colour = style::wanted(&std::io::stderr());
        // Nowhere is left to complain to if this fails.
        let _ = std::io::stderr().write_all(&self.render(colour));
    }

    fn render(&self, colour: bool) -> Vec<u8> {
        let mut message = harmless(&self.complaint.message);
        let help = self.complaint.help.as_deref().map(harmless);
        let Some((document, place)) = self.place.as_deref() else {
            return plain(&message, help.as_deref(), colour).into_bytes();
        };
        let Excerpt { text, place, cut } = excerpt(document, place);
        if let Some(column) = cut {
            message.push_str(&format!(" (column {column})"));
        }
        let name = harmless(&document.name);
        let span = (name.as_str(), place);
        let config = Config::default()
            .with_index_type(IndexType::Byte)
            .with_char_set(CharSet::Unicode)
            .with_color(colour);
        let mut report = Report::build(ReportKind::Error, span.clone())
            .with_config(config)
            .with_message(&message)
            .with_label(Label::new(span).with_message("here").with_color(Color::Red));
        if let Some(help) = &help {
            report.set_help(help);
        }
        let source = Source::from(text);
        let mut bytes = Vec::new();
        match report.finish().write((name.as_str(), source), &mut bytes) {
            Ok(()) if colour => bytes,
            Ok(()) => without_trailing_blanks(&String::from_utf8_lossy(&bytes)).into_bytes(),
            Err(_) => plain(&message, help.as_deref(), colour).into_bytes(),
        }
    }
}

fn plain(message: &str, help: Option<&str>, colour: bool) -> String {
    let (red, end) = if colour { ("\x1b[31m", "\x1b[0m") } else { ("", "") };
    let help = help.map_or_else(String::new, |help| format!("  Help: {help}\n"));
    format!("{red}Error:{end} {message}\n{help}")
}

fn without_trailing_blanks(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A part of a document, and a place in it.
struct Excerpt {
    text: String,
    place: Range<usize>,
    /// The column of the place in its whole line, if the line was cut.
    cut: Option<usize>,
}

/// The line where a place begins, behind as many empty lines as there are lines before it,
/// and the place there. A text from untrusted hands may be one line of a megabyte.
fn excerpt(document: &Document, place: &Range<usize>) -> Excerpt {
    let text = &document.text;
    // Where the text ends too early, the place is behind its last visible character.
    let start = floor(text, place.start).min(text.trim_end().len());
    let first = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let last = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let last = if text[..last].ends_with('\r') { last - 1 } else { last };
    let start = start.min(last);
    let end = floor(text, place.end).clamp(start, last);
    let (mut from, mut to) = (first, last);
    if text[first..last].chars().count() > WIDTH {
        from = back(text, start, AROUND).max(first);
        to = forth(text, end.min(forth(text, start, AROUND)), AROUND).min(last);
    }
    let (left, right) = (if from > first { "… " } else { "" }, if to < last { " …" } else { "" });
    let lines_before = document.lines_before + text[..first].matches('\n').count();
    let before = "\n".repeat(lines_before);
    let shift = |at: usize| at.min(to) - from + before.len() + left.len();
    let place = shift(start)..shift(end);
    let shown = format!("{before}{left}{}{right}", harmless(&text[from..to]));
    let cut = (to - from < last - first).then(|| 1 + text[first..start].chars().count());
    Excerpt { text: shown, place, cut }
}

/// The start of the character that byte `at` belongs to.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn back(text: &str, from: usize, count: usize) -> usize {
    text[..from].char_indices().rev().nth(count).map_or(0, |(at, _)| at)
}

fn forth(text: &str, from: usize, count: usize) -> usize {
    text[from..].char_indices().nth(count).map_or(text.len(), |(at, _)| from + at)
}

/// The text without control characters, which could do things to a terminal; every byte
/// stays in its place.
fn harmless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\t' && c != '\n' {
            shown.extend(std::iter::repeat_n('?', c.len_utf8()));
        } else {
            shown.push(c);
        }
    }
    shown
}
