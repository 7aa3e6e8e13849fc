//! A file of declarations, read past its mistakes: what is wrong with one declaration does not hide
//! what is wrong with the next.

use super::ast::{Declaration, Name};
use super::parse::{parse_declaration, parse_file};
use crate::error::{Error, Span};

/// One declaration of a file, as far as it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A declaration that follows the grammar.
    Read(Declaration),
    /// A declaration that does not follow the grammar.
    Broken {
        /// The name of the activation that the declaration would declare, if it can be read.
        name: Option<Name>,
        /// The error of the declaration.
        error: Error,
    },
}

/// Reads every declaration of a file that can be read, and tells of every other what is wrong.
#[must_use]
pub fn read_file(text: &str) -> Vec<Entry> {
    let whole = match parse_file(text) {
        Ok(declarations) => return declarations.into_iter().map(Entry::Read).collect(),
        Err(error) => error,
    };
    let starts = starts(text);
    let mut entries = Vec::new();
    let ends = starts.iter().skip(1).map(|start| start.begin).chain([text.len()]);
    for (start, end) in starts.iter().zip(ends) {
        let end = end_of_code(text, start.begin, end);
        entries.extend(match parse_declaration(text, start.begin, end) {
            Ok(declaration) => declaration.map(Entry::Read),
            Err(error) => Some(Entry::Broken { name: start.name.clone(), error }),
        });
    }
    // What is wrong with the file as a whole, such as its length, is wrong with no part of it.
    if entries.iter().all(|entry| matches!(entry, Entry::Read(_))) {
        return vec![Entry::Broken { name: None, error: whole }];
    }
    entries
}

/// Where a declaration seems to begin.
struct Start {
    begin: usize,
    name: Option<Name>,
}

/// The beginnings of declarations: lines that look like `name(…) = …`, with the documentation above
/// them. What stands before the first belongs to no declaration.
fn starts(text: &str) -> Vec<Start> {
    let mut starts = vec![Start { begin: 0, name: None }];
    let mut docs = None;
    let mut begin = 0;
    for line in lines(text) {
        if line.trim_start().starts_with("##") {
            docs.get_or_insert(begin);
        } else if let Some(name) = declared(line, begin) {
            starts.push(Start { begin: docs.take().unwrap_or(begin), name: Some(name) });
        } else if !line.trim_start().starts_with('#') {
            // A plain comment may stand between documentation and its declaration; anything else
            // parts them.
            docs = None;
        }
        begin += line.len();
    }
    starts
}

/// The lines with their ends: `\n`, `\r\n` or `\r`.
fn lines(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let end = text
            .find(['\n', '\r'])
            .map_or(text.len(), |at| at + if text[at..].starts_with("\r\n") { 2 } else { 1 });
        let (line, rest) = text.split_at(end);
        text = rest;
        (!line.is_empty()).then_some(line)
    })
}

/// The end of the last line with code, so that what is missing is missing there.
fn end_of_code(text: &str, begin: usize, end: usize) -> usize {
    let mut rest = &text[begin..end];
    loop {
        rest = rest.trim_end();
        let line = rest.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        if line == 0 || !rest[line..].trim_start().starts_with('#') {
            return begin + rest.len();
        }
        rest = &rest[..line];
    }
}

/// The name at the beginning of a line with a sign of equality, which no expression has.
fn declared(line: &str, begin: usize) -> Option<Name> {
    let code = line.split('#').next().unwrap_or_default();
    let start = code.len() - code.trim_start().len();
    let rest = &code[start..];
    let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, after) = rest.split_at(length);
    let equality = after.replace("<=", "").replace(">=", "").contains('=');
    (length > 0 && after.trim_start().starts_with('(') && equality).then(|| Name {
        text: name.to_owned(),
        span: Span { start: begin + start, end: begin + start + length },
    })
}
