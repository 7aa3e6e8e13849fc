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

use super::declared;
use super::typed::{Kind, TypedColumn, day, decimal, instant, number, single, time};

/// The columns of the file with these bytes.
pub(super) fn file(bytes: Vec<u8>) -> Result<Vec<TypedColumn>, String> {
    declared::file(&bytes)?;
    FileReader::try_new(Cursor::new(bytes), None).and_then(columns).map_err(|e| e.to_string())
}

/// The columns of the stream with these bytes.
pub(super) fn stream(bytes: Vec<u8>) -> Result<Vec<TypedColumn>, String> {
    declared::stream(&bytes)?;
    StreamReader::try_new(Cursor::new(bytes), None).and_then(columns).map_err(|e| e.to_string())
}

/// The names of the columns of words, though they may be digits, by the schema in base64 that programs with Arrow put into files of other
/// formats. A schema that cannot be read says nothing.
#[cfg(feature = "parquet")]
pub(super) fn words(schema: &str) -> Vec<String> {
    let bytes = BASE64_STANDARD.decode(schema).unwrap_or_default();
    let Ok(schema) = try_schema_from_ipc_buffer(&bytes) else { return Vec::new() };
    let words = schema.fields().iter().filter(|field| kind(field.data_type()) == Kind::Words);
    words.map(|field| field.name().clone()).collect()
}

fn columns(reader: impl RecordBatchReader) -> Result<Vec<TypedColumn>, ArrowError> {
    let schema = reader.schema();
    let mut texts = vec![Some(Vec::new()); schema.fields().len()];
    for batch in reader {
        let batch = batch?;
        for (all, array) in texts.iter_mut().zip(batch.columns()) {
            let more = cells(array);
            match (all.as_mut(), more) {
                (Some(all), Some(more)) => all.extend(more),
                _ => *all = None,
            }
        }
    }
    let column = |(field, texts): (&arrow_schema::FieldRef, Option<Vec<String>>)| match texts {
        Some(texts) => {
            TypedColumn { name: field.name().clone(), kind: kind(field.data_type()), texts }
        }
        None => TypedColumn::other(field.name(), name(field.data_type())),
    };
    Ok(schema.fields().iter().zip(texts).map(column).collect())
}

/// The kind of cells of a type that has texts.
fn kind(of: &DataType) -> Kind {
    match of {
        DataType::Dictionary(_, values) => match kind(values) {
            Kind::Written if !values.is_temporal() => Kind::Words,
            kind => kind,
        },
        DataType::Duration(_) => Kind::Numbers,
        _ if of.is_numeric() => Kind::Numbers,
        _ => Kind::Written,
    }
}

/// A type that has no texts, in a word.
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

/// The texts of an array; none if its type has none, or its bytes are no text.
fn cells(array: &dyn Array) -> Option<Vec<String>> {
    let texts = match array.data_type() {
        // All its cells are missing, and no bytes say how many there are.
        DataType::Null => Vec::new(),
        DataType::Boolean => each(array.as_boolean().iter(), |v| v.to_string()),
        DataType::Int8 => of::<Int8Type>(array, |v| v.to_string()),
        DataType::Int16 => of::<Int16Type>(array, |v| v.to_string()),
        DataType::Int32 => of::<Int32Type>(array, |v| v.to_string()),
        DataType::Int64 => of::<Int64Type>(array, |v| v.to_string()),
        DataType::UInt8 => of::<UInt8Type>(array, |v| v.to_string()),
        DataType::UInt16 => of::<UInt16Type>(array, |v| v.to_string()),
        DataType::UInt32 => of::<UInt32Type>(array, |v| v.to_string()),
        DataType::UInt64 => of::<UInt64Type>(array, |v| v.to_string()),
        DataType::Float16 => of::<Float16Type>(array, |v| single(v.to_f32())),
        DataType::Float32 => of::<Float32Type>(array, single),
        DataType::Float64 => of::<Float64Type>(array, number),
        DataType::Decimal32(_, scale) => {
            of::<Decimal32Type>(array, |v| decimal(v.into(), (*scale).into()))
        }
        DataType::Decimal64(_, scale) => {
            of::<Decimal64Type>(array, |v| decimal(v.into(), (*scale).into()))
        }
        DataType::Decimal128(_, scale) => {
            of::<Decimal128Type>(array, |v| decimal(v, (*scale).into()))
        }
        DataType::Date32 => of::<Date32Type>(array, |v| day(v.into())),
        DataType::Date64 => of::<Date64Type>(array, |v| day(v.div_euclid(86_400_000))),
        DataType::Time32(TimeUnit::Second) => of::<Time32SecondType>(array, |v| time(v.into(), 1)),
        DataType::Time32(_) => of::<Time32MillisecondType>(array, |v| time(v.into(), 1_000)),
        DataType::Time64(TimeUnit::Microsecond) => {
            of::<Time64MicrosecondType>(array, |v| time(v, 1_000_000))
        }
        DataType::Time64(_) => of::<Time64NanosecondType>(array, |v| time(v, 1_000_000_000)),
        DataType::Timestamp(unit, _) => match unit {
            TimeUnit::Second => of::<TimestampSecondType>(array, |v| instant(v, 1)),
            TimeUnit::Millisecond => of::<TimestampMillisecondType>(array, |v| instant(v, 1_000)),
            TimeUnit::Microsecond => {
                of::<TimestampMicrosecondType>(array, |v| instant(v, 1_000_000))
            }
            TimeUnit::Nanosecond => {
                of::<TimestampNanosecondType>(array, |v| instant(v, 1_000_000_000))
            }
        },
        // Seconds.
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => of::<DurationSecondType>(array, |v| v.to_string()),
            TimeUnit::Millisecond => of::<DurationMillisecondType>(array, |v| decimal(v.into(), 3)),
            TimeUnit::Microsecond => of::<DurationMicrosecondType>(array, |v| decimal(v.into(), 6)),
            TimeUnit::Nanosecond => of::<DurationNanosecondType>(array, |v| decimal(v.into(), 9)),
        },
        DataType::Utf8 => each(array.as_string::<i32>().iter(), str::to_owned),
        DataType::LargeUtf8 => each(array.as_string::<i64>().iter(), str::to_owned),
        DataType::Utf8View => each(array.as_string_view().iter(), str::to_owned),
        DataType::Binary => utf8(array.as_binary::<i32>().iter())?,
        DataType::LargeBinary => utf8(array.as_binary::<i64>().iter())?,
        DataType::BinaryView => utf8(array.as_binary_view().iter())?,
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let words = cells(dictionary.values())?;
            let keys = if words.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            let word = |i: usize| match keys.get(i) {
                Some(key) if !dictionary.keys().is_null(i) => words[*key].clone(),
                _ => String::new(),
            };
            (0..array.len()).map(word).collect()
        }
        _ => return None,
    };
    Some(texts)
}

fn of<T: ArrowPrimitiveType>(array: &dyn Array, text: impl Fn(T::Native) -> String) -> Vec<String> {
    each(array.as_primitive::<T>().iter(), text)
}

fn each<T>(cells: impl Iterator<Item = Option<T>>, text: impl Fn(T) -> String) -> Vec<String> {
    cells.map(|cell| cell.map(&text).unwrap_or_default()).collect()
}

/// The texts of bytes; none if some are no text.
fn utf8<'a>(cells: impl Iterator<Item = Option<&'a [u8]>>) -> Option<Vec<String>> {
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).map(str::to_owned);
    cells.map(|cell| cell.map_or(Ok(String::new()), text).ok()).collect()
}
