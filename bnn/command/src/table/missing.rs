//! Texts that mean that a cell has no value.

use serde::{Deserialize, Serialize};

use super::cell::Cell;

/// The texts that always mean that a cell is missing. A small `none` and `unknown` are not among them: they are words
/// as often.
const TEXTS: [&str; 22] = [
    "", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan", "NaT",
    "NULL", "Null", "null", "None", "nil", "?", "-", "--", ".",
];

/// The texts that mean that a cell is missing: those above, and more that the user names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Missing {
    more: Vec<String>,
}

impl Missing {
    pub(crate) fn new(more: &[String]) -> Self {
        Self { more: more.iter().map(|text| text.trim().to_owned()).collect() }
    }

    /// Whether a cell has no value.
    pub(crate) fn is(&self, cell: Cell<'_>) -> bool {
        let named = || self.more.iter().any(|more| *more == cell.text());
        cell.written().is_some_and(|text| TEXTS.contains(&text))
            || (!self.more.is_empty() && named())
    }
}
