//! The reading of a column: by the kind of most of its cells, and by the settings of the user.
//!
//! Numbers come before dates, dates before two words such as `yes` and `no`, these before other words. A column that says
//! nothing of its rows is not read at all.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::number::{NumberProblem, Signs};
use super::row_numbers::are_row_numbers;
use super::{Cell, Cells, ColumnData, DateFormat, Decimal, LARGEST, Missing, NumberFormat, Stamp};
use crate::failure::Failure;

/// How the cells of a column become values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reading {
    Number(NumberFormat),
    Date(DateFormat),
    /// Two words, the first of which is 0 and the second 1.
    Boolean([String; 2]),
    Words,
}

/// The reason why a column is no input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// Every row has the same value.
    Constant(String),
    /// No row has a value.
    Empty,
    /// Few rows have a word in common, or none do.
    Names,
    /// Every row has a number that names it. Counted from another number than 0 or 1 on, years and the like are inputs.
    RowNumbers,
    /// The cells are of this type, which has no texts.
    Type(String),
}

/// The user's settings for columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wishes {
    /// Columns of words, though they are written as numbers.
    pub(crate) words: Vec<String>,
    /// Columns of numbers, though they look like classes or number the rows.
    pub(crate) numbers: Vec<String>,
    /// The decimal sign of all columns.
    pub(crate) decimal: Option<Decimal>,
}

/// Pairs of words that are no and yes, in small letters.
const BOOLEANS: [[&str; 2]; 6] = [
    ["false", "true"],
    ["no", "yes"],
    ["n", "y"],
    ["f", "t"],
    ["off", "on"],
    ["absent", "present"],
];
/// A column of at most so many different cells, each of which so many rows have on average, may be one of codes.
const CODES: usize = 10;
const ROWS_OF_A_CODE: usize = 3;

const MISSING_HELP: &str = "correct it, or say by --missing that it means a missing value, or by --words that the column has words";

impl Wishes {
    /// The notation of the numbers of column `j`.
    pub(crate) fn format_of(&self, cells: &Cells, j: usize, missing: &Missing) -> NumberFormat {
        self.format(cells, j, missing).0
    }

    /// The notation of the numbers of column `j`, and how many of its cells are such numbers.
    fn format(&self, cells: &Cells, j: usize, missing: &Missing) -> (NumberFormat, usize) {
        let there = cells.each(j).filter(|cell| !missing.is(*cell));
        if cells.data(j).has_numbers() {
            return (NumberFormat::default(), there.count());
        }
        let texts = there.filter_map(Cell::written);
        let signs = Signs::of(texts.clone());
        let open = signs.shown().is_none() && signs.open_point + signs.open_comma > 0;
        let usual = if open { cells.decimal() } else { Decimal::Point };
        let (mut format, mut count) =
            NumberFormat::of(texts.clone(), self.decimal.unwrap_or(usual));
        if let Some(decimal) = self.decimal.filter(|decimal| *decimal != format.decimal) {
            format.decimal = decimal;
            // Counted anew: the count was by the sign that most cells show.
            count = texts.filter(|text| format.read(Cell::Text(text)).is_ok()).count();
        }
        (format, count)
    }

    /// A word beside the whole numbers of column `j`, if few different cells make the column one of codes, such as 4, 6 and
    /// `rotary`. A text with digits, as `4o` is, is a mistake. The user has not said what the column is.
    pub(crate) fn word_among_codes<'a>(
        &self,
        cells: &'a Cells,
        j: usize,
        missing: &'a Missing,
    ) -> Option<Cow<'a, str>> {
        let name = &cells.header[j];
        let is_named = self.words.contains(name) || self.numbers.contains(name);
        if is_named || matches!(cells.data(j), ColumnData::Words(_)) {
            return None;
        }
        let format = self.format_of(cells, j, missing);
        let (mut different, mut word) = (BTreeSet::new(), None);
        let [mut rows, mut numbers] = [0; 2];
        for cell in cells.each(j).filter(|cell| !missing.is(*cell)) {
            let text = cell.text();
            match format.read(cell) {
                Ok(value) if value.fract() == 0.0 => numbers += 1,
                Err(NumberProblem::NotNumber) if !text.contains(|c: char| c.is_ascii_digit()) => {
                    word = word.or_else(|| Some(text.clone()));
                }
                _ => return None,
            }
            rows += 1;
            different.insert(text);
            if different.len() > CODES {
                return None;
            }
        }
        word.filter(|_| 2 * numbers > rows && ROWS_OF_A_CODE * different.len() <= rows)
    }
}

