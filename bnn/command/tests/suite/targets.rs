//! Targets: their transforms, their noise, several of them, counts, censored rows and weights.

use crate::place::{Place, number, table};

/// e^x, from which a line is far, with a tail of 10⁴.
fn skewed(rows: usize) -> String {
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 20.0 - 2.0;
        let noise = ((i * 53 % 97) as f64 / 97.0 - 0.5) * 0.6;
        format!("{x},{}\n", (3.0 * x + noise).exp())
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn a_skewed_target_is_learned_by_its_logarithm_and_predicted_in_its_units() {
    let place = Place::new();
    place.put("t.csv", skewed(200));
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
    // A row without a target is left out, and counts in the number of a line.
    place.put("zero.csv", "x,y\n1,\n2,5\n3,0\n4,100\n");
    for method in ["nnvi", "pbp"] {
        let said = place.fails(&format!(
            "train --csv zero.csv --target y --target-transform log --method {method} --out z.st"
        ));
        assert!(said.starts_with("error: zero.csv:4, column 2, `y`: 0 has no logarithm"), "{said}");
    }
    place.put("zero.csv", "x,y\n1,0\n2,5\n3,1.5\n4,100\n");
    let said = place.fails("train --csv zero.csv --target y --likelihood poisson --out z.st");
    assert!(said.starts_with("error: zero.csv:4, column 2, `y`: 1.5 is no count"), "{said}");
}

#[test]
fn noise_by_input_and_one_noise() {
    let place = Place::new();
    place.put("t.csv", table(120));
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
    place.put("t.csv", life(150));
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
    let all: String = life(150)
        .lines()
        .filter(|l| !l.ends_with(",1,1") && !l.ends_with(",1,0"))
        .map(|l| format!("{l}\n"))
        .collect();
    place.put("censored.csv", all);
    let evaluated = place.does("evaluate --model m.st --csv censored.csv");
    assert!(evaluated.contains("no target is known") && !evaluated.contains("NaN"), "{evaluated}");
    let said = place.fails("calibrate --model m.st --csv t.csv --out c.st");
    assert!(said.contains("the model was trained on rows that `ended` censors"), "{said}");
    let said = place.fails("evaluate --model m.st --csv t.csv --svg c.svg");
    assert!(said.contains("--svg is for targets that are known"), "{said}");

    let fails = |options: &str, start: &str| {
        let said = place.fails(&format!("train --csv t.csv --out x.st {options}"));
        assert!(said.starts_with(start), "{said}");
    };
    fails("--target a,no", "error: t.csv: there is no column `no`");
    fails("--target a --weight a", "error: `a` has two roles");
    fails("--target a --weight x", "error: t.csv:2, column 1, `x`: `-1` is no weight");
    fails(
        "--target a --likelihood poisson",
        "error: t.csv:2, column 2, `a`: 96.5 is no count\n  help: a count is 0, 1, 2",
    );
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

/// A line whose targets are above 0, as a table with other columns behind.
fn line(columns: &str, of: impl Fn(usize) -> String) -> String {
    let row = |i: usize| {
        let x = (i * 37 % 101) as f64 / 20.0;
        let noise = (i * 53 % 97) as f64 / 97.0 - 0.5;
        format!("{x},{}{}\n", 2.0 + x + 0.3 * noise, of(i))
    };
    format!("x,y{columns}\n") + &(0..60).map(row).collect::<String>()
}

#[test]
fn a_row_of_weight_0_is_not_there() {
    let place = Place::new();
    let weights = |i: usize| format!(",{}", 1 + i % 2);
    place.put("t.csv", line(",w", weights));
    place.put("more.csv", line(",w", weights) + "3,1e6,0\n1e7,4,0\n");
    let model = |table: &str| {
        let said = place.does(&format!(
            "train --csv {table} --target y --weight w --hidden 4 --epochs 5 --out m.st"
        ));
        (said, place.does("predict --model m.st --csv t.csv"))
    };
    let ((_, without), (said, with)) = (model("t.csv"), model("more.csv"));
    assert_eq!(without, with);
    assert!(said.contains("2 of 62 rows left out: the weight is 0"), "{said}");
}

#[test]
fn rows_that_a_model_predicts_nothing_for_calibrate_nothing() {
    let place = Place::new();
    place.put("t.csv", line("", |_| String::new()));
    place.does(
        "train --csv t.csv --target y --target-transform log --hidden 4 --epochs 5 --out m.st",
    );
    place.put("zero.csv", "x,y\n1,3\n2,0\n");
    let said = place.fails("calibrate --model m.st --csv zero.csv --out c.st");
    assert!(said.contains("row 1 of the targets is not above 0"), "{said}");
    let evaluated = place.does("evaluate --model m.st --csv zero.csv");
    assert!(number(&evaluated, "CRPS").is_finite(), "{evaluated}");
    place.put("counts.csv", "x,y\n1,3\n2,0\n3,4\n4,2\n5,7\n");
    place.does("train --csv counts.csv --target y --likelihood poisson --numbers y --hidden 4 --epochs 5 --out p.st");
    for command in ["evaluate", "calibrate --out c.st"] {
        let said = place.fails(&format!("{command} --model p.st --csv t.csv"));
        assert!(said.contains("is no count"), "{said}");
    }
}

#[test]
fn several_targets_have_one_likelihood() {
    let place = Place::new();
    place.put("t.csv", line(",z", |i| format!(",{}", 0.1 * (i * 29 % 47) as f64)));
    place.does("train --csv t.csv --target y,z --hidden 4 --epochs 20 --out m.st");
    let said = place.does("calibrate --model m.st --csv t.csv --out c.st");
    let evaluated = place.does("evaluate --model m.st --csv t.csv");
    let of = |text: &str| number(text, "log likelihood of a row");
    assert!((of(&said) - of(&evaluated)).abs() < 1e-9, "{said}{evaluated}");
    assert!(said.contains(", `z`\n"), "{said}");
}

#[test]
fn options_that_go_with_nothing_are_refused() {
    let place = Place::new();
    place.put("t.csv", line("", |_| String::new()));
    place.put("afile", "");
    let fails = |options: &str, part: &str| {
        let said = place.fails(&format!("train --csv t.csv --target y --out x.st {options}"));
        assert!(said.contains(part), "{options}: {said}");
    };
    for option in
        ["--learn-last 1", "--layers a,b", "--layout inputs-first", "--standardized", "--spread 2"]
    {
        fails(&format!("--hidden 4 {option}"), "--hidden");
        fails(option, "--from");
    }
    fails("--checkpoint afile/x", "afile: is no folder");
    fails(
        "--numbers y --likelihood poisson --target-transform log",
        "--target-transform is not for counts",
    );
    fails("--method pbp --activation prelu", "pbp learns no parameters, and `prelu` has some");
}

#[test]
fn a_graph_says_which_inputs_are_transformed() {
    let place = Place::new();
    let rows = line("", |_| String::new());
    // Of few rows none lies ten standard deviations from their mean.
    place.put("t.csv", rows.clone() + &rows["x,y\n".len()..].repeat(2) + "100000,9\n");
    let train = "train --csv t.csv --target y --hidden 4 --epochs 3 --out m.st";
    for (options, says) in [("", true), (" --tails none", false)] {
        place.does(&format!("{train}{options}"));
        let [_, said] = place.does_with("export --model m.st --onnx m.onnx", "");
        assert_eq!(said.contains("`x` enters the graph as asinh((x − "), says, "{said}");
    }
    place.put("c.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n");
    place.does("train --csv c.csv --target y --hidden 4 --epochs 3 --out m.st");
    let said = place.fails("predict --model m.st --csv c.csv --quantiles 0.5");
    assert!(said.contains("--quantiles is for a target of numbers"), "{said}");
}
