//! The book in `docs/book`: its consoles are run, its blocks from files are compared with them, and
//! its links lead somewhere. In a console `$OUT` is a folder for files. `BOOK=overwrite` writes what
//! is printed into the chapters; read the difference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a chapter, by the lines that it takes.
struct Block {
    /// The line before the fence.
    above: String,
    /// The text behind the fence.
    kind: String,
    /// The first line of its text, from 0.
    first: usize,
    text: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_owned()
}

/// The chapters by name, in the order of their names.
fn chapters() -> Vec<(String, String)> {
    let folder = root().join("docs/book");
    let files = fs::read_dir(&folder).expect("the book").map(|entry| entry.expect("a file"));
    let names = files.filter_map(|file| file.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    let text = |name: &String| fs::read_to_string(folder.join(name)).expect("a chapter");
    names.iter().map(|name| (name.clone(), text(name))).collect()
}

fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(kind) = lines[at].strip_prefix("```") {
            let rest = &lines[at + 1..];
            let length = rest.iter().position(|line| *line == "```").expect("a fence that closes");
            blocks.push(Block {
                above: at.checked_sub(1).map_or("", |above| lines[above]).to_owned(),
                kind: kind.to_owned(),
                first: at + 1,
                text: rest[..length].iter().map(|line| (*line).to_owned()).collect(),
            });
            at += length + 1;
        }
        at += 1;
    }
    blocks
}

/// A command of a console and what it prints, an exit code other than 0 first as `? 2`.
fn run(command: &str, out: &Path) -> Vec<String> {
    let bin = Path::new(env!("CARGO_BIN_EXE_gaussform")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("NO_COLOR", "1")
        .env("OUT", out)
        .output()
        .expect("a shell");
    let code = output.status.code().expect("an end without a signal");
    let mut lines = vec![format!("$ {command}")];
    lines.extend((code != 0).then(|| format!("? {code}")));
    for stream in [output.stdout, output.stderr] {
        let text = String::from_utf8(stream).expect("UTF-8");
        lines.extend(text.lines().map(str::to_owned));
    }
    lines
}

/// The text that a block should have, if it is a console or a part of a file.
fn current(block: &Block, out: &Path) -> Option<Vec<String>> {
    if let Some(file) = marker(block, "file") {
        let text = fs::read_to_string(root().join(file)).expect("the file of a block");
        let part = block.text.join("\n");
        let whole = || text.lines().map(str::to_owned).collect();
        return Some(if !part.is_empty() && text.contains(&part) {
            block.text.clone()
        } else {
            whole()
        });
    }
    if block.kind != "console" {
        return None;
    }
    let commands = block.text.iter().filter_map(|line| line.strip_prefix("$ "));
    Some(commands.flat_map(|command| run(command, out)).collect())
}

fn marker<'a>(block: &'a Block, name: &str) -> Option<&'a str> {
    let inside = block.above.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    Some(inside.strip_prefix(name)?.strip_prefix(": ")?.trim())
}

#[cfg(unix)]
#[test]
fn consoles_and_files_say_what_is_shown() {
    let overwrite = std::env::var_os("BOOK").is_some_and(|value| value == "overwrite");
    let out = std::env::temp_dir().join(format!("gaussform-book-{}", std::process::id()));
    fs::create_dir_all(&out).expect("a temporary folder");
    let mut consoles = 0;
    for (name, text) in chapters() {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for block in blocks(&text).into_iter().rev() {
            let Some(shown) = current(&block, &out) else { continue };
            consoles += usize::from(block.kind == "console");
            let line = block.first + 1;
            assert!(
                overwrite || shown == block.text,
                "docs/book/{name}:{line} should be\n{}",
                shown.join("\n")
            );
            lines.splice(block.first..block.first + block.text.len(), shown);
        }
        if overwrite {
            let path = root().join("docs/book").join(&name);
            fs::write(path, lines.join("\n") + "\n").expect("a chapter");
        }
    }
    fs::remove_dir_all(&out).expect("removable");
    assert!(consoles > 25, "only {consoles} consoles");
}

#[test]
fn every_block_is_run_or_says_that_it_is_not() {
    // Where the Rust of chapters is run.
    let included: String = ["src/book.rs", "bnn/src/book.rs"]
        .map(|file| fs::read_to_string(root().join(file)).expect("a list of chapters"))
        .concat();
    for (name, text) in chapters() {
        for block in blocks(&text) {
            let told = match block.kind.as_str() {
                "text" | "console" => true,
                // `python/tests/test_book.py` runs them.
                "python" if name == "python.md" => true,
                "rust" => included.contains(&format!("docs/book/{name}")),
                _ => marker(&block, "file").or(marker(&block, "not run")).is_some(),
            };
            assert!(told, "docs/book/{name}:{}: a block of `{}`", block.first, block.kind);
        }
    }
}

#[test]
fn every_chapter_is_listed_and_links_lead_somewhere() {
    let chapters = chapters();
    let (_, summary) = chapters.iter().find(|(name, _)| name == "SUMMARY.md").expect("a summary");
    for (name, text) in &chapters {
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name}");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or(link);
            let found =
                link.starts_with("https://") || root().join("docs/book").join(path).exists();
            assert!(found, "docs/book/{name}: nothing is at {link}");
        }
    }
}
