//! The command as a user meets it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use safetensors::tensor::{Dtype, TensorView};
use tempfile::TempDir;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, content: &str) {
        fs::write(self.path(name), content).unwrap();
    }

    fn run(&self, args: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .current_dir(self.0.path())
            .args(args.split(' '))
            .output()
            .unwrap()
    }

    /// Standard output of a command that must do its work.
    fn does(&self, args: &str) -> String {
        let out = self.run(args);
        assert!(out.status.success(), "{args}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    /// Standard error of a command that must fail, with nothing written but how `train` read the table.
    fn fails(&self, args: &str) -> String {
        let before = names(self.0.path());
        let out = self.run(args);
        assert_eq!(out.status.code(), Some(2), "{args}");
        assert!(out.stdout.is_empty() || out.stdout.starts_with(b"column"), "{args}");
        assert_eq!(names(self.0.path()), before);
        String::from_utf8(out.stderr).unwrap()
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// y depends on a kink in x and on a word.
fn table(rows: usize) -> String {
    let mut out = "size,colour,price,grade\n".to_owned();
    for i in 0..rows {
        let x = (i * 37 % 100) as f64 / 10.0 - 5.0;
        let colour = ["red", "green", "blue"][i % 3];
        let price = 1000.0 * x.abs() + if colour == "red" { 2000.0 } else { 0.0 };
        let grade = if price > 3000.0 { "high" } else { "low" };
        out += &format!("{x},{colour},{price},{grade}\n");
    }
    out
}

#[test]
fn numbers_by_every_method() {
    let place = Place::new();
    place.put("t.csv", &table(120));
    for method in ["cf", "nnvi", "vbp", "dvi", "varout", "bbb", "pbp", "vrelunet"] {
        let epochs = match method {
            "pbp" => 20,
            "vrelunet" => 100,
            _ => 200,
        };
        let train = format!(
            "train --csv t.csv --target price --ignore grade --hidden 8 --method {method} \
             --epochs {epochs} --out m.safetensors -q"
        );
        assert_eq!(place.does(&train), "");
        let evaluated = place.does("evaluate --model m.safetensors --csv t.csv --svg c.svg");
        let line = evaluated.lines().find(|l| l.starts_with("root mean squared error")).unwrap();
        let error: f64 = line.split_whitespace().last().unwrap().parse().unwrap();
        // The standard deviation of the price is about 1700.
        assert!(error < 900.0, "{method}: {evaluated}");
        assert!(fs::read_to_string(place.path("c.svg")).unwrap().starts_with("<svg"));
        let predicted = place.does("predict --model m.safetensors --csv t.csv --quantiles 0.1,0.9");
        let mut lines = predicted.lines();
        assert_eq!(lines.next(), Some("mean,sd,sd_weights,sd_noise,q0.1,q0.9"));
        for line in lines.by_ref() {
            let v: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
            assert!(v[4] < v[0] && v[0] < v[5] && v[1] >= v[2] && v[1] >= v[3]);
        }
        assert_eq!(predicted.lines().count(), 121);
    }
}

#[test]
fn classes_and_columns_by_name() {
    let place = Place::new();
    place.put("t.csv", &table(120));
    place
        .does("train --csv t.csv --target grade --ignore price --hidden 8 --epochs 300 --out m.st");
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    let error = evaluated.lines().find(|l| l.starts_with("error")).unwrap();
    let error: f64 = error.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(error < 15.0, "{evaluated}");
    // Other columns, and these in another order.
    place.put("new.csv", "note,colour,size\nx,red,-4.5\ny,blue,0.1\n");
    place.does("predict --model m.st --csv new.csv --out p.csv");
    let predicted = fs::read_to_string(place.path("p.csv")).unwrap();
    let mut lines = predicted.lines();
    assert_eq!(lines.next(), Some("class,p(high),p(low),entropy,entropy_weights"));
    assert!(lines.next().unwrap().starts_with("high,"));
    assert!(lines.next().unwrap().starts_with("low,"));
}

#[test]
fn the_same_table_gives_the_same_bytes() {
    let place = Place::new();
    place.put("t.csv", &table(60));
    for name in ["a", "b"] {
        place.does(&format!(
            "train --csv t.csv --target price --hidden 4 --epochs 5 --method bbb --out {name}"
        ));
    }
    assert_eq!(fs::read(place.path("a")).unwrap(), fs::read(place.path("b")).unwrap());
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let place = Place::new();
    place.put("t.csv", &table(200));
    let trained = |threads: &str| {
        // Products of 200 rows with 200 × 200 weights are large enough for Burn to share them out.
        let train = "train --csv t.csv --target price --hidden 200,200 --epochs 2 --out m";
        let out = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .current_dir(place.0.path())
            .env("RAYON_NUM_THREADS", threads)
            .args(train.split(' '))
            .output()
            .unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        fs::read(place.path("m")).unwrap()
    };
    let alone = trained("1");
    assert!(["2", "3"].iter().all(|threads| trained(threads) == alone));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let place = Place::new();
    place.put("t.csv", &table(30));
    place.does(
        "train --csv t.csv --target price --hidden 4 --epochs 2 --unknown-words error --out m.st",
    );
    let train = |content: &str| {
        place.put("bad.csv", content);
        place.fails("train --csv bad.csv --target y --epochs 2 --out x.st")
    };
    let starts = |text: String, start: &str| assert!(text.starts_with(start), "{text}");
    starts(train("x,y\n1,\n2,NA\n"), "error: bad.csv: no row has a value in `y`");
    starts(train("x,y\n1,2\ninf,3\n"), "error: bad.csv:3, column 1, `x`: `inf` is not finite");
    let not_a_number = "is not a number, but most cells of the column are\n  help: correct it";
    starts(
        train("x,y\n1,2\n2,1\n5x,3\n"),
        &format!("error: bad.csv:4, column 1, `x`: `5x` {not_a_number}"),
    );
    // The first row is no other than any.
    starts(
        train("x,y\nfew,2\n2,1\n5,3\n"),
        &format!("error: bad.csv:2, column 1, `x`: `few` {not_a_number}"),
    );
    starts(
        train("x,y\n12%,2\n2%,1\n0.05,3\n"),
        "error: bad.csv:4, column 1, `x`: `0.05` is in another unit than the column, which has %",
    );
    starts(
        train("x,y\n2024-01-02,2\n2024-02-02,1\nMay,3\n"),
        "error: bad.csv:4, column 1, `x`: `May` is no date as most cells of the column are",
    );
    starts(
        train("x,y\n1,2\n1,3\n"),
        "error: bad.csv: has no column to predict from; `x` is left out: every row has the same value, 1\n  help: --words",
    );
    starts(
        train("x,y\n1,2\n2,2\n"),
        "error: bad.csv:1, column 2, `y`: every row has the same value, 2\n  help: it says nothing; choose another",
    );
    starts(
        train("x,y\nann,2\nbob,3\n"),
        "error: bad.csv: has no column to predict from; `x` is left out: few rows share a word",
    );
    starts(
        train("y,x\nann,2\nbob,3\n"),
        "error: bad.csv:1, column 1, `y`: no two rows have the same word, such as `ann`",
    );
    starts(
        train("y,x\n2024-01-02,2\n2024-02-02,3\n"),
        "error: bad.csv:1, column 1, `y`: it has dates, which are not predicted",
    );
    starts(
        train("x,y\n1,2\n2,1e200\n"),
        "error: bad.csv:3, column 2, `y`: `1e200` does not lie within ±1e150",
    );
    starts(
        train("x,y\n1e-200,2\n2e-200,3\n"),
        "error: bad.csv:1, column 1, `x`: its standard deviation is 5e-201, below 1e-150",
    );
    // Blank lines count as lines, and so do those that end in a carriage return alone.
    starts(train("\nx,y\n1,2\n3,4\n\n\nz,5\n"), "error: bad.csv:7, column 1");
    starts(train("x,y\r1,2\r3,4\r\rz,5\r"), "error: bad.csv:5, column 1");
    starts(train("x,y\r\n1,2\r\n3,4\r\nz,5\r\n"), "error: bad.csv:4, column 1");
    starts(train("\u{feff}x,y\n1,2\n3,4\nz,5\n"), "error: bad.csv:4, column 1, `x`");
    starts(train("x,y,t\n1,2,\"a\nb\"\n3,4,c\nz,5,d\n"), "error: bad.csv:5, column 1");
    starts(train("x;y\n1;2\n3;4\nz;5\n"), "error: bad.csv:4, column 1, `x`: `z`");
    starts(train("x,y\n1,2\n\"2,3\n4,5\n"), "error: bad.csv:3: 1 cell, but the header has 2");
    starts(train("x,y\n1,2\n2,3,4\n"), "error: bad.csv:3: 3 cells, but the header has 2");
    starts(train("x,x\n1,2\n"), "error: bad.csv:1: two columns are named `x`");
    starts(
        train("x,z\n1,2\n"),
        "error: bad.csv: there is no column `y`\n  help: its columns are x, z",
    );
    starts(train("y\n1\n2\n"), "error: bad.csv: has no column but the target");
    starts(train("x,y\n"), "error: bad.csv: has no rows below its header");
    starts(train(""), "error: bad.csv: is empty");
    fs::remove_file(place.path("bad.csv")).unwrap();

    let t = "train --csv t.csv --target price --out x.st";
    starts(
        place.fails("train --csv no.csv --target y --out x.st"),
        "error: no.csv: cannot be read",
    );
    starts(place.fails(&format!("{t} --activation tanh")), "error: there is no activation `tanh`");
    starts(
        place.fails(&format!("{t} --method cf --hidden 5,5")),
        "error: cf is for one hidden layer",
    );
    let value = |option: &str, value: &str| {
        let said = place.fails(&format!("{t} {option} {value}"));
        let start = format!("error: invalid value '{value}' for '{option} <");
        assert!(said.starts_with(&start), "{said}");
        said
    };
    assert!(value("--learning-rate", "-1").contains("it must be a finite number above 0"));
    value("--learning-rate", "nan");
    value("--prior", "0");
    value("--initial-sd", "0");
    assert!(value("--validation", "2").contains("it must lie between 0 and 1"));
    starts(
        place.fails(&format!("{t} --validation 0.001")),
        "error: --validation is 0.001, which is 0 of the 30 rows",
    );
    for (method, option) in [("pbp", "--prior"), ("pbp", "--batch"), ("vrelunet", "--validation")] {
        let value = if option == "--batch" { "8" } else { "0.5" };
        starts(
            place.fails(&format!("{t} --method {method} {option} {value}")),
            &format!("error: {method} has no use for {option}"),
        );
    }
    starts(
        place.fails("train --csv t.csv --target grade --method pbp --out x.st"),
        "error: pbp predicts numbers, but `grade` has classes\n  help: choose nnvi",
    );
    starts(
        place.fails("train --csv t.csv --target price --out no/x.st"),
        "error: no/x.st: cannot be written",
    );
    place.put("new.csv", "size,colour,grade\n1,violet,low\n");
    starts(
        place.fails("predict --model m.st --csv new.csv"),
        "error: new.csv:2, column 2, `colour`: `violet` is a word that the model has not seen",
    );
    starts(
        place.fails("evaluate --model m.st --csv new.csv"),
        "error: new.csv: there is no column `price`",
    );
    starts(place.fails("predict --model no.st --csv t.csv"), "error: no.st: No such file");
    place.put("new.csv", "size,grade\n1,low\n");
    starts(
        place.fails("predict --model m.st --csv new.csv"),
        "error: new.csv: there is no column `colour`",
    );
    starts(place.fails("predict --model t.csv --csv t.csv"), "error: t.csv: this is no whole");
    starts(
        place.fails("predict --model m.st --csv t.csv --quantiles 0"),
        "error: --quantiles has 0",
    );
}

#[test]
fn held_out_rows_calibrate_numbers_and_classes() {
    let place = Place::new();
    place.put("t.csv", &table(90));
    place.put("held.csv", &table(40));
    place.does("train --csv t.csv --target price --ignore grade --hidden 4 --epochs 5 --out m.st");
    assert_eq!(
        place.fails("predict --model m.st --csv t.csv --interval 0.9"),
        "error: --interval needs a model that was calibrated\n  \
         help: let `gaussform-bnn calibrate` make one of it\n"
    );
    let said = place.does("calibrate --model m.st --csv held.csv --out c.st");
    let factor = said.lines().find(|l| l.starts_with("standard deviations by")).unwrap();
    assert!(factor.contains("(90 %: "), "{factor}");
    let factor: f64 = factor.split_whitespace().nth(3).unwrap().parse().unwrap();
    let rows = |text: &str| -> Vec<Vec<f64>> {
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
    };
    let before = rows(&place.does("predict --model m.st --csv held.csv"));
    let text = place.does("predict --model c.st --csv held.csv --interval 0.8");
    assert_eq!(text.lines().next(), Some("mean,sd,sd_weights,sd_noise,q0.05,q0.95,lower,upper"));
    let truth: Vec<f64> =
        table(40).lines().skip(1).map(|l| l.split(',').nth(2).unwrap().parse().unwrap()).collect();
    let mut inside = 0;
    for ((a, b), y) in before.iter().zip(rows(&text)).zip(truth) {
        assert!((b[1] / a[1] - factor).abs() < 1e-3 && b[0] == a[0]);
        inside += usize::from(b[6] <= y && y <= b[7]);
    }
    // Of the 40 rows themselves the ⌈41 · 0.8⌉ = 33 of the least scores.
    assert_eq!(inside, 33);
    let evaluated = place.does("evaluate --model c.st --csv held.csv");
    let after = said.lines().last().unwrap().split_whitespace().rev().nth(1).unwrap();
    assert!(evaluated.contains(&format!("log likelihood of a row  {after}")), "{said}{evaluated}");
    assert!(
        place
            .fails("predict --model c.st --csv t.csv --interval 0.99")
            .contains("40 held-out rows promise no probability of 0.99; hold out at least 99")
    );
    assert!(
        place.fails("predict --model c.st --csv t.csv --interval 2").contains("2 does not lie")
    );

    place.does("train --csv t.csv --target grade --ignore price --hidden 4 --epochs 5 --out m.st");
    let said = place.does("calibrate --model m.st --csv held.csv --out m.st");
    assert!(said.lines().any(|l| l.starts_with("temperature") && l.contains("(90 %: ")), "{said}");
    let text = place.does("predict --model m.st --csv held.csv --interval 0.9");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("class,p(high),p(low),entropy,entropy_weights,set"));
    assert!(lines.all(|l| ["high", "low", "high|low"].contains(&l.rsplit(',').next().unwrap())));
}

#[test]
fn classes_are_exact_unless_a_form_is_asked_for_and_samples_are_for_models_that_sample() {
    let place = Place::new();
    place.put("t.csv", &table(60));
    let train = "train --csv t.csv --target grade --ignore price --hidden 4 --epochs 5";
    place.does(&format!("{train} --out exact.st"));
    place.does(&format!("{train} --class-form exact --out named.st"));
    place.does(&format!("{train} --class-form delta --out delta.st"));
    let p =
        |model: &str, more: &str| place.does(&format!("predict --model {model} --csv t.csv{more}"));
    assert_eq!(p("exact.st", ""), p("named.st", ""));
    assert_ne!(p("exact.st", ""), p("delta.st", ""));
    assert_eq!(
        place.fails("predict --model exact.st --csv t.csv --samples 9"),
        "error: the model predicts without samples\n  help: leave --samples out\n"
    );
    place.does(&format!("{train} --method varout --out sampled.st"));
    assert_eq!(p("sampled.st", ""), p("sampled.st", " --samples 64"));
    assert_ne!(p("sampled.st", ""), p("sampled.st", " --samples 8"));
}

#[test]
fn a_row_far_from_all_others_wants_smaller_first_deviations() {
    let place = Place::new();
    let mut rows = String::from("x,y\n1e6,1\n");
    for i in 0..4000 {
        rows += &format!("{},{}\n", i % 7, i % 3);
    }
    place.put("t.csv", &rows);
    let train =
        "train --csv t.csv --target y --numbers y --tails none --out m.st --method dvi --epochs 1";
    let said = place.fails(train);
    assert!(said.starts_with("error: training diverged in epoch 1"), "{said}");
    assert!(said.contains("smaller first standard deviations"), "{said}");
    place.does(&format!("{train} --initial-sd 0.01"));
}

/// A plain network on `size` and the words of `colour`, as PyTorch would save it: price = 1000 |size|, and 2000 more if
/// the colour is red, but for the ReLU that does not see it.
fn plain_network(outputs: usize) -> Vec<u8> {
    let hidden = [[0.0, 0.0, 0.0, 1000.0], [0.0, 0.0, 0.0, -1000.0], [0.0, 0.0, 2000.0, 0.0]];
    // The columns are size, blue, green and red.
    let first: Vec<f32> =
        hidden.iter().flat_map(|row| [row[3], 0.0, 0.0, row[2]]).map(|w| w as f32).collect();
    let last: Vec<f32> = (0..3 * outputs).map(|_| 1.0).collect();
    let bytes = |v: &[f32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let tensors = [
        ("net.0.weight", vec![3, 4], bytes(&first)),
        ("net.0.bias", vec![3], bytes(&[0.0; 3])),
        ("net.2.weight", vec![outputs, 3], bytes(&last)),
    ];
    let views = tensors.iter().map(|(name, shape, bytes)| {
        (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
    });
    safetensors::serialize(views.collect::<Vec<_>>(), None).unwrap()
}

#[test]
fn training_begins_with_a_plain_network() {
    let place = Place::new();
    place.put("t.csv", &table(60));
    fs::write(place.path("w.st"), plain_network(1)).unwrap();
    let from = "train --csv t.csv --target price --ignore grade --from w.st --out m.st --epochs 1 \
                --learning-rate 1e-9";
    let error = |args: &str| {
        place.does(&format!("{from} {args}"));
        let predicted = place.does("predict --model m.st --csv t.csv");
        let mean = predicted.lines().skip(1).map(|l| l.split(',').next().unwrap());
        let truth = table(60);
        let truth = truth.lines().skip(1).map(|l| l.split(',').nth(2).unwrap());
        let off =
            mean.zip(truth).map(|(a, b)| a.parse::<f64>().unwrap() - b.parse::<f64>().unwrap());
        off.map(f64::abs).fold(0.0, f64::max)
    };
    // At its means VBP predicts what the plain network does: prices are thousands.
    assert!(error("--method vbp") < 0.1);
    assert!(error("--method vbp --learn-last 1") < 0.1);
    assert!(error("--method nnvi --learn-last 1 --layers net.0,net.2") < 0.1);
    assert!(error("--method bbb --spread 0") < 200.0);
    assert!(error("--method varout --learn-last 1 --spread 0") < 200.0);
    assert!(error("--method vbp --standardized") > 1000.0);

    let fails = |args: &str, start: &str| {
        let said = place.fails(format!("{from} {args}").replace("m.st", "x.st").trim_end());
        assert!(said.starts_with(start), "{said}");
    };
    fails("--layout inputs-first", "error: w.st: tensor `net.0.bias` has the shape [3], but");
    fails("--layers net.2,net.0", "error: w.st: layer `net.0` has 4 inputs, but layer `net.2`");
    fails("--ignore colour", "error: w.st: layer `net.0` has 4 inputs, but the data has 1");
    fails("--spread -1", "error: --spread is -1\n  help: it is a finite number, 0 or more");
    fails("--learn-last 3", "error: --learn-last is 3, but w.st has 2 layers");
    fails("--method dvi", "error: dvi does not begin with the weights of another network");
    fails("--from t.csv", "error: the argument '--from <WEIGHTS>' cannot be used multiple times");
    fails("--hidden 3", "error: the argument '--from <WEIGHTS>' cannot be used with '--hidden");
    let said =
        place.fails("train --csv t.csv --target grade --ignore price --from w.st --out x.st");
    assert!(said.starts_with(
        "error: w.st: layer `net.2` has 1 outputs, but the target needs 2\n  help: --layers"
    ));
    fs::write(place.path("w.st"), plain_network(2)).unwrap();
    place.does("train --csv t.csv --target grade --ignore price --from w.st --epochs 2 --out m.st");
    for (content, start) in [("nothing", "this is no whole safetensors"), ("", "this is no whole")]
    {
        place.put("w.st", content);
        fails("", &format!("error: w.st: {start}"));
    }
    fs::remove_file(place.path("w.st")).unwrap();
    fails("", "error: w.st: cannot be read");
}

#[test]
fn colour_completions_and_pages() {
    let place = Place::new();
    let plain = place.fails("predict --model no --csv no");
    assert!(plain.starts_with("error: no: "));
    let coloured = place.fails("--color always predict --model no --csv no");
    assert!(coloured.starts_with("\u{1b}[1;31merror:\u{1b}[0m no: "), "{coloured:?}");
    assert_eq!(place.fails("predict --model no --csv no --color=never"), plain);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = place.does(&format!("completions {shell}"));
        assert!(script.contains("gaussform-bnn") && script.contains("calibrate"), "{shell}");
    }
    assert!(place.does("man").contains(".TH gaussform-bnn 1"));
    assert!(place.does("man train").contains("hidden"));
    assert!(place.fails("man trian").contains("the commands are train, predict, evaluate"));
}

/// e^x, from which a line is far, with a tail of 10⁴.
fn skewed(rows: usize) -> String {
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 20.0 - 2.0;
        let noise = ((i * 53 % 97) as f64 / 97.0 - 0.5) * 0.6;
        format!("{x},{}\n", (3.0 * x + noise).exp())
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// The number of a line of `evaluate`.
fn number(evaluated: &str, line: &str) -> f64 {
    let found = evaluated.lines().find(|l| l.starts_with(line)).expect(line);
    found.split_whitespace().find_map(|word| word.parse().ok()).expect(line)
}

#[test]
fn a_skewed_target_is_learned_by_its_logarithm_and_predicted_in_its_units() {
    let place = Place::new();
    place.put("t.csv", &skewed(200));
    let train = "train --csv t.csv --target y --hidden 10 --epochs 300 --out m.st";
    let said = place.does(train);
    assert!(said.contains("\n`y` is learned by its log"), "{said}");
    let auto = place.does("evaluate --model m.st --csv t.csv");
    let said = place.does(&format!("{train} --target-transform none"));
    assert!(!said.contains("is learned by"), "{said}");
    let none = place.does("evaluate --model m.st --csv t.csv");
    let likelihood = |evaluated: &str| number(evaluated, "log likelihood of a row");
    assert!(likelihood(&auto) > likelihood(&none) + 1.0, "{auto}{none}");
    for transform in ["log", "asinh", "quantile"] {
        place.does(&format!("{train} --target-transform {transform}"));
        let evaluated = place.does("evaluate --model m.st --csv t.csv");
        assert!(likelihood(&evaluated) > likelihood(&none) + 0.5, "{transform}: {evaluated}{none}");
        let predicted = place.does("predict --model m.st --csv t.csv --quantiles 0.05,0.5,0.95");
        let truth = skewed(200);
        let truth = truth.lines().skip(1).map(|l| l.split(',').nth(1).unwrap());
        let (mut inside, mut skew) = (0, 0);
        for (line, y) in predicted.lines().skip(1).zip(truth) {
            let v: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
            let y: f64 = y.parse().unwrap();
            inside += usize::from(v[4] <= y && y <= v[6]);
            skew += usize::from(v[6] - v[5] > v[5] - v[4]);
            assert!(v[4] < v[5] && v[5] < v[6] && v[1] > 0.0 && v[0].is_finite());
            // The sum of squares.
            assert!((v[2].hypot(v[3]) / v[1] - 1.0).abs() < 1e-6);
        }
        assert!((165..=200).contains(&inside), "{transform}: {inside}");
        // asinh is a logarithm on both sides of the median.
        assert!(transform != "log" || skew > 150, "{transform}: {skew}");
    }
    place.put("zero.csv", "x,y\n1,0\n2,5\n3,9\n4,100\n");
    let said = place.fails("train --csv zero.csv --target y --target-transform log --out z.st");
    assert!(said.contains("holds 0 in column 0, which has no logarithm"), "{said}");
}

#[test]
fn noise_by_input_and_one_noise() {
    let place = Place::new();
    place.put("t.csv", &table(120));
    let train =
        "train --csv t.csv --target price --ignore grade --hidden 8 --epochs 100 --out m.st";
    for (options, varies) in [
        ("--noise by-input", true),
        ("--method dvi", true),
        ("--method dvi --noise normal", false),
        ("--method vbp --noise by-input", true),
        ("--noise normal", false),
    ] {
        place.does(&format!("{train} {options}"));
        let predicted = place.does("predict --model m.st --csv t.csv");
        let noise: Vec<&str> =
            predicted.lines().skip(1).map(|l| l.split(',').nth(3).unwrap()).collect();
        assert_eq!(noise.iter().any(|sd| sd != &noise[0]), varies, "{options}");
    }
    let said = place.fails(&format!("{train} --method pbp --noise by-input").replace("m.st", "x"));
    assert!(said.starts_with("error: pbp has no use for --noise by-input"), "{said}");
}

#[test]
fn a_model_replaces_no_device_link_or_folder() {
    let place = Place::new();
    place.put("t.csv", &table(30));
    fs::create_dir(place.path("folder")).unwrap();
    let train = "train --csv t.csv --target price --epochs 2 --hidden 2";
    let fails = |out: &str, problem: &str| {
        let said = place.fails(&format!("{train} --out {out}"));
        assert!(said.starts_with(&format!("error: {out}: cannot be written: {problem}")), "{said}");
    };
    fails("folder", "it is a folder");
    fails("no/m.st", "No such file");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        fails("/dev/null", "it is a device");
        symlink("nowhere", place.path("dangling")).unwrap();
        fails("dangling", "it is a link that leads nowhere");
        assert!(fs::symlink_metadata(place.path("dangling")).unwrap().is_symlink());
        // A link to a file stays one, and the file is replaced.
        place.put("m.st", "old");
        symlink("m.st", place.path("link")).unwrap();
        place.does(&format!("{train} --out link"));
        assert!(fs::symlink_metadata(place.path("link")).unwrap().is_symlink());
        place.does("predict --model m.st --csv t.csv");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_a_model_and_goes_on_to_the_same_bits() {
    let place = Place::new();
    place.put("t.csv", &table(200));
    let train = |out: &str| {
        format!("train --csv t.csv --target price --hidden 20 --epochs 400 --seed 3 --out {out}")
    };
    place.does(&train("whole.st"));
    for (signal, checkpoint) in [("-INT", ""), ("-TERM", " --checkpoint kept")] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .current_dir(place.0.path())
            .args(format!("{}{checkpoint}", train("m.st")).split(' '))
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(700));
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let out = child.wait().unwrap();
        assert_eq!(out.code(), Some(130));
        // A model as any other.
        place.does("predict --model m.st --csv t.csv");
        let folder = if checkpoint.is_empty() { "m.st.checkpoint" } else { "kept" };
        assert!(place.path(folder).join("training-1.safetensors").is_file());

        let said = place.fails(&format!("{}{checkpoint}", train("m.st")));
        assert!(
            said.contains("holds the checkpoint of a run that did not come to its end"),
            "{said}"
        );
        let other = format!("{}{checkpoint} --resume --prior 3", train("m.st"));
        assert!(place.fails(&other).contains("of a network with other layers, priors or noise"));
        let other = format!("{}{checkpoint} --resume --learning-rate 0.5", train("m.st"));
        assert!(place.fails(&other).contains("the checkpoint is of another run"));
        place.put("t3.csv", &table(199));
        let other = format!("{}{checkpoint} --resume", train("m.st")).replace("t.csv", "t3.csv");
        assert!(place.fails(&other).contains("it trained on 200 rows, not on 199"));

        place.does(&format!("{}{checkpoint} --resume", train("m.st")));
        assert_eq!(
            fs::read(place.path("m.st")).unwrap(),
            fs::read(place.path("whole.st")).unwrap()
        );
        assert!(!place.path(folder).exists());
    }
    let said = place.fails(&format!("{} --resume", train("m.st")));
    assert!(said.starts_with("error: m.st.checkpoint: has no checkpoint to go on with"), "{said}");
}

#[test]
fn weights_in_half_precision_are_read_and_integers_are_named() {
    let place = Place::new();
    place.put("t.csv", &table(60));
    let train = "train --csv t.csv --target price --ignore grade --from w.st --epochs 1 --out m.st";
    let shapes = [("a.weight", vec![3, 4]), ("a.bias", vec![3]), ("b.weight", vec![1, 3])];
    let write = |dtype: Dtype, one: &[u8], more: Option<(&str, Dtype, Vec<usize>)>| {
        let bytes: Vec<Vec<u8>> =
            shapes.iter().map(|(_, shape)| one.repeat(shape.iter().product())).collect();
        let zeros = vec![0; 8];
        let mut views: Vec<(&str, TensorView<'_>)> = shapes
            .iter()
            .zip(&bytes)
            .map(|((name, shape), bytes)| {
                (*name, TensorView::new(dtype, shape.clone(), bytes).unwrap())
            })
            .collect();
        if let Some((name, dtype, shape)) = more {
            views.push((name, TensorView::new(dtype, shape, &zeros).unwrap()));
        }
        fs::write(place.path("w.st"), safetensors::serialize(views, None).unwrap()).unwrap();
    };
    // 1.5 in each of them.
    let mut predictions = Vec::new();
    for (dtype, one) in [
        (Dtype::F32, 1.5_f32.to_le_bytes().to_vec()),
        (Dtype::F16, 0x3e00_u16.to_le_bytes().to_vec()),
        (Dtype::BF16, 0x3fc0_u16.to_le_bytes().to_vec()),
    ] {
        write(dtype, &one, None);
        place.does(train);
        predictions.push(place.does("predict --model m.st --csv t.csv"));
    }
    assert!(predictions.iter().all(|p| *p == predictions[0]));
    let one = 1.5_f32.to_le_bytes();
    write(Dtype::F32, &one, Some(("bn.num_batches_tracked", Dtype::I64, vec![1])));
    let said = place.fails(&train.replace("m.st", "x.st"));
    assert!(
        said.starts_with(
            "error: w.st: tensor `bn.num_batches_tracked` is of type I64, but weights are F64, F32, F16 or BF16\n  \
             help: --from takes linear layers alone"
        ),
        "{said}"
    );
}

/// Two numbers, a count, when it ended or was last seen, and how often a row counts.
fn life(rows: usize) -> String {
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 50.0 - 1.0;
        let noise = (i * 53 % 97) as f64 / 97.0 - 0.5;
        let (a, b) = (3.0 * x + noise, x.abs() - noise);
        let count = (1.5 * x + 1.0 + noise).exp().round();
        let time = 10.0 + 5.0 * x + 3.0 * noise;
        let seen = time.min(11.0);
        // A row of weight 0 would mislead.
        let (a, weight) = if i.is_multiple_of(5) { (a + 100.0, 0) } else { (a, 1) };
        format!("{x},{a},{b},{count},{seen},{},{weight}\n", u8::from(time <= 11.0))
    };
    "x,a,b,count,seen,ended,weight\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn several_targets_counts_censored_rows_and_weights() {
    let place = Place::new();
    place.put("t.csv", &life(150));
    let train = |target: &str, ignore: &str, options: &str| {
        let ignore: String = ignore.split(' ').map(|name| format!(" --ignore {name}")).collect();
        place.does(&format!(
            "train --csv t.csv --target {target}{ignore} --hidden 6 --epochs 150 --out m.st {options}"
        ))
    };
    let rows = |text: &str| -> Vec<Vec<f64>> {
        text.lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect()
    };

    train("b,a", "count seen ended", "--target-transform none --weight weight");
    let text = place.does("predict --model m.st --csv t.csv --quantiles 0.5");
    let header = "mean(b),sd(b),sd_weights(b),sd_noise(b),q0.5(b),mean(a),sd(a),sd_weights(a),sd_noise(a),q0.5(a)";
    assert_eq!(text.lines().next(), Some(header));
    // The rows that do not count are 100 too large.
    let off = |v: &Vec<f64>, x: f64| (v[5] - 3.0 * x).abs();
    let x = |i: usize| (i * 37 % 101) as f64 / 50.0 - 1.0;
    let worst = rows(&text).iter().enumerate().map(|(i, v)| off(v, x(i))).fold(0.0, f64::max);
    assert!(worst < 5.0, "{worst}");
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    assert!(evaluated.contains("\nb\nlog likelihood") && evaluated.contains("\na\nlog likelihood"));

    train("count", "a b seen ended weight", "--likelihood poisson --numbers count");
    let text = place.does("predict --model m.st --csv t.csv --quantiles 0.05,0.95");
    for v in rows(&text) {
        // Whole numbers, and noise of the variance of a Poisson number of that mean.
        assert!(v[4].fract() == 0.0 && v[5].fract() == 0.0 && v[4] <= v[5], "{v:?}");
        assert!((v[3] * v[3] / v[0] - 1.0).abs() < 1e-9, "{v:?}");
    }
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    assert!(number(&evaluated, "root mean squared error") < 2.0, "{evaluated}");

    // Those whose end was not seen live longer than they were seen.
    let mean = |options: &str| {
        train("seen", "a b count weight", options);
        let rows = rows(&place.does("predict --model m.st --csv t.csv"));
        (0..150).filter(|i| x(*i) > 0.8).map(|i| rows[i][0]).fold(f64::INFINITY, f64::min)
    };
    let without = mean("--ignore ended");
    let with = mean("--event ended");
    assert!(with > without + 0.5 && with > 11.5, "{with} {without}");
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    assert!(evaluated.contains("\ncensored rows "), "{evaluated}");
    let said = place.fails("calibrate --model m.st --csv t.csv --out c.st");
    assert!(said.contains("the model was trained on rows that `ended` censors"), "{said}");

    let fails = |options: &str, start: &str| {
        let said = place.fails(&format!("train --csv t.csv --out x.st {options}"));
        assert!(said.starts_with(start), "{said}");
    };
    fails("--target a,no", "error: t.csv: there is no column `no`");
    fails("--target a --weight a", "error: `a` has two roles");
    fails("--target a --weight x", "error: t.csv:2, column 1, `x`: `-1` is no weight");
    fails("--target a --likelihood poisson", "error: row ");
    fails("--target a,b --likelihood poisson", "error: --likelihood poisson is for one target");
    fails("--target a --censored b", "error: t.csv:2, column 3, `b`: `");
    fails("--target a --method pbp --weight weight", "error: pbp has no use for --weight");
}

#[test]
fn heavy_tails_are_noise_of_student() {
    let place = Place::new();
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 20.0 - 2.0;
        let noise = (i * 53 % 97) as f64 / 97.0 - 0.5;
        format!("{x},{}\n", x + 0.5 * noise + if i % 40 == 7 { 60.0 } else { 0.0 })
    };
    place.put("t.csv", &("x,y\n".to_owned() + &(0..160).map(row).collect::<String>()));
    let likelihood = |noise: &str| {
        place.does(&format!(
            "train --csv t.csv --target y --hidden 6 --epochs 250 --target-transform none --noise {noise} --out m.st"
        ));
        number(&place.does("evaluate --model m.st --csv t.csv"), "log likelihood of a row")
    };
    let (normal, student) = (likelihood("normal"), likelihood("student"));
    assert!(student > normal + 0.5, "{student} {normal}");
}

#[test]
fn members_of_an_ensemble_are_mixed_in_one_file() {
    let place = Place::new();
    place.put("t.csv", &table(60));
    let train = "train --csv t.csv --target price --ignore grade --hidden 4 --epochs 20";
    let mean = |options: &str| -> Vec<f64> {
        place.does(&format!("{train} {options} --out m.st"));
        let text = place.does("predict --model m.st --csv t.csv");
        text.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect()
    };
    let (a, b) = (mean("--seed 4"), mean("--seed 5"));
    let both = mean("--seed 4 --members 2");
    for ((a, b), both) in a.iter().zip(&b).zip(&both) {
        assert!((0.5 * (a + b) - both).abs() < 1e-6 * (1.0 + both.abs()), "{a} {b} {both}");
    }
    let graph = place.path("m.onnx");
    place.does("export m.st --onnx m.onnx");
    assert!(fs::read(graph).unwrap().windows(6).any(|w| w == b"inputs"));
    assert!(place.fails("export m.st --onnx /dev/null").contains("it is a device"));
    place.does(&format!("{train} --method bbb --out m.st"));
    let said = place.fails("export m.st --onnx x.onnx");
    assert!(said.starts_with("error: the network predicts by samples"), "{said}");
}
