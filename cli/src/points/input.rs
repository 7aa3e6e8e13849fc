//! The file of a table, which is read twice: to check all of it before anything is written, and to
//! compute.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use csv::ByteRecord;

use super::place;
use crate::report::{Blamed as _, Complaint, Document, Failure};
use crate::source::STDIN;

/// Bytes of a row. Without a limit, a quote that is not closed would take the whole file.
const LONGEST_ROW: u64 = 1 << 20;

/// The number of lines after which a row is named in an error, but not shown.
const MOST_LINES: usize = 1 << 16;

/// A table that can be read again.
pub(crate) struct Input {
    name: String,
    file: File,
    size: u64,
}

impl Input {
    /// A file as it is. What can be read only once is kept in a temporary file without a name.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let stdin = path == Path::new("-");
        let name = if stdin { STDIN.to_owned() } else { path.display().to_string() };
        let opened =
            if stdin { kept(io::stdin().lock()) } else { File::open(path).and_then(again) };
        let opened = opened.and_then(|file| Ok((file.metadata()?.len(), file)));
        match opened {
            Ok((size, file)) => Ok(Self { name, file, size }),
            Err(error) => Err(Failure::plain(format!("cannot read {name}: {error}"))),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The text from its start.
    pub(super) fn rewound(&self) -> Result<Limited<'_>, Failure> {
        let rewound = (&self.file).seek(SeekFrom::Start(0));
        rewound.map_err(|error| Failure::plain(format!("cannot read {}: {error}", self.name)))?;
        Ok(Limited { file: &self.file, row: Cell::new(0) })
    }

    /// A complaint about a row, or a field of it, by line and column.
    pub(super) fn wrong_row(
        &self,
        row: &ByteRecord,
        column: Option<usize>,
        complaint: Complaint,
    ) -> Failure {
        let (line, _) = self.lines(row);
        let place = match column {
            Some(column) => format!("line {line}, column {}", column + 1),
            None => format!("line {line}"),
        };
        let message = format!("{place}: {}", complaint.message);
        self.wrong(row, column, Complaint { message, ..complaint })
    }

    /// Refuses the last row if a quote is open in it.
    pub(super) fn check_quotes(&self, row: &ByteRecord) -> Result<(), Failure> {
        let (line, text) = self.lines(row);
        let Some(quote) = place::open_quote(&text) else { return Ok(()) };
        let message = format!("line {line}: a quote `\"` is not closed");
        Err(self.at(line, text, quote, Complaint::new(message, "close it, or leave it out")))
    }

    /// A complaint that points at a row, or at a field of it.
    pub(super) fn wrong(
        &self,
        row: &ByteRecord,
        column: Option<usize>,
        complaint: Complaint,
    ) -> Failure {
        let (line, text) = self.lines(row);
        let place = match column {
            Some(column) => place::field(&text, column),
            None => place::first_line(&text),
        };
        self.at(line, text, place, complaint)
    }

    fn at(&self, line: usize, text: String, place: Range<usize>, complaint: Complaint) -> Failure {
        if line > MOST_LINES {
            let message = format!("{}, {}", self.name, complaint.message);
            return Complaint { message, ..complaint }.into();
        }
        let name = self.name.clone();
        Document { name, text, lines_before: line - 1 }.at(place, complaint)
    }

    /// The number of the row's first line, and its text; empty lines before it belong to the record.
    fn lines(&self, row: &ByteRecord) -> (usize, String) {
        let start = row.position().cloned().unwrap_or_else(csv::Position::new);
        let mut bytes = Vec::new();
        // This moves the file. It is done for an error, or for the last row, behind which nothing
        // is read.
        let mut file = &self.file;
        // Without its text, the row has its number still.
        let _ = file
            .seek(SeekFrom::Start(start.byte()))
            .and_then(|_| file.take(LONGEST_ROW).read_to_end(&mut bytes));
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let own = text.trim_start_matches(['\r', '\n']);
        let blank = text[..text.len() - own.len()].matches('\n').count();
        (usize::try_from(start.line()).unwrap_or(usize::MAX) + blank, own.to_owned())
    }
}

/// The file, if it can be read again, or a copy that can.
fn again(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { kept(file) }
}

fn kept(mut source: impl Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut source, &mut file)?;
    Ok(file)
}

/// The bytes of a table, as long as each row is of a bearable length.
pub(super) struct Limited<'a> {
    file: &'a File,
    /// Bytes read since the row was begun.
    row: Cell<u64>,
}

impl Limited<'_> {
    pub(super) fn begin_row(&self) {
        self.row.set(0);
    }
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Buffers are filled across the ends of rows, so the limit is not exact.
        if self.row.get() > LONGEST_ROW {
            return Err(io::Error::other(TooLong));
        }
        let count = self.file.read(buffer)?;
        self.row.set(self.row.get() + count as u64);
        Ok(count)
    }
}

/// A row is longer than it may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLong;

impl TooLong {
    pub(super) fn is_reason_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.is::<Self>())
    }
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a row has at most {LONGEST_ROW} bytes")
    }
}

impl std::error::Error for TooLong {}
