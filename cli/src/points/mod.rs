//! A table of points (γ, ξ²) in CSV, read whole and checked before anything is computed.

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord};

use crate::number::{self, Number};
use crate::report::{Complaint, Document, Failure};

/// A table with the points of its rows.
pub(crate) struct Points<T> {
    pub(crate) header: StringRecord,
    pub(crate) rows: Vec<StringRecord>,
    pub(crate) points: Vec<(T, T)>,
}

/// Reads and checks the table.
pub(crate) fn read<T: Number>(document: &Document) -> Result<Points<T>, Failure> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(document.text.as_bytes());
    let mut records = reader.records();
    let wrong = |error: csv::Error| {
        let message = format!("{}: {error}", document.name);
        Failure::from(Complaint::new(message, "write a table of comma-separated values"))
    };
    let header = records.next().transpose().map_err(wrong)?.unwrap_or_default();
    if header.is_empty() {
        let help = "begin with a header such as `gamma,xi2`";
        return Err(Complaint::new(format!("{} is empty", document.name), help).into());
    }
    let table = Table { document, header: &header };
    let (gamma, xi2) = (table.column("gamma")?, table.column("xi2")?);
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    for record in records {
        let record = record.map_err(wrong)?;
        table.check_width(&record)?;
        let at_gamma = table.cell(&record, gamma, number::gamma)?;
        let at_xi2 = table.cell(&record, xi2, number::xi2)?;
        points.push((at_gamma, at_xi2));
        rows.push(record);
    }
    Ok(Points { header, rows, points })
}

struct Table<'a> {
    document: &'a Document,
    header: &'a StringRecord,
}

impl Table<'_> {
    /// The index of the one column of this name.
    fn column(&self, name: &str) -> Result<usize, Failure> {
        let found: Vec<usize> =
            (0..self.header.len()).filter(|i| self.header[*i].trim() == name).collect();
        let (message, place) = match found.as_slice() {
            [only] => return Ok(*only),
            [] => {
                let message = format!("line 1: the header has no column `{name}`");
                (message, self.record_place(self.header))
            }
            [_, second, ..] => {
                let message = format!("line 1: the header has two columns `{name}`");
                (message, self.field_place(self.header, *second))
            }
        };
        let help = "the header names the columns `gamma` and `xi2` once each, as in `gamma,xi2`";
        Err(self.document.at(place, Complaint::new(message, help)))
    }

    fn check_width(&self, record: &StringRecord) -> Result<(), Failure> {
        let (found, wanted) = (record.len(), self.header.len());
        if found == wanted {
            return Ok(());
        }
        let message = format!(
            "line {}: the row has {} and the header {}",
            self.line(record),
            fields(found),
            fields(wanted)
        );
        let help = "give every row as many fields as the header";
        Err(self.document.at(self.record_place(record), Complaint::new(message, help)))
    }

    fn cell<T>(
        &self,
        record: &StringRecord,
        column: usize,
        parse: impl Fn(&str) -> Result<T, Complaint>,
    ) -> Result<T, Failure> {
        parse(record.get(column).unwrap_or("")).map_err(|complaint| {
            let message =
                format!("line {}, column {}: {}", self.line(record), column + 1, complaint.message);
            self.document.at(self.field_place(record, column), Complaint { message, ..complaint })
        })
    }

    /// Counted from 1; the reader counts blank lines before a record to the record.
    fn line(&self, record: &StringRecord) -> usize {
        1 + self.document.text[..self.record_place(record).start].matches('\n').count()
    }

    fn record_place(&self, record: &StringRecord) -> Range<usize> {
        let text = &self.document.text;
        let from = record.position().map_or(0, |p| usize::try_from(p.byte()).unwrap_or(0));
        let from = from.min(text.len());
        let blank = text[from..].len() - text[from..].trim_start_matches(['\r', '\n']).len();
        let start = from + blank;
        start..text[start..].find(['\r', '\n']).map_or(text.len(), |end| start + end)
    }

    fn field_place(&self, record: &StringRecord, column: usize) -> Range<usize> {
        let text = &self.document.text;
        let start = self.record_place(record).start;
        let (mut index, mut from, mut quoted) = (0, start, false);
        for (offset, c) in text[start..].char_indices() {
            let at = start + offset;
            match c {
                // A quote counts only in a field that starts with one.
                '"' if text[from..=at].starts_with('"') => quoted = !quoted,
                ',' if !quoted && index < column => (index, from) = (index + 1, at + 1),
                ',' | '\r' | '\n' if !quoted => return from..at,
                _ => {}
            }
        }
        from..text.len()
    }
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}