impl Reading {
    /// The reading of most cells of column `j`, or the reason why it is not read.
    pub(crate) fn of(
        cells: &Cells,
        j: usize,
        missing: &Missing,
        wishes: &Wishes,
    ) -> Result<Self, Unread> {
        let name = &cells.header[j];
        if let ColumnData::Unread(of) = cells.data(j) {
            return Err(Unread::Type(of.clone()));
        }
        let present = || cells.each(j).filter(|cell| !missing.is(*cell));
        let there = present().count();
        let Some(first) = present().next() else { return Err(Unread::Empty) };
        let constant = || Err(Unread::Constant(first.text().into_owned()));
        // One value beside missing ones still says which rows have it.
        if there == cells.rows() && present().all(|cell| cell == first) {
            return constant();
        }
        let named_words = wishes.words.contains(name);
        let as_numbers = wishes.numbers.contains(name);
        let (format, numbers) = wishes.format(cells, j, missing);
        let as_words = named_words
            || matches!(cells.data(j), ColumnData::Words(_))
            || (numbers < there && wishes.word_among_codes(cells, j, missing).is_some());
        if as_numbers || (!as_words && 2 * numbers > there) {
            let known: Vec<f64> = present().filter_map(|cell| format.read(cell).ok()).collect();
            if known.len() == cells.rows() && known.iter().all(|v| *v == known[0]) {
                return constant();
            }
            let reading = Self::Number(format);
            let is_full = known.len() == cells.rows() && !as_numbers;
            return match is_full && are_row_numbers(cells, j, &known) {
                true => Err(Unread::RowNumbers),
                false => Ok(reading),
            };
        }
        let date = if as_words { None } else { DateFormat::of(present()) };
        if let Some((format, _)) = date.filter(|(_, count)| 2 * count > there) {
            // One time may be written in several ways.
            let days: Vec<f64> =
                present().filter_map(|cell| Some(format.read(cell)?.days())).collect();
            return match days.len() == cells.rows() && days.iter().all(|day| *day == days[0]) {
                true => constant(),
                false => Ok(Self::Date(format)),
            };
        }
        let mut counts: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
        present().for_each(|cell| *counts.entry(cell.text()).or_default() += 1);
        if let Some(pair) = boolean(&counts) {
            return Ok(Self::Boolean(pair));
        }
        if counts.len() == there && there > 1 && !named_words {
            return Err(Unread::Names);
        }
        Ok(Self::Words)
    }

