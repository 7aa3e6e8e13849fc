//! A file on its way to its name, which an interrupt removes.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::stale::{name_of_part, remove_stale};

/// So many names are tried for a part, where processes of other machines have parts with the number of this one.
const NAMES: u32 = 256;

/// The number of the next part. No two of a process have the same name.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The parts of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file on its way to its name. It is removed if it is dropped before [`finish`](Self::finish).
#[derive(Debug)]
pub struct Unfinished {
    file: File,
    part: PathBuf,
    target: PathBuf,
}

impl Unfinished {
    /// An empty file beside `path`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidInput`], if `path` is something else than a regular file, such as a folder, a device or a
    /// link that leads nowhere. Otherwise the errors of the operating system, if the folder is missing, or if the
    /// folder or the file must not be written to.
    pub fn new(path: &Path) -> io::Result<Self> {
        let target = std::path::absolute(resolved(path)?)?;
        // While it is held, no interrupt comes between the file and the list.
        let mut unfinished = unfinished();
        remove_stale(&target, &unfinished);
        let (file, part) = created(&target)?;
        unfinished.push(part.clone());
        drop(unfinished);
        // From here on an error drops this, which removes the part.
        let new = Self { file, part, target };
        if let Ok(there) = fs::metadata(&new.target) {
            new.file.set_permissions(there.permissions())?;
        }
        Ok(new)
    }

    /// Brings what was written to the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }

    /// Brings what was written to the disk, and gives the file its name.
    ///
    /// # Errors
    ///
    /// Those of the operating system. The file is removed then.
    pub fn finish(self) -> io::Result<()> {
        self.sync()?;
        let mut unfinished = unfinished();
        // While the list is locked, an interrupt cannot remove what has just got its name.
        fs::rename(&self.part, &self.target)?;
        unfinished.retain(|part| *part != self.part);
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut unfinished = unfinished();
        if let Some(i) = unfinished.iter().position(|part| *part == self.part) {
            remove(&unfinished.swap_remove(i));
        }
    }
}

/// Ends the process, as an interrupt asks for: files that are unfinished are removed, and none gets its name any more.
pub fn exit(code: i32) -> ! {
    // The lock is held to the end.
    let mut unfinished = unfinished();
    for part in unfinished.drain(..) {
        remove(&part);
    }
    process::exit(code)
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(part: &Path) {
    // The first error is the one to report.
    let _ = fs::remove_file(part);
}

/// A part that did not exist, and its lock where the file system has locks.
fn created(target: &Path) -> io::Result<(File, PathBuf)> {
    for _ in 0..NAMES {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let part = target.with_file_name(name_of_part(target, number));
        let file = match OpenOptions::new().write(true).create_new(true).open(&part) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        // Before it was locked, another process may have taken it for one that was left behind.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && part.exists() {
            return Ok((file, part));
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// The place of the file behind all links, which is a regular file that may be written, or nothing yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
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
