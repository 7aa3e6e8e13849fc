//! Tables in Arrow files: the format of files, which Feather is, and that of streams.

use std::io::Cursor;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, DurationMicrosecondType,
    DurationMillisecondType, DurationNanosecondType, DurationSecondType, Float16Type, Float32Type,
    Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatchReader};
#[cfg(feature = "parquet")]
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, TimeUnit};
#[cfg(feature = "parquet")]
use base64::Engine;
#[cfg(feature = "parquet")]
use base64::prelude::BASE64_STANDARD;

use super::cell::{Clock, widened};
use super::column::{ColumnData, Columns, Texts};
use super::declared;

/// The columns of the file with these bytes.
pub(super) fn file(bytes: Vec<u8>) -> Result<Columns, String> {
    // First: the reader takes the memory that a file declares before it decompresses.
    declared::file(&bytes)?;
    FileReader::try_new(Cursor::new(bytes), None).and_then(columns).map_err(|e| e.to_string())
}

/// The columns of the stream with these bytes.
pub(super) fn stream(bytes: Vec<u8>) -> Result<Columns, String> {
    declared::stream(&bytes)?;
    StreamReader::try_new(Cursor::new(bytes), None).and_then(columns).map_err(|e| e.to_string())
}

/// The names of the columns of words, though they may be digits, by the schema in base64 that programs with Arrow put into files of other
/// formats. A schema that cannot be read says nothing.
#[cfg(feature = "parquet")]
pub(super) fn words(schema: &str) -> Vec<String> {
    let bytes = BASE64_STANDARD.decode(schema).unwrap_or_default();
    let Ok(schema) = try_schema_from_ipc_buffer(&bytes) else { return Vec::new() };
    let words = schema.fields().iter().filter(|field| is_words(field.data_type()));
    words.map(|field| field.name().clone()).collect()
}

fn columns(reader: impl RecordBatchReader) -> Result<Columns, ArrowError> {
    let schema = reader.schema();
    let mut columns: Vec<Option<ColumnData>> = vec![None; schema.fields().len()];
    for batch in reader {
        let batch = batch?;
        for (all, array) in columns.iter_mut().zip(batch.columns()) {
            let more = cells(array).unwrap_or_else(|| unread(array.data_type()));
            *all = Some(match all.take() {
                Some(all) => all.with(more).unwrap_or_else(|| unread(array.data_type())),
                None => more,
            });
        }
    }
    let of_no_batch = || ColumnData::Written(Texts::default());
    let column = |(field, column): (&arrow_schema::FieldRef, Option<ColumnData>)| {
        (field.name().clone(), column.unwrap_or_else(of_no_batch))
    };
    Ok(schema.fields().iter().zip(columns).map(column).collect())
}

/// Whether cells of a type are words, though they may be digits: it is one of dictionaries, but of numbers or points of time.
fn is_words(of: &DataType) -> bool {
    let words = |values: &DataType| !values.is_numeric() && !values.is_temporal();
    matches!(of, DataType::Dictionary(_, values) if words(values))
}

fn unread(of: &DataType) -> ColumnData {
    ColumnData::Unread(name(of).to_owned())
}

/// A type that is not read, in a word.
fn name(of: &DataType) -> &'static str {
    match of {
        DataType::Struct(_) => "struct",
        DataType::Map(..) => "map",
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => "bytes",
        _ if of.is_nested() => "list",
        _ => "another type",
    }
}

