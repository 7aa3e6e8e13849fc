//! Tables in Parquet files: the columns that are no lists and no structures, in all row groups.

use bytes::Bytes;
use half::f16;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{
    AsBytes, BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96Type,
};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::FileMetaData;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::cell::{Clock, widened};
use super::column::{ColumnData, Columns, Texts};

/// Rows that are read at once.
const ROWS: usize = 1 << 14;

/// Cells that a file may claim whatever its size, and for each of its bytes besides. Runs of one value, or of none, take a few bytes however
/// long they are; so a small file that is damaged or made for it could ask for all of the memory.
const CELLS: u64 = 1 << 27;
const CELLS_A_BYTE: u64 = 256;

/// The columns of the file with these bytes.
pub(super) fn columns(bytes: Vec<u8>) -> std::result::Result<Columns, String> {
    read(bytes).map_err(|e| e.to_string())
}

fn read(bytes: Vec<u8>) -> Result<Columns> {
    let size = bytes.len() as u64;
    let file = SerializedFileReader::new(Bytes::from(bytes))?;
    let metadata = file.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let mut rows = 0_u64;
    for group in metadata.row_groups() {
        rows = rows.saturating_add(count(group.num_rows())? as u64);
    }
    check(rows, schema.num_columns() as u64, size)?;
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
                let descriptor = schema.column(leaf);
                match (Leaf { groups: &groups, number: leaf, descriptor: &descriptor }).column()? {
                    ColumnData::Written(texts) if words.iter().any(|word| word == field.name()) => {
                        ColumnData::Words(texts)
                    }
                    column => column,
                }
            }
            _ => ColumnData::Unread(nested(field).to_owned()),
        };
        columns.push((field.name().to_owned(), column));
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

/// Refuses more cells than a file of this size has.
fn check(rows: u64, columns: u64, bytes: u64) -> Result<()> {
    let most = CELLS.saturating_add(bytes.saturating_mul(CELLS_A_BYTE));
    if rows.saturating_mul(columns) <= most {
        return Ok(());
    }
    let problem = format!(
        "its {bytes} bytes claim {rows} rows of {columns} columns, which are more than {most} cells; leave out columns \
         that are constant, or write it in parts"
    );
    Err(ParquetError::General(problem))
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

/// The meaning of a column's values.
#[derive(Clone, Copy)]
enum Meaning {
    /// Values of their physical type; bytes are a text in UTF-8.
    Plain,
    /// Whole numbers without a sign.
    Unsigned,
    /// Whole numbers, to be divided by this power of ten.
    Decimal(i32),
    /// Floats in 16 bits.
    Half,
    /// Days since the first of January 1970.
    Date,
    /// Times of the day, in parts of a second.
    Time(i64),
    /// Instants, in parts of a second.
    Instant(i64),
}

impl Meaning {
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

    /// The column of whole numbers that are stored in 64 bits.
    fn column(self, cells: Vec<Option<i64>>) -> ColumnData {
        let decimals = |digit: &dyn Fn(i64) -> i128, scale| {
            let digits = cells.iter().map(|cell| cell.map(digit)).collect();
            ColumnData::Decimals { digits, scale }
        };
        let clock = match self {
            Self::Plain | Self::Half => return ColumnData::Whole(cells),
            Self::Unsigned => return decimals(&|value| value.cast_unsigned().into(), 0),
            Self::Decimal(scale) => return decimals(&i128::from, scale),
            Self::Date => Clock::Days,
            Self::Time(per_second) => Clock::Times(per_second),
            Self::Instant(per_second) => Clock::Instants(per_second),
        };
        ColumnData::Times { ticks: cells, clock }
    }
}

/// The whole number of at most 16 bytes, the first of which has the sign.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    all.get_mut(16_usize.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    Some(i128::from_be_bytes(all))
}

/// A column of one cell for each row, in all row groups.
struct Leaf<'a> {
    groups: &'a [Box<dyn RowGroupReader + 'a>],
    /// Number of the leaf in the schema.
    number: usize,
    descriptor: &'a ColumnDescriptor,
}

