use crate::support::{file, gaussform, gaussform_bytes, gaussform_with, rounded};

const HEADER: &str = "mean,second,variance,dmean_dgamma,dmean_dxi2,dvariance_dgamma,dvariance_dxi2,log_mean,log_variance";

#[test]
fn rows_are_kept_and_followed_by_the_values() {
    let (_folder, path) = file(
        "points.csv",
        "id,gamma,note,xi2\n1, 0.5 ,\"a, \"\"b\"\"\",2\n\n2,-1e-3,,0\r\n3,4,'',1e10",
    );
    let text = gaussform(&["eval", "relu", "--csv", &path]).output();
    insta::assert_snapshot!(rounded(&text, 11));
}

#[test]
fn values_are_those_of_single_points() {
    let points = [("0.3", "1"), ("-2.5", "0.25"), ("40", "1e-8"), ("0", "0")];
    for precision in ["f64", "f32"] {
        let mut table = "gamma,xi2\n".to_owned();
        for (gamma, xi2) in points {
            table += &format!("{gamma},{xi2}\n");
        }
        let args = ["eval", "hard_tanh", "--csv", "-", "--precision", precision];
        let text = gaussform_with(&args, table.as_bytes()).output();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some(format!("gamma,xi2,{HEADER}").as_str()));
        for ((gamma, xi2), line) in points.iter().zip(lines) {
            let args = ["eval", "hard_tanh", "--precision", precision];
            let point = ["--gamma", gamma, "--xi2", xi2];
            let single = gaussform(&[&args[..], &point].concat()).output();
            let values: Vec<&str> =
                single.lines().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
            assert_eq!(line, format!("{gamma},{xi2},{}", values.join(",")));
        }
    }
}

#[test]
fn a_header_alone_gives_a_header() {
    let text = gaussform_with(&["eval", "relu", "--csv", "-"], b"xi2,gamma\n").output();
    assert_eq!(text, format!("xi2,gamma,{HEADER}\n"));
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_header() {
    let table = "\u{feff}gamma,xi2\r\n1,0\r\n";
    let text = gaussform_with(&["eval", "relu", "--csv", "-"], table.as_bytes()).output();
    assert!(text.starts_with("gamma,xi2,mean"), "{text}");
}

#[test]
fn a_table_may_replace_itself() {
    let (folder, path) = file("points.csv", "gamma,xi2\n0.5,2\n");
    let expected = gaussform(&["eval", "relu", "--csv", &path]).output();
    assert_eq!(gaussform(&["eval", "relu", "--csv", &path, "--out", &path]).output(), "");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), expected);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn other_columns_may_hold_any_bytes() {
    let run = gaussform_bytes(&["eval", "relu", "--csv", "-"], b"note,gamma,xi2\ncaf\xe9,1,0\n");
    assert!(run.contains("caf\u{fffd},1,0,1.0000000000000000e0"), "{run}");
}

/// A quote that is not closed takes the rest of the table, of which only so much is kept.
#[test]
fn a_row_without_an_end_is_refused() {
    let mut table = "gamma,xi2,note\n1,2,fine\n1,2,\"open\n".to_owned();
    table.push_str(&"1,2,x\n".repeat(500_000));
    let error = gaussform_with(&["eval", "relu", "--csv", "-"], table.as_bytes()).error();
    assert!(error.contains("line 3: a row without an end"), "{error}");
    assert!(error.contains("is a quote `\"` left open?"), "{error}");
}

#[test]
fn a_late_error_is_named_without_the_lines_before_it() {
    let mut table = "gamma,xi2\n".to_owned();
    table.push_str(&"1,2\n".repeat(100_000));
    table.push_str("x,2\n");
    let error = gaussform_with(&["eval", "relu", "--csv", "-"], table.as_bytes()).error();
    let message = "Error: standard input, line 100002, column 1: `gamma` is `x`, not a number\n";
    assert!(error.starts_with(message), "{error}");
}

#[test]
fn an_error_anywhere_leaves_the_output_alone() {
    let mut table = "gamma,xi2\n".to_owned();
    for _ in 0..5_000 {
        table.push_str("0.5,2\n");
    }
    table.push_str("0.5,-2\n");
    let (folder, path) = file("points.csv", &table);
    let out = folder.path().join("out.csv");
    std::fs::write(&out, "old").expect("a file");
    let out = out.to_str().expect("UTF-8");
    let error = gaussform(&["eval", "relu", "--csv", &path, "--out", out]).error();
    assert!(error.contains("line 5002, column 2: `xi2` is `-2`"), "{error}");
    assert_eq!(std::fs::read_to_string(out).expect("a file"), "old");
    assert_eq!(gaussform(&["eval", "relu", "--csv", &path]).error(), error);
}

