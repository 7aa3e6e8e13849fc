//! A CSV file as cells that know their lines.

use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::failure::Failure;
use crate::lines::Lines;

/// The cells of a file, all of them there: no row is short, no cell is empty.
pub(crate) struct Cells {
    path: PathBuf,
    pub(crate) header: Vec<String>,
    header_line: u64,
    /// Each with its line.
    rows: Vec<(u64, StringRecord)>,
}

/// Sums of squares of numbers up to this one are finite.
pub(crate) const LARGEST: f64 = 1e150;

impl Cells {
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let help = "a table is a CSV file with a header, its cells separated by commas";
        let bytes = std::fs::read(path)
            .map_err(|e| Failure::file(path, format!("cannot be read: {e}"), help))?;
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(&bytes[..]);
        let mut lines = Lines::of(&bytes);
        let header = reader.headers().cloned();
        let header = header.map_err(|e| bad(path, &mut lines, &e))?;
        if header.is_empty() {
            return Err(Failure::file(path, "is empty", help));
        }
        let header_line = lines.at(header.position());
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        if let [only] = &header[..]
            && let Some(other) = [';', '\t'].into_iter().find(|c| only.contains(*c))
        {
            let problem = format!("the header is a single cell, `{}`", only.escape_debug());
            let help = format!("separate cells by commas, not by `{}`", other.escape_debug());
            return Err(Failure::Line { path: path.to_owned(), line: header_line, problem, help });
        }
        for (i, name) in header.iter().enumerate() {
            let problem = if name.is_empty() {
                format!("column {} has no name", i + 1)
            } else if header[..i].contains(name) {
                format!("two columns are named `{name}`")
            } else {
                continue;
            };
            let (path, help) = (path.to_owned(), "give every column a name of its own".to_owned());
            return Err(Failure::Line { path, line: header_line, problem, help });
        }
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| bad(path, &mut lines, &e))?;
            rows.push((lines.at(record.position()), record));
        }
        if rows.is_empty() {
            return Err(Failure::file(path, "has no rows below its header", help));
        }
        let cells = Self { path: path.to_owned(), header, header_line, rows };
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

    /// The numbers of a column, all of them finite. `why` they must be numbers, and what helps if one is not.
    pub(crate) fn numbers(
        &self,
        column: usize,
        why: &str,
        help: &str,
    ) -> Result<Vec<f64>, Failure> {
        let number = |(row, text): (usize, &str)| {
            let (problem, help) = match text.parse::<f64>() {
                Ok(value) if value.abs() <= LARGEST => return Ok(value),
                Ok(value) if value.is_nan() || text.contains("inf") || text.contains("Inf") => {
                    (format!("`{text}` is not finite"), "fill in a number or leave the row out")
                }
                Ok(_) => {
                    let problem = format!("`{text}` does not lie within ±{LARGEST:e}");
                    (problem, "choose another unit or leave the row out")
                }
                Err(_) => (format!("`{text}` is not a number, but {why}"), help),
            };
            Err(self.at(row, column, problem, help))
        };
        self.texts(column).enumerate().map(number).collect()
    }

    /// A failure of a row.
    pub(crate) fn at_row(
        &self,
        row: usize,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        let (path, line) = (self.path.clone(), self.line(row));
        Failure::Line { path, line, problem: problem.into(), help: help.into() }
    }

    /// A failure of a column as a whole.
    pub(crate) fn at_header(
        &self,
        column: usize,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        self.of_column(self.header_line, column, problem.into(), help.into())
    }

    /// A failure at a cell.
    pub(crate) fn at(
        &self,
        row: usize,
        column: usize,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        self.of_column(self.line(row), column, problem.into(), help.into())
    }

    fn of_column(&self, line: u64, column: usize, problem: String, help: String) -> Failure {
        let name = self.header.get(column).cloned().unwrap_or_default();
        Failure::Cell { path: self.path.clone(), line, number: column + 1, name, problem, help }
    }

    fn line(&self, row: usize) -> u64 {
        self.rows.get(row).map_or(0, |(line, _)| *line)
    }
}

fn bad(path: &Path, lines: &mut Lines<'_>, error: &csv::Error) -> Failure {
    let (path, line, problem) = (path.to_owned(), lines.at(error.position()), plain(error));
    let help = match error.kind() {
        csv::ErrorKind::UnequalLengths { .. } => {
            "every line has as many cells as the header; a cell with a comma or a line break begins and ends with a quote"
        }
        _ => "a table is text in UTF-8",
    };
    Failure::Line { path, line, problem, help: help.to_owned() }
}

/// What is wrong, without the place that is said already.
fn plain(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let cells = if *len == 1 { "cell" } else { "cells" };
            format!("{len} {cells}, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
