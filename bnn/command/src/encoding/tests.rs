//! Tables as people write them, from text to inputs.

use std::borrow::Cow;

use gaussform_bnn::{Censoring, Targets};

use super::{CensoringColumn, Encoding, Roles, Trained};
use crate::args::{Columns, DecimalSign, FillBy, Flags, Tails, UnknownWords};
use crate::failure::Failure;
use crate::table::Cells;

fn roles() -> Roles {
    Roles { targets: vec!["y".to_owned()], weight: None, censoring: None }
}

fn train(text: &str, options: &Columns) -> Result<Trained<'static>, Failure> {
    let cells = Cells::of_text(text)?;
    let Trained { encoding, table, cells, summary } = Encoding::train(&cells, &roles(), options)?;
    Ok(Trained { encoding, table, cells: Cow::Owned(cells.into_owned()), summary })
}

fn trained(text: &str, options: &Columns) -> Trained<'static> {
    train(text, options).unwrap_or_else(|e| panic!("{e}"))
}

/// How a column was read, its missing cells, its values and what was done.
fn read(trained: &Trained<'_>, column: &str) -> (String, usize, String, String) {
    let columns = &trained.summary.columns;
    let c = columns.iter().find(|c| c.column == column).unwrap();
    (c.read_as.clone(), c.missing, c.values.clone(), c.done.clone())
}

/// One row of a table of columns that rows number, and a target that rises.
fn table(header: &str, rows: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..rows).map(|i| format!("{},{}.5", row(i), i * 37 % 101)).collect();
    format!("{header},y\n{}\n", rows.join("\n"))
}

#[test]
fn each_kind_of_column_is_read() {
    let text = table("share,cost,when,is,word,id,same,row,none", 60, |i| {
        let cost =
            if i == 7 { "n/a\u{1a}".to_owned() } else { format!("\"$1,2{:02}.50\"", i * 7 % 60) };
        let is = if i % 3 == 0 { "Yes" } else { "no" };
        let word = ["red", "green", "blue"][i * 5 % 7 % 3];
        format!(
            "{}%,{cost},2024-{:02}-{:02},{is},{word},id-{i},k,{i},?",
            i % 9,
            1 + i % 12,
            1 + i % 28
        )
    });
    let t = trained(&text, &Columns::default());
    let expected = [
        ("share", "number, %", 0, "0% to 8%", "a number"),
        ("cost", "number, $", 1, "$1,200.50 to $1,259.50", "a number"),
        ("when", "date", 0, "2024-01-01 to 2024-12-24", "days, year, week"),
        ("is", "yes or no", 0, "no (40), Yes (20)", "0 or 1"),
        ("same", "constant", 0, "", "left out: every row has the same value, k"),
        (
            "row",
            "identifier",
            0,
            "0 (1), 1 (1), 10 (1), 11 (1), 12 (1), 13 (1), 54 more",
            "left out: its numbers name the rows; --numbers takes it in",
        ),
        ("none", "empty", 60, "", "left out: no row has a value"),
    ];
    for (column, as_, missing, values, done) in expected {
        let expected = (as_.to_owned(), missing, values.to_owned(), done.to_owned());
        assert_eq!(read(&t, column), expected, "{column}");
    }
    assert_eq!(read(&t, "word").3, "a place for each of 3");
    assert_eq!(read(&t, "id").3, "left out: few rows share a word");
    // share, cost, five of a date, is, three words.
    assert_eq!(t.table.x.columns(), 11);
    assert_eq!(t.summary.inputs, 11);
    assert!(t.table.x_variance.is_some());
    // What is written reads back, and says the same.
    let back = Encoding::from_notes(&t.encoding.notes()).unwrap();
    assert_eq!(back, t.encoding);
    let inputs = back.inputs(&Cells::of_text(&text).unwrap()).unwrap();
    assert_eq!((inputs.mean, inputs.variance), (t.table.x, t.table.x_variance));
    assert!(inputs.notes.is_empty());
}

#[test]
fn notes_of_another_version_say_so() {
    let note = |text: &str| Encoding::from_notes(&[("table".to_owned(), text.to_owned())].into());
    let old = r#"{"inputs":[{"name":"x","words":null}],"target":{"name":"y","words":null}}"#;
    assert!(note(old).unwrap_err().contains("of version 1, but this program reads 2"));
    assert!(note("{").is_err());
    assert!(Encoding::from_notes(&Default::default()).unwrap_err().contains("says nothing"));
}