/// The cells of an array; none if its type is not read, or its bytes are no text.
fn cells(array: &dyn Array) -> Option<ColumnData> {
    let times = |ticks, clock| ColumnData::Times { ticks, clock };
    Some(match array.data_type() {
        // All its cells are missing, and no bytes say how many there are.
        DataType::Null => ColumnData::Written(Texts::default()),
        DataType::Boolean => ColumnData::Booleans(array.as_boolean().iter().collect()),
        DataType::Int8 => whole::<Int8Type>(array),
        DataType::Int16 => whole::<Int16Type>(array),
        DataType::Int32 => whole::<Int32Type>(array),
        DataType::Int64 => whole::<Int64Type>(array),
        DataType::UInt8 => whole::<UInt8Type>(array),
        DataType::UInt16 => whole::<UInt16Type>(array),
        DataType::UInt32 => whole::<UInt32Type>(array),
        // The upper half of these does not fit into an i64.
        DataType::UInt64 => decimals::<UInt64Type>(array, 0),
        DataType::Float16 => numbers::<Float16Type>(array, |v| widened(v.to_f32())),
        DataType::Float32 => numbers::<Float32Type>(array, widened),
        DataType::Float64 => numbers::<Float64Type>(array, |v| v),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, *scale),
        DataType::Date32 => times(whole_of::<Date32Type, _>(array), Clock::Days),
        DataType::Date64 => {
            // Rounded down: what lies before 1970 falls on its own day.
            let days = |ticks: i64| ticks.div_euclid(86_400_000);
            let ticks = array.as_primitive::<Date64Type>().iter();
            times(ticks.map(|ticks| ticks.map(days)).collect(), Clock::Days)
        }
        DataType::Time32(TimeUnit::Second) => {
            times(whole_of::<Time32SecondType, _>(array), Clock::Times(1))
        }
        DataType::Time32(_) => {
            times(whole_of::<Time32MillisecondType, _>(array), Clock::Times(1_000))
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            times(whole_of::<Time64MicrosecondType, _>(array), Clock::Times(1_000_000))
        }
        DataType::Time64(_) => {
            times(whole_of::<Time64NanosecondType, _>(array), Clock::Times(1_000_000_000))
        }
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => {
                times(whole_of::<TimestampSecondType, _>(array), Clock::Instants(1))
            }
            TimeUnit::Millisecond => {
                times(whole_of::<TimestampMillisecondType, _>(array), Clock::Instants(1_000))
            }
            TimeUnit::Microsecond => {
                times(whole_of::<TimestampMicrosecondType, _>(array), Clock::Instants(1_000_000))
            }
            TimeUnit::Nanosecond => {
                times(whole_of::<TimestampNanosecondType, _>(array), Clock::Instants(1_000_000_000))
            }
        },
        // Seconds.
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => whole::<DurationSecondType>(array),
            TimeUnit::Millisecond => decimals::<DurationMillisecondType>(array, 3),
            TimeUnit::Microsecond => decimals::<DurationMicrosecondType>(array, 6),
            TimeUnit::Nanosecond => decimals::<DurationNanosecondType>(array, 9),
        },
        DataType::Utf8 => texts(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter()),
        DataType::Utf8View => texts(array.as_string_view().iter()),
        DataType::Binary => utf8(array.as_binary::<i32>().iter())?,
        DataType::LargeBinary => utf8(array.as_binary::<i64>().iter())?,
        DataType::BinaryView => utf8(array.as_binary_view().iter())?,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let words = cells(dictionary.values())?;
            // `normalized_keys` panics without values, and gives missing cells a key too.
            let keys = if words.len() == 0 { Vec::new() } else { dictionary.normalized_keys() };
            let key = |i: usize| keys.get(i).copied().filter(|_| dictionary.keys().is_valid(i));
            match words.taken((0..array.len()).map(key)) {
                ColumnData::Written(texts) if is_words(array.data_type()) => {
                    ColumnData::Words(texts)
                }
                cells => cells,
            }
        }
        _ => return None,
    })
}

fn numbers<T: ArrowPrimitiveType>(
    array: &dyn Array,
    number: impl Fn(T::Native) -> f64,
) -> ColumnData {
    let cells = array.as_primitive::<T>().iter();
    ColumnData::Numbers(cells.map(|cell| cell.map_or(f64::NAN, &number)).collect())
}

fn whole<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> ColumnData {
    ColumnData::Whole(whole_of::<T, _>(array))
}

fn decimals<T: ArrowPrimitiveType<Native: Into<i128>>>(
    array: &dyn Array,
    scale: impl Into<i32>,
) -> ColumnData {
    ColumnData::Decimals { digits: whole_of::<T, _>(array), scale: scale.into() }
}

fn whole_of<T: ArrowPrimitiveType<Native: Into<V>>, V>(array: &dyn Array) -> Vec<Option<V>> {
    array.as_primitive::<T>().iter().map(|cell| cell.map(Into::into)).collect()
}

fn texts<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> ColumnData {
    ColumnData::Written(cells.map(Option::unwrap_or_default).collect())
}

/// The texts of bytes; none if some are no text.
fn utf8<'a>(cells: impl Iterator<Item = Option<&'a [u8]>>) -> Option<ColumnData> {
    let texts = cells.map(|bytes| std::str::from_utf8(bytes.unwrap_or_default()).ok());
    texts.collect::<Option<_>>().map(ColumnData::Written)
}
