//! The regular file that a path names or would name.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The place of the file behind all links, which is a regular file that may be written, or nothing yet.
pub(crate) fn resolved(path: &Path) -> io::Result<PathBuf> {
    let wrong = |problem: &str| io::Error::new(ErrorKind::InvalidInput, problem);
    if path.file_name().is_none() {
        return Err(wrong("it names no file"));
    }
    let there = match fs::symlink_metadata(path) {
        Ok(there) => there,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path.to_owned()),
        Err(error) => return Err(error),
    };
    if there.is_symlink() {
        let behind =
            fs::canonicalize(path).map_err(|_| wrong("it is a link that leads nowhere"))?;
        return resolved(&behind);
    }
    if there.is_dir() {
        return Err(wrong("it is a folder"));
    }
    if !there.is_file() {
        return Err(wrong("it is a device or a pipe, not a file"));
    }
    // A folder that can be written to would let it be replaced nevertheless.
    if there.permissions().readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    Ok(path.to_owned())
}
