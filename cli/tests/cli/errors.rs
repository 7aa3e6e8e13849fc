use crate::support::{file, gaussform, gaussform_with};

#[track_caller]
fn check(args: &[&str], parts: &[&str]) {
    let error = gaussform(args).error();
    for part in parts {
        assert!(error.contains(part), "no {part:?} in\n{error}");
    }
}

#[test]
fn the_report_points_at_the_place() {
    insta::assert_snapshot!(gaussform(&["inspect", "max(0, x) / x"]).error());
}

/// An option that the answer would not show is refused.
#[test]
fn options_without_an_effect() {
    for format in ["latex", "mathml", "json", "html"] {
        let args = ["inspect", "relu", "--format", format, "--width", "40"];
        check(&args, &["`--width` is for text", "`--format text`", "--width:1:1"]);
    }
    let drawn = |options: &[&str], option: &str| {
        let all = ["plot", "relu", "--out", "g.svg", "--figure", "function"];
        let help = format!("leave `{option}` out");
        check(&[&all, options].concat(), &["does not depend on the pre-activation", &help]);
    };
    drawn(&["--xi", "1"], "--xi");
    for option in ["--xi", "--gamma", "--gamma-h", "--xi-h"] {
        drawn(&["--joint", "relu", option, "1"], option);
    }
}

#[test]
fn the_report_points_into_a_file() {
    let text = "# fine\nramp(x) = clamp(x, 0, 1)\nbad(x) =\n  ramp(x) + unknwn\n";
    let (_folder, path) = file("bad.gf", text);
    let error = gaussform(&["inspect", "--file", &path]).error();
    insta::assert_snapshot!(error.replace(&path, "bad.gf"));
}

#[test]
fn expressions() {
    for (expression, parts) in [
        ("|x + 2", ["a bar `|` is not closed", ":1:7"]),
        ("2x", ["products need a `*`", ":1:2"]),
        ("x +", ["syntax error", "ends too early"]),
        ("x + y", ["unknown name `y`", ":1:5"]),
        ("rellu(x)", ["unknown name `rellu`", "did you mean `relu`?"]),
        ("rellu", ["unknown name `rellu`", "did you mean `relu`?"]),
        ("ReLU", ["unknown name `ReLU`", "did you mean `relu`?"]),
        ("X", ["unknown name `X`", "did you mean `x`?"]),
        ("softplus", ["unknown name `softplus`", "no piecewise polynomial"]),
        ("softplus(x)", ["unknown name `softplus`", "no piecewise polynomial"]),
        ("bowl", ["unknown name `bowl`", "`gaussform list`"]),
        ("x²", ["syntax error", "`x^2`, not `x²`"]),
        ("2 × x", ["syntax error", "products are written with `*`"]),
        ("f(x, a) = a*x", ["syntax error", "parameters stand behind a `;`"]),
        ("f(x; a > 0) a*x", ["syntax error", "a sign of equality"]),
        ("f = x", ["syntax error", "begins with a name and its variable"]),
        ("relu x", ["syntax error", "arguments in parentheses"]),
        ("max(0; x)", ["syntax error", "between commas"]),
        ("piecewise { x < 0: 0; else x }", ["syntax error", "`else: …`"]),
        ("g(x; alpha > 0) = alhpa * x", ["unknown name `alhpa`", "did you mean `alpha`?"]),
        ("sign", ["unknown name `sign`", "write `sign(x)`"]),
        ("x / 0", ["`0`", ":1:5"]),
        ("x^0.5", ["exponent", ":1:3"]),
        ("g(x; a in (1, 0)) = a * x", ["no number lies in the domain of `a`", ":1:6"]),
        ("g(x; a) = |x^2 - a|", ["a knot at a root of `x² − a`", ":1:11"]),
        ("g(x; a) = x / a", ["division by `a`", "`a < 0` or `a > 0`"]),
        ("g(x; a < b, b < a) = x", ["no values of the parameters", ":1:6"]),
        ("leaky_relu(x, 2)", ["domain of `eps`", ":1:15"]),
        ("x^65", ["64", "degree"]),
        ("piecewise { x == 0: 1; else: 0 }", ["a single point makes no difference", ":1:15"]),
        ("piecewise { x = 0: 1; else: 0 }", ["a single point makes no difference", ":1:15"]),
        (
            "f(x) = piecewise { x != 0: 1; else: 0 }",
            ["a single point makes no difference", ":1:22"],
        ),
        ("x == 0", ["a single point makes no difference", ":1:3"]),
        ("gelu", ["no piecewise polynomial", "take `gelu_cubic` or `gelu_quadratic`"]),
        ("1 + tanh(x)", ["take `hard_tanh`, `tanh_cubic` or `tanh_quadratic`", ":1:5"]),
        ("clamp(x, a, b)", ["declared, as in `g(x; a) = …`", ":1:10"]),
        ("", ["the expression is empty", "give an expression"]),
        (" \n", ["the expression is empty", "give an expression"]),
    ] {
        check(&["inspect", expression], &parts);
        check(&["verify", expression], &parts);
        check(&["eval", expression, "--gamma=1", "--xi2=1"], &parts);
        check(&["emit", expression, "--target=rust"], &parts);
    }
}

