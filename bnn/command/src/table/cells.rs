//! The cells of a table, column by column, and the line of each row in the file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use csv::{Position, ReaderBuilder, StringRecord, Trim};

use super::cell::Cell;
use super::column::{ColumnData, Columns, Texts};
use super::form::Form;
use super::number::{Decimal, Signs};
use super::separator::separator;
use super::source::{HELP, Source};
use crate::failure::Failure;

/// The cells of a table. All columns have the same rows.
#[derive(Clone)]
pub(crate) struct Cells {
    path: PathBuf,
    pub(crate) header: Vec<String>,
    /// The cells of each column of the header.
    columns: Vec<ColumnData>,
    header_line: u64,
    /// The line of each row in its file.
    lines: Vec<u64>,
    /// The number of each row in its table, from 0; rows may have been left out.
    numbers: Vec<usize>,
    separator: u8,
    /// The decimal sign that the table shows, from when it is first asked for: that takes a look at all cells.
    decimal: OnceLock<Decimal>,
}

/// Sums of squares of numbers up to this one are finite.
pub(crate) const LARGEST: f64 = 1e150;

/// Whether a quote of the last row of a table is not closed: then a line below it would be part of the row.
fn has_open_quote(row: &[u8], separator: u8) -> bool {
    let more = [row, b"\nx"].concat();
    let mut reader = ReaderBuilder::new();
    reader.delimiter(separator).has_headers(false).flexible(true);
    reader.from_reader(more.as_slice()).byte_records().count() < 2
}

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

    /// The table of these columns under their names, whose rows count as lines from 1 on. It has as many as the longest column.
    pub(crate) fn of_columns(name: impl Into<PathBuf>, columns: Columns) -> Result<Self, Failure> {
        let (header, columns): (Vec<String>, Vec<ColumnData>) = columns.into_iter().unzip();
        let header = header.iter().map(|name| name.trim().to_owned()).collect();
        let rows = columns.iter().map(ColumnData::len).max().unwrap_or(0);
        let lines = (1..=rows as u64).collect();
        let (path, header_line, separator, numbers) = (name.into(), 0, b',', (0..rows).collect());
        let decimal = OnceLock::new();
        Self { path, header, columns, header_line, lines, numbers, separator, decimal }.checked()
    }

    fn csv(path: PathBuf, bytes: &[u8]) -> Result<Self, Failure> {
        let separator = separator(bytes);
        let mut reader =
            ReaderBuilder::new().delimiter(separator).trim(Trim::All).from_reader(bytes);
        let mut at = Lines::of(bytes);
        let header = reader.headers().cloned();
        let header = header.map_err(|e| bad(&path, &mut at, &e))?;
        if header.is_empty() {
            return Err(Failure::file(path, "is empty", HELP));
        }
        let header_line = at.at(header.position());
        let header: Vec<String> = header.iter().map(str::to_owned).collect();
        let mut texts = vec![Texts::default(); header.len()];
        let (mut lines, mut record) = (Vec::new(), StringRecord::new());
        let mut last = 0;
        while reader.read_record(&mut record).map_err(|e| bad(&path, &mut at, &e))? {
            lines.push(at.at(record.position()));
            last = record.position().map_or(last, |position| position.byte() as usize);
            texts.iter_mut().zip(&record).for_each(|(column, text)| column.push(text));
        }
        if has_open_quote(bytes.get(last..).unwrap_or_default(), separator) {
            let line = lines.last().copied().unwrap_or(header_line);
            let problem = "a quote `\"` is left open, and all that follows would be one cell";
            let help = "close it, or write a quote that is part of a text twice, inside of quotes";
            let (problem, help) = (problem.to_owned(), help.to_owned());
            return Err(Failure::Line { path, line, problem, help });
        }
        let columns = texts.into_iter().map(ColumnData::Written).collect();
        let numbers = (0..lines.len()).collect();
        let decimal = OnceLock::new();
        Self { path, header, columns, header_line, lines, numbers, separator, decimal }.checked()
    }

    /// The table, if its columns have names of their own and rows.
    fn checked(mut self) -> Result<Self, Failure> {
        // Programs that write the number of a row give its column no name.
        for (i, name) in self.header.iter_mut().enumerate().filter(|(_, name)| name.is_empty()) {
            *name = format!("column {}", i + 1);
        }
        for (i, name) in self.header.iter().enumerate() {
            if self.header[..i].contains(name) {
                let problem = format!("two columns are named `{name}`");
                let help = "give every column a name of its own".to_owned();
                let (path, line) = (self.path, self.header_line);
                return Err(Failure::Line { path, line, problem, help });
            }
        }
        if self.lines.is_empty() {
            return Err(Failure::file(self.path, "has no rows below its header", HELP));
        }
        Ok(self)
    }

    /// The rows for which `keep` holds, with their lines.
    pub(crate) fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let rows = || (0..self.rows()).filter(|row| keep(*row));
        let columns = self.columns.iter().map(|column| column.taken(rows().map(Some))).collect();
        let lines = rows().map(|row| self.lines[row]).collect();
        let numbers = rows().map(|row| self.numbers[row]).collect();
        let (path, header) = (self.path.clone(), self.header.clone());
        Self { path, header, columns, lines, numbers, decimal: OnceLock::new(), ..*self }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.lines.len()
    }

    /// The number of each row in the table that these rows are of, from 0.
    pub(crate) fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// The name of the table in messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The decimal sign of columns that do not show theirs, such as one of `1.234` alone: the sign that the other numbers of the
    /// table show. Where none does, it is the point, unless semicolons stand between cells and commas in numbers.
    pub(crate) fn decimal(&self) -> Decimal {
        *self.decimal.get_or_init(|| {
            let texts = (0..self.columns.len()).flat_map(|j| self.each(j));
            let signs = Signs::of(texts.filter_map(Cell::written));
            let usual = match self.separator {
                b';' if signs.open_comma > 0 => Decimal::Comma,
                _ => Decimal::Point,
            };
            signs.shown().unwrap_or(usual)
        })
    }

    /// The number of the column of this name.
    pub(crate) fn column(&self, name: &str) -> Result<usize, Failure> {
        self.header.iter().position(|column| column == name).ok_or_else(|| {
            let problem = format!("there is no column `{name}`");
            let help = format!("its columns are {}", self.header.join(", "));
            Failure::file(&self.path, problem, help)
        })
    }

    /// The number of the column of this name, whose cells are of a type that is read.
    pub(crate) fn readable(&self, name: &str) -> Result<usize, Failure> {
        let j = self.column(name)?;
        match self.data(j) {
            ColumnData::Unread(of) => {
                let problem = format!("its cells are of a type that is not read, {of}");
                Err(self.at_header(j, problem, "make columns of numbers or texts of it"))
            }
            _ => Ok(j),
        }
    }

    /// The cells of a column, as its source has them.
    pub(crate) fn data(&self, column: usize) -> &ColumnData {
        &self.columns[column]
    }

    /// The cells of a column, row by row.
    pub(crate) fn each(&self, column: usize) -> impl Iterator<Item = Cell<'_>> + Clone {
        let data = self.data(column);
        (0..self.rows()).map(move |row| data.get(row))
    }

    /// The texts of the cells of a column, row by row.
    pub(crate) fn texts(&self, column: usize) -> impl Iterator<Item = Cow<'_, str>> + Clone {
        self.each(column).map(Cell::text)
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

    /// The line of a row in the file.
    pub(crate) fn line(&self, row: usize) -> u64 {
        self.lines.get(row).copied().unwrap_or(0)
    }
}

/// The lines of a file, from its beginning on. The reader of CSV takes a record to begin with the blank lines before it, and
/// counts no line that ends in a carriage return alone.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Lines<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1 }
    }

    /// The line of a record, which does not lie before the last one.
    fn at(&mut self, record: Option<&Position>) -> u64 {
        let start = record.map_or(0, |position| position.byte() as usize);
        while let Some(byte) = self.bytes.get(self.at)
            && (self.at < start || matches!(byte, b'\r' | b'\n'))
        {
            let ends = match byte {
                b'\n' => true,
                b'\r' => self.bytes.get(self.at + 1) != Some(&b'\n'),
                _ => false,
            };
            self.line += u64::from(ends);
            self.at += 1;
        }
        self.line
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
