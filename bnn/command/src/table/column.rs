//! The cells of a column, in the type that its source gives them.

use super::cell::{Cell, Clock};

/// Columns under their names.
pub(crate) type Columns = Vec<(String, ColumnData)>;

/// Cells from the first row on. Those at the end that are missing may be left out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnData {
    /// Texts as people write them, whatever they mean.
    Written(Texts),
    /// Texts that are words, though they may be digits.
    Words(Texts),
    /// Numbers, NaN where one is missing.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// The numbers digits · 10^−scale.
    Decimals { digits: Vec<Option<i128>>, scale: i32 },
    /// False and true.
    Booleans(Vec<Option<bool>>),
    /// Points of time, in ticks of a clock.
    Times { ticks: Vec<Option<i64>>, clock: Clock },
    /// Cells of this type, which are not read.
    Unread(String),
}

/// Trimmed texts one after the other, empty where a cell is missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Texts {
    all: String,
    /// The end of each text in `all`, in bytes.
    ends: Vec<usize>,
}

impl Texts {
    /// Adds a text, without the blanks around it. So are characters that no one sees, such as the end of a file of DOS.
    pub(super) fn push(&mut self, text: &str) {
        self.all.push_str(text.trim_matches(|c: char| c.is_whitespace() || c.is_control()));
        self.ends.push(self.all.len());
    }

    /// These texts, and others after them.
    fn with(mut self, more: &Self) -> Self {
        let before = self.all.len();
        self.all.push_str(&more.all);
        self.ends.extend(more.ends.iter().map(|end| before + end));
        self
    }

    /// The text of a row; none after the last.
    fn get(&self, row: usize) -> Option<&str> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.all.get(start..end)
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

impl ColumnData {
    /// Number of cells, without those at the end that are left out.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Written(texts) | Self::Words(texts) => texts.ends.len(),
            Self::Numbers(cells) => cells.len(),
            Self::Whole(cells) | Self::Times { ticks: cells, .. } => cells.len(),
            Self::Decimals { digits, .. } => digits.len(),
            Self::Booleans(cells) => cells.len(),
            Self::Unread(_) => 0,
        }
    }

    /// The cell of a row, which is the empty text where it is missing. That of a type which is not read is the name of the type.
    pub(super) fn get(&self, row: usize) -> Cell<'_> {
        let cell = match self {
            Self::Written(texts) | Self::Words(texts) => texts.get(row).map(Cell::Text),
            Self::Numbers(cells) => {
                cells.get(row).filter(|value| !value.is_nan()).map(|value| Cell::Number(*value))
            }
            Self::Whole(cells) => at(cells, row).map(Cell::Whole),
            Self::Decimals { digits, scale } => {
                at(digits, row).map(|digits| Cell::Decimal { digits, scale: *scale })
            }
            Self::Booleans(cells) => at(cells, row).map(Cell::Boolean),
            Self::Times { ticks, clock } => {
                at(ticks, row).map(|ticks| Cell::Time { ticks, clock: *clock })
            }
            Self::Unread(of) => Some(Cell::Text(of)),
        };
        cell.unwrap_or(Cell::Text(""))
    }

    /// The cells of the column and, after them, those of another of the same type; none if its type is another.
    pub(super) fn with(self, more: Self) -> Option<Self> {
        fn joined<T>(mut all: Vec<T>, more: Vec<T>) -> Vec<T> {
            all.extend(more);
            all
        }
        Some(match (self, more) {
            (Self::Written(all), Self::Written(more)) => Self::Written(all.with(&more)),
            (Self::Words(all), Self::Words(more)) => Self::Words(all.with(&more)),
            (Self::Numbers(all), Self::Numbers(more)) => Self::Numbers(joined(all, more)),
            (Self::Whole(all), Self::Whole(more)) => Self::Whole(joined(all, more)),
            (Self::Decimals { digits, scale }, Self::Decimals { digits: more, scale: other })
                if scale == other =>
            {
                Self::Decimals { digits: joined(digits, more), scale }
            }
            (Self::Booleans(all), Self::Booleans(more)) => Self::Booleans(joined(all, more)),
            (Self::Times { ticks, clock }, Self::Times { ticks: more, clock: other })
                if clock == other =>
            {
                Self::Times { ticks: joined(ticks, more), clock }
            }
            _ => return None,
        })
    }

    /// Whether the type of the cells is one of numbers.
    pub(super) fn has_numbers(&self) -> bool {
        matches!(self, Self::Numbers(_) | Self::Whole(_) | Self::Decimals { .. })
    }

    /// The cells of these rows, in their order; missing where there is no row.
    pub(super) fn taken(&self, mut rows: impl Iterator<Item = Option<usize>>) -> Self {
        fn those<T: Copy>(
            cells: &[Option<T>],
            rows: impl Iterator<Item = Option<usize>>,
        ) -> Vec<Option<T>> {
            rows.map(|row| at(cells, row?)).collect()
        }
        let texts = |texts: &Texts, rows: &mut dyn Iterator<Item = Option<usize>>| {
            rows.map(|row| row.and_then(|row| texts.get(row)).unwrap_or_default()).collect()
        };
        match self {
            Self::Written(all) => Self::Written(texts(all, &mut rows)),
            Self::Words(all) => Self::Words(texts(all, &mut rows)),
            Self::Numbers(cells) => {
                let number = |row: Option<usize>| row.and_then(|row| cells.get(row).copied());
                Self::Numbers(rows.map(|row| number(row).unwrap_or(f64::NAN)).collect())
            }
            Self::Whole(cells) => Self::Whole(those(cells, rows)),
            Self::Decimals { digits, scale } => {
                Self::Decimals { digits: those(digits, rows), scale: *scale }
            }
            Self::Booleans(cells) => Self::Booleans(those(cells, rows)),
            Self::Times { ticks, clock } => {
                Self::Times { ticks: those(ticks, rows), clock: *clock }
            }
            Self::Unread(of) => Self::Unread(of.clone()),
        }
    }
}

fn at<T: Copy>(cells: &[Option<T>], row: usize) -> Option<T> {
    cells.get(row).copied().flatten()
}
