//! Mistakes of the input, shown on standard error.

use std::io::Write;
use std::ops::Range;

use gaussform_codegen::KernelError;
use gaussform_codegen::python::PythonError;
use gaussform_report::complaint::show;
pub(crate) use gaussform_report::complaint::{Complaint, Document};
use gaussform_report::plot::PlotError;
use gaussform_symbolic::Span;

use crate::style;

/// How a command ended that was asked for something meaningful.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    Refuted,
}

/// A failure in a document.
pub(crate) trait Blamed {
    /// A failure at a place of this text.
    fn at(&self, place: Range<usize>, complaint: Complaint) -> Failure;

    /// A failure that is about all of this text.
    fn whole(&self, complaint: Complaint) -> Failure;

    /// An error of the engine in this text.
    fn error(&self, error: gaussform_symbolic::Error) -> Failure;
}

impl Blamed for Document {
    fn at(&self, place: Range<usize>, complaint: Complaint) -> Failure {
        let place = Some(Box::new((self.clone(), place)));
        Failure { complaint, place, blame: Blame::Input }
    }

    fn whole(&self, complaint: Complaint) -> Failure {
        self.at(0..self.text.len(), complaint)
    }

    fn error(&self, error: gaussform_symbolic::Error) -> Failure {
        let Span { start, end } = error.span;
        self.at(start..end, Complaint { message: error.kind.to_string(), help: error.help })
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

/// An error as a complaint: the remedy is the text behind the first semicolon.
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
        let place = self.place.as_deref().map(|(document, place)| (document, place.clone()));
        let _ = std::io::stderr().write_all(show(&self.complaint, place, colour).as_bytes());
    }
}
