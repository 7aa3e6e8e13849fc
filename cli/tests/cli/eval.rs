use crate::support::{file, gaussform, rounded};

fn values(args: &[&str]) -> Vec<(String, String)> {
    let text = gaussform(&[&["eval"], args].concat()).output();
    let pairs = text.lines().map(|line| line.split_once(' ').expect("a name and a value"));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn a_point() {
    let args = ["eval", "clamp(x, -1, 1)", "--gamma", "0.5", "--xi2", "2"];
    insta::assert_snapshot!(rounded(&gaussform(&args).output(), 11));
}

#[test]
fn a_point_in_single_precision() {
    let args = ["eval", "hard_tanh", "--gamma", "0.5", "--xi2", "2", "--precision", "f32"];
    insta::assert_snapshot!(rounded(&gaussform(&args).output(), 4));
}

#[test]
fn derivatives_in_parameters_follow() {
    let args = ["eval", "leaky_relu", "--param", "eps=0.1", "--gamma", "-0.5", "--xi2", "2"];
    insta::assert_snapshot!(rounded(&gaussform(&args).output(), 11));
}

#[test]
fn digits_are_significant_and_read_back() {
    for (precision, digits) in [("f64", 17), ("f32", 9)] {
        for (_, value) in values(&["relu", "--gamma=-3", "--xi2=0.7", "--precision", precision]) {
            let mantissa = value.split('e').next().expect("a mantissa");
            assert_eq!(mantissa.bytes().filter(u8::is_ascii_digit).count(), digits, "{value}");
        }
    }
    let mean = &values(&["relu", "--gamma", "1", "--xi2", "0"])[0];
    assert_eq!(mean, &("mean".to_owned(), "1.0000000000000000e0".to_owned()));
}

#[test]
fn single_precision_reads_its_input_directly() {
    // 1 + 2⁻²⁴ + 2⁻⁵⁴ rounds to 1 + 2⁻²³ in f32, but to 1 by way of f64.
    let gamma = "1.00000005960464483090";
    let single = values(&["x", "--gamma", gamma, "--xi2", "0", "--precision", "f32"]);
    assert_eq!(single[0].1, "1.00000012e0");
}

#[test]
fn limits_may_be_infinite() {
    let values = values(&["heaviside", "--gamma", "0", "--xi2", "0"]);
    assert_eq!(values[3], ("dmean_dgamma".to_owned(), "inf".to_owned()));
}

#[test]
fn the_ends_of_a_closed_domain_belong_to_it() {
    let declaration = "g(x; a in [0.1, 1]) = a * x";
    for end in ["a=0.1", "a=1", "a=1e-1", "a=+0.10"] {
        let args = [declaration, "--param", end, "--gamma", "1", "--xi2", "1"];
        assert_eq!(values(&args).len(), 12);
    }
}

#[test]
fn negative_numbers_are_values() {
    let apart = values(&["relu", "--gamma", "-1e-1", "--xi2", "1"]);
    assert_eq!(apart, values(&["relu", "--gamma=-0.1", "--xi2=1"]));
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let plain = values(&["leaky_relu", "--gamma=-0.5", "--xi2=0.01", "--param=eps=0.125"]);
    let other = values(&["leaky_relu", "--gamma", "−1/2", "--xi2", "1e−2", "--param", "eps=1/8"]);
    assert_eq!(plain, other);
    // −0 has the variance of 0.
    let zero = values(&["relu", "--gamma=1", "--xi2=0"]);
    assert_eq!(zero, values(&["relu", "--gamma", "1", "--xi2", "-0"]));
    assert_eq!(zero[2].1, "0.0000000000000000e0");
}

#[test]
fn out_replaces_a_file() {
    let (folder, path) = file("out.txt", "old");
    let args = ["eval", "relu", "--gamma", "0.5", "--xi2", "2"];
    assert_eq!(gaussform(&[&args[..], &["--out", &path]].concat()).output(), "");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), gaussform(&args).output());
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

/// Raw and central moments of max(0, u) by mpmath, in 700 digits.
#[test]
fn higher_moments_have_all_digits() {
    for (gamma, xi2, wanted) in [
        ("0.5", "2", [4.246_790_009_562_113, 1.138_523_458_469_757_5, 3.703_173_262_530_182_4]),
        (
            "-37",
            "1",
            [6.737_858_136_147_258e-304, 6.737_858_136_147_258e-304, 7.257_778_453_831_382e-305],
        ),
        ("12", "1", [1764.0, 6.352_100_836_274_343e-32, 3.0]),
    ] {
        let point = ["relu", "--gamma", gamma, "--xi2", xi2];
        let values = values(&[&point[..], &["--moment=3", "--central=3", "--central=4"]].concat());
        let names: Vec<&str> = values[9..].iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["moment3", "central3", "central4"]);
        for ((name, value), wanted) in values[9..].iter().zip(wanted) {
            let value: f64 = value.parse().expect("a number");
            assert!((value / wanted - 1.0).abs() < 5e-16, "{name} {value:e}, not {wanted:e}");
        }
    }
    let twice = ["eval", "relu", "--gamma=1", "--xi2=1", "--central=3", "--central=3"];
    assert!(gaussform(&twice).error().contains("`--central 3` is given twice"));
}

