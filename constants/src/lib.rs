//! Makes the constant tables of the runtime, as Rust source.
//!
//! Everything is computed from definitions in multiple precision and rounded once:
//!
//! - rational fits of quotients of tails, which start their backward recurrence (`fit`, with
//!   the factor that `scale` chooses for the precision at hand);
//! - Gauss–Legendre rules (`legendre`);
//! - the polynomial and the split constants of the Normal density (`exponential`);
//! - the polynomial of a density that decays over a narrow piece (`decay`).
//!
//! The precision is fixed, samples are drawn from a generator that is written out here, and
//! nothing is computed with functions of the platform, so that every run gives the same bytes on
//! every machine. What is committed is compared with it by `tests/committed.rs`.

mod decay;
mod exponential;
mod fit;
mod format;
mod interpolate;
mod legendre;
mod literal;
mod number;
mod scale;
mod tails;
mod text;

use std::path::{Path, PathBuf};

/// The command that writes the files anew.
pub const COMMAND: &str = "cargo run -p gaussform-constants";

/// One of the files.
#[derive(Clone, Debug)]
pub struct File {
    /// Where it belongs.
    pub path: PathBuf,
    /// The whole text.
    pub text: String,
}

impl File {
    fn new(name: &str, text: String) -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = package.with_file_name("runtime").join("src/constants");
        Self { path: folder.join(name), text }
    }

    /// Whether the file is there and has this text.
    pub fn is_current(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }
}

/// All files; takes a quarter of a minute.
pub fn files() -> [File; 4] {
    [
        File::new("fits.rs", text::fits::write()),
        File::new("rules.rs", text::rules::write()),
        File::new("exponential.rs", text::exponential::write()),
        File::new("decay.rs", text::decay::write()),
    ]
}
