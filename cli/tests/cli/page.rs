//! Pages in a browser: Chromium lays them out and tells what it finds. Without one on PATH that part
//! is not run, and says so; with `GAUSSFORM_BROWSER=required` it fails.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::gaussform;

fn page(args: &[&str]) -> String {
    gaussform(&[&["inspect", "--format", "html"], args].concat()).output()
}

/// Sends a report of the layout to the page around it.
const PROBE: &str = "<script>
const errors = [];
addEventListener('error', event => errors.push(event.message));
console.error = message => errors.push(message);
addEventListener('load', () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    const wide = [...document.querySelectorAll('body *')].filter(element =>
        element.getBoundingClientRect().right > innerWidth + 0.5
        && !element.closest('.scroll, pre, svg'));
    const empty = [...document.querySelectorAll('math')].filter(formula =>
        formula.getBoundingClientRect().height < 5);
    const nameless = [...document.querySelectorAll('svg')].filter(picture =>
        !picture.getAttribute('aria-labelledby').split(' ').every(id => document.getElementById(id)));
    const report = {
        width: innerWidth, scroll: document.documentElement.scrollWidth,
        wide: wide.map(element => element.tagName + '.' + element.className).join(' '),
        formulas: document.querySelectorAll('math').length, empty: empty.length,
        pictures: document.querySelectorAll('svg').length, nameless: nameless.length,
        requests: performance.getEntriesByType('resource').length, errors: errors.join('; '),
        ground: getComputedStyle(document.body).backgroundColor,
    };
    parent.postMessage(Object.entries(report).map(([k, v]) => `${k}=${v}`).join('\\n'), '*');
});
</script>";

/// A window is never as narrow as a telephone; a frame in it is. It writes the report down for
/// `--dump-dom`.
const FRAME: &str = "<!DOCTYPE html><body><script>
addEventListener('message', event => {
    const node = document.createElement('pre');
    node.id = 'report';
    node.textContent = event.data;
    document.body.append(node);
});
</script><iframe src='page.html' height='800' style='border: 0; width: WIDTHpx'></iframe></body>";

fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let found = std::env::split_paths(&path)
        .find_map(|folder| names.iter().map(|name| folder.join(name)).find(|file| file.is_file()));
    let required = std::env::var_os("GAUSSFORM_BROWSER").is_some_and(|value| value == "required");
    assert!(found.is_some() || !required, "no Chromium on PATH, and one is required");
    found
}

/// The report of the browser on a page in a window of this width.
fn report(browser: &Path, html: &str, width: u32, dark: bool) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("frame.html");
    let probed = html.replace("<body>", &format!("<body>{PROBE}"));
    assert_ne!(probed, html);
    std::fs::write(folder.path().join("page.html"), probed).expect("a file");
    std::fs::write(&file, FRAME.replace("WIDTH", &width.to_string())).expect("a file");
    let scheme = if dark { 0 } else { 1 };
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        .args(["--no-first-run", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg("--window-size=1400,900")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser runs");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, report) = dom.split_once("<pre id=\"report\">").unwrap_or_else(|| {
        panic!("no report: {}\n{}", String::from_utf8_lossy(&output.stderr), output.status)
    });
    let report = report.split("</pre>").next().unwrap_or("");
    let pair = |line: &str| line.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()));
    report.lines().filter_map(pair).collect()
}

#[track_caller]
fn assert_fits(browser: &Path, args: &[&str], formulas: usize, pictures: usize) {
    let html = page(args);
    for (width, dark) in [(360, false), (1280, true)] {
        let report = report(browser, &html, width, dark);
        let value = |name: &str| {
            let found = report.iter().find(|(key, _)| key == name);
            found.map_or_else(|| panic!("no {name} in {report:?}"), |(_, value)| value.clone())
        };
        let number = |name: &str| value(name).parse::<usize>().expect("a number");
        assert_eq!(number("width"), width as usize, "{report:?}");
        assert!(number("scroll") <= width as usize, "{args:?} {report:?}");
        assert_eq!(value("wide"), "", "{args:?} {report:?}");
        assert!(number("formulas") >= formulas, "{args:?} {report:?}");
        assert_eq!(number("pictures"), pictures, "{args:?} {report:?}");
        for none in ["empty", "nameless", "requests"] {
            assert_eq!(number(none), 0, "{args:?} {report:?}");
        }
        assert_eq!(value("errors"), "");
        assert_eq!(value("ground") == "rgb(13, 16, 20)", dark, "{report:?}");
    }
}

