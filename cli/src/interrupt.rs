//! Interrupts by the user: a file that is half written is removed.

use std::sync::Once;

/// The exit code of a process that an interrupt has ended.
const INTERRUPTED: i32 = 130;

static HANDLER: Once = Once::new();

/// From now on, an interrupt removes what is unfinished; to be called before there is such a file.
pub(crate) fn prepare() {
    HANDLER.call_once(|| {
        // Without a handler, an interrupt leaves the file behind.
        let _ = ctrlc::set_handler(|| gaussform_files::exit(INTERRUPTED));
    });
}
