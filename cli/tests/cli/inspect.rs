use crate::support::{file, gaussform, gaussform_with};

fn inspect(args: &[&str]) -> String {
    gaussform(&[&["inspect"], args].concat()).output()
}

#[test]
fn an_expression() {
    insta::assert_snapshot!(inspect(&["max(0, x)"]));
}

#[test]
fn steps() {
    insta::assert_snapshot!(inspect(&["max(0, x)", "--steps"]));
}

#[test]
fn one_moment() {
    insta::assert_snapshot!(inspect(&["|x| * x", "--moment", "3"]));
}

#[test]
fn derivatives_in_a_parameter() {
    let leaky = "leaky(x; eps in (0, 1)) = max(x, eps * x)";
    insta::assert_snapshot!(inspect(&[leaky, "--wrt", "eps"]));
}

#[test]
fn second_derivatives_step_by_step() {
    let args = ["relu", "--moment", "1", "--wrt", "gamma", "--wrt", "gamma", "--steps"];
    insta::assert_snapshot!(inspect(&args));
}

#[test]
fn the_heat_equation_can_be_seen() {
    let in_time = inspect(&["relu", "--moment", "1", "--wrt", "xi2"]);
    assert!(in_time.contains("∂ξ² E[g(u)]"), "{in_time}");
}

#[test]
fn a_central_moment() {
    insta::assert_snapshot!(inspect(&["relu", "--central", "3"]));
}

#[test]
fn two_activations() {
    insta::assert_snapshot!(inspect(&["relu", "--with", "hard_tanh"]));
}

#[test]
fn the_pre_activation_itself() {
    let text = inspect(&["leaky_relu", "--with", "-x", "--wrt", "eps"]);
    assert!(text.contains("∂ε Cov(g(u), h(u)) = "), "{text}");
    // By Stein's lemma, Cov(u, g(u)) is ξ² E[g'(u)].
    let text = inspect(&["relu", "--with", "x"]);
    assert!(text.contains("Cov(g(u), h(u)) = 1/2 ξ² + 1/2 ξ² erf(γ/(√2 ξ))\n"), "{text}");
}

#[test]
fn parameters_of_the_same_name_are_the_same() {
    let other = "h(x; eps in (0, 1), b > 0) = b * leaky_relu(x, eps)";
    let text = inspect(&["leaky_relu", "--with", other, "--wrt", "b"]);
    assert!(text.starts_with("leaky_relu and h   u ~ N(γ, ξ²), ε in (0, 1), b > 0\n"), "{text}");
    assert!(text.contains("\n∂b E[g(u)] = 0\n"), "{text}");
}

#[test]
fn irrational_knots() {
    insta::assert_snapshot!(inspect(&["|x^3 - x - 1| + |x^2 - 2|", "--moment", "1"]));
}

#[test]
fn related_parameters() {
    insta::assert_snapshot!(inspect(&["f(x; 0 < a < b) = clamp(x, a, b)"]));
}

#[test]
fn every_case() {
    let declaration = "f(x; alpha, beta) = max(x, alpha) - max(x, beta)";
    insta::assert_snapshot!(inspect(&[declaration, "--moment", "1", "--cases"]));
    let one = inspect(&["leaky_relu"]);
    assert_eq!(inspect(&["leaky_relu", "--cases"]), one);
    assert_eq!(
        inspect(&["l(x; eps in (0, 1)) = max(x, eps * x)", "--cases"]),
        one.replace("leaky_relu", "l")
    );
}

#[test]
fn cases_of_a_file() {
    let text = "ramp(x) = clamp(x, 0, 1)\nscaled(x; a) = |a| * ramp(x)\n";
    let (_folder, path) = file("cases.gf", text);
    let both = inspect(&["--file", &path, "--cases"]);
    assert_eq!(both.matches("Case ").count(), 2, "{both}");
    assert!(both.ends_with(&inspect(&["--file", &path, "--cases", "scaled"])), "{both}");
}

#[test]
fn limits() {
    let soft = "soft(x; a > 0) = clamp(x / a, -1, 1)";
    insta::assert_snapshot!(inspect(&[soft, "--wrt", "gamma", "--limit", "a=0"]));
    assert_eq!(inspect(&[soft, "--limit", "a=0"]), inspect(&[soft, "--limit", "a=0+"]));
    // A relation excludes one of the sides.
    let related = "g(x; a, a^2 <= 1) = max(a * x, x)";
    assert_eq!(inspect(&[related, "--limit=a=1"]), inspect(&[related, "--limit=a=1-"]));
    let leaky = inspect(&["leaky_relu", "--limit=eps=1", "--limit=gamma=-inf"]);
    assert!(leaky.contains("lim γ → −∞ lim ε → 1⁻ E[g(u)] = γ\n"), "{leaky}");
    assert!(leaky.contains("faster than any power of γ"), "{leaky}");
}