#[test]
fn hostile_expressions() {
    let deep = "(".repeat(10_000) + "x";
    let bars = "|".repeat(5_000) + "x";
    let signs = "-".repeat(10_000) + "x";
    let long = "x+".repeat(3_000) + "x";
    let power = "(9^9^9^9)*x";
    for expression in [&deep, &bars, &long, power] {
        check(&["inspect", expression], &["Error: too", "expression:1:"]);
    }
    check(&["inspect", "--", &signs], &["Error: too", "expression:1:"]);
    // A wide line is shown in part, with its real column.
    let wide = "x+".repeat(400) + "oops" + &"+x".repeat(400);
    let error = gaussform(&["inspect", &wide]).error();
    assert!(error.contains("[ expression:1:801 ]"), "{error}");
    assert!(error.lines().all(|line| line.chars().count() < 200), "{error}");
    // What controls a terminal does not reach it.
    check(&["inspect", "x \u{1b}[31m \u{9b}1m"], &["?[31m"]);
    // Powers that pass the limits of the language can still be too much to derive.
    check(
        &["inspect", "clamp(x, 0, 1)^64", "--moment=6"],
        &["products of terms", "degree 64 and 2 knots", "lower moment"],
    );
    check(&["verify", "max(0, x + 1/3)^32", "--moment=64"], &["products of terms", "lower moment"]);
}

#[test]
fn points() {
    for (gamma, xi2, parts) in [
        ("nan", "1", ["`gamma` is `nan`", "--gamma:1:1"]),
        ("inf", "1", ["`gamma` is `inf`", "not finite"]),
        ("1e999", "1", ["too large for f64", "--gamma:1:1"]),
        ("one", "1", ["`gamma` is `one`, not a number", "such as 0.5"]),
        ("", "1", ["`gamma` is empty", "such as 0.5"]),
        ("1", "-1", ["`xi2` is `-1`", "give ξ² ≥ 0"]),
        ("1", "NaN", ["`xi2` is `NaN`", "--xi2:1:1"]),
        ("1", "-inf", ["`xi2` is `-inf`", "not finite"]),
    ] {
        check(&["eval", "relu", "--gamma", gamma, "--xi2", xi2], &parts);
        let args = ["verify", "relu", "--monte-carlo", "10", "--gamma", gamma, "--xi2", xi2];
        check(&args, &parts);
    }
    check(&["eval", "relu", "--gamma", "1"], &["--xi2"]);
    check(&["verify", "relu", "--monte-carlo", "10"], &["--gamma", "--xi2"]);
    check(&["verify", "relu", "--monte-carlo", "1", "--gamma=1", "--xi2=1"], &["not in 2.."]);
}

#[test]
fn parameters() {
    let eval = |rest: &[&str], parts: &[&str]| {
        check(&[&["eval", "leaky_relu", "--gamma=1", "--xi2=1"], rest].concat(), parts);
    };
    eval(&[], &["`leaky_relu` needs a value of `eps`", "`--param eps=VALUE` with eps in (0, 1)"]);
    eval(
        &["--param", "eps=2"],
        &["2 is not in the domain of `eps`", "`eps in (0, 1)`", "--param:1:5"],
    );
    eval(&["--param", "eps=0"], &["not in the domain of `eps`"]);
    eval(&["--param", "eps=-0.5"], &["not in the domain of `eps`"]);
    eval(&["--param", "eps=nan"], &["`eps` is `nan`"]);
    eval(&["--param", "eps=1e-9999"], &["not in the domain of `eps`"]);
    eval(&["--param", "eps"], &["`name=value`", "--param eps=0.1"]);
    eval(&["--param", "=1"], &["`name=value`", "--param eps=0.1"]);
    eval(&["--param", "slope=1"], &["has no parameter `slope`", "declared is: eps in (0, 1)"]);
    eval(&["--param", "epz=0.1"], &["has no parameter `epz`", "did you mean `eps`?"]);
    eval(&["--param", "eps=0.1", "--param", "eps=0.2"], &["`eps` is given twice"]);
    let none = ["eval", "relu", "--gamma=1", "--xi2=1", "--param", "eps=1"];
    check(&none, &["`relu` has no parameter `eps`", "leave `--param` out"]);
}

