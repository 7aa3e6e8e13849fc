//! Lines of Python, indented by blocks.

use super::layout::statement;

/// Text that grows statement by statement, indented by the blocks that are open.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    /// How long the text was when each open block began.
    starts: Vec<usize>,
}

impl Text {
    /// A statement.
    pub(super) fn line(&mut self, text: &str) {
        self.text += &statement(self.starts.len(), text);
    }

    /// The head of a block, and its start.
    pub(super) fn open(&mut self, head: &str) {
        self.line(head);
        self.starts.push(self.text.len());
    }

    /// Closes the innermost block.
    pub(super) fn close(&mut self) {
        if self.starts.last() == Some(&self.text.len()) {
            self.line("pass");
        }
        self.starts.pop();
    }

    /// The text that was written.
    pub(super) fn finish(self) -> String {
        self.text
    }
}
