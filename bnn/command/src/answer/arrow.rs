//! Answers as an Arrow file of one batch.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, Field, Schema};

use super::ColumnValues;

/// The bytes of the file.
pub(super) fn bytes(columns: &[(String, ColumnValues)]) -> Result<Vec<u8>, ArrowError> {
    let array = |(_, values): &(String, ColumnValues)| -> ArrayRef {
        match values {
            ColumnValues::Numbers(values) => {
                let there = values.iter().map(|v| (!v.is_nan()).then_some(*v));
                Arc::new(there.collect::<Float64Array>())
            }
            ColumnValues::Whole(values) => Arc::new(values.iter().copied().collect::<Int64Array>()),
            ColumnValues::Texts(values) => {
                let there = values.iter().map(|v| (!v.is_empty()).then_some(v.as_str()));
                Arc::new(there.collect::<StringArray>())
            }
        }
    };
    let arrays: Vec<ArrayRef> = columns.iter().map(array).collect();
    let field = |((name, _), array): (&(String, ColumnValues), &ArrayRef)| {
        Field::new(name, array.data_type().clone(), true)
    };
    let fields: Vec<Field> = columns.iter().zip(&arrays).map(field).collect();
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?;
    let mut out = Vec::new();
    let mut writer = FileWriter::try_new(&mut out, batch.schema_ref())?;
    writer.write(&batch)?;
    writer.finish()?;
    drop(writer);
    Ok(out)
}
