//! Colour, where a person is looking, or where it was asked for.

use anstream::AutoStream;
use anstream::stream::RawStream;
use clap::ValueEnum;

/// When to colour, as `--color` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that can, unless `NO_COLOR` is set (<https://no-color.org>)
    #[default]
    Auto,
    /// Into files and pipes too
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Decides for this process: the help and what clap complains of follow it too.
    pub(crate) fn choose(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// Whether to colour what goes to this stream.
pub(crate) fn wanted<S: RawStream>(stream: &S) -> bool {
    AutoStream::choice(stream) != anstream::ColorChoice::Never
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
