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

    /// Standard error of a command that must fail, with nothing written.
    fn fails(&self, args: &str) -> String {
        let before = names(self.0.path());
        let out = self.run(args);
        assert_eq!(out.status.code(), Some(2), "{args}");
        assert!(out.stdout.is_empty());
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
             --epochs {epochs} --out m.safetensors"
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
    place.does("train --csv t.csv --target price --hidden 4 --epochs 2 --out m.st");
    let train = |content: &str| {
        place.put("bad.csv", content);
        place.fails("train --csv bad.csv --target y --epochs 2 --out x.st")
    };
    let starts = |text: String, start: &str| assert!(text.starts_with(start), "{text}");
    starts(
        train("x,y\n1,2\n2,\n"),
        "error: bad.csv:3, column 2, `y`: the value is missing\n  help: fill it in",
    );
    starts(train("x,y\n1,2\nNaN,3\n"), "error: bad.csv:3, column 1, `x`: `NaN` is not finite");
    let not_a_number = "is not a number, but most cells of the column are\n  help: correct it";
    starts(
        train("x,y\n1,2\n2,1\n5x,3\n"),
        &format!("error: bad.csv:4, column 1, `x`: `5x` {not_a_number}"),
    );
    // The first row is no other than any.
    starts(
        train("x,y\nNA,2\n2,1\n5,3\n"),
        &format!("error: bad.csv:2, column 1, `x`: `NA` {not_a_number}"),
    );
    starts(
        train("x,y\n1,2\n1,3\n"),
        "error: bad.csv:1, column 1, `x`: every row has the same value, 1\n  help: it says nothing; leave it out",
    );
    starts(
        train("x,y\n1,2\n2,2\n"),
        "error: bad.csv:1, column 2, `y`: every row has the same value, 2\n  help: it says nothing; choose another",
    );
    starts(
        train("x,y\n\"1,234\",2\n\"1,235\",3\n"),
        "error: bad.csv:1, column 1, `x`: no two rows have the same word, such as `1,234`",
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
    starts(train("\nx,y\n1,2\n\n\n2,\n"), "error: bad.csv:6, column 2");
    starts(train("x,y\r1,2\r\r2,\r"), "error: bad.csv:4, column 2");
    starts(train("x,y\r\n1,2\r\n2,\r\n"), "error: bad.csv:3, column 2");
    starts(train("\u{feff}x,y\n1,2\n2,\n"), "error: bad.csv:3, column 2, `y`");
    starts(train("x,y\n\"a\nb\",2\n2,\n"), "error: bad.csv:4, column 2");
    starts(
        train("x;y\n1;2\n"),
        "error: bad.csv:1: the header is a single cell, `x;y`\n  help: separate cells by commas, not by `;`",
    );
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
        "error: pbp predicts numbers, but `grade` has words\n  help: choose nnvi",
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
        "error: new.csv:2, column 2, `colour`",
    );
    place.put("new.csv", "size,colour,grade\n1,red,low\n1e140,red,low\n");
    starts(
        place.fails("predict --model m.st --csv new.csv"),
        "error: new.csv:3: the prediction of this row is not finite",
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
    let train = "train --csv t.csv --target y --out m.st --method dvi --epochs 1";
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
