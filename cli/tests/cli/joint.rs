//! Two correlated pre-activations: `inspect`, `verify` and `eval` with `--joint`.

use crate::support::{gaussform, gaussform_with};

const POINT: [&str; 10] =
    ["--gamma", "0", "--xi2", "1", "--gamma-h", "0", "--xi2-h", "1", "--cov", "0.5"];

fn value(output: &str, name: &str) -> f64 {
    let line = output.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.expect("a line of this name").parse().expect("a number")
}

fn eval(args: &[&str]) -> String {
    gaussform(&[&["eval"], args].concat()).output()
}

#[test]
fn a_point_is_the_arc_cosine_kernel() {
    let output = eval(&[&["relu", "--joint", "relu"][..], &POINT].concat());
    let angle = 0.5_f64.acos();
    let pi = std::f64::consts::PI;
    let order_one = (angle.sin() + (pi - angle) * 0.5) / (2.0 * pi);
    let order_zero = (pi - angle) / (2.0 * pi);
    assert!((value(&output, "mixed") - order_one).abs() < 1e-15);
    assert!((value(&output, "covariance") - (order_one - 0.5 / pi)).abs() < 1e-15);
    assert!((value(&output, "dcovariance_dcov") - order_zero).abs() < 1e-15);
    assert_eq!(output.lines().count(), 7);
}

#[test]
fn a_table_gets_the_columns() {
    let table = b"note,gamma,xi2,gamma_h,xi2_h,cov\na,0,1,0,1,0.5\nb,1,2,-1,0.5,0\n";
    let run = gaussform_with(&["eval", "relu", "--joint", "hard_tanh", "--csv", "-"], table);
    let output = run.output();
    let lines: Vec<Vec<&str>> = output.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        lines[0].join(","),
        "note,gamma,xi2,gamma_h,xi2_h,cov,mixed,covariance,dcovariance_dgamma,dcovariance_dxi2,\
         dcovariance_dgamma_h,dcovariance_dxi2_h,dcovariance_dcov"
    );
    let point = eval(&[&["relu", "--joint", "hard_tanh"][..], &POINT].concat());
    let row: Vec<f64> = lines[1][6..].iter().map(|f| f.parse().expect("a number")).collect();
    let names = &lines[0][6..];
    for (name, number) in names.iter().zip(row) {
        assert_eq!(value(&point, name), number, "{name}");
    }
    assert_eq!(lines[2][7].parse::<f64>(), Ok(0.0));
}

#[test]
fn single_precision_and_parameters() {
    let args = ["leaky_relu", "--joint", "relu", "--param", "eps=0.25"];
    let double = eval(&[&args[..], &POINT].concat());
    let single = eval(&[&args[..], &POINT, &["--precision", "f32"]].concat());
    let [double, single] = [double, single].map(|output| value(&output, "covariance"));
    assert!((double - single).abs() < 1e-7 * double && double > 0.0);
}

#[test]
fn a_column_gives_a_parameter_to_both() {
    let table = b"gamma,xi2,gamma_h,xi2_h,cov,eps\n0,1,0,1,0.5,0.25\n0,1,0,1,0.5,0.75\n";
    let args = ["eval", "leaky_relu", "--joint", "leaky_relu", "--csv", "-"];
    let output = gaussform_with(&args, table).output();
    for (line, eps) in output.lines().skip(1).zip(["eps=0.25", "eps=0.75"]) {
        let options = ["leaky_relu", "--joint", "leaky_relu", "--param", eps];
        let point = eval(&[&options[..], &POINT].concat());
        let covariance = line.split(',').nth(7).expect("a covariance").parse();
        assert_eq!(covariance, Ok(value(&point, "covariance")), "{line}");
    }
    let error = gaussform_with(&[&args[..], &["--param", "eps=0.5"]].concat(), table).error();
    assert!(error.contains("`eps` is given twice"), "{error}");
    let outside = b"gamma,xi2,gamma_h,xi2_h,cov,eps\n0,1,0,1,0.5,0.25\n0,1,0,1,0.5,1.5\n";
    let error = gaussform_with(&args, outside).error();
    assert!(error.contains("line 3, column 6: 1.5 is not in the domain"), "{error}");
}

