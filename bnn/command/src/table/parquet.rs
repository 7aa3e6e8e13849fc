//! Tables in Parquet files: the columns that are no lists and no structures, in all row groups.

use bytes::Bytes;
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::FileMetaData;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::typed::{Kind, TypedColumn, day, decimal, instant, number, single, time};

/// Rows that are read at once.
const ROWS: usize = 1 << 14;

/// The columns of the file with these bytes.
pub(super) fn columns(bytes: Vec<u8>) -> std::result::Result<Vec<TypedColumn>, String> {
    read(bytes).map_err(|e| e.to_string())
}

fn read(bytes: Vec<u8>) -> Result<Vec<TypedColumn>> {
    let file = SerializedFileReader::new(Bytes::from(bytes))?;
    let metadata = file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let groups = (0..file.num_row_groups())
        .map(|i| file.get_row_group(i))
        .collect::<Result<Vec<Box<dyn RowGroupReader + '_>>>>()?;
    let words = words(metadata.file_metadata());
    let mut columns = Vec::new();
    // Each field has at least one leaf; a field without any has no cells.
    let mut leaves = (0..schema.num_columns()).peekable();
    for (root, field) in schema.root_schema().get_fields().iter().enumerate() {
        let mut own = Vec::new();
        while let Some(leaf) = leaves.next_if(|leaf| schema.get_column_root_idx(*leaf) == root) {
            own.push(leaf);
        }
        let column = match own[..] {
            [leaf] if field.is_primitive() && schema.column(leaf).max_rep_level() == 0 => {
                let mut column = flat(&groups, leaf, &schema.column(leaf))?;
                if column.kind == Kind::Written && words.contains(&column.name) {
                    column.kind = Kind::Words;
                }
                column
            }
            _ => TypedColumn::other(field.name(), nested(field)),
        };
        columns.push(column);
    }
    Ok(columns)
}

/// The names of the columns of categories. The formats of Parquet do not know them, but programs with Arrow write its schema too.
fn words(metadata: &FileMetaData) -> Vec<String> {
    let notes = metadata.key_value_metadata().into_iter().flatten();
    let mut schemas = notes.filter(|note| note.key == "ARROW:schema").flat_map(|note| &note.value);
    #[cfg(feature = "arrow")]
    let found = schemas.next().map(|schema| super::arrow::words(schema));
    #[cfg(not(feature = "arrow"))]
    let found = schemas.next().map(|_| Vec::new());
    found.unwrap_or_default()
}

fn count(rows: i64) -> Result<usize> {
    usize::try_from(rows).map_err(|_| ParquetError::General(format!("it has {rows} rows")))
}

/// The type of a field that is no cell.
fn nested(field: &parquet::schema::types::Type) -> &'static str {
    match field.get_basic_info().logical_type_ref() {
        Some(LogicalType::Map) => "map",
        Some(LogicalType::List) => "list",
        _ if field.is_primitive() => "list",
        _ => "struct",
    }
}

