use crate::support::gaussform;

fn drawn(name: &str, args: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    let out = path.to_str().expect("UTF-8");
    assert_eq!(gaussform(&[&["plot"], args, &["--out", out]].concat()).output(), "");
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(files.count(), 1, "nothing else is left");
    std::fs::read(path).expect("the picture")
}

#[test]
fn a_picture_is_the_same_every_time() {
    for name in ["g.svg", "g.PNG"] {
        let args = ["leaky_relu", "--param", "eps=0.25", "--xi", "0.5,2", "--gamma", "-3:3"];
        assert_eq!(drawn(name, &args), drawn(name, &args));
    }
}

#[test]
fn the_function() {
    let svg = drawn("g.svg", &["sign(x)", "--figure", "function", "--gamma=-1:1"]);
    insta::assert_snapshot!(String::from_utf8(svg).expect("UTF-8"));
}

/// Far knots and values beyond all doubles leave coordinates that are numbers.
#[test]
fn extreme_functions_have_pictures() {
    for text in [
        "max(x, 1e17)",
        "max(x, -1e200)",
        "max(x, 1e300) - max(x, -1e300)",
        "max(x, 1e17) + max(x, 1e17 + 32)",
        "max(x, 0)*1e308 + max(x, 1)*1e308",
        "max(x, 0)*1e-320",
        "max(x, 1e-200)*max(x, 2e-200)",
    ] {
        for figure in ["function", "moments", "all"] {
            let svg = drawn("g.svg", &["--figure", figure, text]);
            let svg = String::from_utf8(svg).expect("UTF-8");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{text}, {figure}: {svg}");
        }
    }
    let page = gaussform(&["inspect", "max(x, 1e200)", "--format", "html"]).output();
    assert!(!page.contains("NaN"), "{page}");
}

/// A picture has some thousand points, and of a polynomial each is a sum of its terms.
#[test]
fn high_powers_are_drawn_soon() {
    let start = std::time::Instant::now();
    drawn("g.svg", &["x^64"]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn a_bitmap() {
    let png = drawn("g.png", &["hard_tanh", "--figure", "moments", "--xi", "1"]);
    assert!(png.starts_with(b"\x89PNG\r\n"));
    assert!(png.len() > 10_000);
}

/// The largest errors of the kernel and of the closed form, which a picture describes in this order.
fn errors(args: &[&str]) -> (String, Vec<f64>) {
    let svg = String::from_utf8(drawn("g.svg", args)).expect("UTF-8");
    let parts = svg.split("at most ").skip(1);
    let number = |part: &str| part.split([' ', ',', '.']).next().and_then(|n| n.parse().ok());
    let errors = parts.filter_map(number).collect();
    (svg, errors)
}

#[test]
fn the_kernel_is_right_where_the_closed_form_is_not() {
    let (svg, errors) = errors(&["relu", "--figure", "errors"]);
    assert!(errors.iter().copied().fold(0.0, f64::max) >= 1.0, "the closed form: {errors:?}");
    assert!(errors.iter().copied().fold(1.0, f64::min) < 1e-14, "the kernel: {errors:?}");
    assert!(svg.contains("negative"));
}

#[test]
fn the_covariance_too() {
    let law = ["--gamma=-5", "--xi", "1", "--gamma-h=-6", "--xi-h", "2", "--figure", "errors"];
    let (_, errors) = errors(&[&["relu", "--joint", "hard_tanh"][..], &law].concat());
    assert!(
        matches!(errors[..], [a, b, c, d] if a.max(c) < 4e-15 && b > 1e-9 && d >= 1.0),
        "{errors:?}"
    );
}

#[test]
fn the_covariance_against_the_correlation() {
    // At |ρ| = 1 it is that of one pre-activation: E[relu(u) u] for u and for −u.
    let law = ["--gamma", "0", "--xi", "2", "--gamma-h", "0"];
    let args = [&["relu", "--joint", "x", "--figure", "moments"][..], &law].concat();
    let svg = String::from_utf8(drawn("g.svg", &args)).expect("UTF-8");
    assert!(svg.contains("γ = 0, ξ = 2, γ′ = 0, ξ′ = 1"), "{svg}");
    assert!(svg.contains("−1.000 at ρ = −1, 1.000 at ρ = 1"), "{svg}");
    let functions =
        ["leaky_relu", "--joint", "|x - 1|", "--param", "eps=0.25", "--figure=function"];
    let svg = String::from_utf8(drawn("g.svg", &functions)).expect("UTF-8");
    for part in ["leaky_relu, ε = 1/4", "g(u)", "h(w)"] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
}

#[test]
fn wrong_input_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).to_str().expect("UTF-8").to_owned();
    for (args, file, message) in [
        (&["relu"][..], "g.pdf", "no format that is known"),
        (&["relu"], "g", "no format that is known"),
        (&["relu", "--xi", "0"], "g.svg", "a standard deviation is positive"),
        (&["relu", "--xi", "1,-1"], "g.svg", "a standard deviation is positive"),
        (&["relu", "--xi", "nan"], "g.svg", "not finite"),
        (&["relu", "--xi", "1e300"], "g.svg", "whose square is no number of double precision"),
        (&["relu", "--xi", "1e-200"], "g.svg", "from 1e-153 to 1e154"),
        (&["relu", "--gamma", "1"], "g.svg", "`from:to`"),
        (&["relu", "--gamma", "2:1"], "g.svg", "empty"),
        (&["leaky_relu", "--param", "eps=3"], "g.svg", "not in the domain"),
        (&["x /"], "g.svg", "expected"),
        (&["relu", "--joint", "x /"], "g.svg", "expected"),
        (
            &["relu", "--joint", "relu", "--gamma=-1:1"],
            "g.svg",
            "the axis is that of the correlation",
        ),
        (&["relu", "--joint", "relu", "--gamma-h", "nan"], "g.svg", "`gamma_h` is `nan`"),
        (&["relu", "--joint", "relu", "--xi", "1,2"], "g.svg", "one standard deviation"),
        (&["relu", "--joint", "relu", "--xi-h", "0"], "g.svg", "`xi_h` is `0`"),
        (&["relu", "--gamma-h", "0"], "g.svg", "--joint"),
        (&["leaky_relu", "--joint", "relu", "--param", "delta=1"], "g.svg", "no parameter `delta`"),
    ] {
        let out = place(file);
        let error = gaussform(&[&["plot"], args, &["--out", &out]].concat()).error();
        assert!(error.contains(message), "{args:?}: {error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
