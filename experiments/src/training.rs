//! The activation of all networks, the progress bar, and training with checkpoints, which goes on where it was
//! interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use gaussform_bnn::{
    Checkpoint, Every, Function, Functions, Model, Table, TrainConfig, TrainError, resume, train,
};
use indicatif::{ProgressBar, ProgressStyle};

/// Number of checkpoints of a run.
const CHECKPOINTS: usize = 10;

/// The activation of all experiments.
pub(crate) fn relu() -> Result<Function, TrainError> {
    let found = Functions::library().get("relu").cloned();
    found.ok_or(TrainError::Settings("the library has no activation `relu`"))
}

/// A bar with the time that is left. It is shown on a terminal alone.
pub(crate) fn progress_bar(length: usize) -> ProgressBar {
    let bar = ProgressBar::new(length as u64);
    match ProgressStyle::with_template("{bar:40.cyan/blue} {percent:>3}%  {eta:>4} left  {msg}") {
        Ok(style) => bar.with_style(style.progress_chars("━╸─")),
        Err(_) => bar,
    }
}

/// The model that `begin` makes after training by gradients, and the seconds of training. If the file `checkpoint`
/// exists, training goes on from it. The seconds before it are then estimated from those after it. The file stays
/// until [`done`].
pub(crate) fn trained(
    begin: impl FnOnce() -> Result<Model, TrainError>,
    table: &Table,
    config: TrainConfig,
    checkpoint: &Path,
    mut progress: impl FnMut(usize),
) -> Result<(Model, f64), TrainError> {
    let epochs = config.epochs;
    let place = Checkpoint {
        path: checkpoint.to_owned(),
        every: Every::Epochs(epochs.div_ceil(CHECKPOINTS).max(1)),
        notes: BTreeMap::new(),
    };
    let config = TrainConfig { checkpoint: Some(place), ..config };
    let (start, mut first) = (Instant::now(), None);
    let report = |now: &gaussform_bnn::Progress<'_>| {
        first.get_or_insert(now.epoch);
        progress(now.epoch);
        ControlFlow::Continue(())
    };
    let model = if checkpoint.exists() {
        resume(checkpoint, &Functions::library(), table, &config, report)?
    } else {
        train(begin()?, table, &config, report)?
    };
    // A checkpoint of the last epoch leaves nothing to report, and the seconds stay.
    let here = epochs + 1 - first.unwrap_or(1).min(epochs);
    Ok((model, start.elapsed().as_secs_f64() * epochs as f64 / here as f64))
}

/// Removes a checkpoint after its results are written.
pub(crate) fn done(checkpoint: &Path) {
    // One that stays is of no harm: what is written is not trained again.
    let _ = fs::remove_file(checkpoint);
}
