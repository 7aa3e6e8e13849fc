//! Tables in files that know the types of their cells, beside the same table as text.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Date64Array, Decimal128Array, Float32Array,
    Float64Array, Int64Array, ListArray, NullArray, RecordBatch, StringArray, Time32SecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type as Whole};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::place::{Place, column};

/// The folder of tables that pyarrow and Polars wrote.
fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name).display().to_string()
}

/// Text, and the formats of Parquet and Arrow with compression by Snappy, zstd and LZ4, with dictionaries and views, nulls and NaN.
#[test]
fn every_format_has_the_model_of_the_text() {
    let place = Place::new();
    let train = |name: &str| {
        // Digits that a file says to be words are none of numbers.
        let words = if name.ends_with(".csv") { " --words colour" } else { "" };
        let args = format!(
            "train --csv {} --target y --hidden 4 --epochs 3 --out m.st{words}",
            fixture(name)
        );
        let summary = place.does(&args);
        (summary, fs::read(place.path("m.st")).unwrap())
    };
    let (text, model) = train("typed.csv");
    let predict = |name: &str| {
        place.does(&format!("predict --model m.st --csv {} --keep shop --keep day", fixture(name)))
    };
    let predicted = predict("typed.csv");
    for name in
        ["pyarrow.parquet", "polars.parquet", "pyarrow.feather", "polars.arrow", "pyarrow.arrows"]
    {
        let (summary, bytes) = train(name);
        assert!(bytes == model, "{name}\n{summary}\n{text}");
        for line in ["tags    unread", "blob    unread"] {
            assert!(summary.contains(line), "{name}\n{summary}");
        }
        assert_eq!(predict(name), predicted, "{name}");
        assert!(
            place
                .does(&format!("evaluate --model m.st --csv {}", fixture(name)))
                .starts_with("rows"),
            "{name}"
        );
    }
    for line in [
        "step    number",
        "price   number",
        "day     date",
        "at      date",
        "hour    time of day",
        "ok      yes or no",
        "colour  words",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "{line}\n{text}");
    }
    // A stream may come from another program.
    let file = fs::File::open(fixture("pyarrow.arrows")).unwrap();
    let piped = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
        .current_dir(place.folder())
        .args(["predict", "--model", "m.st", "--csv", "-", "--keep", "shop", "--keep", "day"])
        .stdin(Stdio::from(file))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), predicted);
}

/// Numbers, whole numbers beyond those that doubles know, words, and lists; with cells that are missing.
fn batch(rows: i64) -> RecordBatch {
    let x = (0..rows).map(|i| (i % 7 != 3).then_some((i * 37 % 101) as f64 / 25.0 - 2.0));
    let id = (0..rows).map(|i| Some(9_007_199_254_740_993 + 3 * i));
    let word = (0..rows).map(|i| (i % 5 != 2).then_some(["1.5", "2.5"][i as usize % 2]));
    let list = (0..rows).map(|i| Some(vec![Some(i)]));
    let y = (0..rows).map(|i| ((i * 37 % 101) as f64 / 25.0 - 2.0).abs());
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array);
    RecordBatch::try_from_iter([
        column("x", Arc::new(x.collect::<Float64Array>())),
        column("id", Arc::new(id.collect::<Int64Array>())),
        column("word", Arc::new(word.collect::<StringArray>())),
        column("list", Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(list))),
        column("y", Arc::new(Float64Array::from_iter_values(y))),
    ])
    .unwrap()
}

fn arrow_file(batch: &RecordBatch) -> Vec<u8> {
    arrow_files(batch, None).swap_remove(0)
}

fn arrow_stream(batch: &RecordBatch) -> Vec<u8> {
    arrow_files(batch, None).swap_remove(1)
}

