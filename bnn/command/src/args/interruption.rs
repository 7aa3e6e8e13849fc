//! The option for checkpoints of training.

use std::path::PathBuf;

use clap::Args as Options;

/// Where checkpoints go. An interrupt (Ctrl-C) or an end from outside (SIGTERM) writes one too, and the model so far.
#[derive(Debug, Options)]
#[command(next_help_heading = "Interruption")]
pub(crate) struct Interruption {
    /// The folder of checkpoints, which are written each minute and removed at the end; MODEL.checkpoint, if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on with the run whose checkpoints are there, with the options that it began with, to the same bits as without
    /// the interruption
    #[arg(long)]
    pub(crate) resume: bool,
}
