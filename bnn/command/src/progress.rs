//! The progress of training, epoch by epoch, and the bar that shows it.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};

/// An epoch of training that has ended, and those of all members of an ensemble together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// How many epochs are done.
    pub done: usize,
    /// How many there are.
    pub all: usize,
    /// The bound (ELBO) of the rows that train, in nats.
    pub bound: f64,
}

/// A bar on standard error; a hidden one if the user wants quiet, or no terminal shows it.
pub(crate) fn progress_bar(quiet: bool) -> ProgressBar {
    if quiet || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40.cyan/blue} {percent:>3}%  {eta:>4}  {msg}");
    let bar = ProgressBar::new(0);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("━╸─")),
        Err(_) => bar,
    }
}
