//! Files that are written whole or not at all, and a check of their place before long work.
//!
//! The bytes go to a part, which is a file `.NAME.PROCESS-NUMBER.part` beside the file NAME, and to the disk. Then the
//! part is renamed, so that no reader ever sees half of a file. A file that exists is replaced and keeps its
//! permissions. Of a link, the file that it leads to is replaced.
//!
//! A part is locked while its process lives. A process that is killed leaves its part behind, without a lock, and
//! whoever writes NAME next removes it.

mod part;
mod stale;

use std::io::{self, Write};
use std::path::Path;

pub use part::{Unfinished, exit};

/// Writes `bytes` to the file `path` in one step.
///
/// # Errors
///
/// The errors of [`check_place`]. No file is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = Unfinished::new(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Checks whether a file of `size` bytes can be put at `path`, for a program that wants to know before hours of work.
/// It writes as many bytes to a file beside it, and removes that file.
///
/// # Errors
///
/// The errors of [`Unfinished::new`], and those of the operating system if the disk is too full.
pub fn check_place(path: &Path, size: usize) -> io::Result<()> {
    let mut file = Unfinished::new(path)?;
    file.write_all(&vec![0; size])?;
    file.sync()
}
