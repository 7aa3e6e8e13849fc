//! Answers as a Parquet file of one group of rows, compressed by Snappy.

use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::ColumnValues;

/// The bytes of the file.
pub(super) fn bytes(columns: &[(String, ColumnValues)]) -> Result<Vec<u8>> {
    let field = |(name, values): &(String, ColumnValues)| {
        let (physical, logical) = match values {
            ColumnValues::Numbers(_) => (Physical::DOUBLE, None),
            ColumnValues::Whole(_) => (Physical::INT64, None),
            ColumnValues::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical);
        let field = field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical);
        field.build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Result<_>>()?;
    let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in columns {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            ColumnValues::Numbers(values) => {
                let there = values.iter().map(|v| (!v.is_nan()).then_some(*v));
                write::<DoubleType>(&mut column, there)?;
            }
            ColumnValues::Whole(values) => write::<Int64Type>(&mut column, values.iter().copied())?,
            ColumnValues::Texts(values) => {
                let there =
                    values.iter().map(|v| (!v.is_empty()).then(|| ByteArray::from(v.as_str())));
                write::<ByteArrayType>(&mut column, there)?;
            }
        }
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(out)
}

/// Writes the values that are there, and for each row whether one is.
fn write<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>> + Clone,
) -> Result<()> {
    let levels: Vec<i16> = values.clone().map(|value| i16::from(value.is_some())).collect();
    let there: Vec<T::T> = values.flatten().collect();
    column.typed::<T>().write_batch(&there, Some(&levels), None)?;
    Ok(())
}
