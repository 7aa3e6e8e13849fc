use crate::support::gaussform;

#[test]
fn a_power_of_relu() {
    insta::assert_snapshot!(gaussform(&["verify", "max(0, x)^2"]).output());
}

#[test]
fn higher_moments_with_parameters() {
    let args = ["verify", "leaky_relu", "--moment", "3"];
    insta::assert_snapshot!(gaussform(&args).output());
}

#[test]
fn a_polynomial_has_one_limit() {
    let text = gaussform(&["verify", "x^2 - 1", "--moment", "1"]).output();
    assert!(text.contains("all γ   γ² − 1"), "{text}");
}

#[test]
fn knots_are_written_as_in_the_definition() {
    let text = gaussform(&["verify", "|x^3 - 3*x + 1|", "--moment", "1"]).output();
    assert!(text.contains("t₁ < γ < t₂   γ³ − 3 γ + 1"), "{text}");
    let text = gaussform(&["verify", "f(x; a < b) = clamp(x, a, b)", "--moment", "1"]).output();
    assert!(text.contains("a < γ < b   γ"), "{text}");
}

#[test]
fn the_library_holds() {
    let list = gaussform(&["list"]).output();
    let names = list.lines().filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split('(').next()) {
        let text = gaussform(&["verify", name, "--moment", "3"]).output();
        assert!(text.lines().last().is_some_and(|line| line.starts_with("OK")), "{text}");
    }
}

#[test]
fn random_numbers_agree_with_the_closed_form() {
    for (expression, parameter) in [
        ("hat", None),
        ("max(0, x)^2", None),
        ("heaviside", None),
        ("|x^3 - x - 1|", None),
        ("leaky_relu", Some("eps=0.3")),
        ("soft(x; lambda > 0) = sign(x)*relu(|x| - lambda)", Some("lambda=0.75")),
    ] {
        let mut args = vec!["verify", expression, "--monte-carlo", "200001", "--seed", "5"];
        args.extend(["--moment", "4"]);
        args.extend(["--gamma", "-0.5", "--xi2", "2"]);
        args.extend(parameter.iter().flat_map(|p| ["--param", p]));
        let text = gaussform(&args).output();
        assert_eq!(text, gaussform(&args).output(), "the seed decides");
        let rows = text.lines().skip_while(|line| !line.contains("estimate")).skip(1);
        let scores: Vec<f64> = rows
            .map(|row| row.split_whitespace().last().expect("a z").parse().expect("a number"))
            .collect();
        // The mean, the second moment, the variance, and two higher moments.
        assert_eq!(scores.len(), 5, "{text}");
        assert!(scores.iter().all(|z| z.abs() < 4.0), "{text}");
    }
}

#[test]
fn quiet_estimates_are_printed() {
    let args = ["verify", "relu", "--monte-carlo=1000", "--gamma=2", "--xi2=1"];
    let [all, quiet] = [&[][..], &["--quiet"]].map(|more| gaussform(&[&args, more].concat()));
    let (all, quiet) = (all.output(), quiet.output());
    assert!(all.ends_with(&quiet) && quiet.starts_with("1000 samples"), "{quiet}");
}

#[test]
fn without_variance_there_is_no_score() {
    let args = ["verify", "relu", "--monte-carlo=10", "--gamma=2", "--xi2=0"];
    let text = gaussform(&args).output();
    assert_eq!(text.lines().filter(|line| line.ends_with(" -")).count(), 3, "{text}");
}
