use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The output and the exit code of a run of the binary.
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Run {
    /// The output of a run that must succeed without a word on standard error.
    #[track_caller]
    pub(crate) fn output(self) -> String {
        assert_eq!(self.code, Some(0), "standard error: {}", self.stderr);
        assert_eq!(self.stderr, "");
        self.stdout
    }

    /// The report of a run that must fail as wrong input does.
    #[track_caller]
    pub(crate) fn error(self) -> String {
        assert_eq!(self.code, Some(2), "standard output: {}", self.stdout);
        assert_eq!(self.stdout, "");
        assert!(!self.stderr.contains('\x1b'), "colours in a pipe");
        self.stderr
    }
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gaussform"));
    command.args(args).env_remove("RUST_BACKTRACE").env_remove("NO_COLOR");
    command
}

pub(crate) fn gaussform(args: &[&str]) -> Run {
    gaussform_with(args, b"")
}

/// The output of a run that must succeed, which need not be UTF-8.
#[track_caller]
pub(crate) fn gaussform_bytes(args: &[&str], input: &[u8]) -> String {
    let output = finished(args, input);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn gaussform_with(args: &[&str], input: &[u8]) -> Run {
    let output = finished(args, input);
    Run {
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        code: output.status.code(),
    }
}

fn finished(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that fails early does not read its input.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("the binary ends")
}

/// A file in a fresh folder; the folder goes when the guard does.
pub(crate) fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

/// The text with its numbers in scientific notation to so many digits after the first: a
/// better kernel may change the last ones.
pub(crate) fn rounded(text: &str, digits: usize) -> String {
    let parts = text.split_inclusive([' ', ',', '\n']).map(|part| {
        let number = part.trim_end_matches([' ', ',', '\n']);
        match number.parse::<f64>() {
            Ok(value) if number.contains("0e") || number.len() > 9 => {
                format!("{value:.digits$e}{}", &part[number.len()..])
            }
            _ => part.to_owned(),
        }
    });
    parts.collect()
}
