//! Files that are written whole or not at all, and a check of their place before long work.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes `bytes` to the file `path` in one step, so that no reader ever sees half of it. The bytes go to a file
/// beside it and to the disk, and that file is renamed. A file that exists is replaced and keeps its permissions. Of
/// a link, the file that it leads to is replaced.
///
/// # Errors
///
/// The errors of [`check_place`], and those of the operating system. No file is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = target(path)?;
    let part = PartFile::new(&target)?;
    part.write(bytes)?;
    part.become_file(&target)
}

/// Checks whether a file of `size` bytes can be put at `path`, for a program that wants to know before hours of work.
/// It writes as many bytes to a file beside it, and removes that file.
///
/// # Errors
///
/// [`io::Error`], if `path` is something else than a regular file, such as a folder, a device or a link that leads
/// nowhere, if the folder is missing or cannot be written to, or if the disk is too full.
pub fn check_place(path: &Path, size: usize) -> io::Result<()> {
    let part = PartFile::new(&target(path)?)?;
    part.write(&vec![0; size])
}

/// The regular file that `path` names or would name.
fn target(path: &Path) -> io::Result<PathBuf> {
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
        let target =
            fs::canonicalize(path).map_err(|_| wrong("it is a link that leads nowhere"))?;
        return self::target(&target);
    }
    if there.is_dir() {
        return Err(wrong("it is a folder"));
    }
    if !there.is_file() {
        return Err(wrong("it is a device or a pipe, not a file"));
    }
    Ok(path.to_owned())
}

/// A file beside its target until it is renamed. It is removed if it is dropped before.
struct PartFile {
    file: File,
    path: PathBuf,
}

impl PartFile {
    fn new(target: &Path) -> io::Result<Self> {
        let mut path = target.as_os_str().to_owned();
        path.push(format!(".{}.part", std::process::id()));
        let path = PathBuf::from(path);
        let file = File::create(&path)?;
        Ok(Self { file, path })
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        (&self.file).write_all(bytes)?;
        self.file.sync_all()
    }

    fn become_file(self, target: &Path) -> io::Result<()> {
        if let Ok(there) = fs::metadata(target) {
            self.file.set_permissions(there.permissions())?;
        }
        fs::rename(&self.path, target)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // After its renaming there is nothing of this name; before it, the first error is the one to report.
        let _ = fs::remove_file(&self.path);
    }
}
