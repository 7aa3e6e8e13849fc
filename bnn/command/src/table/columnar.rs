//! Parquet and Arrow files: their values become the texts that a CSV file would have, so that one reader serves all.

use std::io::Cursor;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_ipc::reader::FileReader;
use arrow_schema::ArrowError;
use bytes::Bytes;
use csv::StringRecord;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::cells::Table;
use crate::failure::Failure;

/// The first bytes of the two formats.
const PARQUET: &[u8] = b"PAR1";
const ARROW: &[u8] = b"ARROW1";

/// The table of a file in one of the formats; none if it is in neither. Rows have numbers from 1 on in the place of lines.
pub(super) fn read(name: &Path, bytes: &[u8]) -> Result<Option<Table>, Failure> {
    let read = if bytes.starts_with(PARQUET) {
        parquet(bytes)
    } else if bytes.starts_with(ARROW) {
        arrow(bytes)
    } else {
        return Ok(None);
    };
    let (header, batches) = read.map_err(|e| {
        let help = "it begins as a Parquet or an Arrow file does, and is damaged or has something that is not read";
        Failure::file(name, format!("cannot be read: {e}"), help)
    })?;
    let mut rows = Vec::new();
    for batch in &batches {
        texts(batch, &mut rows).map_err(|e| {
            let help = "columns hold numbers, texts, dates or booleans";
            Failure::file(name, format!("cannot be read: {e}"), help)
        })?;
    }
    Ok(Some(Table { header, rows, separator: b',' }))
}

type Batches = (Vec<String>, Vec<RecordBatch>);

fn parquet(bytes: &[u8]) -> Result<Batches, ArrowError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(bytes))?;
    let header = builder.schema().fields().iter().map(|field| field.name().clone()).collect();
    let batches = builder.build()?.collect::<Result<_, _>>()?;
    Ok((header, batches))
}

fn arrow(bytes: &[u8]) -> Result<Batches, ArrowError> {
    let reader = FileReader::try_new(Cursor::new(bytes), None)?;
    let header = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
    Ok((header, reader.collect::<Result<_, _>>()?))
}

/// Adds the rows of a batch as texts, empty where a value is missing.
fn texts(batch: &RecordBatch, rows: &mut Vec<(u64, StringRecord)>) -> Result<(), ArrowError> {
    let options = FormatOptions::new().with_null("");
    let columns = batch
        .columns()
        .iter()
        .map(|column| ArrayFormatter::try_new(column.as_ref(), &options))
        .collect::<Result<Vec<_>, _>>()?;
    for i in 0..batch.num_rows() {
        let cells = columns
            .iter()
            .map(|column| Ok(column.value(i).try_to_string()?.trim().to_owned()))
            .collect::<Result<Vec<String>, ArrowError>>()?;
        rows.push((rows.len() as u64 + 1, StringRecord::from(cells)));
    }
    Ok(())
}
