//! Compiling and running what was emitted.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gaussform_codegen::Kernel;

use super::{CASES, Case, all_expected, points, same};

/// A folder of its own for a test, which is left behind where the test fails.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("gaussform-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("writable");
        path
    }

    pub(crate) fn remove(self) {
        std::fs::remove_dir_all(self.0).expect("removable");
    }
}

/// Runs a compiler, which is to be there and to say nothing.
pub(crate) fn compile(
    compiler: &str,
    options: &[&str],
    source: &Path,
    program: &Path,
    libraries: &[&str],
) {
    let output = Command::new(compiler)
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(program)
        .args(libraries)
        .output()
        .unwrap_or_else(|error| panic!("these tests need the compiler `{compiler}`: {error}"));
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{compiler} {options:?}\n{messages}");
}

/// The output of a program that is given some points.
pub(crate) fn run(program: &Path, points: &[[f64; 2]]) -> Vec<f64> {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program that was compiled");
    let bytes: Vec<u8> = points.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let mut stdin = child.stdin.take().expect("piped");
    let feeder = std::thread::spawn(move || stdin.write_all(&bytes).expect("the program reads"));
    let output = child.wait_with_output().expect("the program ends");
    feeder.join().expect("the program reads");
    assert!(output.status.success());
    let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    output.stdout.chunks(8).map(number).collect()
}

/// The results of all cases at all points agree bit by bit with the crate's.
pub(crate) fn agrees(program: &Path, kernel: fn(&Case) -> Kernel) {
    let points = points();
    let expected = &all_expected(kernel, &points);
    let got = run(program, &points);
    assert_eq!(got.len(), expected.len());
    let per_point = expected.len() / points.len();
    let rows = got.chunks(per_point).zip(expected.chunks(per_point));
    for (point, (got, expected)) in points.iter().zip(rows) {
        let mut start = 0;
        for case in &CASES {
            let range = start..start + 15 + 3 * case.parameters.len();
            start = range.end;
            let (got, expected) = (&got[range.clone()], &expected[range]);
            for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
                assert!(
                    same(*got, *expected),
                    "{}: result {i} at {point:?}: {got:e}, and {expected:e} by the crate",
                    case.name
                );
            }
        }
    }
}