#[test]
fn errors_name_file_line_column_value_and_remedy() {
    for (table, parts) in [
        ("gamma,xi2\n1,2\n1,-2\n", vec!["line 3, column 2: `xi2` is `-2`", ":3:3", "give ξ² ≥ 0"]),
        ("gamma,xi2\nnan,2\n", vec!["line 2, column 1: `gamma` is `nan`", "not finite"]),
        ("gamma,xi2\n1,inf\n", vec!["line 2, column 2: `xi2` is `inf`", "not finite"]),
        ("gamma,xi2\n1,1e999\n", vec!["`xi2` is `1e999`, which is too large for f64"]),
        ("gamma,xi2\n1,\n", vec!["line 2, column 2: `xi2` is empty"]),
        ("xi2,gamma\n1,two\n", vec!["line 2, column 2: `gamma` is `two`", "such as 0.5"]),
        ("gamma,xi2\n1\n", vec!["line 2: the row has 1 field and the header 2 fields"]),
        ("gamma,xi2\n\n\n1,2,3\n", vec!["line 4: the row has 3 fields", ":4:1"]),
        ("a,\"b\nc\",gamma,xi2\n1,\"2,\n2\",3,x\n", vec!["line 3, column 4: `xi2` is `x`"]),
        (
            "gamma,x2\n1,2\n",
            vec!["line 1: the header has no column `xi2`", "should `x2` be called"],
        ),
        ("a,b\n1,2\n", vec!["line 1: the header has no column `gamma`", "`gamma` and `xi2`"]),
        ("gamma;xi2\n1;2\n", vec!["the header has no column `gamma`", "by commas"]),
        ("gamma,xi2\n1,\"2\n", vec!["line 2: a quote `\"` is not closed"]),
        ("gamma,xi2,xi2\n1,2,3\n", vec!["two columns `xi2`", ":1:11"]),
        ("gamma,xi2,xi\n1,2,3\n", vec!["a column `xi2` and a column `xi`", ":1:11"]),
        ("gamma,sd,xi\n1,2,3\n", vec!["a column `xi` and a column `sd`", "has one variance"]),
        ("", vec!["empty", "gamma,xi2"]),
    ] {
        let (_folder, path) = file("points.csv", table);
        let error = gaussform(&["eval", "relu", "--csv", &path]).error();
        assert!(error.contains("points.csv"), "{error}");
        for part in parts {
            assert!(error.contains(part), "no {part:?} in\n{error}");
        }
    }
}

#[test]
fn other_errors() {
    let bytes = gaussform_with(&["eval", "relu", "--csv", "-"], b"gamma,xi2\n1,\xff\n").error();
    assert!(bytes.contains("line 2, column 2: `xi2` is not UTF-8 text"), "{bytes}");
    let wide = gaussform_with(&["eval", "relu", "--csv", "-"], b"\xff\xfeg\0a\0").error();
    assert!(wide.contains("the header is not UTF-8 text"), "{wide}");
    let missing = gaussform(&["eval", "relu", "--csv", "/nowhere/points.csv"]).error();
    assert!(missing.contains("/nowhere/points.csv"), "{missing}");
    let twice = gaussform_with(&["eval", "-", "--csv", "-"], b"x").error();
    assert!(twice.contains("only once"), "{twice}");
    let both = gaussform(&["eval", "relu", "--csv", "a.csv", "--gamma", "1"]).error();
    assert!(both.contains("cannot be used with"), "{both}");
    let single = ["eval", "relu", "--csv", "-", "--precision", "f32"];
    let large = gaussform_with(&single, b"gamma,xi2\n1e39,1\n").error();
    assert!(large.contains("`gamma` is `1e39`, which is too large for f32"), "{large}");
}

#[test]
fn a_column_named_like_a_parameter_is_its_value() {
    let table = b"gamma,eps,xi2\n1,0.1,2\n-3,0.7,0.5\n";
    for moments in [&[][..], &["--moment", "3", "--central", "4"]] {
        let args = [&["eval", "leaky_relu", "--csv", "-"], moments].concat();
        let text = gaussform_with(&args, table).output();
        for (line, (gamma, eps, xi2)) in
            text.lines().skip(1).zip([("1", "0.1", "2"), ("-3", "0.7", "0.5")])
        {
            let eps = format!("eps={eps}");
            let point = ["eval", "leaky_relu", "--param", &eps, "--gamma", gamma, "--xi2", xi2];
            let single = gaussform(&[&point[..], moments].concat()).output();
            let values = single.lines().filter_map(|line| Some(line.split_once(' ')?.1));
            let values: Vec<&str> = values.collect();
            assert_eq!(values.len(), 12 + moments.len() / 2);
            assert!(line.ends_with(&values.join(",")), "{line}\n{single}");
        }
        assert_eq!(text.lines().count(), 3);
    }
}

