//! The messages of the command on mistakes.

use std::fs;

use crate::place::{Place, table};

#[test]
fn mistakes_are_named_with_their_place() {
    let place = Place::new();
    place.put("t.csv", table(30));
    place.does(
        "train --csv t.csv --target price --hidden 4 --epochs 2 --unknown-words error --out m.st",
    );
    let train = |content: &str| {
        place.put("bad.csv", content);
        place.fails("train --csv bad.csv --target y --unknown-words error --epochs 2 --out x.st")
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
        "error: bad.csv: has no column to predict from; `x` is left out: every row has the same value, 1\n  help: add a column",
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
    for (options, start) in [
        ("--target price --class-form delta", "--class-form is for a target of classes"),
        ("--target price --method pbp --class-form delta", "pbp has no use for --class-form"),
        ("--target price --method vrelunet --trend auto", "vrelunet has no use for --trend auto"),
        ("--target grade --trend auto", "--trend auto is for a target of numbers"),
        ("--target price --likelihood poisson --trend auto", "--trend auto is not for counts"),
        ("--target price --spread 0.2", "the following required arguments were not provided"),
        (
            "--target price --from w --hidden 4",
            "the argument '--from <WEIGHTS>' cannot be used with",
        ),
        (
            "--target price --from w --initial-sd 1",
            "the argument '--from <WEIGHTS>' cannot be used with '--initial-sd",
        ),
        (
            "--target price --from w --trend none",
            "the argument '--from <WEIGHTS>' cannot be used with '--trend",
        ),
    ] {
        let said = place.fails(&format!("train --csv t.csv --out x.st {options}"));
        starts(said, &format!("error: {start}"));
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
    starts(
        place.fails("predict --model m.st --csv t.csv --keep size --keep grade --keep size"),
        "error: --keep names `size` twice",
    );
    starts(
        place.fails("predict --model m.st --csv t.csv --quantiles 0.5,0.25,0.50"),
        "error: --quantiles names 0.5 twice",
    );
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

/// A quote that is left open would make one cell of all that follows.
#[test]
fn an_open_quote_is_named_where_it_opens() {
    let place = Place::new();
    place.put("t.csv", "x,y,note\n1,2,ok\n2,3,\"oops\n3,4,ok\n4,5,ok\n");
    let text = place.fails("train --csv t.csv --target y --epochs 2 --out x.st");
    assert!(text.starts_with("error: t.csv:3: a quote `\"` is left open"), "{text}");
    place.put("t.csv", "x,y,note\n1,2,ok\n2,3,\"over\ntwo lines\"\n3,4,6\" wide\n");
    place.does("train --csv t.csv --target y --epochs 2 --hidden 2 --out x.st -q");
}

#[test]
fn no_output_replaces_what_another_option_names() {
    let place = Place::new();
    place.put("t.csv", table(30));
    place.does("train --csv t.csv --target price --hidden 2 --epochs 2 --out m.st -q");
    let before = [place.path("t.csv"), place.path("m.st")].map(|path| fs::read(path).unwrap());
    for args in [
        "train --csv t.csv --target price --epochs 2 --out ./t.csv",
        "train --csv t.csv --target price --epochs 2 --out s.st --summary s.st",
        "predict --model m.st --csv t.csv --out t.csv",
        "predict --model m.st --csv t.csv --out m.st",
        "evaluate --model m.st --csv t.csv --svg m.st",
        "calibrate --model m.st --csv t.csv --out t.csv",
        "export --model m.st --onnx m.st",
    ] {
        let text = place.fails(args);
        assert!(text.contains("another option names this file too"), "{args}: {text}");
    }
    let after = [place.path("t.csv"), place.path("m.st")].map(|path| fs::read(path).unwrap());
    assert!(before == after);
}

#[test]
fn noise_is_that_of_an_input_and_another_column() {
    let place = Place::new();
    let rows = (0..20).map(|i| format!("{i},{},{},{}\n", 0.1 + 0.01 * f64::from(i), 2 * i, 20 - i));
    place.put("t.csv", format!("a,sd,y,w\n{}", rows.collect::<String>()));
    for (noise, message) in [
        ("--noise-of y=sd", "names `y`, which is no input"),
        ("--noise-of a=y", "names `y`, which is no input"),
        ("--noise-of a=w --weight w", "names `w`, which is no input"),
        ("--noise-of a=a", "names `a` as its own standard deviation"),
        ("--noise-of a=sd --noise-of a=w", "names `a` twice"),
    ] {
        let text =
            place.fails(&format!("train --csv t.csv --target y --epochs 2 --out x.st {noise}"));
        assert!(text.contains(message), "{noise}: {text}");
    }
}

/// The noise of one cell is read as that of a whole column was.
#[test]
fn noise_is_read_as_in_training() {
    let place = Place::new();
    let cell = |x: f64, digits: usize| format!("{x:.digits$}").replace('.', ",");
    let row = |i: u32| {
        let x = f64::from(i);
        format!("{};{};{}\n", cell(0.5 * x, 1), cell(0.3 + 0.05 * x, 2), cell(2.0 * x + 1.0, 2))
    };
    place.put("t.csv", format!("x;s;y\n{}", (0..40).map(row).collect::<String>()));
    place.does(
        "train --csv t.csv --target y --noise-of x=s --decimal comma --hidden 4 --epochs 20 --out m.st -q",
    );
    let predict = |sd: &str| {
        place.put("new.csv", format!("x;s\n6,3;{sd}\n"));
        place.does("predict --model m.st --csv new.csv")
    };
    assert_eq!(predict("1,81"), predict("1,810"));
}