#[test]
fn an_activation_from_standard_input() {
    let args = [&["eval", "-", "--joint", "relu"][..], &POINT].concat();
    let read = gaussform_with(&args, b"max(0, x)").output();
    assert_eq!(read, eval(&[&["relu", "--joint", "relu"][..], &POINT].concat()));
}

#[test]
fn the_end_of_a_domain_is_taken_as_it_is_written() {
    // The double nearest to 0.3 is less than 3/10.
    let scaled = "scaled(x; a in [0.3, 1]) = a * max(0, x)";
    eval(&[&[scaled, "--joint", "relu", "--param", "a=0.3"][..], &POINT].concat());
}

#[test]
fn what_is_no_law_is_refused_at_its_place() {
    let bad = ["--gamma", "0", "--xi2", "1", "--gamma-h", "0", "--xi2-h", "1", "--cov", "1.5"];
    let error = gaussform(&[&["eval", "relu", "--joint", "relu"][..], &bad].concat()).error();
    assert!(error.contains("--cov") && error.contains("|c| is at most 1 here"), "{error}");
    let table = b"gamma,xi2,gamma_h,xi2_h,cov\n0,1,0,1,0.5\n0,1,0,1,-2\n";
    let error = gaussform_with(&["eval", "relu", "--joint", "relu", "--csv", "-"], table).error();
    assert!(error.contains("line 3"), "{error}");
    let missing = b"gamma,xi2,gamma_h,xi2_h\n0,1,0,1\n";
    let error = gaussform_with(&["eval", "relu", "--joint", "relu", "--csv", "-"], missing).error();
    assert!(error.contains("no column `cov`"), "{error}");
    assert!(error.contains("`gamma`, `xi2`, `gamma_h`, `xi2_h`, `cov`"), "{error}");
    let error = gaussform(&["eval", "relu", "--joint", "relu", "--gamma", "0", "--xi2", "1"]);
    let error = error.error();
    assert!(error.contains("`--joint` needs `--gamma-h`"), "{error}");
}

#[test]
fn the_pair_is_verified_and_inspected() {
    let output = gaussform(&["verify", "relu", "--joint", "hard_tanh"]).output();
    assert!(output.contains("OK"), "{output}");
    let output = gaussform(&["inspect", "relu", "--joint", "relu"]).output();
    assert!(output.contains("Q(a, b) = ") && output.contains("Q(γ, γ′)"), "{output}");
    // Without a knot there is no quadrant.
    let output = gaussform(&["inspect", "relu", "--joint", "x"]).output();
    assert!(output.contains('σ') && !output.contains("Q("), "{output}");
}

#[test]
fn markup_says_what_it_is_about() {
    for (format, first) in [("latex", "% "), ("mathml", "<!-- ")] {
        let args = ["inspect", "leaky_relu", "--joint", "|x - 1|", "--format", format];
        let output = gaussform(&args).output();
        let heading = format!("{first}leaky_relu(u) and h(w); eps in (0, 1)");
        assert!(output.starts_with(&heading) && output.contains("Cov(u, w) = σ"), "{output}");
    }
}

/// The headings of the cases.
fn cases(output: &str) -> Vec<&str> {
    output.lines().filter_map(|line| line.strip_prefix("Case ")).collect()
}

#[test]
fn every_case_of_both() {
    let ramp = "f(x; a, b) = max(x, a) - max(x, b)";
    let inspect = |g, h| gaussform(&["inspect", g, "--joint", h, "--cases"]).output();
    let of_one = gaussform(&["inspect", ramp, "--cases"]).output();
    let alone = cases(&of_one);
    assert!(alone.len() > 1, "{of_one}");
    for [g, h] in [[ramp, "relu"], ["relu", ramp]] {
        let output = inspect(g, h);
        assert_eq!(cases(&output), alone, "{output}");
        assert_eq!(output.matches("Certified: ").count(), alone.len());
    }
    // The parameters are the same: a case of one goes with that of the other alone.
    let output = inspect(ramp, ramp);
    assert_eq!(cases(&output), alone, "{output}");
    // Others are independent.
    let output = inspect(ramp, "h(x; c, d) = max(x, c) - max(x, d)");
    assert_eq!(cases(&output).len(), alone.len() * alone.len(), "{output}");
    // Without an order there are no cases to go through.
    let error = gaussform(&["inspect", "relu", "--joint", ramp]).error();
    assert!(error.contains("`gaussform inspect --cases` shows every case"), "{error}");
}

