//! LaTeX in the output parses as LaTeX.

use pulldown_latex::{Parser, Storage};

use crate::support::gaussform;

/// Every display of a document, without its delimiters where these are not an environment.
fn displays(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.starts_with('%')).collect();
    let code = code.join("\n");
    let mut displays = Vec::new();
    for part in code.split("\\[\n") {
        let (display, rest) = part.split_once("\n\\]").unwrap_or(("", part));
        let environments = rest.split("\\begin{align*}").skip(1).map(|body| {
            let body = body.split("\\end{align*}").next().unwrap_or("");
            format!("\\begin{{align*}}{body}\\end{{align*}}")
        });
        displays.push(display.to_owned());
        displays.extend(environments);
    }
    displays.retain(|display| !display.trim().is_empty());
    displays
}

#[test]
fn every_display_parses() {
    let mut count = 0;
    for args in [
        &["relu", "--steps"][..],
        &["leaky_relu", "--wrt", "eps"],
        &["|x^3 - x - 1| + sign(x^2 - 2)", "--steps", "--moment", "1"],
        &["relu", "--with", "leaky_relu"],
        &["heaviside", "--limit", "xi2=0"],
        &["soft(x; a > 0) = clamp(x / a, -1, 1)", "--limit", "a=0"],
        &["f(x; a, b) = max(x, a) - max(x, b)", "--cases"],
        &["relu", "--central", "4"],
    ] {
        let text = gaussform(&[&["inspect", "--format", "latex"], args].concat()).output();
        for display in displays(&text) {
            let storage = Storage::new();
            for event in Parser::new(&display, &storage) {
                assert!(event.is_ok(), "{args:?}: {:?}\n{display}", event.err());
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count} displays");
}
