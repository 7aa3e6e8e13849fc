//! Tables in memory beside the same tables in files.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

use gaussform_bnn::Functions;
use gaussform_bnn_cli::{Column, Frame, TableModel};

use crate::place::Place;

/// Numbers, words, missing cells and a date, with a target of numbers and one of classes.
fn columns() -> Vec<(String, Column)> {
    let rows = 0..60;
    let a = rows.clone().map(|i| if i % 9 == 4 { f64::NAN } else { f64::from(i * 37 % 61) / 7.0 });
    let word = |i: i32| (i % 11 != 3).then(|| ["red", "green", "blue"][i as usize % 3].to_owned());
    let day = |i: i32| Some(format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i % 28));
    let y = |i: i32| f64::from(i * 37 % 61) / 3.0 + if i % 3 == 0 { 2.0 } else { 0.0 };
    let class = |i: i32| Some(if y(i) > 10.0 { "high" } else { "low" }.to_owned());
    vec![
        ("a".to_owned(), Column::Numbers(a.collect())),
        ("word".to_owned(), Column::Texts(rows.clone().map(word).collect())),
        ("day".to_owned(), Column::Texts(rows.clone().map(day).collect())),
        ("y".to_owned(), Column::Numbers(rows.clone().map(y).collect())),
        ("class".to_owned(), Column::Texts(rows.map(class).collect())),
    ]
}

fn csv(columns: &[(String, Column)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let cell = |column: &Column, i: usize| match column {
        Column::Numbers(values) if values[i].is_nan() => String::new(),
        Column::Numbers(values) => values[i].to_string(),
        Column::Texts(values) => values[i].clone().unwrap_or_default(),
    };
    let row = |i: usize| {
        let cells: Vec<String> = columns.iter().map(|(_, column)| cell(column, i)).collect();
        cells.join(",") + "\n"
    };
    names.join(",") + "\n" + &(0..60).map(row).collect::<String>()
}

#[test]
fn a_table_in_memory_makes_the_file_of_the_command() {
    let place = Place::new();
    place.put("t.csv", csv(&columns()));
    let library = Functions::library();
    for target in ["y", "class"] {
        let options = "--epochs 20 --hidden 8,4 --activation hard_tanh --seed 3 --members 2";
        place.does(&format!("train --csv t.csv --target {target} --out m.st -q {options}"));
        let options: Vec<String> = options.split(' ').map(str::to_owned).collect();
        let frame = Frame::new("X", columns()).unwrap();
        let mut epochs = 0;
        let mut told = |now: gaussform_bnn_cli::Epoch| {
            epochs += 1;
            assert_eq!((now.done, now.all), (epochs, 40));
            ControlFlow::Continue(())
        };
        let targets = vec![target.to_owned()];
        let trained = TableModel::train(&frame, targets, &options, &library, &mut told);
        let (model, notes) = trained.unwrap();
        assert!(notes.is_empty());
        let file = fs::read(place.path("m.st")).unwrap();
        assert!(model.to_bytes(&BTreeMap::new()).unwrap() == file);
        assert_eq!(model.targets().collect::<Vec<_>>(), [target]);
        let (again, _) = TableModel::from_bytes("m.st", &file, &library).unwrap();
        assert_eq!(again.predict(&frame).unwrap().0, model.predict(&frame).unwrap().0);
        place.does("calibrate --model m.st --csv t.csv --out c.st");
        let calibrated = model.calibrated(&frame).unwrap();
        assert!(
            calibrated.to_bytes(&BTreeMap::new()).unwrap() == fs::read(place.path("c.st")).unwrap()
        );
    }
}

#[test]
fn training_ends_when_it_is_asked_to() {
    let frame = Frame::new("X", columns()).unwrap();
    let mut told = 0;
    let trained = TableModel::train(
        &frame,
        vec!["y".to_owned()],
        &["--epochs=500".to_owned()],
        &Functions::library(),
        &mut |_| {
            told += 1;
            if told == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    trained.unwrap().0.predict(&frame).unwrap();
    assert_eq!(told, 3);
    // Before training, in the trial of held-out rows, there is no model.
    let options: [String; 0] = [];
    let end = &mut |_| ControlFlow::Break(());
    let ended =
        TableModel::train(&frame, vec!["y".to_owned()], &options, &Functions::library(), end);
    assert!(ended.err().unwrap().to_string().starts_with("training has not begun"));
}

#[test]
fn what_is_wrong_is_said_without_a_file() {
    let train = |targets: &[&str], arguments: &[&str]| {
        let [targets, arguments] =
            [targets, arguments].map(|texts| texts.iter().map(|t| (*t).to_owned()).collect());
        let frame = Frame::new("X", columns()).unwrap();
        let arguments: Vec<String> = arguments;
        let go_on = &mut |_| ControlFlow::Continue(());
        TableModel::train(&frame, targets, &arguments, &Functions::library(), go_on)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    let unknown = train(&["z"], &[]);
    assert!(unknown.starts_with("X: there is no column `z`\n  help: its columns are a, word"));
    let method = train(&["y"], &["--method=magic"]);
    assert!(
        method.starts_with(
            "invalid value 'magic' for '--method <METHOD>'\n  help: [possible values: cf, nnvi"
        ),
        "{method}"
    );
    let file = train(&["y"], &["--resume"]);
    assert!(file.starts_with("--resume is for tables and models in files"), "{file}");
    let twice = train(&["y"], &["--csv=other.csv"]);
    assert!(twice.contains("--csv"), "{twice}");
    let cell = {
        let mut columns = columns();
        columns[0].1 = Column::Texts(
            (0..60).map(|i| Some(if i == 17 { "x".to_owned() } else { i.to_string() })).collect(),
        );
        let frame = Frame::new("X", columns).unwrap();
        let go_on = &mut |_| ControlFlow::Continue(());
        let strict = ["--unknown-words=error".to_owned()];
        TableModel::train(&frame, vec!["y".to_owned()], &strict, &Functions::library(), go_on)
    };
    let cell = cell.map(|_| ()).unwrap_err().to_string();
    assert!(cell.starts_with("X:18, column 1, `a`: `x` is not a number"), "{cell}");
}
