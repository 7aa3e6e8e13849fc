//! Answers for the rows of a table: columns, and their files. The name of a file says its format: `.parquet` is Parquet, `.arrow`,
//! `.feather` and `.ipc` are Arrow, and all else is CSV.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "parquet")]
mod parquet;

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

use crate::failure::Failure;
use crate::output::{check, deliver, put};
use crate::table::{Cells, ColumnData};

/// The values of a column, one for each row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ColumnValues {
    /// Numbers, NaN where one is missing.
    Numbers(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Texts, empty where one is missing.
    Texts(Vec<String>),
}

impl ColumnValues {
    /// Column `j` of a table, in its type if that is one of numbers. Whole numbers beyond 64 bits are texts, to the last digit.
    pub(crate) fn of(cells: &Cells, j: usize) -> Self {
        let whole = |digits: &Option<i128>| digits.map(i64::try_from).transpose();
        match cells.data(j) {
            ColumnData::Numbers(values) => Self::Numbers(values.clone()),
            ColumnData::Whole(values) => Self::Whole(values.clone()),
            ColumnData::Decimals { digits, scale: 0 } => {
                let values: Result<_, _> = digits.iter().map(whole).collect();
                values.map_or_else(|_| Self::Texts(texts(cells, j)), Self::Whole)
            }
            ColumnData::Decimals { .. } => {
                let numbers = cells.each(j).map(|cell| cell.number().unwrap_or(f64::NAN));
                Self::Numbers(numbers.collect())
            }
            _ => Self::Texts(texts(cells, j)),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// The text of a row.
    fn text(&self, row: usize) -> String {
        match self {
            Self::Numbers(values) if values[row].is_nan() => String::new(),
            Self::Numbers(values) => values[row].to_string(),
            Self::Whole(values) => values[row].map(|value| value.to_string()).unwrap_or_default(),
            Self::Texts(values) => values[row].clone(),
        }
    }
}

fn texts(cells: &Cells, j: usize) -> Vec<String> {
    cells.texts(j).map(Cow::into_owned).collect()
}

/// The format of a file of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Csv,
    Parquet,
    Arrow,
}

impl Format {
    /// The format of the file `out`, or of standard output, after a look at whether it can be written.
    pub(crate) fn of(out: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = out else { return Ok(Self::Csv) };
        check(path)?;
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        let (format, feature, there) = match end.as_deref() {
            Some("parquet") => (Self::Parquet, "parquet", cfg!(feature = "parquet")),
            Some("arrow" | "feather" | "ipc") => (Self::Arrow, "arrow", cfg!(feature = "arrow")),
            _ => return Ok(Self::Csv),
        };
        if !there {
            let problem = format!("this program was built without the feature `{feature}`");
            return Err(Failure::file(path, problem, "name a file that ends in .csv"));
        }
        Ok(format)
    }
}

/// Columns of as many rows each, under their names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) columns: Vec<(String, ColumnValues)>,
}

impl Answer {
    /// Writes the answer to the file `out`, or to standard output.
    pub(crate) fn deliver(&self, format: Format, out: Option<&Path>) -> Result<(), Failure> {
        let place = out.unwrap_or(Path::new("standard output"));
        match (self.file(format), out) {
            (Some(bytes), Some(path)) => put(&bytes.map_err(|e| failed(path, &e))?, path),
            _ => deliver(&self.csv().map_err(|e| failed(place, &e))?, out),
        }
    }

    /// The bytes of a file with types; none for CSV.
    fn file(&self, format: Format) -> Option<Result<Vec<u8>, String>> {
        match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Some(parquet::bytes(&self.columns).map_err(|e| e.to_string())),
            #[cfg(feature = "arrow")]
            Format::Arrow => Some(arrow::bytes(&self.columns).map_err(|e| e.to_string())),
            _ => None,
        }
    }

    fn csv(&self) -> csv::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|(name, _)| name))?;
        let rows = self.columns.first().map_or(0, |(_, values)| values.rows());
        for row in 0..rows {
            writer.write_record(self.columns.iter().map(|(_, values)| values.text(row)))?;
        }
        let bytes = writer.into_inner().map_err(|e| std::io::Error::other(e.to_string()))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn failed(path: &Path, error: &dyn Display) -> Failure {
    let help = "two columns may have one name; or write CSV, to a file that ends in .csv";
    Failure::file(path, format!("cannot be written: {error}"), help)
}
