//! Exceptions: what is wrong with a text at its place, and what is wrong with values.

use gaussform_report::complaint::{Complaint, Document, line_and_column, show};
use gaussform_symbolic::Error;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    gaussform,
    DeclarationError,
    PyValueError,
    "A text is no declaration, or its function is not in the class.\n\n\
     Its text shows the place as the command `gaussform` does. `line` and `column` (both from 1 on, in characters), `message`, \
     `help` (or None) and `declaration` (the text that was given) have the parts."
);

create_exception!(
    gaussform,
    DerivationError,
    PyValueError,
    "There is no derivation, kernel or code of what was asked for. `help` (or None) says what to do."
);

create_exception!(
    gaussform,
    ParameterError,
    PyValueError,
    "Values of parameters are missing, unknown, or not as declared."
);

/// The name of the text where a place in it is shown.
const NAME: &str = "declaration";

/// The exception of an error at a place of a text.
pub(crate) fn declaration(py: Python<'_>, text: &str, error: Error) -> PyErr {
    let place = error.span.start..error.span.end;
    let (line, column) = line_and_column(text, place.start);
    let complaint = Complaint { message: error.kind.to_string(), help: error.help };
    let document = Document::new(NAME, text);
    let shown = show(&complaint, Some((&document, place)), false);
    let exception = DeclarationError::new_err(headless(&shown));
    let value = exception.value(py);
    let set = || {
        value.setattr("message", complaint.message)?;
        value.setattr("help", complaint.help)?;
        value.setattr("line", line)?;
        value.setattr("column", column)?;
        value.setattr("declaration", text)
    };
    match set() {
        Ok(()) => exception,
        Err(error) => error,
    }
}

/// The exception of a refusal that is about no place of a text.
pub(crate) fn derivation(py: Python<'_>, message: impl ToString, help: Option<String>) -> PyErr {
    let message = message.to_string();
    let text = help.as_ref().map_or_else(|| message.clone(), |help| format!("{message}; {help}"));
    let exception = DerivationError::new_err(text);
    match exception.value(py).setattr("help", help) {
        Ok(()) => exception,
        Err(error) => error,
    }
}

/// Python says what kind of error it is.
fn headless(shown: &str) -> String {
    shown.strip_prefix("Error: ").unwrap_or(shown).trim_end().to_owned()
}
