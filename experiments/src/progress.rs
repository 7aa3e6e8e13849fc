//! The progress bar of a run.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar with the time that is left. It is shown on a terminal alone.
pub(crate) fn progress_bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    match ProgressStyle::with_template("{bar:40.cyan/blue} {percent:>3}%  {eta:>4} left  {msg}") {
        Ok(style) => bar.with_style(style.progress_chars("━╸─")),
        Err(_) => bar,
    }
}