/// The batch as a file and as a stream.
fn arrow_files(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<Vec<u8>> {
    let options = || IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let [mut file, mut stream] = [Vec::new(), Vec::new()];
    let schema = batch.schema_ref();
    let mut writer = FileWriter::try_new_with_options(&mut file, schema, options()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    let mut writer = StreamWriter::try_new_with_options(&mut stream, schema, options()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    drop(writer);
    vec![file, stream]
}

/// The columns `x`, `id`, `word` and `y` of the batch.
fn parquet_file(batch: &RecordBatch, compression: Compression) -> Vec<u8> {
    let field = |name: &str, physical, logical| {
        let field = Type::primitive_type_builder(name, physical);
        let field = field.with_repetition(Repetition::OPTIONAL).with_logical_type(logical);
        Arc::new(field.build().unwrap())
    };
    let fields = vec![
        field("x", Physical::DOUBLE, None),
        field("id", Physical::INT64, None),
        field("word", Physical::BYTE_ARRAY, Some(LogicalType::String)),
        field("y", Physical::DOUBLE, None),
    ];
    let schema = Type::group_type_builder("schema").with_fields(fields).build().unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut out = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut out, Arc::new(schema), Arc::new(properties)).unwrap();
    // Two groups of rows.
    for part in [batch.slice(0, 20), batch.slice(20, batch.num_rows() - 20)] {
        let mut group = writer.next_row_group().unwrap();
        for name in ["x", "id", "word", "y"] {
            let array = part.column_by_name(name).unwrap();
            let levels: Vec<i16> = (0..array.len()).map(|i| i16::from(array.is_valid(i))).collect();
            let mut column = group.next_column().unwrap().unwrap();
            match name {
                "id" => {
                    let there: Vec<i64> =
                        array.as_primitive::<Int64Type>().iter().flatten().collect();
                    column.typed::<Whole>().write_batch(&there, Some(&levels), None).unwrap();
                }
                "word" => {
                    let there: Vec<ByteArray> =
                        array.as_string::<i32>().iter().flatten().map(ByteArray::from).collect();
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&there, Some(&levels), None)
                        .unwrap();
                }
                _ => {
                    let there: Vec<f64> =
                        array.as_primitive::<Float64Type>().iter().flatten().collect();
                    column.typed::<DoubleType>().write_batch(&there, Some(&levels), None).unwrap();
                }
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    out
}

#[test]
fn predictions_are_files_of_the_formats_that_their_names_say() {
    let place = Place::new();
    let batch = batch(60);
    place.put("t.parquet", parquet_file(&batch, Compression::SNAPPY));
    // The name of a table says nothing; its bytes do.
    place.put("t.csv", arrow_file(&batch));
    let args = "train --csv t.csv --target y --ignore id --hidden 4 --epochs 3 --out m.st";
    let summary = place.does(args);
    assert!(
        summary.contains("left out: its cells are of a type that is not read, list"),
        "{summary}"
    );
    let keep = "--keep id --keep word --keep x";
    let text = place.does(&format!("predict --model m.st --csv t.csv {keep}"));
    let means = column(&text, "mean");
    place.does(&format!("predict --model m.st --csv t.parquet {keep} --out p.parquet"));
    place.does(&format!("predict --model m.st --csv t.parquet {keep} --out p.feather"));

    let file = SerializedFileReader::new(fs::File::open(place.path("p.parquet")).unwrap()).unwrap();
    for (i, row) in file.get_row_iter(None).unwrap().enumerate() {
        let row: Vec<(String, Field)> = row.unwrap().into_columns();
        let names: Vec<&str> = row.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.join(","), text.lines().next().unwrap());
        assert_eq!(row[0].1, Field::Long(9_007_199_254_740_993 + 3 * i as i64));
        let word = if i % 5 == 2 { Field::Null } else { Field::Str(["1.5", "2.5"][i % 2].into()) };
        assert_eq!(row[1].1, word);
        assert_eq!(row[2].1 == Field::Null, i % 7 == 3);
        assert_eq!(row[3].1, Field::Double(means[i]));
    }
    let file = FileReader::try_new(fs::File::open(place.path("p.feather")).unwrap(), None).unwrap();
    assert_eq!(file.schema().field(0).name(), "id");
    let found: Vec<RecordBatch> = file.map(Result::unwrap).collect();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].column_by_name("id"), batch.column_by_name("id"));
    assert_eq!(found[0].column_by_name("word"), batch.column_by_name("word"));
    assert_eq!(found[0].column_by_name("x"), batch.column_by_name("x"));
    let mean = found[0].column_by_name("mean").unwrap();
    assert_eq!(mean.as_primitive::<Float64Type>().values()[..], means);

    let said = place.fails("predict --model m.st --csv t.csv --keep list");
    assert!(
        said.starts_with(
            "error: t.csv, column 4, `list`: its cells are of a type that is not read, list"
        ),
        "{said}"
    );
}

/// A cell that is wrong has its row; numbers of a file have their point, whatever texts have.
#[test]
fn typed_numbers_keep_their_meaning() {
    let place = Place::new();
    let batch = batch(60);
    place.put("t.parquet", parquet_file(&batch, Compression::ZSTD(Default::default())));
    place.put("t.arrows", arrow_stream(&batch));
    let train = |options: &str| {
        place.does(&format!(
            "train --csv t.parquet --target y --hidden 4 --epochs 3 --out m.st --ignore id {options}"
        ));
        place.does("predict --model m.st --csv t.arrows")
    };
    // Words are written with a point, which separates groups of digits where a comma stands before fractions.
    let plain = train("--words word");
    assert_eq!(train("--words word --decimal comma"), plain);
    let infinite = Float64Array::from_iter_values(
        (0..60).map(|i| if i == 7 { f64::INFINITY } else { 1.0 / f64::from(i + 1) }),
    );
    let schema = batch.schema();
    let mut columns = batch.columns().to_vec();
    columns[0] = Arc::new(infinite);
    place.put("t.arrow", arrow_file(&RecordBatch::try_new(schema, columns).unwrap()));
    let said = place.fails("train --csv t.arrow --target y --unknown-words error --out n.st");
    assert!(said.starts_with("error: t.arrow:8, column 1, `x`: `inf` is not finite"), "{said}");
}

/// Points of time have one meaning, in the notation of a text or in the type of a file. 2024-03-01 is day 19783 after the first of
/// January 1970, by `date -d 2024-03-01 +%s` / 86400.
#[test]
fn dates_of_types_are_those_of_texts() {
    let place = Place::new();
    let y = |i: i32| f64::from(i * 37 % 61);
    let text = |i: i32| format!("{}.3.2024,{}\n", 1 + i % 28, y(i));
    place.put("t.csv", "day,y\n".to_owned() + &(0..60).map(text).collect::<String>());
    place.does("train --csv t.csv --target y --hidden 4 --epochs 3 --out m.st");
    let expected = place.does("predict --model m.st --csv t.csv");
    let days = || (0..60).map(|i| 19_783 + i % 28);
    let seconds = || days().map(|day| i64::from(day) * 86_400);
    let arrays: [ArrayRef; 5] = [
        Arc::new(Date32Array::from_iter_values(days())),
        Arc::new(Date64Array::from_iter_values(seconds().map(|s| s * 1_000))),
        Arc::new(TimestampSecondArray::from_iter_values(seconds())),
        Arc::new(TimestampMillisecondArray::from_iter_values(seconds().map(|s| s * 1_000))),
        Arc::new(TimestampNanosecondArray::from_iter_values(seconds().map(|s| s * 1_000_000_000))),
    ];
    for array in arrays {
        let of = array.data_type().to_string();
        place.put("t", arrow_file(&RecordBatch::try_from_iter([("day", array)]).unwrap()));
        assert_eq!(place.does("predict --model m.st --csv t"), expected, "{of}");
    }
    // A time of the day is no date, and day 10⁶ is one of the year 4707.
    let array = Time32SecondArray::from_iter_values(0..60);
    place.put(
        "t",
        arrow_file(&RecordBatch::try_from_iter([("day", Arc::new(array) as ArrayRef)]).unwrap()),
    );
    let said = place.fails("predict --model m.st --csv t");
    assert!(said.starts_with("error: t:1, column 1, `day`: `00:00:00` is no date"), "{said}");
    let array =
        Date32Array::from_iter_values((0..60).map(|i| if i == 7 { i32::MAX } else { 1_000_000 }));
    place.put(
        "t",
        arrow_file(&RecordBatch::try_from_iter([("day", Arc::new(array) as ArrayRef)]).unwrap()),
    );
    let said = place.fails("predict --model m.st --csv t");
    assert!(said.starts_with("error: t:8, column 1, `day`: `day 2147483647` is no date"), "{said}");
}

/// Numbers that are carried through keep their type, and whole ones that no 64 bits hold all of their digits.
#[test]
fn numbers_that_are_kept_keep_their_types() {
    let place = Place::new();
    let column = |name: &str, array: ArrayRef| (name.to_owned(), array);
    let id = |i: u64| u64::MAX - 3 * i;
    let digits = |i: i128| 10_i128.pow(30) + i;
    let price = Decimal128Array::from_iter_values((0..60).map(|i| i * 25));
    let number = Decimal128Array::from_iter_values((0..60).map(digits));
    let small = Decimal128Array::from_iter_values(0..60);
    let batch = RecordBatch::try_from_iter([
        column("id", Arc::new(UInt64Array::from_iter_values((0..60).map(id)))),
        column("number", Arc::new(number.with_precision_and_scale(38, 0).unwrap())),
        column("small", Arc::new(small.with_precision_and_scale(9, 0).unwrap())),
        column("price", Arc::new(price.with_precision_and_scale(9, 2).unwrap())),
        column("half", Arc::new(Float32Array::from_iter_values((0..60).map(|i| i as f32)))),
        column("tenth", Arc::new(Float32Array::from_iter_values((0..60).map(|i| i as f32 / 10.0)))),
        column(
            "y",
            Arc::new(Float64Array::from_iter_values((0..60).map(|i| f64::from(i * 37 % 61)))),
        ),
    ])
    .unwrap();
    place.put("t", arrow_file(&batch));
    let summary = place.does("train --csv t --target y --hidden 4 --epochs 3 --out m.st");
    assert!(summary.contains("0.00 to 14.75"), "{summary}");
    let keep = "--keep id --keep number --keep small --keep price --keep half --keep tenth";
    let text = place.does(&format!("predict --model m.st --csv t {keep}"));
    for (i, line) in text.lines().skip(1).enumerate() {
        let [a, b] = [id(i as u64).to_string(), digits(i as i128).to_string()];
        let kept = format!("{a},{b},{i},{},{i},{},", i as f64 / 4.0, i as f64 / 10.0);
        assert!(line.starts_with(&kept), "{line}\n{kept}");
    }
    place.does(&format!("predict --model m.st --csv t {keep} --out p.arrow"));
    let file = FileReader::try_new(fs::File::open(place.path("p.arrow")).unwrap(), None).unwrap();
    let schema = file.schema();
    let types: Vec<String> =
        schema.fields().iter().take(6).map(|field| field.data_type().to_string()).collect();
    assert_eq!(types, ["Utf8", "Utf8", "Int64", "Float64", "Float64", "Float64"]);
}

/// Bytes that are cut off or changed are an error or another table, never a crash.
#[test]
fn damaged_files_are_refused() {
    let place = Place::new();
    let batch = batch(60);
    let files = [
        parquet_file(&batch, Compression::UNCOMPRESSED),
        parquet_file(&batch, Compression::GZIP(Default::default())),
        arrow_file(&batch),
        arrow_stream(&batch),
    ];
    let mut refused = 0;
    for bytes in &files {
        let mut damaged: Vec<Vec<u8>> =
            (1..8).map(|k| bytes[..bytes.len() * k / 8].to_vec()).collect();
        for k in 0..24 {
            let mut changed = bytes.clone();
            let at = (k * 7919 + 13) % changed.len();
            changed[at] ^= 1 << (k % 8);
            damaged.push(changed);
        }
        for damaged in damaged {
            place.put("t", damaged);
            let out = place.run("train --csv t --target y --hidden 1 --epochs 1 --out m.st", "");
            let said = String::from_utf8(out.stderr).unwrap();
            assert!(matches!(out.status.code(), Some(0 | 2)), "{said}");
            assert!(!said.contains("panicked"), "{said}");
            refused += usize::from(out.status.code() == Some(2));
        }
    }
    assert!(refused > 40, "{refused}");
}

/// A compressed buffer says how long it becomes. Where no compression reaches that length, or no memory holds it, the file is refused
/// before memory is taken.
#[test]
fn lengths_that_nothing_reaches_are_refused() {
    let place = Place::new();
    let batch = batch(60);
    let mut changed = 0;
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        for bytes in arrow_files(&batch, Some(compression)) {
            let train = "train --csv t --target y --hidden 1 --epochs 1 --out m.st";
            place.put("t", bytes.clone());
            place.does(train);
            // The whole numbers within the lists are 480 bytes.
            let length = 480_i64.to_le_bytes();
            let places = (0..bytes.len() - 8).filter(|at| bytes[*at..*at + 8] == length);
            for at in places {
                for other in [1 << 40, i64::MAX, i64::MIN, -2, 481, 479] {
                    let mut damaged = bytes.clone();
                    damaged[at..at + 8].copy_from_slice(&i64::to_le_bytes(other));
                    place.put("t", damaged);
                    let said = place.fails(train);
                    assert!(said.starts_with("error: t: begins as an Arrow"), "{said}");
                    changed += usize::from(said.contains("compressed bytes become"));
                }
            }
        }
    }
    assert!(changed >= 8, "{changed}");
}

