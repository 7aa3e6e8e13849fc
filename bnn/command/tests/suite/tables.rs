//! Tables with the warts that people's tables have, from file to predictions.

use std::fs;
use std::io::Write;

use crate::place::{Place, column, number};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Days, a price in dollars that is missing in some rows, a word, and a target that depends on the price and the word.
fn table(rows: usize) -> String {
    let mut out = String::from("id,day,price,shop,sold\n");
    for i in 0..rows {
        let price = 1000.0 + (i * 37 % 101) as f64 * 25.0;
        let shop = ["north", "south", "east"][i % 3];
        let sold = price / 100.0 + if shop == "east" { 20.0 } else { 0.0 };
        let price = if i % 11 == 4 {
            "n/a".to_owned()
        } else {
            format!("\"${},{:06.2}\"", price as i64 / 1000, price % 1000.0)
        };
        out +=
            &format!("r{i},2024-{:02}-{:02},{price},{shop},{sold}\n", 1 + i / 28 % 12, 1 + i % 28);
    }
    out
}

#[test]
fn a_table_is_read_the_same_from_any_source() {
    let place = Place::new();
    let text = table(120);
    place.put("t.csv", &text);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    place.put("t.csv.gz", gzip.finish().unwrap());
    place.put("bom.csv", format!("\u{feff}{text}"));
    let train = |source: &str, input: &str| {
        let args = format!("train --csv {source} --target sold --hidden 4 --epochs 3 --out m.st");
        let [summary, _] = place.does_with(&args, input);
        (summary, fs::read(place.path("m.st")).unwrap())
    };
    let plain = train("t.csv", "");
    for other in [train("t.csv.gz", ""), train("bom.csv", ""), train("-", &text)] {
        assert_eq!(other, plain);
    }
    for line in [
        "column  read as     missing  range or levels",
        "day     date        -        2024-01-01 to 2024-05-08",
        "price   number, $   11       $1,000.00 to $3,500.00",
        "shop    words       -        east (40), north (40), south (40)",
        "sold    number      -        10 to 53.5",
        "120 rows, 9 inputs",
    ] {
        assert!(plain.0.lines().any(|found| found.starts_with(line)), "{line}\n{}", plain.0);
    }
    let [predicted, _] =
        place.does_with("predict --model m.st --csv - --keep id --keep price", &text);
    let mut lines = predicted.lines();
    assert_eq!(lines.next(), Some("id,price,mean,sd,sd_weights,sd_noise,q0.05,q0.95"));
    assert!(lines.next().unwrap().starts_with("r0,\"$1,"));
    let failed = place.run("predict --model m.st --csv t.csv --keep no", "");
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(said.starts_with("error: t.csv: there is no column `no`\n  help: its columns are id"));
}

#[test]
fn missing_cells_widen_predictions_and_later_dates_are_taken() {
    let place = Place::new();
    place.put("t.csv", table(240) + "x,2024-01-01,\"$1,500.00\",north,\n");
    let [summary, _] = place
        .does_with("train --csv t.csv --target sold --epochs 300 --out m.st --summary s.json", "");
    assert!(
        summary.contains("1 of 241 rows left out: the target, `sold`, is missing"),
        "{summary}"
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path("s.json")).unwrap()).unwrap();
    assert_eq!(json["rows"], 241);
    assert_eq!(json["columns"][2]["column"], "price");
    assert_eq!(json["columns"][2]["missing"], 22);
    let new = "day,price,shop\n2025-03-01,\"$2,000.00\",north\n2024-03-01,,north\n2024-03-01,\"$2,000.00\",\n\
               2024-03-01,\"$2,000.00\",west\n";
    let [predicted, said] = place.does_with("predict --model m.st --csv -", new);
    let (mean, sd) = (column(&predicted, "mean"), column(&predicted, "sd"));
    assert!((mean[0] - 20.0).abs() < 6.0, "{predicted}");
    // The price has a standard deviation of about 730, the shop one of 9 in what is sold.
    assert!(sd[1] > 4.0 && (mean[1] - 22.5).abs() < 5.0, "{predicted}");
    assert!(sd[2] > 4.0 && (mean[2] - 26.7).abs() < 5.0, "{predicted}");
    assert_eq!((mean[2], sd[2]), (mean[3], sd[3]));
    assert!(said.contains("note: `shop`: 1 word is new and was taken as missing"), "{said}");
    let [evaluated, said] = place.does_with("evaluate --model m.st --csv t.csv", "");
    assert!(evaluated.starts_with("rows                     240\n"), "{evaluated}");
    assert!(said.contains("note: 1 rows left out: the target, `sold`, is missing"), "{said}");
}

