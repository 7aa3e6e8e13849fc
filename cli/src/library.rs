//! The activations that are known by name.

use gaussform_generated::DECLARATIONS;
use gaussform_symbolic::grammar::{Declaration, parse_file};
use gaussform_symbolic::{Activation, Library};

use crate::report::{Document, Failure};

/// An activation with the text that declares it.
pub(crate) struct Entry {
    pub(crate) declaration: Declaration,
    pub(crate) activation: Activation,
}

impl Entry {
    /// What stands behind the sign of equality, on one line.
    pub(crate) fn definition(&self, document: &Document) -> String {
        let span = self.declaration.body.span;
        let body = document.text.get(span.start..span.end).unwrap_or("");
        let code = body.lines().map(|line| line.split('#').next().unwrap_or(""));
        let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
        words.join(" ")
    }

    /// The comment right above the declaration, on one line.
    pub(crate) fn comment(&self, document: &Document) -> String {
        let before = document.text.get(..self.declaration.name.span.start).unwrap_or("");
        let above = before.lines().rev().map_while(|line| line.trim().strip_prefix('#'));
        let mut lines: Vec<&str> = above.map(str::trim).collect();
        lines.reverse();
        lines.join(" ")
    }
}

/// The library, in the order of its file.
pub(crate) fn entries() -> Result<Vec<Entry>, Failure> {
    let document = document();
    let wrong = |error| document.error(error);
    let declarations = parse_file(&document.text).map_err(wrong)?;
    let activations = Activation::parse_file(&document.text, &Library::new()).map_err(wrong)?;
    let pairs = declarations.into_iter().zip(activations);
    Ok(pairs.map(|(declaration, activation)| Entry { declaration, activation }).collect())
}

/// The library by name.
pub(crate) fn library() -> Result<Library, Failure> {
    let document = document();
    let activations = Activation::parse_file(&document.text, &Library::new())
        .map_err(|error| document.error(error))?;
    Ok(activations.into_iter().map(|g| (g.name.clone(), g)).collect())
}

/// The text that declares the library.
pub(crate) fn document() -> Document {
    Document::new("the library", DECLARATIONS)
}