    /// The cells of column `j` with a text that no notation reads as one of the column's numbers or dates, with their rows:
    /// `136A`, `unknown`, `inf`. Those of another decimal sign, another unit or another order of day and month are not among them.
    pub(crate) fn unparsable<'a>(
        &self,
        cells: &'a Cells,
        j: usize,
        missing: &Missing,
    ) -> Vec<(usize, Cow<'a, str>)> {
        let is_unparsable = |cell: Cell<'_>| match (self, cell) {
            (_, Cell::Number(value)) => !value.is_finite(),
            (Self::Number(format), Cell::Text(_)) => {
                let other = NumberFormat { decimal: format.decimal.other(), unit: None };
                let problem = |f: &NumberFormat| f.read(cell).err();
                problem(format) == Some(NumberProblem::NotFinite)
                    || [format, &other].iter().all(|f| problem(f) == Some(NumberProblem::NotNumber))
            }
            (Self::Date(format), Cell::Text(_)) => {
                format.read(cell).is_none() && DateFormat::of(std::iter::once(cell)).is_none()
            }
            // A cell of another type is no mistake of a hand.
            _ => false,
        };
        let found = cells.each(j).enumerate().filter(|(_, cell)| !missing.is(*cell));
        found
            .filter(|(_, cell)| is_unparsable(*cell))
            .map(|(row, cell)| (row, cell.text()))
            .collect()
    }

    /// The numbers of a column, none where they are missing.
    pub(crate) fn numbers(
        &self,
        cells: &Cells,
        j: usize,
        missing: &Missing,
    ) -> Result<Vec<Option<f64>>, Failure> {
        let Self::Number(format) = self else { return Ok(vec![None; cells.rows()]) };
        let number = |(row, cell): (usize, Cell<'_>)| {
            if missing.is(cell) {
                return Ok(None);
            }
            let read = format.read(cell);
            if let Some(value) = read.as_ref().ok().filter(|value| value.abs() <= LARGEST) {
                return Ok(Some(*value));
            }
            let text = cell.text();
            let (problem, help) = match read {
                Ok(_) => {
                    let problem = format!("`{text}` does not lie within ±{LARGEST:e}");
                    (problem, "choose another unit or leave the row out")
                }
                Err(NumberProblem::NotFinite) => {
                    (format!("`{text}` is not finite"), "fill in a number or leave the row out")
                }
                Err(NumberProblem::Unit) => {
                    let unit = format.unit.as_deref().unwrap_or("no unit");
                    let problem =
                        format!("`{text}` is in another unit than the column, which has {unit}");
                    (problem, "write the whole column in one unit")
                }
                Err(NumberProblem::NotNumber) => {
                    let problem =
                        format!("`{text}` is not a number, but most cells of the column are");
                    (problem, MISSING_HELP)
                }
            };
            Err(cells.at(row, j, problem, help))
        };
        cells.each(j).enumerate().map(number).collect()
    }

    /// The points of time of a column, none where they are missing.
    pub(crate) fn stamps(
        &self,
        cells: &Cells,
        j: usize,
        missing: &Missing,
    ) -> Result<Vec<Option<Stamp>>, Failure> {
        let Self::Date(format) = self else { return Ok(vec![None; cells.rows()]) };
        let stamp = |(row, cell): (usize, Cell<'_>)| {
            if missing.is(cell) {
                return Ok(None);
            }
            let stamp = format.read(cell).ok_or_else(|| {
                let (text, what) = (cell.text(), format.words());
                let problem = format!("`{text}` is no {what} as most cells of the column are");
                cells.at(row, j, problem, MISSING_HELP)
            })?;
            Ok(Some(stamp))
        };
        cells.each(j).enumerate().map(stamp).collect()
    }
}

/// The word of summaries for a column that names its rows.
pub(crate) const IDENTIFIER: &str = "identifier";

impl Unread {
    /// The reason, in words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Constant(value) => format!("every row has the same value, {value}"),
            Self::Empty => "no row has a value".to_owned(),
            Self::Names => "few rows share a word".to_owned(),
            Self::RowNumbers => "its numbers name the rows; --numbers takes it in".to_owned(),
            Self::Type(of) => format!("its cells are of a type that is not read, {of}"),
        }
    }

    /// The kind of such a column in a summary.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Constant(_) => "constant",
            Self::Empty => "empty",
            Self::Names | Self::RowNumbers => IDENTIFIER,
            Self::Type(_) => "unread",
        }
    }
}

/// The two words of a column that are no and yes.
fn boolean(counts: &BTreeMap<Cow<'_, str>, usize>) -> Option<[String; 2]> {
    let [a, b] = counts.keys().map(AsRef::as_ref).collect::<Vec<&str>>()[..] else { return None };
    let small = [a, b].map(str::to_lowercase);
    let is = |pair: &&[&str; 2]| small[0] == pair[0] && small[1] == pair[1];
    let pair = BOOLEANS.iter().find(is);
    let turned = BOOLEANS.iter().find(|pair| small[0] == pair[1] && small[1] == pair[0]);
    match (pair, turned) {
        (Some(_), _) => Some([a.to_owned(), b.to_owned()]),
        (None, Some(_)) => Some([b.to_owned(), a.to_owned()]),
        (None, None) => None,
    }
}
