//! Texts that mean that a cell has no value.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::cells::Cells;

/// The texts that always mean that a cell is missing. A small `none` and `unknown` are not among them: they are words
/// as often.
const TEXTS: [&str; 22] = [
    "", "NA", "N/A", "n/a", "na", "#N/A", "#NA", "<NA>", "NaN", "nan", "NAN", "-nan", "NaT",
    "NULL", "Null", "null", "None", "nil", "?", "-", "--", ".",
];

/// The texts that mean that a cell is missing: those above, and more that the user names.
///
/// In a column with a cell of plus signs alone, minus signs alone are its opposite, and words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Missing {
    more: Vec<String>,
    /// Whether minus signs alone are words of the column that is read.
    #[serde(skip)]
    minus: bool,
    /// Further texts without a value in the column that is read.
    #[serde(skip)]
    unparsable: BTreeSet<String>,
}

impl Missing {
    pub(crate) fn new(more: &[String]) -> Self {
        let more = more.iter().map(|text| text.trim().to_owned()).collect();
        Self { more, ..Self::default() }
    }

    /// The texts of column `j` of a table for training. A minus that the user names is none of its words.
    pub(crate) fn of_column(&self, cells: &Cells, j: usize) -> Self {
        let mut written = cells.each(j).filter_map(Cell::written);
        let plus = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'+');
        self.with_minus(!self.more.iter().any(|more| more == "-") && written.any(plus))
    }

    /// The texts of a column in which minus signs alone are words, or not.
    pub(crate) fn with_minus(&self, minus: bool) -> Self {
        Self { more: self.more.clone(), minus, unparsable: BTreeSet::new() }
    }

    /// These texts, and others that have no value in the column that is read.
    pub(crate) fn with_unparsable(self, unparsable: impl Iterator<Item = String>) -> Self {
        Self { unparsable: unparsable.collect(), ..self }
    }

    /// Whether minus signs alone are words.
    pub(crate) fn minus(&self) -> bool {
        self.minus
    }

    /// Whether a cell has no value.
    pub(crate) fn is(&self, cell: Cell<'_>) -> bool {
        let named = || {
            let text = cell.text();
            self.more.iter().any(|more| *more == text) || self.unparsable.contains(&*text)
        };
        let means =
            |text: &str| TEXTS.contains(&text) && !(self.minus && matches!(text, "-" | "--"));
        cell.written().is_some_and(means)
            || (!(self.more.is_empty() && self.unparsable.is_empty()) && named())
    }
}
