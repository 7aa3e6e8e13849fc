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

#[test]
fn a_bitmap() {
    let png = drawn("g.png", &["hard_tanh", "--figure", "moments", "--xi", "1"]);
    assert!(png.starts_with(b"\x89PNG\r\n"));
    assert!(png.len() > 10_000);
}

#[test]
fn the_kernel_is_right_where_the_closed_form_is_not() {
    let svg = drawn("g.svg", &["relu", "--figure", "errors"]);
    let svg = String::from_utf8(svg).expect("UTF-8");
    let errors = |after: &str| -> Vec<f64> {
        let parts = svg.split(after).skip(1);
        let number = |part: &str| part.split([' ', ',', '.']).next().and_then(|n| n.parse().ok());
        parts.filter_map(number).collect()
    };
    let kernel = errors("at most ");
    assert!(kernel.iter().copied().fold(0.0, f64::max) >= 1.0, "the closed form: {kernel:?}");
    assert!(kernel.iter().copied().fold(1.0, f64::min) < 1e-14, "the kernel: {kernel:?}");
    assert!(svg.contains("negative"));
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
    ] {
        let out = place(file);
        let error = gaussform(&[&["plot"], args, &["--out", &out]].concat()).error();
        assert!(error.contains(message), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