/// A column of one value for each row.
fn flat(
    groups: &[Box<dyn RowGroupReader + '_>],
    leaf: usize,
    column: &ColumnDescriptor,
) -> Result<TypedColumn> {
    let form = Form::of(column);
    let mut texts = Vec::new();
    for group in groups {
        let cells = Cells {
            rows: count(group.metadata().num_rows())?,
            present: column.max_def_level(),
            texts: &mut texts,
        };
        if !cells.read(group.get_column_reader(leaf)?, form)? {
            return Ok(TypedColumn::other(column.name(), "bytes"));
        }
    }
    let numbers = matches!(
        (form, column.physical_type()),
        (Form::Unsigned | Form::Decimal(_) | Form::Half, _)
            | (Form::Plain, Type::INT32 | Type::INT64 | Type::FLOAT | Type::DOUBLE)
    );
    let kind = if numbers { Kind::Numbers } else { Kind::Written };
    Ok(TypedColumn { name: column.name().to_owned(), kind, texts })
}

/// What the values of a column mean.
#[derive(Clone, Copy)]
enum Form {
    /// What their physical type says; bytes are a text in UTF-8.
    Plain,
    Unsigned,
    /// Whole numbers, to be divided by this power of ten.
    Decimal(i32),
    Half,
    Date,
    /// Times of the day, in parts of a second.
    Time(i64),
    /// Instants, in parts of a second.
    Instant(i64),
}

impl Form {
    fn of(column: &ColumnDescriptor) -> Self {
        let parts = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        };
        match column.logical_type_ref() {
            Some(LogicalType::Integer(int)) if !int.is_signed => Self::Unsigned,
            Some(LogicalType::Decimal(decimal)) => Self::Decimal(decimal.scale),
            Some(LogicalType::Float16) => Self::Half,
            Some(LogicalType::Date) => Self::Date,
            Some(LogicalType::Time(time)) => Self::Time(parts(&time.unit)),
            Some(LogicalType::Timestamp(time)) => Self::Instant(parts(&time.unit)),
            Some(_) => Self::Plain,
            // Files of older programs have these alone.
            None => match column.converted_type() {
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64 => Self::Unsigned,
                ConvertedType::DECIMAL => Self::Decimal(column.type_scale()),
                ConvertedType::DATE => Self::Date,
                ConvertedType::TIME_MILLIS => Self::Time(1_000),
                ConvertedType::TIME_MICROS => Self::Time(1_000_000),
                ConvertedType::TIMESTAMP_MILLIS => Self::Instant(1_000),
                ConvertedType::TIMESTAMP_MICROS => Self::Instant(1_000_000),
                _ => Self::Plain,
            },
        }
    }

    /// The text of a whole number, `unsigned` if its bits are read without a sign.
    fn whole(self, value: i64, unsigned: u64) -> String {
        match self {
            Self::Plain | Self::Half => value.to_string(),
            Self::Unsigned => unsigned.to_string(),
            Self::Decimal(scale) => decimal(value.into(), scale),
            Self::Date => day(value),
            Self::Time(per_second) => time(value, per_second),
            Self::Instant(per_second) => instant(value, per_second),
        }
    }

    /// The text of bytes; none if they are no text.
    fn bytes(self, bytes: &[u8]) -> Option<String> {
        match (self, bytes) {
            (Self::Half, [low, high]) => Some(single(f16::from_le_bytes([*low, *high]).to_f32())),
            (Self::Decimal(scale), _) => Some(decimal(big_endian(bytes)?, scale)),
            _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
        }
    }
}

/// The whole number of at most 16 bytes, the first of which has the sign.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all.get_mut(16_usize.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    Some(i128::from_be_bytes(all))
}

/// The cells of a row group, which are added to those before.
struct Cells<'a> {
    rows: usize,
    /// The definition level of a cell that is there.
    present: i16,
    texts: &'a mut Vec<String>,
}

impl Cells<'_> {
    /// Whether all values are texts. Those of later ones are left out if not.
    fn read(self, reader: ColumnReader, form: Form) -> Result<bool> {
        match reader {
            ColumnReader::BoolColumnReader(r) => self.add(r, |v| Some(v.to_string())),
            ColumnReader::Int32ColumnReader(r) => {
                self.add(r, |v| Some(form.whole((*v).into(), v.cast_unsigned().into())))
            }
            ColumnReader::Int64ColumnReader(r) => {
                self.add(r, |v| Some(form.whole(*v, v.cast_unsigned())))
            }
            ColumnReader::Int96ColumnReader(r) => {
                self.add(r, |v| Some(instant(v.to_micros(), 1_000_000)))
            }
            ColumnReader::FloatColumnReader(r) => self.add(r, |v| Some(single(*v))),
            ColumnReader::DoubleColumnReader(r) => self.add(r, |v| Some(number(*v))),
            ColumnReader::ByteArrayColumnReader(r) => self.add(r, |v| form.bytes(v.data())),
            ColumnReader::FixedLenByteArrayColumnReader(r) => self.add(r, |v| form.bytes(v.data())),
        }
    }

    fn add<T: DataType>(
        self,
        mut reader: ColumnReaderImpl<T>,
        text: impl Fn(&T::T) -> Option<String>,
    ) -> Result<bool> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        let mut left = self.rows;
        while left > 0 {
            levels.clear();
            values.clear();
            let (rows, _, _) =
                reader.read_records(left.min(ROWS), Some(&mut levels), None, &mut values)?;
            if rows == 0 {
                let problem = format!("a column ends {left} rows before its group does");
                return Err(ParquetError::General(problem));
            }
            let mut values = values.iter();
            for i in 0..rows {
                // Where no cell may be missing there are no levels.
                if levels.get(i).is_some_and(|level| *level < self.present) {
                    self.texts.push(String::new());
                    continue;
                }
                let Some(value) = values.next() else {
                    let problem = "a column has fewer values than it says".to_owned();
                    return Err(ParquetError::General(problem));
                };
                let Some(text) = text(value) else { return Ok(false) };
                self.texts.push(text);
            }
            left -= rows;
        }
        Ok(true)
    }
}
