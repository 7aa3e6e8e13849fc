//! The activations that are known by name.

use gaussform_generated::DECLARATIONS;
use gaussform_symbolic::grammar::Declaration;
use gaussform_symbolic::{Activation, Library};

use crate::report::{Blamed as _, Document, Failure};

/// An activation with the text that declares it.
pub(crate) struct Entry {
    pub(crate) declaration: Declaration,
    pub(crate) activation: Activation,
}

impl Entry {
    /// The text behind the sign of equality, on one line.
    pub(crate) fn definition(&self, document: &Document) -> String {
        let span = self.declaration.body.span;
        let body = document.text.get(span.start..span.end).unwrap_or("");
        let code = body.lines().map(|line| line.split('#').next().unwrap_or(""));
        let words: Vec<&str> = code.flat_map(str::split_whitespace).collect();
        words.join(" ")
    }

    /// The first paragraph of the documentation, on one line.
    pub(crate) fn summary(&self) -> String {
        let lines = self.activation.docs.iter().take_while(|line| !line.is_empty());
        lines.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// The activations of a file of declarations, in its order.
pub(crate) fn entries(document: &Document) -> Result<Vec<Entry>, Failure> {
    let pairs = Activation::parse_all(&document.text, &Library::new()).map_err(|errors| {
        let first = errors.into_iter().next().expect("a file that is wrong has an error");
        document.error(first)
    })?;
    let entry = |(declaration, activation)| Entry { declaration, activation };
    Ok(pairs.into_iter().map(entry).collect())
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
