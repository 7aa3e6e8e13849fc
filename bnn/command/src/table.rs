//! A CSV file as cells that know their lines.

use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::failure::Failure;

/// The cells of a file, all of them there: no row is short, no cell is empty.
pub(crate) struct Cells {
    path: PathBuf,
    pub(crate) header: Vec<String>,
    rows: Vec<(u64, StringRecord)>,
}

impl Cells {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let help = "a table is a CSV file with a header, its cells separated by commas";
        let bytes = std::fs::read(path)
            .map_err(|e| Failure::file(path, format!("cannot be read: {e}"), help))?;
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(&bytes[..]);
        let bad = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            let (path, problem) = (path.to_owned(), plain(&error));
            let help = "every line has as many cells as the header, in UTF-8".to_owned();
            Failure::Line { path, line, problem, help }
        };
        let header: Vec<String> =
            reader.headers().map_err(bad)?.iter().map(str::to_owned).collect();
        for (i, name) in header.iter().enumerate() {
            let problem = if name.is_empty() {
                format!("column {} has no name", i + 1)
            } else if header[..i].contains(name) {
                format!("two columns are named `{name}`")
            } else {
                continue;
            };
            let (path, help) = (path.to_owned(), "give every column a name of its own".to_owned());
            return Err(Failure::Line { path, line: 1, problem, help });
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(bad)?;
            let line = record.position().map_or(0, csv::Position::line);
            rows.push((line, record));
        }
        if rows.is_empty() {
            return Err(Failure::file(path, "has no rows below its header", help));
        }
        let cells = Self { path: path.to_owned(), header, rows };
        for (i, (_, record)) in cells.rows.iter().enumerate() {
            if let Some(j) = record.iter().position(str::is_empty) {
                return Err(cells.at(
                    i,
                    j,
                    "the value is missing",
                    "fill it in or leave the row out",
                ));
            }
        }
        Ok(cells)
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        self.header.iter().position(|column| column == name).ok_or_else(|| {
            let problem = format!("there is no column `{name}`");
            let help = format!("its columns are {}", self.header.join(", "));
            Failure::file(&self.path, problem, help)
        })
    }

    pub(crate) fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |(_, record)| record.get(column).unwrap_or_default())
    }

    /// The numbers of a column, all of them finite.
    pub(crate) fn numbers(&self, column: usize) -> Result<Vec<f64>, Failure> {
        let number = |(row, text): (usize, &str)| match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            Ok(_) => Err(self.at(
                row,
                column,
                format!("`{text}` is not finite"),
                "fill in a number or leave the row out",
            )),
            Err(_) => Err(self.at(
                row,
                column,
                format!("`{text}` is not a number, but the column begins with one"),
                "correct it; `train --words COLUMN` is for a column of words that begins with a \
                 number",
            )),
        };
        self.texts(column).enumerate().map(number).collect()
    }

    /// A failure at a cell.
    pub(crate) fn at(
        &self,
        row: usize,
        column: usize,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        Failure::Cell {
            path: self.path.clone(),
            line: self.rows.get(row).map_or(0, |(line, _)| *line),
            column: self.header.get(column).cloned().unwrap_or_default(),
            problem: problem.into(),
            help: help.into(),
        }
    }
}

/// What is wrong, without the place that is said already.
fn plain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} cells, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