impl Leaf<'_> {
    /// The cells in their type.
    fn column(&self) -> Result<ColumnData> {
        let meaning = Meaning::of(self.descriptor);
        Ok(match self.descriptor.physical_type() {
            Type::BOOLEAN => ColumnData::Booleans(self.all::<BoolType, _>(|v| v.copied())?),
            // All of these fit into an i64, so that they need no decimals.
            Type::INT32 if matches!(meaning, Meaning::Unsigned) => ColumnData::Whole(
                self.all::<Int32Type, _>(|v| v.map(|v| v.cast_unsigned().into()))?,
            ),
            Type::INT32 => meaning.column(self.all::<Int32Type, _>(|v| v.map(|v| (*v).into()))?),
            Type::INT64 => meaning.column(self.all::<Int64Type, _>(|v| v.copied())?),
            Type::INT96 => {
                let ticks = self.all::<Int96Type, _>(|v| v.map(|v| v.to_micros()))?;
                ColumnData::Times { ticks, clock: Clock::Instants(1_000_000) }
            }
            Type::FLOAT => ColumnData::Numbers(
                self.all::<FloatType, _>(|v| v.map_or(f64::NAN, |v| widened(*v)))?,
            ),
            Type::DOUBLE => {
                ColumnData::Numbers(self.all::<DoubleType, _>(|v| v.copied().unwrap_or(f64::NAN))?)
            }
            Type::BYTE_ARRAY => self.bytes::<ByteArrayType>(meaning)?,
            Type::FIXED_LEN_BYTE_ARRAY => self.bytes::<FixedLenByteArrayType>(meaning)?,
        })
    }

    /// The column of cells that are stored as bytes; one that is not read if some are no text.
    fn bytes<T: DataType>(&self, meaning: Meaning) -> Result<ColumnData>
    where
        T::T: AsBytes,
    {
        let (mut numbers, mut digits, mut texts) = (Vec::new(), Vec::new(), Texts::default());
        let all = self.each::<T>(|cell| {
            let bytes = cell.map(AsBytes::as_bytes);
            match (meaning, bytes) {
                (Meaning::Half, None) => numbers.push(f64::NAN),
                (Meaning::Half, Some([low, high])) => {
                    numbers.push(widened(f16::from_le_bytes([*low, *high]).to_f32()));
                }
                (Meaning::Half, Some(_)) => return false,
                (Meaning::Decimal(_), bytes) => {
                    let number = bytes.map(big_endian);
                    digits.push(number.flatten());
                    return number.is_none_or(|number| number.is_some());
                }
                (_, bytes) => match std::str::from_utf8(bytes.unwrap_or_default()) {
                    Ok(text) => texts.push(text),
                    Err(_) => return false,
                },
            }
            true
        })?;
        Ok(match meaning {
            _ if !all => ColumnData::Unread("bytes".to_owned()),
            Meaning::Half => ColumnData::Numbers(numbers),
            Meaning::Decimal(scale) => ColumnData::Decimals { digits, scale },
            _ => ColumnData::Written(texts),
        })
    }

    /// The values of all cells, one for each row; `value` makes them, of none where a cell is missing.
    fn all<T: DataType, V>(&self, value: impl Fn(Option<&T::T>) -> V) -> Result<Vec<V>> {
        let mut values = Vec::new();
        self.each::<T>(|cell| {
            values.push(value(cell));
            true
        })?;
        Ok(values)
    }

    /// Hands the cell of each row to `take`, none where it is missing, until `take` returns false. Returns whether it took all.
    fn each<T: DataType>(&self, mut take: impl FnMut(Option<&T::T>) -> bool) -> Result<bool> {
        let present = self.descriptor.max_def_level();
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        for group in self.groups {
            let mut left = count(group.metadata().num_rows())?;
            let mut reader = get_typed_column_reader::<T>(group.get_column_reader(self.number)?);
            while left > 0 {
                levels.clear();
                values.clear();
                let (rows, _, _) =
                    reader.read_records(left.min(ROWS), Some(&mut levels), None, &mut values)?;
                // A damaged file has fewer rows than it says: `left` would never be 0.
                if rows == 0 {
                    let problem = format!("a column ends {left} rows before its group does");
                    return Err(ParquetError::General(problem));
                }
                let mut values = values.iter();
                for i in 0..rows {
                    // Where no cell may be missing there are no levels.
                    let missing = levels.get(i).is_some_and(|level| *level < present);
                    let cell = if missing { None } else { values.next() };
                    if cell.is_none() && !missing {
                        let problem = "a column has fewer values than it says".to_owned();
                        return Err(ParquetError::General(problem));
                    }
                    if !take(cell) {
                        return Ok(false);
                    }
                }
                left -= rows;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_small_file_has_no_endless_column() {
        // Constants compress well, and many rows are fine where something is in them.
        for (rows, columns, bytes) in
            [(0, 0, 8), (100_000_000, 1, 400), (1_000_000, 765, 5_000_000)]
        {
            assert!(check(rows, columns, bytes).is_ok(), "{rows} × {columns} in {bytes}");
        }
        for (rows, columns, bytes) in [(1 << 40, 1, 300), (1 << 30, 1, 300), (u64::MAX, 9, 1 << 40)]
        {
            let error = check(rows, columns, bytes).unwrap_err().to_string();
            assert!(error.contains("rows of"), "{error}");
        }
    }
}
