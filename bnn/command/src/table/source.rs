//! The bytes of a table, from a file or from standard input, plain or compressed by gzip.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Advice for a file that is no table.
pub(crate) const HELP: &str = "a table is a CSV file with a header, its cells separated by commas, semicolons, tabs or \
                               bars, maybe compressed by gzip; or a Parquet or Arrow file";

/// The bytes of a table, and the name by which messages call it.
pub(crate) struct Source {
    pub(crate) name: PathBuf,
    pub(crate) bytes: Vec<u8>,
}

impl Source {
    /// The file at `path`, or standard input for `-`.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let stdin = path == Path::new("-");
        let name = if stdin { PathBuf::from("standard input") } else { path.to_owned() };
        let failed = |e: io::Error| Failure::file(&name, format!("cannot be read: {e}"), HELP);
        let mut bytes = Vec::new();
        if stdin {
            io::stdin().lock().read_to_end(&mut bytes).map_err(failed)?;
        } else {
            bytes = std::fs::read(path).map_err(failed)?;
        }
        if bytes.starts_with(&GZIP) {
            let mut plain = Vec::new();
            // A gzip file may be several ones in a row.
            MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).map_err(|e| {
                let help = "it begins as a gzip file does, and ends too early or is damaged";
                Failure::file(&name, format!("cannot be decompressed: {e}"), help)
            })?;
            bytes = plain;
        }
        Ok(Self { name, bytes })
    }
}
