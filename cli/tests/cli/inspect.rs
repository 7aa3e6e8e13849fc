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
fn latex() {
    insta::assert_snapshot!(inspect(&["leaky_relu", "--format", "latex"]));
}

#[test]
fn latex_is_balanced() {
    for args in [
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
