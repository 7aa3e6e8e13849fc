//! The delivery of an answer: to standard output, or to a file that is written whole or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use gaussform_report::complaint::Complaint;

use crate::interrupt::{self, Unfinished};
use crate::report::Failure;

/// Why an answer was not written to its end.
pub(crate) enum Stop {
    /// The output cannot be written.
    Output(io::Error),
    /// The input has failed.
    Input(Failure),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Input(failure)
    }
}

/// Hands a text over to standard output, or to `out`, where `-` is standard output too.
pub(crate) fn deliver(text: &str, out: Option<&Path>) -> Result<(), Failure> {
    deliver_with(out, |writer| Ok(writer.write_all(text.as_bytes())?))
}

/// Writes bytes to a file.
pub(crate) fn deliver_bytes(bytes: &[u8], out: &Path) -> Result<(), Failure> {
    deliver_with(Some(out), |writer| Ok(writer.write_all(bytes)?))
}

/// Delivers an answer as [`deliver`] does, written piece by piece.
pub(crate) fn deliver_with(
    out: Option<&Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>,
) -> Result<(), Failure> {
    let (written, place) = match out.filter(|path| *path != Path::new("-")) {
        None => (buffered(io::stdout().lock(), write).map(drop), "to standard output".to_owned()),
        Some(path) => (replace(path, write), path.display().to_string()),
    };
    written.map_err(|stop| match stop {
        Stop::Input(failure) => failure,
        Stop::Output(error) if error.kind() == ErrorKind::BrokenPipe => Failure::unheard(),
        Stop::Output(error) => Failure::plain(format!("cannot write {place}: {error}")),
    })
}

fn buffered<W: Write>(
    target: W,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>,
) -> Result<W, Stop> {
    let mut writer = BufWriter::new(target);
    write(&mut writer)?;
    writer.flush()?;
    Ok(writer.into_inner().map_err(io::IntoInnerError::into_error)?)
}

/// Writes beside the file and renames, so that no one ever sees half of it.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let permissions = match fs::metadata(path) {
        Ok(existing) if existing.is_file() => Some(existing.permissions()),
        // A device, a pipe or a folder cannot be renamed over.
        Ok(_) => return buffered(OpenOptions::new().write(true).open(path)?, write).map(drop),
        Err(_) if path.is_symlink() => {
            let message =
                format!("cannot write {}: it is a link that leads nowhere", path.display());
            let help = "remove the link, or name the file that it is to lead to";
            return Err(Failure::from(Complaint::new(message, help)).into());
        }
        Err(_) => None,
    };
    if permissions.as_ref().is_some_and(Permissions::readonly) {
        return Err(io::Error::from(ErrorKind::PermissionDenied).into());
    }
    // Through links, to the file itself.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    interrupt::prepare();
    let (beside, file) = create_beside(&path)?;
    let unfinished = Unfinished::new(&beside);
    let file = buffered(file, write)?;
    permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
    file.sync_all()?;
    Ok(unfinished.finish(&path)?)
}

fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or_else(|| io::Error::from(ErrorKind::IsADirectory))?;
    for attempt in 0..16 {
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}-{attempt}", std::process::id()));
        let beside = path.with_file_name(hidden);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (beside, file)),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

/// The error of the stream below a writer of CSV, whose kind the usual conversion hides.
pub(crate) fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