#[test]
fn relations() {
    let eval = |rest: &[&str], parts: &[&str]| {
        let declaration = "f(x; 0 < a < b) = clamp(x, a, b)";
        check(&[&["eval", declaration, "--gamma=1", "--xi2=1"], rest].concat(), parts);
        let args = ["verify", declaration, "--monte-carlo=10", "--gamma=1", "--xi2=1"];
        check(&[&args[..], rest].concat(), parts);
    };
    eval(&["--param=a=2", "--param=b=1"], &["`a < b` is declared", "a=2 b=1", "with a < b"]);
    eval(&["--param=b=1", "--param=a=1"], &["`a < b` is declared"]);
    eval(&["--param=a=-1", "--param=b=1"], &["-1 is not in the domain of `a`", "`a > 0`"]);
    eval(&["--param=a=1"], &["needs a value of `b`", "`--param b=VALUE` with a < b"]);
    eval(&["--param=b=1"], &["`--param a=VALUE` with a > 0 and a < b"]);
    eval(&["--param=c=1"], &["declared is: a > 0, a < b"]);
}

#[test]
fn open_orders_and_signs() {
    insta::assert_snapshot!(gaussform(&["inspect", "f(x; a, b) = max(x, a) * max(x, b)"]).error());
    let text = b"f(x; a) =\n  |a| * x\n";
    for args in [&["inspect", "-"][..], &["verify", "-"], &["inspect", "--file=-", "f"]] {
        let error = gaussform_with(args, text).error();
        for part in ["sign of `a`", "`a < 0` or `a > 0`", "--cases", "standard input:2:3"] {
            assert!(error.contains(part), "{error}");
        }
    }
    // What cases do not help with has no such advice.
    let error = gaussform(&["inspect", "f(x; a) = |x - a| * |x^2 - 2|"]).error();
    assert!(!error.contains("--cases"), "{error}");
}

#[test]
fn second_activations() {
    let with = |text: &str, parts: &[&str]| {
        check(&["inspect", "leaky_relu", "--with", text], parts);
    };
    with("p(x; eps > 0) = eps * x", &["declare `eps` in different ways", "--with:1:1"]);
    with("p(x; a) = |x - a|", &["the order of the knots `0` and `a`", "`a < 0` or `a > 0`"]);
    with("rellu", &["unknown name `rellu`", "--with:1:1", "did you mean `relu`?"]);
    with("", &["--with is empty"]);
    with("a(x) = x  b(x) = x", &["several activations", "--with:1:1"]);
    for other in ["--moment=2", "--central=3", "--cases"] {
        check(&["inspect", "relu", "--with=x", other], &["cannot be used with"]);
    }
    check(&["inspect", "relu", "--moment=2", "--central=3"], &["cannot be used with"]);
    check(&["inspect", "relu", "--central=1"], &["2..=64"]);
}

#[test]
fn limits() {
    let limit = |text: &str, parts: &[&str]| {
        check(&["inspect", "leaky_relu", "--limit", text], parts);
    };
    limit("eps", &["`symbol=point`", "`--limit gamma=inf`"]);
    limit("eps=1+", &["does not reach to 1+", "`eps in (0, 1)`", "--limit:1:5"]);
    limit("eps=-inf", &["does not reach to -inf", "--limit:1:5"]);
    limit("eps=2", &["does not reach to 2"]);
    limit("eps=x", &["`x` is no place", "`0+` is from above"]);
    limit("eps=1/0", &["`1/0` is no place"]);
    limit("slope=0", &["`slope` is no symbol", "gamma, xi2 or eps", "--limit:1:1"]);
    limit("gamma=1", &["`inf` and `-inf`", "--limit:1:7"]);
    limit("xi2=1", &["`--limit xi2=0`", "--limit:1:5"]);
    let several = |texts: &[&str], parts: &[&str]| {
        let options: Vec<String> = texts.iter().map(|text| format!("--limit={text}")).collect();
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        check(&[&["inspect", "leaky_relu"], &options[..]].concat(), parts);
    };
    several(&["xi2=0", "eps=0"], &["taken last", "write it last"]);
    several(&["gamma=inf", "xi2=0"], &["exclude each other"]);
    check(&["inspect", "prelu", "--limit=slope=inf"], &["no limit of E[g(u)]", "`--moment 1`"]);
    let clamp = "f(x; a < b) = clamp(x, a, b)";
    check(&["inspect", clamp, "--limit=b=-inf"], &["away from there", "another point"]);
}