#[test]
fn a_standard_deviation_stands_for_the_variance() {
    let by_variance = values(&["relu", "--gamma", "0.5", "--xi2", "2.25"]);
    for option in ["--xi", "--sd"] {
        assert_eq!(values(&["relu", "--gamma", "0.5", option, "3/2"]), by_variance);
    }
    let table = "gamma,sd\n0.5,1.5\n";
    let args = ["eval", "relu", "--csv", "-"];
    let found = crate::support::gaussform_with(&args, table.as_bytes()).output();
    assert!(found.lines().nth(1).expect("a row").contains(&by_variance[0].1), "{found}");
    let error = gaussform(&["eval", "relu", "--gamma", "0", "--xi=-1"]).error();
    assert!(error.contains("a standard deviation is not negative"), "{error}");
}

/// A square that is 0, or has fewer digits than a variance, would be another standard deviation without a word.
#[test]
fn a_standard_deviation_has_a_square() {
    for (xi, precision, message) in [
        ("1e-170", "f64", "the square of `xi` is too small for f64"),
        ("1e-155", "f64", "the square of `xi` is too small for f64"),
        ("1/1e999", "f64", "the square of `xi` is too small for f64"),
        ("1e-9999", "f64", "the square of `xi` is too small for f64"),
        ("1e-23", "f32", "the square of `xi` is too small for f32"),
        ("1e-60", "f32", "the square of `xi` is too small for f32"),
        ("1e170", "f64", "the square of `xi` is too large for f64"),
        ("1e20", "f32", "the square of `xi` is too large for f32"),
    ] {
        let point = ["eval", "step(x)", "--gamma", "0", "--xi", xi, "--precision", precision];
        let error = gaussform(&point).error();
        assert!(error.contains(message) && error.contains("--xi:1:1"), "{xi}: {error}");
    }
    for (xi, precision) in [("1e-153", "f64"), ("2e-19", "f32"), ("0", "f64"), ("0.0", "f32")] {
        values(&["step(x)", "--gamma", "1", "--xi", xi, "--precision", precision]);
    }
    let args = ["eval", "relu", "--csv", "-"];
    let error = crate::support::gaussform_with(&args, b"gamma,sd\n1,1\n1,1e-170\n").error();
    assert!(error.contains("line 3, column 2: the square of `sd` is too small"), "{error}");
}

#[test]
fn moments_given_a_condition() {
    let number = |found: &[(String, String)], name: &str| -> f64 {
        let (_, value) = found.iter().find(|(n, _)| n == name).expect("a result of this name");
        value.parse().expect("a number")
    };
    // Half-normal: √(2/π) and 1 − 2/π.
    let half = values(&["x", "--given", "x > 0", "--gamma", "0", "--xi", "1"]);
    assert!((number(&half, "mean") - 0.797_884_560_802_865_4).abs() < 1e-15);
    assert!((number(&half, "variance") - 0.363_380_227_632_418_7).abs() < 1e-15);
    assert!((number(&half, "probability") - 0.5).abs() < 1e-15);
    // Far out it is an exponential law.
    let far = values(&["x", "--given", "x > 0", "--gamma=-1414.5", "--xi", "1"]);
    assert!((number(&far, "log_probability") + 1_000_413.298).abs() < 0.01, "{far:?}");
    assert!(
        number(&far, "probability") == 0.0 && (number(&far, "mean") * 1414.5 - 1.0).abs() < 1e-6
    );
    // The condition knows the parameters.
    let args = ["f(x; a > 0) = max(0, x - a)", "--given", "x < -a or a < x and x < 3*a"];
    let args = [&args[..], &["--param", "a=2", "--gamma", "1", "--xi2", "4"]].concat();
    assert!((number(&values(&args), "probability") - (0.066_807_2 + 0.302_327_9)).abs() < 1e-6);
    let error = gaussform(&["eval", "x", "--given", "x >", "--gamma", "0", "--xi2", "1"]).error();
    assert!(error.contains("--given"), "{error}");
}

#[test]
fn second_derivatives_follow_the_first() {
    let found = values(&["x^2", "--hessian", "--gamma", "0.5", "--xi2", "2"]);
    let number = |name: &str| -> f64 {
        let (_, value) = found.iter().find(|(n, _)| n == name).expect("a result of this name");
        value.parse().expect("a number")
    };
    // Var = 4γ²ξ² + 2ξ⁴.
    let wanted = [
        ("d2mean_dgamma2", 2.0),
        ("d2mean_dgamma_dxi2", 0.0),
        ("d2mean_dxi22", 0.0),
        ("d2variance_dgamma2", 16.0),
        ("d2variance_dgamma_dxi2", 4.0),
        ("d2variance_dxi22", 4.0),
    ];
    for (name, value) in wanted {
        assert!((number(name) - value).abs() < 1e-12, "{name}: {}", number(name));
    }
}