#[test]
fn cases_of_both_as_documents() {
    let ramp = "f(x; a, b) = max(x, a) - max(x, b)";
    for format in ["latex", "mathml", "html", "json"] {
        let args = ["inspect", "relu", "--joint", ramp, "--cases", "--format", format];
        assert!(!gaussform(&args).output().is_empty());
    }
}

#[test]
fn moments_of_higher_orders() {
    let moments = ["--moment", "2,1", "--moment", "2,2"];
    let output = eval(&[&["relu", "--joint", "relu"][..], &moments, &POINT].concat());
    assert_eq!(output.lines().count(), 9);
    // The arc-cosine kernel of order 2 (Cho and Saul), θ = π/3.
    let (angle, pi) = (0.5_f64.acos(), std::f64::consts::PI);
    let order_two = 3.0 * angle.sin() * 0.5 + (pi - angle) * (1.0 + 2.0 * 0.25);
    assert!((value(&output, "moment2_2") - order_two / (2.0 * pi)).abs() < 1e-14);
    let squared = eval(&[&["max(0, x)^2", "--joint", "relu"][..], &POINT].concat());
    assert_eq!(value(&output, "moment2_1"), value(&squared, "mixed"));
}

/// P(u > 0, w > 0) far below all doubles: −q/2 with q the square of the distance of the corner, less the logarithms of 2π, of √(1 − ρ²) and of
/// both rates at which the density falls from there, up to what is of the order 1/q.
#[test]
fn logarithms_far_below_all_doubles() {
    let law = [
        ("--gamma", "-3000"),
        ("--xi2", "1"),
        ("--gamma-h", "-2000"),
        ("--xi2-h", "1"),
        ("--cov", "-0.5"),
    ];
    let law: Vec<&str> = law.iter().flat_map(|(name, value)| [*name, *value]).collect();
    let step = "step(x)";
    let output = eval(&[&[step, "--joint", step, "--log", "--moment", "2,2"][..], &law].concat());
    assert_eq!(output.lines().count(), 7 + 11 + 2);
    let (a, b, rest) = (3000.0_f64, 2000.0_f64, 0.75_f64);
    let rates = [(a + 0.5 * b) / rest, (b + 0.5 * a) / rest];
    let q = a * rates[0] + b * rates[1];
    let two_pi = 2.0 * std::f64::consts::PI;
    let log = -q / 2.0 - (two_pi * rest.sqrt() * rates[0] * rates[1]).ln();
    assert!((value(&output, "log_mixed") - log).abs() < 1e-6);
    assert_eq!(value(&output, "log_moment2_2"), value(&output, "log_mixed"));
    assert_eq!(value(&output, "mixed"), 0.0);
    for (name, rate) in [("dlog_mixed_dgamma", rates[0]), ("dlog_mixed_dgamma_h", rates[1])] {
        assert!((value(&output, name) / rate - 1.0).abs() < 1e-6, "{output}");
    }
    // A function that may be negative has no logarithm.
    let output = eval(&[&["x", "--joint", "relu", "--log"][..], &POINT].concat());
    assert!(value(&output, "log_mixed").is_nan(), "{output}");
    assert!((value(&output, "mixed") - 0.25).abs() < 1e-15, "{output}");
    let error = gaussform(&["eval", "relu", "--log", "--gamma", "0", "--xi2", "1"]).error();
    assert!(error.contains("--joint"), "{error}");
}

#[test]
fn orders_are_of_as_many_functions_as_there_are() {
    let refused = |args: &[&str], message: &str| {
        let text = gaussform(&[&["eval"], args, &POINT].concat()).error();
        assert!(text.contains(message), "{text}");
    };
    refused(&["relu", "--joint", "relu", "--moment", "2"], "needs two orders");
    refused(&["relu", "--joint", "relu", "--moment", "2,1", "--moment", "2,1"], "given twice");
    refused(&["relu", "--joint", "relu", "--moment", "0,1"], "0 is not in 1..=64");
    let single = ["eval", "relu", "--moment", "2,1", "--gamma", "0", "--xi2", "1"];
    let text = gaussform(&single).error();
    assert!(text.contains("is of two functions"), "{text}");
}
