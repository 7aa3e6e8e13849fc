//! Interrupts by the user: a file that is half written is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// The exit code of a process that an interrupt has ended.
const INTERRUPTED: i32 = 130;

static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);
static HANDLER: Once = Once::new();

/// From now on, an interrupt removes what is unfinished; to be called before there is such a file.
pub(crate) fn prepare() {
    HANDLER.call_once(|| {
        // Without a handler, an interrupt leaves the file behind.
        let _ = ctrlc::set_handler(|| {
            // What holds the lock to the end keeps the file from getting its name.
            let mut unfinished = lock();
            remove(&mut unfinished);
            exit(INTERRUPTED);
        });
    });
}

/// A file on its way to another name; dropped before, it is removed.
pub(crate) struct Unfinished(());

impl Unfinished {
    /// From now on, an interrupt removes the file. There is one at a time.
    pub(crate) fn new(path: &Path) -> Self {
        prepare();
        *lock() = Some(path.to_owned());
        Self(())
    }

    /// Gives the file its name.
    pub(crate) fn finish(self, name: &Path) -> io::Result<()> {
        let mut unfinished = lock();
        let path = unfinished.as_deref().ok_or(io::ErrorKind::NotFound)?;
        fs::rename(path, name)?;
        *unfinished = None;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove(&mut lock());
    }
}

fn lock() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn remove(unfinished: &mut Option<PathBuf>) {
    if let Some(path) = unfinished.take() {
        // Nothing is left to be done about a file that cannot be removed.
        let _ = fs::remove_file(path);
    }
}
