//! A mistake in a text, shown at its place: the line, an arrow to the place, and the remedy.
//!
//! ```
//! use gaussform_report::complaint::{Complaint, Document, show};
//!
//! let text = Document::new("expression", "max(0, y)");
//! let complaint = Complaint::new("unknown name `y`", "the variable is x");
//! let shown = show(&complaint, Some((&text, 7..8)), false);
//! assert!(shown.contains("expression:1:8"));
//! ```

use std::ops::Range;

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind, Source};

/// Lines wider than this are shown in part.
const WIDTH: usize = 160;
/// The columns that are kept on either side of the place in a line that is shown in part.
const AROUND: usize = 60;

/// A text that a user gave, under the name that errors give it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name, such as a path.
    pub name: String,
    /// The text.
    pub text: String,
    /// How many lines of the file stand before the text.
    pub lines_before: usize,
}

impl Document {
    /// A text from its first line on.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), lines_before: 0 }
    }
}

/// A mistake and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint {
    /// The mistake.
    pub message: String,
    /// The remedy, where one is known.
    pub help: Option<String>,
}

impl Complaint {
    /// A complaint with advice.
    #[must_use]
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: Some(help.into()) }
    }
}

/// The complaint as text for a terminal, with the place (bytes of the text) where there is one.
///
/// Control characters are left out, and a long line is shown in part, since a text may come from untrusted hands.
#[must_use]
pub fn show(
    complaint: &Complaint,
    place: Option<(&Document, Range<usize>)>,
    colour: bool,
) -> String {
    let message = harmless(&complaint.message);
    let help = complaint.help.as_deref().map(harmless);
    let Some((document, place)) = place else {
        return plain(&message, help.as_deref(), colour);
    };
    let Excerpt { text, place, heads } = excerpt(document, &place);
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
    if report.finish().write((name.as_str(), source), &mut bytes).is_err() {
        return plain(&message, help.as_deref(), colour);
    }
    let mut shown = String::from_utf8_lossy(&bytes).into_owned();
    // The line was cut, so the report's head has a column of the excerpt. It stands behind the
    // message, which may hold the same text.
    if let Some([of_excerpt, of_text]) = heads {
        let from = shown.find(&message).map_or(0, |at| at + message.len());
        let head = format!("{name}:{of_excerpt} ");
        if let Some(at) = shown[from..].find(&head) {
            let at = from + at;
            shown.replace_range(at..at + head.len(), &format!("{name}:{of_text} "));
        }
    }
    if colour { shown } else { without_trailing_blanks(&shown) }
}

/// The line and the column of a place in a text, both from 1 on, the column in characters.
#[must_use]
pub fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    // Where the text ends too early, the place is behind its last visible character.
    let start = floor(text, at).min(text.trim_end().len());
    let first = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    (1 + text[..first].matches('\n').count(), 1 + text[first..start].chars().count())
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
    /// Line and column of the place, as `3:17`, in the excerpt and in the whole text, if these differ: the line was cut then.
    heads: Option<[String; 2]>,
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
    let heads = (to - from < last - first).then(|| {
        let head = |from: usize, more: usize| {
            format!("{}:{}", lines_before + 1, 1 + more + text[from..start].chars().count())
        };
        [head(from, left.chars().count()), head(first, 0)]
    });
    Excerpt { text: shown, place, heads }
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