#[test]
fn separators_and_decimal_commas() {
    let rows = |sep: &str, decimal: &str| {
        let row = |i: usize| format!("{}{decimal}25{sep}{i}{decimal}5", i * 37 % 101);
        format!("x{sep}y\n{}\n", (0..30).map(row).collect::<Vec<_>>().join("\n"))
    };
    let plain = trained(&rows(",", "."), &Columns::default());
    for (sep, decimal) in [(";", ","), (";", "."), ("\t", "."), ("\t", ","), ("|", ".")] {
        let other = trained(&rows(sep, decimal), &Columns::default());
        assert_eq!(other.table, plain.table, "{sep:?} {decimal}");
    }
}

/// Three digits after a point are a fraction, unless other numbers of the table show that commas are before fractions.
#[test]
fn three_digits_after_a_sign_are_read_as_the_table_shows() {
    let column = |cells: [&str; 3], beside: &str, sep: &str, options: &Columns| {
        let row = |i: usize| format!("\"{}\"{sep}\"{beside}\"{sep}{i}\n", cells[i % 3]);
        let text = format!("x{sep}b{sep}y\n{}", (0..30).map(row).collect::<String>());
        let t = trained(&text, options);
        (t.table.x.values()[0], read(&t, "x").3)
    };
    let default = Columns::default();
    let points = ["1.234", "2.500", "7.125"];
    let commas = ["1,234", "2,500", "7,125"];
    for (cells, beside, sep, value, said) in [
        (points, "k", ";", 1.234, "a number; `1.234` is 1.234, and 1234 by --decimal comma"),
        (points, "0.5", ";", 1.234, "a number; `1.234` is 1.234, and 1234 by --decimal comma"),
        (points, "0,5", ";", 1234.0, "a number; `1.234` is 1234, and 1.234 by --decimal point"),
        (commas, "k", ";", 1.234, "a number; `1,234` is 1.234, and 1234 by --decimal point"),
        (commas, "0.5", ";", 1234.0, "a number; `1,234` is 1234, and 1.234 by --decimal comma"),
        (commas, "k", ",", 1234.0, "a number; `1,234` is 1234, and 1.234 by --decimal comma"),
        (["1.234", "1.234.567", "7.125"], "k", ";", 1234.0, "a number"),
        (["1.234", "2.5", "7.125"], "0,5", ";", 1.234, "a number"),
    ] {
        assert_eq!(
            column(cells, beside, sep, &default),
            (value, said.to_owned()),
            "{cells:?} {beside}"
        );
    }
    let comma = Columns { decimal: Some(DecimalSign::Comma), ..Columns::default() };
    assert_eq!(column(points, "k", ";", &comma), (1234.0, "a number".to_owned()));
}

