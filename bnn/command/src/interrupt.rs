//! Interrupts of the process, by the user or by the system.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a process that an interrupt has ended.
pub(crate) const INTERRUPTED: u8 = 130;

static ASKED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// From now on an interrupt, a hangup or a termination is answered by [`asked`]; the second one ends the program at once.
pub(crate) fn prepare() {
    HANDLER.call_once(|| {
        // Without a handler an interrupt ends the program, and the last checkpoint is what is left.
        let _ = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                gaussform_files::exit(i32::from(INTERRUPTED));
            }
        });
    });
}

/// Whether the program was asked to end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
