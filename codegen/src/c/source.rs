//! Lines of C, and how numbers are written there.

use gaussform_symbolic::exact::Rational;

use crate::rounding::nearest;

/// A number as the shortest literal that is read back as it.
pub(super) fn float(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else if value < 0.0 {
        "-GSF_INFINITY".to_owned()
    } else {
        "GSF_INFINITY".to_owned()
    }
}

/// The nearest number in double precision.
pub(super) fn literal(value: &Rational) -> String {
    float(nearest(value))
}

/// Text that grows line by line, indented by the blocks that are open.
#[derive(Debug, Default)]
pub(super) struct Source {
    text: String,
    depth: usize,
}

impl Source {
    /// A line.
    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.depth += 1;
    }

    /// Closes the innermost block.
    pub(super) fn close(&mut self) {
        self.depth -= 1;
        self.line("}");
    }

    /// The start of a choice, or the next block of it; without a test, what is left.
    pub(super) fn choice(&mut self, next: bool, test: Option<&str>) {
        let test = test.map(|test| format!("if ({test}) "));
        if next {
            self.depth -= 1;
            self.line(&format!("}} else {}{{", test.unwrap_or_default()));
        } else {
            self.line(&format!("{}{{", test.unwrap_or_default()));
        }
        self.depth += 1;
    }

    /// What was written.
    pub(super) fn finish(self) -> String {
        self.text
    }
}
