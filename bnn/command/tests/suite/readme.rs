//! The table of README: its commands are run as they stand, print the blocks below them, and draw its picture.
//!
//! Another machine rounds differently, and training amplifies that. So numbers are compared within what that changes.
//! `README=overwrite` writes the blocks and the picture anew; read the difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::Place;

/// How far numbers may differ, relative to themselves.
const RELATIVE: f64 = 0.1;
/// How far places in the picture may differ, in pixels: a twentieth of the axes.
const PIXELS: f64 = 20.0;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A text as its numbers and what stands between them.
fn parts(text: &str) -> (Vec<f64>, Vec<&str>) {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let (mut numbers, mut others, mut rest) = (Vec::new(), Vec::new(), text);
    while let Some(first) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[first..].find(|c| !is_of_number(c)).unwrap_or(rest.len() - first);
        let (number, behind) = rest[first..].split_at(length);
        others.push(&rest[..first]);
        numbers.push(number.trim_end_matches('.').parse().expect(number));
        rest = behind;
    }
    others.push(rest);
    (numbers, others)
}

/// Whether two texts are the same but for small differences of their numbers.
fn alike(one: &str, other: &str, absolute: f64) -> bool {
    let ((numbers, texts), (others, other_texts)) = (parts(one), parts(other));
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= absolute.max(RELATIVE * a.abs());
    texts == other_texts && numbers.iter().zip(&others).all(near)
}

/// The commands and what they print, in turns.
fn blocks(section: &str) -> Vec<&str> {
    section.split("```").skip(1).step_by(2).map(|block| block.split_once('\n').unwrap().1).collect()
}

#[test]
fn the_table_of_readme_is_what_its_commands_print() {
    let overwrite = std::env::var_os("README").is_some_and(|value| value == "overwrite");
    let (path, picture) = (root().join("README.md"), root().join("docs/images/table.svg"));
    let readme = fs::read_to_string(&path).unwrap();
    let section = readme.split("\n## A table\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let place = Place::new();
    std::os::unix::fs::symlink(root().join("examples"), place.path("examples")).unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_gaussform-bnn")).parent().unwrap();
    let programs = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());

    let mut written = readme.clone();
    let blocks = blocks(section);
    assert_eq!(blocks.len(), 4);
    for pair in blocks.chunks(2) {
        let [commands, shown] = [pair[0], pair[1]];
        let output = Command::new("sh")
            .args(["-ec", &format!("exec 2>&1\n{commands}")])
            .current_dir(place.folder())
            .env("PATH", &programs)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{printed}");
        assert!(overwrite || alike(shown, &printed, 0.0), "README should have\n{printed}");
        written = written.replace(shown, &printed);
    }
    let drawn = fs::read_to_string(place.path("table.svg")).unwrap();
    if overwrite {
        fs::write(path, written).unwrap();
        fs::write(picture, drawn).unwrap();
    } else {
        assert!(alike(&fs::read_to_string(picture).unwrap(), &drawn, PIXELS), "{drawn}");
    }
}

#[test]
fn numbers_are_near_and_texts_the_same() {
    assert!(alike("rows 61\na 0.3272, b", "rows 61\na 0.3266, b", 0.0));
    assert!(!alike("rows 61\na 0.3272, b", "rows 61\na 0.2266, b", 0.0));
    assert!(!alike("rows 61\na 0.3272, b", "rows 61\nc 0.3272, b", 0.0));
    assert!(!alike("1 2", "1", 0.0) && alike("x=\"30\"", "x=\"45.5\"", PIXELS));
}
