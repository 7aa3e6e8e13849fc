//! Text on a terminal: colour, where a person is looking or where it was asked for, and the number of columns.

use std::io::IsTerminal;
use std::path::Path;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use terminal_size::terminal_size_of;

/// Decides for this process what is coloured: the help and what clap complains of follow it too.
pub(crate) fn choose(color: clap::ColorChoice) {
    match color {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    }
    .write_global();
}

/// Whether to colour what goes to this stream.
pub(crate) fn wanted<S: RawStream>(stream: &S) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
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

    /// For standard output, or for a file, which is coloured only where that was asked for.
    pub(crate) fn of(out: Option<&Path>) -> Self {
        match out {
            None => Self::stdout(),
            Some(_) => Self { colour: ColorChoice::global() == ColorChoice::Always },
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

/// Formulas are easier to read in lines that are not too long.
const LONGEST: usize = 132;

/// The columns that a user wants, or those of the terminal that text goes to; none if nothing says
/// how many there are.
pub(crate) fn columns(wanted: Option<u16>, to_file: bool) -> Option<usize> {
    let stdout = std::io::stdout();
    match wanted {
        Some(width) => Some(width.into()),
        None if to_file || !stdout.is_terminal() => None,
        None => terminal_size_of(stdout).map(|(width, _)| usize::from(width.0).min(LONGEST)),
    }
}
