//! Lines of a language with braces, and names that a language or a text keeps for itself.

use crate::script::expression::Expression;

/// Text that grows line by line, indented by the blocks that are open.
#[derive(Debug, Default)]
pub(crate) struct Source {
    text: String,
    depth: usize,
}

impl Source {
    /// A line.
    pub(crate) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub(crate) fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.depth += 1;
    }

    /// Closes the innermost block.
    pub(crate) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// Closes a function, with a line without text behind it.
    pub(crate) fn end(&mut self) {
        self.close();
        self.line("");
    }

    /// The start of a choice, or its next block. Without a test, the block is for all other cases.
    pub(crate) fn choice(&mut self, next: bool, test: Option<&str>) {
        let test = test.map(|test| format!("if ({test}) "));
        if next {
            self.depth -= 1;
            self.line(&format!("}} else {}{{", test.unwrap_or_default()));
        } else {
            self.line(&format!("{}{{", test.unwrap_or_default()));
        }
        self.depth += 1;
    }

    /// Gives the elements of an array their values.
    pub(crate) fn assign(&mut self, array: &str, values: Vec<Expression>) {
        for (i, Expression { text, .. }) in values.into_iter().enumerate() {
            self.line(&format!("{array}[{i}] = {text};"));
        }
    }

    /// The text that was written.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}

/// Checks the name of an activation for a language whose functions are called `name_…`, so that keywords are no problem:
/// the errors are for a name that does not start with a letter or has other characters than letters, digits and `_`, and
/// for one that starts as the names of the text itself do.
pub(crate) fn check_name<E>(
    name: &str,
    reserved: fn(String) -> E,
    own: fn(String) -> E,
) -> Result<(), E> {
    let is_name = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if !is_name || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(reserved(name.to_owned()));
    }
    let lower = name.to_ascii_lowercase();
    match ["gaussform", "gsf"].iter().any(|own| lower.starts_with(own)) {
        true => Err(own(name.to_owned())),
        false => Ok(()),
    }
}

/// Whether a list of words, with spaces between them, has a name.
pub(crate) fn has_word(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}
