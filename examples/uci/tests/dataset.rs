//! Reading folders of data, above all those with mistakes in them.

use std::fs;
use std::path::Path;

use gaussform_uci::{Dataset, Split};
use tempfile::TempDir;

/// A good data set of twelve rows and three columns: y = column 1, x = columns 2 and 0.
fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    let row = |i: usize| format!(" {i}\t{}e-1   {}.5 \r\n", i * i, i % 3);
    put(dir.path(), "data.txt", &(0..12).map(row).collect::<String>());
    put(dir.path(), "index_features.txt", "2\n0\n");
    put(dir.path(), "index_target.txt", "1\n");
    dir
}

fn with_splits() -> TempDir {
    let dir = folder();
    put(dir.path(), "n_splits.txt", "1\n");
    put(dir.path(), "index_train_0.txt", "3\n0\n1\n2\n4\n5\n6\n7\n8\n9\n");
    put(dir.path(), "index_test_0.txt", "11\n10\n");
    dir
}

fn put(dir: &Path, name: &str, content: &str) {
    fs::write(dir.join(name), content).unwrap();
}

/// The error of the good data set with one file replaced, or removed, without the folder's name.
fn error(name: &str, content: Option<&str>) -> String {
    let dir = with_splits();
    match content {
        Some(content) => put(dir.path(), name, content),
        None => fs::remove_file(dir.path().join(name)).unwrap(),
    }
    let error = Dataset::load(dir.path()).unwrap_err().to_string();
    error.replace(&format!("{}/", dir.path().display()), "")
}

#[test]
fn columns_are_picked_by_number() {
    let data = Dataset::load(folder().path()).unwrap();
    assert_eq!((data.x.rows(), data.x.columns()), (12, 2));
    assert_eq!(data.x.iter().nth(5).unwrap(), [2.5, 5.0]);
    assert_eq!(data.y[5], 2.5);
    assert_eq!(data.splits, None);
}

#[test]
fn splits_are_read_where_given_and_drawn_where_not() {
    let data = Dataset::load(with_splits().path()).unwrap();
    let splits = data.splits_or_draw(5, 0);
    assert_eq!(splits.len(), 1);
    assert_eq!(splits[0].test, [11, 10]);

    let data = Dataset::load(folder().path()).unwrap();
    let splits = data.splits_or_draw(5, 7);
    assert_eq!(splits.len(), 5);
    assert_eq!(splits, data.splits_or_draw(5, 7));
    assert_ne!(splits, data.splits_or_draw(5, 8));
    for Split { train, test } in splits {
        let mut all = [train, test.clone()].concat();
        all.sort_unstable();
        assert_eq!((all, test.len()), ((0..12).collect::<Vec<_>>(), 1));
    }
    assert_eq!(Split::draw(308, 0, 0).train.len(), 277);
}

#[test]
fn a_bad_table_is_named_with_its_line() {
    assert_eq!(
        error("data.txt", Some("1 2 3\n1 2\n")),
        "data.txt:2: 2 numbers, but the first row has 3; every row needs the same columns"
    );
    assert_eq!(
        error("data.txt", Some("1 2 3\n\n4 x5 6\n")),
        "data.txt:3: column 1 holds `x5`, which is not a number; \
         rows are decimal numbers separated by blanks or tabs, without a header"
    );
    assert_eq!(
        error("data.txt", Some("1 2 NaN\n")),
        "data.txt:1: column 2 holds `NaN`, which is not finite; \
         remove the row or fill in the missing value"
    );
    assert!(error("data.txt", Some("")).starts_with("data.txt: holds 0 rows; at least 10"));
    assert!(error("data.txt", None).starts_with("data.txt: cannot be read: No such file"));
}

#[test]
fn bad_columns_are_named_with_their_line() {
    assert_eq!(
        error("index_features.txt", Some("0\n3\n")),
        "index_features.txt:2: column 3 does not exist: there are 3; \
         numbers count from 0, and must fit data.txt"
    );
    assert_eq!(
        error("index_features.txt", Some("0\n-1\n")),
        "index_features.txt:2: `-1` is not a column number; \
         write one whole number from 0 on each line"
    );
    assert_eq!(
        error("index_features.txt", Some("0\n1\n")),
        "index_target.txt: column 1 is also listed in index_features.txt; \
         the target cannot be an input"
    );
    assert_eq!(
        error("index_features.txt", Some("0\n0\n")),
        "index_features.txt:2: column 0 is listed twice; list each number once"
    );
    assert_eq!(
        error("index_target.txt", Some("1\n0\n")),
        "index_target.txt: lists 2 columns; there must be just one target"
    );
    assert!(error("index_target.txt", Some("\n")).contains("lists no column"));
    assert!(error("index_features.txt", None).contains("it lists the columns that are inputs"));
}

#[test]
fn bad_splits_are_named_with_their_line() {
    assert_eq!(
        error("index_test_0.txt", Some("11\n12\n")),
        "index_test_0.txt:2: row 12 does not exist: there are 12; \
         numbers count from 0, and must fit data.txt"
    );
    assert_eq!(
        error("index_test_0.txt", Some("11\n3\n")),
        "index_test_0.txt:2: row 3 is also in index_train_0.txt; test on rows that do not train"
    );
    assert!(error("n_splits.txt", Some("2")).starts_with("index_train_1.txt: cannot be read"));
    assert!(error("n_splits.txt", Some("0")).starts_with("n_splits.txt:1: `0`; it must hold"));
    assert!(error("n_splits.txt", Some("1\n1\n")).starts_with("n_splits.txt:2: a second entry"));
    assert!(error("n_splits.txt", Some("")).starts_with("n_splits.txt: is empty"));
    assert!(error("n_splits.txt", None).starts_with("n_splits.txt: cannot be read"));
}