#[test]
fn options() {
    check(&["inspect", "relu", "--wrt", "eps"], &["`eps`", "gamma or xi2", "--wrt:1:1"]);
    let nine = ["--wrt=gamma"; 9];
    check(&[&["inspect", "relu"], &nine[..]].concat(), &["at most 8 derivatives"]);
    check(&["inspect", "relu", "--moment", "65"], &["0..=64"]);
    check(&["verify", "relu", "--moment", "0"], &["1..=64"]);
    check(&["inspect", "--stesp", "relu"], &["--stesp", "--steps"]);
    check(&["inspect", "-x", "--stesp"], &["--stesp", "--steps"]);
    check(&["inspect"], &["EXPR"]);
    check(&["inspct", "relu"], &["inspct", "inspect"]);
    check(&["inspect", "relu", "hat"], &["'hat'", "put it into quotes"]);
    check(&["inspect", "x", "+", "1"], &["'+'", "put it into quotes"]);
    check(&["inspect", "x", "-", "1"], &["'-'", "put it into quotes"]);
    check(&["inspect", "relu", "--moment", "-1"], &["-1 is not in 0..=64"]);
    check(&["inspect", "relu", "--wrt", "GAMMA"], &["`GAMMA`", "did you mean `gamma`?"]);
    check(&["inspect", "leaky_relu", "--limit", "epz=0"], &["`epz`", "did you mean `eps`?"]);
}

/// No option is ignored, also where one that it needs is excluded by another.
#[test]
fn options_without_a_use() {
    for first in [&["--given", "x > 0"][..], &["--hessian"], &["--central=3"]] {
        for second in ["--cov=99", "--log", "--gamma-h=3", "--xi2-h=1", "--joint=relu"] {
            let args = [&["eval", "relu", "--gamma=0", "--xi2=1", second], first].concat();
            check(&args, &["cannot be used with", first[0].split('=').next().expect("a name")]);
        }
    }
    for option in ["--gamma=1", "--xi2=3", "--param=nosuch=4", "--seed=3"] {
        check(&["verify", "relu", option], &["--monte-carlo"]);
        check(&["verify", "relu", "--joint=x", option], &["cannot be used with", "--joint"]);
    }
    for option in ["--gamma-h=1", "--xi2-h=3", "--cov=1", "--log"] {
        check(&["eval", "relu", "--gamma=0", "--xi2=1", option], &["--joint"]);
    }
}

#[test]
fn files() {
    check(&["inspect", "--file", "/nowhere/a.gf"], &["cannot read /nowhere/a.gf"]);
    check(&["inspect", "--file", "/"], &["cannot read /"]);
    let (_folder, path) = file("empty.gf", "# nothing yet\n");
    check(&["inspect", "--file", &path], &["declares nothing", "hat(x) = max(0, 1 - |x|)"]);
    let (_folder, path) = file("two.gf", "a(x) = x\nb(x) = |x|\n");
    let args = ["eval", "--file", &path, "--gamma=1", "--xi2=1"];
    check(&args, &["2 activations are declared", "a, b"]);
    check(&args, &["name one of them with --file: a, b"]);
    check(&["inspect", "--file", &path, "c"], &["unknown name `c`"]);
    let point = ["--gamma=1", "--xi2=1"];
    let alone = gaussform_with(&[&["eval", "-"][..], &point].concat(), b"a(x) = x\nb(x) = |x|\n");
    let error = alone.error();
    assert!(error.contains("with --file -, as in `a --file -`: a, b"), "{error}");
    let named = [&["eval", "a", "--file", "-"][..], &point].concat();
    gaussform_with(&named, b"a(x) = x\nb(x) = |x|\n").output();
    let text = "a(x) = x b(x) = |x|";
    check(&[&["eval", text][..], &point].concat(), &["give one of them alone: a, b"]);
    check(&["inspect", &path], &["to read the file of this name, write `--file"]);
    let (_folder, path) = file("twice.gf", "a(x) = x\na(x) = |x|\n");
    check(&["inspect", "--file", &path], &["`a` is declared twice", ":2:1"]);
    let twice = gaussform_with(&["inspect", "-", "--file", "-"], b"x").error();
    assert!(twice.contains("only once"), "{twice}");
    let bytes = gaussform_with(&["inspect", "-"], b"max(0, \xff)").error();
    assert!(bytes.contains("standard input is not UTF-8 text: line 1"), "{bytes}");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let strange = std::ffi::OsStr::from_bytes(b"max(0, \xff)");
    for args in [["inspect"].as_slice(), &["eval", "relu", "--gamma"], &["--color"], &[]] {
        let output = crate::support::command(args).arg(strange).output().expect("the binary runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.starts_with("error:") && output.stdout.is_empty(), "{stderr}");
    }
}
