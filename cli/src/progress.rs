//! How far long work has come, for a person who waits.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that ends sooner is not announced.
const PATIENCE: Duration = Duration::from_secs(1);

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Bytes,
    Samples,
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
        };
        let template = format!("{{msg}} {{wide_bar}} {counted}, {{eta}} left");
        let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
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
