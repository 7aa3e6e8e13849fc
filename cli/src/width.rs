//! The number of columns for text.

use std::io::IsTerminal;

use terminal_size::terminal_size_of;

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
