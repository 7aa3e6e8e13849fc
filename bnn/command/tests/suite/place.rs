//! A folder of its own for each test, in which the command runs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// The command with `input` as its standard input.
    pub(crate) fn run(&self, args: &str, input: &str) -> Output {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .current_dir(self.0.path())
            .args(args.split(' '))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads no input closes it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    /// Standard output of a command that must do its work.
    pub(crate) fn does(&self, args: &str) -> String {
        let [out, _] = self.does_with(args, "");
        out
    }

    /// Standard output and standard error of a command that must do its work on this input.
    pub(crate) fn does_with(&self, args: &str, input: &str) -> [String; 2] {
        let out = self.run(args, input);
        let error = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.success(), "{args}: {error}");
        [String::from_utf8(out.stdout).unwrap(), error]
    }

    /// The exit code of `train` that a signal, such as `-INT`, ends soon after training has begun.
    #[cfg(unix)]
    pub(crate) fn interrupted(&self, train: &str, signal: &str) -> Option<i32> {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gaussform-bnn"))
            .current_dir(self.0.path())
            .args(train.split(' '))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let id = child.id().to_string();
        // Training begins when SIGINT and SIGTERM are caught, which only Linux shows. A pause without a sign of that would have to
        // be long on a busy machine, and then it would outlast a short training on a quiet one.
        let is_caught = || {
            let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            let both = 1 << 1 | 1 << 14;
            u64::from_str_radix(mask.trim(), 16).unwrap() & both == both
        };
        if cfg!(target_os = "linux") {
            while child.try_wait().unwrap().is_none() && !is_caught() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
        } else {
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        child.wait().unwrap().code()
    }

    /// Standard error of a command that must fail, with nothing written but how `train` read the table.
    pub(crate) fn fails(&self, args: &str) -> String {
        let before = names(self.0.path());
        let out = self.run(args, "");
        assert_eq!(out.status.code(), Some(2), "{args}");
        assert!(out.stdout.is_empty() || out.stdout.starts_with(b"column"), "{args}");
        assert_eq!(names(self.0.path()), before);
        String::from_utf8(out.stderr).unwrap()
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// y depends on a kink in x and on a word.
pub(crate) fn table(rows: usize) -> String {
    let mut out = "size,colour,price,grade\n".to_owned();
    for i in 0..rows {
        let x = (i * 37 % 100) as f64 / 10.0 - 5.0;
        let colour = ["red", "green", "blue"][i % 3];
        let price = 1000.0 * x.abs() + if colour == "red" { 2000.0 } else { 0.0 };
        let grade = if price > 3000.0 { "high" } else { "low" };
        out += &format!("{x},{colour},{price},{grade}\n");
    }
    out
}

/// The first number of the line of `evaluate` that begins so.
pub(crate) fn number(evaluated: &str, line: &str) -> f64 {
    let found = evaluated.lines().find(|l| l.starts_with(line)).expect(line);
    found.split_whitespace().find_map(|word| word.parse().ok()).expect(line)
}

/// The numbers of a column of CSV.
pub(crate) fn column(text: &str, name: &str) -> Vec<f64> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}
