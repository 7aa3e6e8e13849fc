//! The delivery of an answer: to standard output, or to a file that is written whole or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::Once;

use gaussform_files::Unfinished;
use gaussform_report::complaint::Complaint;

use crate::report::Failure;

/// The exit code of a process that an interrupt has ended.
const INTERRUPTED: i32 = 130;

static HANDLER: Once = Once::new();

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

/// Writes a file whole or not at all, so that no one ever sees half of it.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Stop>,
) -> Result<(), Stop> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        // A device, a pipe or a folder cannot be renamed over.
        return buffered(OpenOptions::new().write(true).open(path)?, write).map(drop);
    }
    remove_at_interrupt();
    let file = Unfinished::new(path).map_err(|error| refused(path, error))?;
    Ok(buffered(file, write)?.finish()?)
}

/// From now on, an interrupt by the user removes what is unfinished; to be called before there is such a file.
fn remove_at_interrupt() {
    HANDLER.call_once(|| {
        // Without a handler, an interrupt leaves the file behind.
        let _ = ctrlc::set_handler(|| gaussform_files::exit(INTERRUPTED));
    });
}

/// Why a file cannot be put at a place.
fn refused(path: &Path, error: io::Error) -> Stop {
    if error.kind() != ErrorKind::InvalidInput {
        return error.into();
    }
    let message = format!("cannot write {}: {error}", path.display());
    Failure::from(Complaint::new(message, "name a file, there or not, in a folder that exists"))
        .into()
}

/// The error of the stream below a writer of CSV, whose kind the usual conversion hides.
pub(crate) fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
