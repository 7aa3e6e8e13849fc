//! Reading declarations, and writing code whole or not at all.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::error::BuildError;

/// The text of a file, without a byte-order mark.
pub(super) fn read(path: &Path) -> Result<String, BuildError> {
    let failed = |source| BuildError::Read { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let message = format!("line {line} is not UTF-8; save the file as UTF-8");
        failed(io::Error::new(ErrorKind::InvalidData, message))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The text of a file, without a byte-order mark; `None` if there is no such file.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, BuildError> {
    match read(path) {
        Ok(text) => Ok(Some(text)),
        Err(BuildError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file whole or not at all. A file that has this text already keeps its time, so that nothing is built
/// again.
pub(super) fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    written(path, text).map_err(|source| BuildError::Write { path: path.to_owned(), source })
}

fn written(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    gaussform_files::write_whole(path, text.as_bytes())
}