#[test]
fn without_noise() {
    insta::assert_snapshot!(inspect(&["heaviside", "--limit", "xi2=0"]));
}

#[test]
fn results_that_refer_to_others_come_with_them() {
    let text = inspect(&["hard_tanh", "--wrt", "gamma"]);
    assert_eq!(text.matches("\nE[g(u)] = ").count(), 1, "{text}");
    assert!(!inspect(&["hard_tanh", "--wrt=gamma", "--moment=1"]).contains("\nE[g(u)] = "));
}

#[test]
fn latex() {
    insta::assert_snapshot!(inspect(&["leaky_relu", "--format", "latex"]));
}

#[test]
fn mathml() {
    insta::assert_snapshot!(inspect(&["heaviside", "--moment", "1", "--format", "mathml"]));
}

#[test]
fn latex_is_balanced() {
    for args in [
        ["|x^2 - 2|", "--format", "latex", "--steps"],
        ["leaky_relu", "--format", "latex", "--limit=eps=0"],
        ["leaky_relu", "--format", "latex", "--limit=xi2=0"],
        ["relu", "--format", "latex", "--with=leaky_relu"],
        ["f(x; a) = max(a * x, x)", "--format", "latex", "--cases"],
        ["leaky_relu", "--format", "latex", "--steps"],
        ["clamp(x, -1/2, 3)^2", "--format", "latex", "--steps"],
        ["hat", "--format", "latex", "--wrt=gamma"],
        ["f_2(x; long_name) = long_name * |x|", "--format", "latex", "--steps"],
    ] {
        let text = inspect(&args);
        let code: String = text.lines().filter(|line| !line.starts_with('%')).collect();
        let mut depth = 0_i32;
        for c in code.replace("\\{", "").replace("\\}", "").chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            assert!(depth >= 0, "{text}");
        }
        assert_eq!(depth, 0, "{text}");
        assert_eq!(code.matches("\\left").count(), code.matches("\\right").count(), "{text}");
        assert_eq!(code.matches('$').count() % 2, 0, "{text}");
        assert!(code.is_ascii(), "{text}");
        let mut open = Vec::new();
        for part in code.split("\\begin{").skip(1) {
            open.push(part.split('}').next().expect("a name"));
        }
        for environment in open {
            let end = format!("\\end{{{environment}}}");
            let begin = format!("\\begin{{{environment}}}");
            assert_eq!(code.matches(&begin).count(), code.matches(&end).count(), "{text}");
        }
    }
}

#[test]
fn a_minus_sign_is_not_an_option() {
    assert_eq!(inspect(&["-x", "--moment=1"]), inspect(&["--moment=1", "--", "-x"]));
    assert_eq!(inspect(&["-max(0, x)"]), inspect(&["0 - max(0, x)"]));
}

#[test]
fn the_library_is_known_by_name_and_in_expressions() {
    assert_eq!(inspect(&[" relu "]), inspect(&["relu(x) = max(0, x)"]));
    assert_eq!(inspect(&["relu6(x + 3) * x / 6"]), inspect(&["clamp(x + 3, 0, 6) * x / 6"]));
}

#[test]
fn a_file_of_declarations() {
    let text = "# two of them\nramp(x) = clamp(x, 0, 1)\ntwice(x) = ramp(x) + ramp(x)\n";
    let (_folder, path) = file("two.gf", text);
    let both = inspect(&["--file", &path]);
    assert_eq!(both.matches("Certified:").count(), 2, "{both}");
    let one = inspect(&["--file", &path, "twice"]);
    assert!(both.ends_with(&one));
    let used = inspect(&["--file", &path, "ramp(x) + ramp(x)"]);
    assert_eq!(used.lines().skip(1).collect::<Vec<_>>(), one.lines().skip(1).collect::<Vec<_>>());
    let piped = gaussform_with(&["inspect", "--file", "-", "twice"], text.as_bytes()).output();
    assert_eq!(piped, one);
    let piped = gaussform_with(&["inspect", "-"], text.as_bytes()).output();
    assert_eq!(piped, both);
}

#[test]
fn an_expression_from_standard_input() {
    let piped = gaussform_with(&["inspect", "-"], b"max(0, x)  # where x <= 1 = 2 is a comment\n");
    assert_eq!(piped.output(), inspect(&["max(0, x)"]));
    let windows = gaussform_with(&["inspect", "-"], "\u{feff}g(x) =\r\n  max(0, x)\r\n".as_bytes());
    assert_eq!(windows.output(), inspect(&["max(0, x)"]));
}