#[test]
fn weights_and_censoring_have_decimal_commas_too() {
    let row = |i: usize| format!("{},5;{};{},25;{},0\n", i * 37 % 101, i * i, i % 3, i % 2);
    let text = format!("x;y;w;c\n{}", (0..30).map(row).collect::<String>());
    let cells = Cells::of_text(&text).unwrap();
    let censoring = CensoringColumn { name: "c".to_owned(), says_known: false };
    let roles = Roles { weight: Some("w".to_owned()), censoring: Some(censoring), ..roles() };
    let t = Encoding::train(&cells, &roles, &Columns::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(t.table.weights.unwrap()[..3], [0.25, 1.25, 2.25]);
    assert_eq!(t.table.censored.unwrap()[..2], [Censoring::Known, Censoring::AtLeast]);
}

#[test]
fn one_time_in_two_notations_is_constant() {
    let times = ["2020-01-01T00:00", "2020-01-01 00:00:00"];
    let text = table("day,hour,seen,x", 40, |i| {
        let seen = if i % 3 == 0 { "" } else { ["6:00", "6:00:00"][i % 2] };
        format!("{},{},{seen},{}", times[i % 2], ["6:00", "06:00:00"][i % 2], i % 7)
    });
    let t = trained(&text, &Columns::default());
    for column in ["day", "hour"] {
        assert_eq!(read(&t, column).0, "constant");
    }
    assert_eq!(read(&t, "day").3, "left out: every row has the same value, 2020-01-01T00:00");
    assert_eq!(read(&t, "seen").3, "time of day");
    assert_eq!(t.table.x.columns(), 3);
}

#[test]
fn what_the_user_says_decides() {
    let text = table("zip,row", 40, |i| format!("{},{i}", 10000 + i % 4));
    let columns = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let options =
        Columns { words: columns(&["zip"]), numbers: columns(&["row"]), ..Columns::default() };
    let t = trained(&text, &options);
    assert_eq!(read(&t, "zip").3, "a place for each of 4");
    assert_eq!(read(&t, "row").3, "a number");
    let options = Columns { ignore: columns(&["row"]), ..Columns::default() };
    let t = trained(&text, &options);
    assert_eq!(
        read(&t, "row"),
        ("ignored".into(), 0, read(&t, "row").2, "left out: by --ignore".into())
    );
    assert_eq!(t.table.x.columns(), 1);
    // A column of words has no numbers, whatever the user says.
    let text = table("x", 40, |i| if i == 3 { "-999x".into() } else { format!("w{}", i % 7) });
    let words = Columns { numbers: columns(&["x"]), ..Columns::default() };
    assert!(matches!(train(&text, &words), Err(Failure::Cell { line: 2, number: 1, .. })));
    // A text among numbers is an error where the user wants one, until it is said what it means.
    let text = table("x", 40, |i| if i == 3 { "-999x".into() } else { format!("{}", i % 7) });
    let strict = Columns { unknown_words: UnknownWords::Error, ..Columns::default() };
    let failure = train(&text, &strict);
    let Err(Failure::Cell { line, number, help, .. }) = failure else { panic!("it is no number") };
    assert_eq!((line, number), (5, 1));
    assert!(help.contains("--missing"));
    let options = Columns { missing: columns(&["-999x"]), ..Columns::default() };
    assert_eq!(read(&trained(&text, &options), "x").1, 1);
}

#[test]
fn targets_of_few_whole_numbers_are_classes() {
    let text = |values: &[&str]| {
        let rows: Vec<String> =
            (0..60).map(|i| format!("{},{}", i * 37 % 101, values[i % values.len()])).collect();
        format!("x,y\n{}\n", rows.join("\n"))
    };
    let classes =
        |values: &[&str], options: &Columns| trained(&text(values), options).encoding.target.words;
    let default = Columns::default();
    let names = |list: &[&str]| Some(list.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
    assert_eq!(classes(&["0", "1"], &default), names(&["0", "1"]));
    assert_eq!(classes(&["1", "3", "2"], &default), names(&["1", "2", "3"]));
    assert_eq!(classes(&["-1", "1"], &default), names(&["-1", "1"]));
    assert_eq!(classes(&["no", "yes"], &default), names(&["no", "yes"]));
    for numbers in [&["0", "1", "5"][..], &["0", "0.5", "1"], &["2", "3", "4"]] {
        assert_eq!(classes(numbers, &default), None, "{numbers:?}");
    }
    let y = vec!["y".to_owned()];
    assert_eq!(classes(&["0", "1"], &Columns { numbers: y.clone(), ..Columns::default() }), None);
    let words = Columns { words: y, ..Columns::default() };
    assert_eq!(classes(&["10", "9", "100"], &words), names(&["9", "10", "100"]));
    // Words are texts.
    assert_eq!(classes(&["1", "01", "0"], &words), names(&["0", "01", "1"]));
    let t = trained(&text(&["1", "01", "0"]), &words);
    let Targets::Classes { labels, .. } = &t.table.y else { panic!("they are no classes") };
    assert_eq!(labels[..3], [2, 1, 0]);
    assert_eq!(read(&t, "y").3, "target, one of 3 classes; --numbers makes a number of it");
    let t = trained(&text(&["0", "1"]), &default);
    assert_eq!(read(&t, "y").3, "target, one of 2 classes; --numbers makes a number of it");
    let t = trained(&text(&["0", "1", "5"]), &default);
    assert_eq!(read(&t, "y").3, "target, a number; --words makes classes of it");
}

#[test]
fn missing_cells_have_variances_and_rows_without_a_target_are_left_out() {
    // b is twice a, which is missing in every fifth row, and the word is missing in every seventh.
    let text = table("a,b,w", 210, |i| {
        let a = i * 13 % 29;
        let w = if i % 7 == 0 {
            ""
        } else if i % 3 == 0 {
            "u"
        } else {
            "v"
        };
        if i % 5 == 0 { format!(",{},{w}", 2 * a) } else { format!("{a},{},{w}", 2 * a) }
    });
    let text = text + "1,2,u,\n1,2,u,NA\n";
    let t = trained(&text, &Columns::default());
    assert_eq!((t.summary.rows, t.summary.used), (212, 210));
    assert_eq!(t.summary.left_out, [("the target, `y`, is missing".to_owned(), 2)]);
    let (x, v) = (&t.table.x, t.table.x_variance.as_ref().unwrap());
    for (i, (x, v)) in x.iter().zip(v.iter()).enumerate() {
        let a = (i * 13 % 29) as f64;
        assert!((x[0] - a).abs() < 1.0, "{i}: {} for {a}", x[0]);
        assert_eq!(v[0] > 0.0, i % 5 == 0);
        assert!((x[2] + x[3] - 1.0).abs() < 1e-9);
        assert_eq!(v[2] > 0.0, i % 7 == 0);
        assert!(i % 7 != 0 || (x[2] > 0.2 && x[2] < 0.5), "{}", x[2]);
    }
    // By the mean of the column the doubt is that of the column, about 70.
    let mean = trained(&text, &Columns { fill: FillBy::Mean, ..Columns::default() });
    let v = mean.table.x_variance.unwrap();
    assert!(v.iter().enumerate().all(|(i, v)| i % 5 != 0 || (v[0] > 60.0 && v[0] < 80.0)));
    // A column that counts the rows does so though some of them are left out.
    let rows = text.lines().enumerate().map(|(i, row)| match i {
        0 => format!("row,{row}\n"),
        10 => format!("{i},1,2,u,\n"),
        _ => format!("{i},{row}\n"),
    });
    let numbered = trained(&rows.collect::<String>(), &Columns::default());
    assert_eq!(read(&numbered, "row").0, "identifier");
    // A part of a table has some of the numbers of the whole; the name of their column says what they are.
    let part = |name: &str| {
        let row = |i: usize| format!("{},{}", 1 + 31 * i % 97, i % 7);
        let t = trained(&table(&format!("{name},a"), 60, row), &Columns::default());
        read(&t, name).0
    };
    assert_eq!(part("row names"), "identifier");
    assert_eq!(part("CustomerId"), "identifier");
    assert_eq!(part("dose"), "number");
    let complete = trained(&text, &Columns { fill: FillBy::Drop, ..Columns::default() });
    assert_eq!(complete.table.x.rows(), (0..210).filter(|i| i % 5 != 0 && i % 7 != 0).count());
    assert_eq!(complete.table.x_variance, None);
    let flags = Columns { missing_flags: Flags::Always, ..Columns::default() };
    let flags = trained(&text, &flags);
    assert_eq!(flags.table.x.columns(), 6);
    for (i, row) in flags.table.x.iter().enumerate() {
        assert_eq!(row[4..], [f64::from(u8::from(i % 5 == 0)), f64::from(u8::from(i % 7 == 0))]);
    }
}

/// Years count rows too, and they are inputs; so is a count from 1 on where there is no other input.
#[test]
fn a_column_of_time_is_an_input() {
    for (first, has_more) in [(1990, true), (1990, false), (1, false)] {
        let more = |i: usize| if has_more { format!(",{}", i * 13 % 7) } else { String::new() };
        let header = if has_more { "time,x" } else { "time" };
        let t = trained(
            &table(header, 30, |i| format!("{}{}", first + i, more(i))),
            &Columns::default(),
        );
        assert_eq!(read(&t, "time").3, "a number");
    }
}

/// Few different cells are codes, of which some may be words; among measurements a word is a mistake.
#[test]
fn words_beside_few_whole_numbers_are_codes() {
    let code = |i: usize| if i % 31 == 30 { "rotary" } else { ["4", "6", "8"][i * 5 % 7 % 3] };
    let row = |i: usize| format!("{},{},{}\n", code(i), i * 37 % 101, code(i + 1));
    let text = "cylinders,x,y\n".to_owned() + &(0..62).map(row).collect::<String>();
    let t = trained(&text, &Columns::default());
    let remark = "; numbers are words beside `rotary`";
    let (kind, missing, _, done) = read(&t, "cylinders");
    assert_eq!((kind.as_str(), missing, done.ends_with(remark)), ("words", 0, true), "{done}");
    assert!(read(&t, "y").3.ends_with(remark));
    assert_eq!(
        t.encoding.target.words,
        Some(["4", "6", "8", "rotary"].map(str::to_owned).to_vec())
    );
    // Fractions are measurements, and so are cells that no rows share.
    let few = text.lines().take(5).collect::<Vec<_>>().join("\n") + "\nrotary,3,4\n";
    for mixed in [text.replace("\n6,", "\n6.5,"), few] {
        let mixed = mixed.replace(",rotary\n", ",4\n");
        let t = trained(&mixed, &Columns::default());
        assert_eq!(read(&t, "cylinders").0, "number");
        let strict = Columns { unknown_words: UnknownWords::Error, ..Columns::default() };
        let Err(failure) = train(&mixed, &strict) else { panic!("{mixed}") };
        assert!(failure.to_string().contains("is not a number, but most cells"), "{failure}");
    }
    let numbers = vec!["cylinders".to_owned()];
    assert_eq!(read(&trained(&text, &Columns { numbers, ..Columns::default() }), "cylinders").1, 2);
}

/// A text among numbers or dates is a missing cell, which the summary and predictions name; in another notation, it is refused.
#[test]
fn texts_among_numbers_are_missing_and_told() {
    let house = |i: usize| if i % 25 == 7 { format!("{i}A") } else { (i * 37 % 101).to_string() };
    let day =
        |i: usize| if i == 3 { "soon".to_owned() } else { format!("2024-01-{:02}", i % 28 + 1) };
    let text = table("house,day", 60, |i| format!("{},{}", house(i), day(i)));
    let t = trained(&text, &Columns::default());
    let (kind, missing, values, done) = read(&t, "house");
    assert_eq!((kind.as_str(), missing, values.as_str()), ("number", 3, "0 to 100"));
    let remark = "a number; `7A` in line 9 and 2 more cells are no numbers and count as missing";
    assert_eq!(done, remark);
    let (_, missing, _, done) = read(&t, "day");
    assert!(missing == 1 && done.ends_with("; `soon` in line 5 is no date and counts as missing"));
    let new = Cells::of_text("house,day\n?,2024-01-05\n12-14,2024-01-05\n5,x\n").unwrap();
    let inputs = t.encoding.inputs(&new).unwrap();
    let rows: Vec<&[f64]> = inputs.mean.iter().collect();
    assert_eq!(rows[0], rows[1]);
    assert_eq!(
        inputs.notes,
        [
            "`house`: `12-14` in line 3 is no number and counts as missing",
            "`day`: `x` in line 4 is no date and counts as missing",
        ]
    );
    for infinite in ["inf", "-inf", "Infinity"] {
        let new = Cells::of_text(&format!("house,day\n{infinite},2024-01-05\n")).unwrap();
        let inputs = t.encoding.inputs(&new).unwrap();
        assert_eq!(inputs.mean.iter().collect::<Vec<_>>(), [rows[0]]);
    }
    for wrong in ["1,5", "5 %"] {
        let new = Cells::of_text(&format!("house,day\n\"{wrong}\",2024-01-05\n")).unwrap();
        assert!(matches!(t.encoding.inputs(&new), Err(Failure::Cell { number: 1, .. })), "{wrong}");
    }
    // Rows with such a cell are incomplete.
    let complete = Columns { fill: FillBy::Drop, ..Columns::default() };
    assert_eq!(trained(&text, &complete).summary.used, 56);
}

/// In a column with `+`, `-` is the other value.
#[test]
fn a_minus_beside_a_plus_is_a_word() {
    let sign = |i: usize| ["+", "-", "-"][i % 3];
    let row = |i: usize| format!("{},{},{}\n", sign(i * 7 % 11), i * 37 % 101, sign(i));
    let text = "test,x,y\n".to_owned() + &(0..60).map(row).collect::<String>();
    let t = trained(&text, &Columns::default());
    assert_eq!(t.encoding.target.words, Some(vec!["+".to_owned(), "-".to_owned()]));
    assert_eq!((t.summary.used, read(&t, "test").1), (60, 0));
    for column in ["test", "y"] {
        assert!(read(&t, column).3.contains("; `-` is a word beside `+`"), "{column}");
    }
    // A later table with one of the two is read as the first one was.
    let new = Cells::of_text("test,x,y\n-,5,-\n-,6,-\n").unwrap();
    let back = Encoding::from_notes(&t.encoding.notes()).unwrap();
    let (new, left_out) = back.with_target(&new).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(left_out, 0);
    let (later, _) = back.table(&new).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((later.x.values()[1], later.x_variance), (1.0, None));
    let missing = Columns { missing: vec!["-".to_owned()], ..Columns::default() };
    assert_eq!(read(&trained(&text.replace("-\n", "o\n"), &missing), "test").1, 37);
    // Beside numbers and words alone it is none.
    let text = table("n,w", 60, |i| {
        if i % 5 == 0 { "-,-".to_owned() } else { format!("{},{}", i % 7, ["u", "v"][i % 2]) }
    });
    let t = trained(&text, &Columns::default());
    assert_eq!((read(&t, "n").1, read(&t, "w").1), (12, 12));
}

#[test]
fn new_words_and_far_numbers_are_taken_and_told() {
    let text = table("w,x", 60, |i| format!("{},{}", ["u", "v"][i % 2], i % 10));
    let t = trained(&text, &Columns::default());
    let new = Cells::of_text("w,x\nnew,5\nu,1e140\nu,19\n").unwrap();
    let inputs = t.encoding.inputs(&new).unwrap();
    let rows: Vec<&[f64]> = inputs.mean.iter().collect();
    assert!((rows[0][0] - 0.5).abs() < 0.05 && (rows[0][1] - 0.5).abs() < 0.05);
    let variance = inputs.variance.unwrap();
    assert!((variance.values()[0] - 0.25).abs() < 0.01);
    // The range is 9 wide.
    assert_eq!((rows[1][2], rows[2][2]), (18.0, 18.0));
    assert_eq!(inputs.notes.len(), 2);
    assert!(inputs.notes[0].starts_with("`w`: 1 word is new and was taken as missing"));
    assert!(inputs.notes[1].starts_with("`x`: 2 numbers lie so far outside"));
    let strict = Columns { unknown_words: UnknownWords::Error, ..Columns::default() };
    let t = trained(&text, &strict);
    let Err(Failure::Cell { line, number, problem, .. }) = t.encoding.inputs(&new) else {
        panic!("it takes a new word")
    };
    assert_eq!((line, number), (2, 1));
    assert!(problem.contains("`new` is a word that the model has not seen"));
}

/// Words that few rows of training have are known, though they share a place.
#[test]
fn new_words_are_refused_beside_rare_ones() {
    let text = table("w,x", 60, |i| {
        let word = if i < 4 { format!("rare{i}") } else { ["u", "v"][i % 2].to_owned() };
        format!("{word},{}", i % 10)
    });
    let new = Cells::of_text("w,x\nrare2,5\nnew,5\n").unwrap();
    let t = trained(&text, &Columns::default());
    let inputs = t.encoding.inputs(&new).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(inputs.mean.values(), [0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 1.0, 5.0]);
    let strict = Columns { unknown_words: UnknownWords::Error, ..Columns::default() };
    let t = trained(&text, &strict);
    let Err(Failure::Cell { line, number, problem, help, .. }) = t.encoding.inputs(&new) else {
        panic!("it takes a new word")
    };
    assert_eq!((line, number), (3, 1));
    assert!(problem.contains("`new` is a word that the model has not seen"), "{problem}");
    assert_eq!(help, "it knows u, v and 4 rarer ones");
}

#[test]
fn an_outlier_is_transformed_and_known_noise_follows() {
    let text = table("x,x_sd", 400, |i| {
        if i == 0 { "1000000,1".into() } else { format!("{},0.5", (i * 37 % 101) as f64 / 10.0) }
    });
    let noise = vec![("x".to_owned(), "x_sd".to_owned())];
    let options = Columns { noise_of: noise.clone(), ..Columns::default() };
    let t = trained(&text, &options);
    assert_eq!(read(&t, "x").3, "a number, by asinh for its heavy tail, with the noise of `x_sd`");
    assert_eq!(read(&t, "x_sd").3, "left out: the standard deviation of `x`");
    let (x, v) = (&t.table.x, t.table.x_variance.as_ref().unwrap());
    assert_eq!(x.columns(), 1);
    let spread = gaussform_bnn::Scale::fit(x.values().iter().copied());
    assert!((x.values()[0] - spread.mean) / spread.sd < 20.0);
    let inner = gaussform_bnn::Scale::fit(x.values()[1..].iter().copied());
    assert!(inner.sd > 0.6 * spread.sd, "the outlier hides the rest");
    // At the centre asinh has the slope 1/scale, in whose units the column has a standard deviation near 1.
    let middle = x.values().iter().position(|u| u.abs() < 0.05).unwrap();
    let scale = 0.5 / v.values()[middle].sqrt();
    assert!((2.0..6.0).contains(&scale), "{scale}");
    for tails in [Tails::None, Tails::Quantile] {
        let t = trained(
            &text,
            &Columns { tails: Some(tails), noise_of: noise.clone(), ..Columns::default() },
        );
        assert!(t.table.x_variance.is_some());
    }
}

/// Random tables give an encoding or an error, and what is encoded is finite.
#[test]
fn no_table_panics() {
    let cells = [
        "",
        "1",
        "0",
        "-2.5",
        "7",
        "(3)",
        "NaN",
        "?",
        "NA",
        "a",
        "b",
        "yes",
        "no",
        "2024-01-02",
        "2024-02-28",
        "2023-12-30",
        "--",
        "2024-01-02 12:30",
        "1,5",
        "\"x,y\"",
        "é",
        "1e-300",
        "1e300",
        "inf",
        "5x",
        "0x10",
        "12%",
        "$3",
        "1.234,5",
        "01/02/2024",
        "2024-02-30",
        "12:30",
        "true",
        " ",
    ];
    // Half of the columns have cells of one kind, or nothing.
    let families = [0..8, 9..13, 13..18, 0..cells.len()];
    let mut state = 7_u64;
    let mut next = |n: usize| {
        // Numerical Recipes' generator, of which the upper bits are used.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..800 {
        let columns = 1 + next(4);
        let rows = next(12);
        // Few different cells make columns of one kind likely.
        let kinds: Vec<Vec<&str>> = (0..=columns)
            .map(|_| {
                let family = families[next(families.len())].clone();
                (0..1 + next(4)).map(|_| cells[family.start + next(family.len())]).collect()
            })
            .collect();
        let header: Vec<String> =
            (0..columns).map(|j| format!("c{j}")).chain(["y".into()]).collect();
        let mut text = header.join(",") + "\n";
        for _ in 0..rows {
            let row: Vec<&str> = kinds.iter().map(|kind| kind[next(kind.len())]).collect();
            text += &(row.join(",") + "\n");
        }
        let options = Columns {
            missing_flags: [Flags::Auto, Flags::Always, Flags::Never][next(3)],
            fill: [FillBy::Others, FillBy::Mean, FillBy::Drop][next(3)],
            tails: Some([Tails::Asinh, Tails::Quantile][next(2)]),
            ..Columns::default()
        };
        match train(&text, &options) {
            Ok(t) => {
                read += 1;
                assert!(t.table.x.values().iter().all(|v| v.is_finite()), "{text}");
                let variance = t.table.x_variance.iter().flat_map(|v| v.values());
                assert!(variance.into_iter().all(|v| *v >= 0.0 && v.is_finite()), "{text}");
                if let Targets::Real(y) = &t.table.y {
                    assert!(y.values().iter().all(|v| v.is_finite()), "{text}");
                }
                assert_eq!(
                    Encoding::from_notes(&t.encoding.notes()).unwrap(),
                    t.encoding,
                    "{text}"
                );
                assert!(t.summary.text().lines().count() > columns);
                assert!(!t.summary.json().is_empty());
            }
            Err(failure) => {
                refused += 1;
                assert!(failure.to_string().contains("\n  help: "), "{failure}");
            }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}