#[test]
fn parameters_of_rows_are_checked() {
    for (table, rest, parts) in [
        (
            "gamma,xi2,eps\n1,2,0.1\n1,2,2\n",
            &[][..],
            vec!["line 3, column 3: 2 is not in the domain"],
        ),
        ("gamma,xi2,eps\n1,2,x\n", &[], vec!["line 2, column 3: `eps` is `x`, not a number"]),
        ("gamma,xi2,eps,eps\n", &[], vec!["line 1: the header has two columns `eps`", "rename"]),
        ("gamma,xi2,eps\n", &["--param=eps=0.1"], vec!["`eps` is given twice", "--param:1:1"]),
        ("gamma,xi2\n", &[], vec!["needs a value of `eps`", "or a column `eps` to the table"]),
        (
            "gamma,xi2,mean\n",
            &["--param=eps=0.1"],
            vec!["line 1: a result is called `mean`", ":1:11"],
        ),
        (
            "gamma,xi2,moment3\n",
            &["--param=eps=0.1", "--moment=3"],
            vec!["a result is called `moment3`", "rename the column"],
        ),
    ] {
        let args = [&["eval", "leaky_relu", "--csv", "-"], rest].concat();
        let error = gaussform_with(&args, table.as_bytes()).error();
        for part in parts {
            assert!(error.contains(part), "no {part:?} in\n{error}");
        }
    }
    let clip = ["eval", "clip", "--csv", "-"];
    let error = gaussform_with(&clip, b"gamma,xi2,min_val,max_val\n1,2,3,2\n").error();
    assert!(
        error.contains("line 2: `min_val < max_val` is declared, and does not hold"),
        "{error}"
    );
    let far = ["eval", "max(0, x)^16", "--moment", "4", "--csv", "-"];
    let error = gaussform_with(&far, b"gamma,xi2\n1,2\n-1e152,1e300\n").error();
    assert!(error.contains("line 3: the moments at a point so far from a knot"), "{error}");
}

/// A column has one meaning: a value of γ or ξ is no value of a parameter that is called the same.
#[test]
fn a_column_of_the_law_is_no_parameter() {
    let shifted = |name: &str| format!("f(x; {name} > 0) = max(x, {name})");
    let joint = "gamma,xi2,gamma_h,xi2_h,cov\n1,1,2,1,0.5\n";
    for (name, table, rest) in [
        ("cov", joint, &["--joint", "x"][..]),
        ("gamma_h", joint, &["--joint", "x"]),
        ("xi2_h", joint, &["--joint", "f(x; xi2_h > 0) = max(x, xi2_h)"]),
        ("xi", "gamma,xi\n1,2\n", &[]),
        ("sd", "gamma,sd\n1,2\n", &[]),
    ] {
        let declaration = shifted(name);
        let args = [&["eval", &declaration, "--csv", "-"], rest].concat();
        let error = gaussform_with(&args, table.as_bytes()).error();
        let message = format!(
            "line 1: the column `{name}` belongs to the pre-activations, and `{name}` is a parameter"
        );
        for part in [&*message, "--param", "or rename it", "standard input:1:"] {
            assert!(error.contains(part), "no {part:?} in\n{error}");
        }
        let parameter = format!("--param={name}=3");
        let text = gaussform_with(&[&args[..], &[&*parameter]].concat(), table.as_bytes());
        assert_eq!(text.output().lines().count(), 2);
    }
    // Beside another column of the variance, it is the parameter.
    let row = |name: &str, table: &str| {
        let text = gaussform_with(&["eval", &shifted(name), "--csv", "-"], table.as_bytes());
        let text = text.output();
        let values = text.lines().nth(1).expect("a row").split(',').skip(3);
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    let wanted = row("a", "gamma,xi2,a\n1,4,3\n");
    for (name, table) in [
        ("xi", "gamma,xi2,xi\n1,4,3\n"),
        ("xi", "gamma,sd,xi\n1,2,3\n"),
        ("sd", "gamma,xi,sd\n1,2,3\n"),
        ("cov", "gamma,xi2,cov\n1,4,3\n"),
    ] {
        assert_eq!(row(name, table), wanted, "{table}");
    }
}