/// Cells that are all missing have no bytes, so that nothing but a count says how many there are.
#[test]
fn rows_without_bytes_are_none() {
    let place = Place::new();
    let column: ArrayRef = Arc::new(NullArray::new(1 << 50));
    let batch = RecordBatch::try_from_iter([("x", column.clone()), ("y", column)]).unwrap();
    for bytes in arrow_files(&batch, None) {
        place.put("t", bytes);
        let said = place.fails("train --csv t --target y --out m.st");
        assert!(said.starts_with("error: t: has no rows"), "{said}");
    }
}

#[test]
fn truths_of_a_text_are_those_of_a_typed_column() {
    let place = Place::new();
    let row = |i: usize| (i * 37 % 101, i.is_multiple_of(3));
    let text =
        |(x, f): (usize, bool)| format!("{x},{},{}\n", if f { "True" } else { "False" }, x > 50);
    place.put("t.csv", "x,f,y\n".to_owned() + &(0..40).map(|i| text(row(i))).collect::<String>());
    let column = |of: &dyn Fn((usize, bool)) -> bool| -> ArrayRef {
        Arc::new(BooleanArray::from((0..40).map(|i| of(row(i))).collect::<Vec<_>>()))
    };
    let x: ArrayRef =
        Arc::new(Int64Array::from((0..40).map(|i| row(i).0 as i64).collect::<Vec<_>>()));
    let columns = [("x", x), ("f", column(&|(_, f)| f)), ("y", column(&|(x, _)| x > 50))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        FileWriter::try_new(fs::File::create(place.path("t.arrow")).unwrap(), &batch.schema())
            .unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    for (from, other) in [("t.csv", "t.arrow"), ("t.arrow", "t.csv")] {
        place.does(&format!("train --csv {from} --target y --hidden 4 --epochs 5 --out m.st"));
        let scores = |table| place.does(&format!("evaluate --model m.st --csv {table}"));
        assert_eq!(scores(from), scores(other), "{from}");
    }
}
