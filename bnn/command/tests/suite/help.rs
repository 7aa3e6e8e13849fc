//! The help of the commands: its layout, and its examples.

use std::process::{Command, Stdio};

use crate::place::{Place, table};

const COMMANDS: [&str; 7] =
    ["train", "predict", "evaluate", "calibrate", "export", "completions", "man"];

/// The help on a terminal of so many columns.
fn help(args: &[&str], columns: usize) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
        .args(args)
        .env("COLUMNS", columns.to_string())
        .stdin(Stdio::null())
        .output();
    String::from_utf8(output.unwrap().stdout).unwrap()
}

#[test]
fn examples_of_the_help_work() {
    let place = Place::new();
    for name in ["houses.csv", "new.csv", "held_out.csv"] {
        place.put(name, table(30));
    }
    let narrow = help(&["--help"], 80);
    let examples: Vec<&str> =
        narrow.lines().filter_map(|line| line.strip_prefix("  gaussform-bnn ")).collect();
    assert_eq!(examples.len(), 3, "{narrow}");
    for example in examples {
        // So much training shows that the options are right.
        let few = if example.starts_with("train") { " --epochs 2" } else { "" };
        place.does(&format!("{example}{few}"));
    }
    let behind = |help: &str| help[help.find("Examples:").unwrap()..].to_owned();
    assert_eq!(behind(&narrow), behind(&help(&["--help"], 200)));
}

#[test]
fn help_describes_its_command_in_short_or_whole() {
    for command in COMMANDS {
        let [short, whole] = ["-h", "--help"].map(|option| help(&[command, option], 200));
        let [head, description] = [0, 1].map(|part| whole.split("\n\n").nth(part).unwrap());
        assert!(short.starts_with(&format!("{head}\n\nUsage:")), "{short}");
        assert!(!description.starts_with("Usage:"), "{whole}");
        for line in short.lines().chain(whole.lines()) {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn a_manual_page_has_examples_and_descriptions() {
    let place = Place::new();
    let page = place.does("man");
    assert!(page.contains(".SH EXAMPLES") && !page.contains("EXTRA"), "{page}");
    assert!(place.does("man train").contains("Columns that say nothing"));
}
