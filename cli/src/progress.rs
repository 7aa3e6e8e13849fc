//! The progress of long work, shown to a person who waits.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends sooner is not announced.
const PATIENCE: Duration = Duration::from_secs(1);

/// The unit in which work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Bytes,
    Samples,
    Pairs,
}

/// A bar on standard error, which must be a terminal; it goes when the work ends.
pub(crate) struct Progress {
    begun: Instant,
    total: u64,
    unit: Unit,
    what: &'static str,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing is ever shown of work that is not `wanted`.
    pub(crate) fn new(what: &'static str, total: u64, unit: Unit, wanted: bool) -> Self {
        Self { begun: Instant::now(), total, unit, what, wanted, bar: None }
    }

    /// So much is done.
    pub(crate) fn at(&mut self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        } else if self.wanted && self.begun.elapsed() > PATIENCE {
            self.bar = Some(self.bar(done));
        }
    }

    fn bar(&self, done: u64) -> ProgressBar {
        let counted = match self.unit {
            Unit::Bytes => "{binary_bytes} of {binary_total_bytes}",
            Unit::Samples => "{human_pos} of {human_len} samples",
            Unit::Pairs => "{human_pos} of {human_len} pairs",
        };
        let template = format!("{{msg}} {{wide_bar}} {counted}, {{eta}} left");
        let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        // The bar counts from the beginning of the work, not from its own.
        let bar = bar.with_message(self.what).with_position(done).with_elapsed(PATIENCE);
        bar.tick();
        bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How often a sign of life changes.
const BEAT: Duration = Duration::from_millis(120);

/// A sign of life on standard error, which must be a terminal, during work of which nobody knows how long it
/// takes; it goes when the work ends.
pub(crate) struct Waiting {
    /// Closed to end it.
    open: Option<Sender<()>>,
    sign: Option<JoinHandle<()>>,
}

impl Waiting {
    /// Nothing is shown of work that is not `wanted`.
    pub(crate) fn new(what: &'static str, wanted: bool) -> Self {
        if !wanted {
            return Self { open: None, sign: None };
        }
        let (open, closed) = mpsc::channel::<()>();
        let sign = std::thread::spawn(move || {
            // Nothing is sent: closing the channel ends the wait at once.
            let waits = |time| closed.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            if !waits(PATIENCE) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{msg} {spinner} {elapsed}") {
                bar.set_style(style);
            }
            let bar = bar.with_message(what).with_elapsed(PATIENCE);
            bar.tick();
            while waits(BEAT) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { open: Some(open), sign: Some(sign) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(sign) = self.sign.take() {
            // A sign that fails has nothing to say.
            let _ = sign.join();
        }
    }
}