#[test]
fn every_method_takes_missing_cells() {
    let place = Place::new();
    place.put("t.csv", table(60));
    for method in ["cf", "nnvi", "vbp", "dvi", "varout", "bbb", "pbp", "vrelunet"] {
        let train = format!(
            "train --csv t.csv --target sold --hidden 4 --epochs 2 --method {method} --out m.st"
        );
        let [_, said] = place.does_with(&train, "");
        assert_eq!(
            said.contains("vrelunet has no variances of inputs"),
            method == "vrelunet",
            "{said}"
        );
        let [predicted, _] = place.does_with("predict --model m.st --csv t.csv", "");
        assert!(column(&predicted, "sd").iter().all(|sd| *sd > 0.0 && sd.is_finite()), "{method}");
    }
}

/// y = |x| of 400 numbers, one of which is a million.
#[test]
fn one_outlier_does_not_hide_the_rest() {
    let place = Place::new();
    let row = |i: usize| {
        let x = (i * 37 % 401) as f64 / 100.0 - 2.0;
        if i == 0 { "1000000,0".to_owned() } else { format!("{x},{}", x.abs()) }
    };
    place.put("t.csv", format!("x,y\n{}\n", (0..400).map(row).collect::<Vec<_>>().join("\n")));
    let [summary, _] = place.does_with("train --csv t.csv --target y --epochs 500 --out m.st", "");
    assert!(summary.contains("a number, by asinh for its heavy tail"), "{summary}");
    let [evaluated, _] = place.does_with("evaluate --model m.st --csv t.csv", "");
    // A constant has a score of 0.33. The outlier itself may be far off.
    assert!(number(&evaluated, "CRPS") < 0.1, "{evaluated}");
    // Further away than once the range of training nothing changes any more.
    let [predicted, said] = place.does_with("predict --model m.st --csv -", "x\n1e140\n1e7\n");
    let (mean, sd) = (column(&predicted, "mean"), column(&predicted, "sd"));
    assert_eq!((mean[0], sd[0]), (mean[1], sd[1]));
    assert!(said.contains("note: `x`: 2 numbers lie so far outside those of training"), "{said}");
}

#[test]
fn known_noise_of_an_input_is_told_to_the_network() {
    let place = Place::new();
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 25.0 - 2.0;
        format!("{x},0.1,{}", 3.0 * x)
    };
    let text = format!("x,x_sd,y\n{}\n", (0..100).map(row).collect::<Vec<_>>().join("\n"));
    place.put("t.csv", &text);
    place
        .does_with("train --csv t.csv --target y --noise-of x=x_sd --epochs 300 --out m.st -q", "");
    let new = "x,x_sd\n1,0\n1,0.1\n1,1\n1,\n";
    let [predicted, _] = place.does_with("predict --model m.st --csv -", new);
    let sd = column(&predicted, "sd");
    assert!(sd[0] < sd[1] && sd[1] < sd[2], "{predicted}");
    // Three times the noise of the input, at most; less where the rows of training end, at 2.
    assert!(sd[2] > 2.0 && sd[2] < 4.0, "{predicted}");
    let failed = place.run("predict --model m.st --csv -", "x,x_sd\n1,-1\n");
    let said = String::from_utf8(failed.stderr).unwrap();
    assert!(
        said.starts_with(
            "error: standard input:2, column 2, `x_sd`: a standard deviation is not negative"
        ),
        "{said}"
    );
}

/// A column that is kept and a column of the prediction never have one name.
#[test]
fn a_kept_column_has_no_name_of_a_prediction() {
    let place = Place::new();
    let row = |i: usize| format!("{},{},{},{}\n", i * 3, i * 7 % 20, i * 3 % 20, i * i % 20);
    place.put("t.csv", "y,mean,sd,q0.1\n".to_owned() + &(0..20).map(row).collect::<String>());
    place.does("train --csv t.csv --target y --method pbp --hidden 3 --epochs 2 --out m.st -q");
    let predict = "predict --model m.st --csv t.csv --keep y";
    for name in ["mean", "sd"] {
        let said = place.fails(&format!("{predict} --keep {name}"));
        let problem = format!(
            "error: --keep names `{name}`, which is also a column of the predictions\n  help: rename"
        );
        assert!(said.starts_with(&problem), "{said}");
    }
    // No quantile of this name is predicted.
    let predicted = place.does(&format!("{predict} --keep q0.1"));
    let header = "y,q0.1,mean,sd,sd_weights,sd_noise,q0.05,q0.95\n";
    assert!(predicted.starts_with(header), "{predicted}");
    let said = place.fails(&format!("{predict} --keep q0.1 --quantiles 0.1"));
    assert!(said.starts_with("error: --keep names `q0.1`, which is"), "{said}");
}
