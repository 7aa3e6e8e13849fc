//! The cells of a table as texts, each row with its line in the file.

use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord, Trim};

use super::form::Form;
use super::lines::Lines;
use super::number::{Decimal, NumberFormat};
use super::separator::separator;
use super::source::{HELP, Source};
use super::typed::{Kind, TypedColumn};
use crate::failure::Failure;

/// The cells of a table, trimmed. All rows have as many cells as the header.
pub(crate) struct Cells {
    path: PathBuf,
    pub(crate) header: Vec<String>,
    /// What the source says of the cells of each column.
    kinds: Vec<Kind>,
    header_line: u64,
    /// The rows, each with its line.
    rows: Vec<(u64, StringRecord)>,
    separator: u8,
}

/// The header and the rows of a file, before they are checked.
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) kinds: Vec<Kind>,
    pub(super) rows: Vec<(u64, StringRecord)>,
    pub(super) separator: u8,
}

/// Sums of squares of numbers up to this one are finite.
pub(crate) const LARGEST: f64 = 1e150;

impl Cells {
    /// The table at `path`, or that of standard input for `-`.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let Source { name, bytes } = Source::read(path)?;
        match Form::of(&bytes) {
            Form::Csv => Self::csv(name, &bytes),
            form => {
                let columns = form.columns(bytes);
                let columns =
                    columns.map_err(|[problem, help]| Failure::file(&name, problem, help))?;
                Self::of_columns(name, columns)
            }
        }
    }

    /// The table in a text, for tests.
    #[cfg(test)]
    pub(crate) fn of_text(text: &str) -> Result<Self, Failure> {
        Self::csv(PathBuf::from("t.csv"), text.as_bytes())
    }

    /// The table of these columns, whose rows count as lines from 1 on. It has as many as the longest column with texts.
    pub(crate) fn of_columns(
        name: impl Into<PathBuf>,
        columns: Vec<TypedColumn>,
    ) -> Result<Self, Failure> {
        let header = columns.iter().map(|column| column.name.trim().to_owned()).collect();
        let kinds = columns.iter().map(|column| column.kind.clone()).collect();
        let count = columns.iter().map(|column| column.texts.len()).max().unwrap_or(0);
        let cell = |column: &'_ TypedColumn, i: usize| match &column.kind {
            Kind::Other(of) => of.clone(),
            _ => column.texts.get(i).map_or("", |text| text.trim()).to_owned(),
        };
        let row = |i: usize| columns.iter().map(|column| cell(column, i)).collect();
        let rows = (0..count).map(|i| (i as u64 + 1, row(i))).collect();
        Self::of(name.into(), Table { header, kinds, rows, separator: b',' }, 0)
    }

    fn csv(name: PathBuf, bytes: &[u8]) -> Result<Self, Failure> {
        let separator = separator(bytes);
        let mut reader =
            ReaderBuilder::new().delimiter(separator).trim(Trim::All).from_reader(bytes);
        let mut lines = Lines::of(bytes);
        let header = reader.headers().cloned();
        let header = header.map_err(|e| bad(&name, &mut lines, &e))?;
        if header.is_empty() {
            return Err(Failure::file(name, "is empty", HELP));
        }
        let header_line = lines.at(header.position());
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        let kinds = vec![Kind::Written; header.len()];
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| bad(&name, &mut lines, &e))?;
            rows.push((lines.at(record.position()), record));
        }
        Self::of(name, Table { header, kinds, rows, separator }, header_line)
    }

    fn of(path: PathBuf, table: Table, header_line: u64) -> Result<Self, Failure> {
        let Table { mut header, kinds, rows, separator } = table;
        // Programs that write the number of a row give its column no name.
        for (i, name) in header.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("column {}", i + 1);
        }
        for (i, name) in header.iter().enumerate() {
            if header[..i].contains(name) {
                let problem = format!("two columns are named `{name}`");
                let help = "give every column a name of its own".to_owned();
                return Err(Failure::Line { path, line: header_line, problem, help });
            }
        }
        if rows.is_empty() {
            return Err(Failure::file(path, "has no rows below its header", HELP));
        }
        Ok(Self { path, header, kinds, header_line, rows, separator })
    }

    /// The rows for which `keep` holds, with their lines.
    pub(crate) fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let rows = self.rows.iter().enumerate().filter(|(i, _)| keep(*i));
        Self { rows: rows.map(|(_, row)| row.clone()).collect(), ..self.without_rows() }
    }

    fn without_rows(&self) -> Self {
        let (path, header, kinds) = (self.path.clone(), self.header.clone(), self.kinds.clone());
        Self { path, header, kinds, rows: Vec::new(), ..*self }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The sign between cells.
    pub(crate) fn separator(&self) -> u8 {
        self.separator
    }

    /// The number of the column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        self.header.iter().position(|column| column == name).ok_or_else(|| {
            let problem = format!("there is no column `{name}`");
            let help = format!("its columns are {}", self.header.join(", "));
            Failure::file(&self.path, problem, help)
        })
    }

    /// The number of the column of this name, whose cells are texts.
    pub(crate) fn readable(&self, name: &str) -> Result<usize, Failure> {
        let j = self.column(name)?;
        match self.kind(j) {
            Kind::Other(of) => {
                let problem = format!("its cells are of a type that is not read, {of}");
                Err(self.at_header(j, problem, "make columns of numbers or texts of it"))
            }
            _ => Ok(j),
        }
    }

    /// What the source says of the cells of a column.
    pub(crate) fn kind(&self, column: usize) -> &Kind {
        self.kinds.get(column).unwrap_or(&Kind::Written)
    }

    /// The notation of the numbers of a column, which is `usual` where numbers are as people write them.
    pub(crate) fn notation(&self, column: usize, usual: &NumberFormat) -> NumberFormat {
        let decimal = match self.kind(column) {
            Kind::Numbers => Decimal::Point,
            _ => usual.decimal,
        };
        NumberFormat { decimal, unit: usual.unit.clone() }
    }

    /// The cells of a column, row by row.
    pub(crate) fn texts(&self, column: usize) -> impl Iterator<Item = &str> + Clone {
        self.rows.iter().map(move |(_, record)| record.get(column).unwrap_or_default())
    }

    /// A failure at a row.
    pub(crate) fn at_row(
        &self,
        row: usize,
        problem: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        let (path, line) = (self.path.clone(), self.line(row));
        Failure::Line { path, line, problem: problem.into(), help: help.into() }
    }

    /// A failure at a column as a whole.
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
            "every line has as many cells as the header; a cell with a separator or a line break begins and ends with a quote"
        }
        _ => "a table is text in UTF-8",
    };
    Failure::Line { path, line, problem, help: help.to_owned() }
}

/// The fault that the reader found, without its place, which the message has already.
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