#[test]
fn pages_fit_a_telephone_and_a_screen_in_a_browser() {
    let Some(browser) = browser() else {
        // Past the capture of output: this is to be seen.
        let _ = writeln!(
            std::io::stderr(),
            "NOT RUN: no chromium on PATH, so no page was laid out in a browser"
        );
        return;
    };
    assert_fits(&browser, &["relu"], 25, 6);
    assert_fits(&browser, &["leaky_relu", "--param", "eps=0.1", "--wrt", "eps"], 25, 6);
    assert_fits(&browser, &["relu", "--with", "hard_tanh"], 25, 6);
    assert_fits(&browser, &["|x^3 - x - 1| + sign(x)", "--moment", "1"], 10, 6);
    assert_fits(&browser, &["f(x; a, b) = max(x, a) - max(x, b)", "--cases", "--moment=1"], 15, 12);
    assert_fits(&browser, &["7"], 10, 6);
    assert_fits(&browser, &["leaky_relu", "--joint", "hard_tanh", "--wrt", "cov"], 60, 7);
}

#[test]
fn a_page_is_one_file_and_well_formed() {
    for args in [
        &["relu"][..],
        &["leaky_relu"],
        &["sign(x)"],
        &["7"],
        &["x"],
        &["|x^2 - 2|"],
        &["relu", "--with", "hard_tanh"],
        &["relu", "--joint", "|x^2 - 2|", "--wrt", "xi2_h"],
        &["3", "--joint", "x"],
        &["relu", "--limit", "gamma=inf"],
        &["x^30", "--moment", "1"],
    ] {
        let html = page(args);
        for outside in ["src=", "href=", "@import", "url(", "http://", "https://"] {
            let names = ["http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg"];
            let rest = names.iter().fold(html.clone(), |rest, name| rest.replace(name, ""));
            assert!(!rest.contains(outside), "{outside} {args:?}");
        }
        assert_balanced(&html);
        assert_eq!(page(args), html, "the same bytes again");
    }
}

/// Every element that is opened is closed, in order, and no two have the same name.
fn assert_balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some((_, tag)) = rest.split_once('<') {
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        let name = tag.split_whitespace().next().expect("a name");
        if let Some(id) = tag.split_once(" id=\"").and_then(|(_, id)| id.split('"').next()) {
            assert!(!names.contains(&id), "{id} twice");
            names.push(id);
        }
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "at {}", &rest[..rest.len().min(200)]);
        } else if !tag.ends_with('/') && !matches!(name, "!DOCTYPE" | "meta" | "br") {
            open.push(name);
            // What is inside is no markup.
            if matches!(name, "style" | "script") {
                let (_, after) = rest.split_once("</").expect("an end");
                rest = after.split_once('>').expect("an end").1;
                open.pop();
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn pictures_are_drawn_for_the_values_that_are_given() {
    let html = page(&["leaky_relu", "--param", "eps=0.1"]);
    assert!(html.contains("The pictures are drawn for <code>eps = 1/10</code>."), "{html}");
    assert!(page(&["leaky_relu"]).contains("one choice that satisfies the declaration"));
    let wrong = gaussform(&["inspect", "leaky_relu", "--format=html", "--param", "eps=2"]).error();
    assert!(wrong.contains("not in the domain"), "{wrong}");
}

#[test]
fn a_page_of_two_pre_activations_is_about_both() {
    let soft = "soft(x; a > 0) = clamp(x / a, -1, 1)";
    let html = page(&["leaky_relu", "--joint", soft, "--param", "eps=0.1", "--param", "a=2"]);
    for part in [
        "u ~ N(γ, ξ²) and w ~ N(γ′, ξ′²) with covariance σ",
        "Knots of g, where the polynomial changes",
        "Knots of h, where the polynomial changes",
        "The pictures are drawn for <code>a = 2, eps = 1/10</code>.",
        "Mixed moment E[g(u) h(w)]",
        "double cosine integral",
        "Error of the covariance",
        "0 on both sides",
        "pair_moments",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let wrong = ["leaky_relu", "--joint", soft, "--format=html", "--param", "eps=0.1"];
    let error = gaussform(&[&["inspect"][..], &wrong].concat()).error();
    assert!(error.contains("`soft` needs a value of `a`"), "{error}");
}

#[test]
fn a_high_degree_has_pictures_too() {
    let html = page(&["x^30", "--moment", "1"]);
    assert!(html.contains("<svg"), "{html}");
    assert!(!html.contains("There are no pictures"), "{html}");
}
