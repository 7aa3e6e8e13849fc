//! Lines of a language with braces.

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

    /// The text that was written.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
