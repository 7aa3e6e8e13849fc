//! Colour, where a person is looking.

use std::io::IsTerminal;

use crate::args::Colour;

/// Whether to colour what goes to this stream: a terminal that can, and a user who has not
/// said no (<https://no-color.org>).
pub(crate) fn wanted(stream: &impl IsTerminal) -> bool {
    let unset = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    unset("NO_COLOR") && !dumb && stream.is_terminal()
}

/// How to emphasise text on standard output.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    colour: bool,
}

impl Style {
    pub(crate) fn stdout() -> Self {
        Self { colour: wanted(&std::io::stdout()) }
    }

    /// As a user wants it; where nothing is said, as the stream is.
    pub(crate) fn chosen(colour: Colour, to_file: bool) -> Self {
        match colour {
            Colour::Always => Self { colour: true },
            Colour::Never => Self { colour: false },
            Colour::Auto if to_file => Self { colour: false },
            Colour::Auto => Self::stdout(),
        }
    }

    pub(crate) fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
