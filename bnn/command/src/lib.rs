//! The `gaussform-bnn` command: a table in, a model out; a model and a table in, predictions out.
//!
//! Every command checks all of its input and makes its whole answer before it writes any of it. Programs that have their tables in
//! memory find the same work, with the same options and defaults, in [`TableModel`].

mod answer;
mod args;
mod calibrate;
mod calibration;
mod checkpoints;
mod design;
mod documents;
mod effort;
mod encoding;
mod evaluate;
mod export;
mod failure;
mod interrupt;
mod output;
mod predict;
mod pretrained;
mod progress;
mod table;
mod table_model;
mod train;

use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;
pub use progress::Epoch;
pub use table_model::{Column, Frame, Problem, TableModel};

/// Runs the command that the arguments of the process name, and says how it ended.
#[must_use]
pub fn run() -> ExitCode {
    table::silence_readers();
    output::choose_colours(Args::color());
    let args = match Args::try_parse() {
        Ok(args) => args,
        // Help and the version are answers too.
        Err(answer) => {
            return match answer.print() {
                Ok(()) => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)),
                Err(error) if error.kind() == ErrorKind::BrokenPipe => ended(Err(Failure::Unheard)),
                Err(error) => ended(Err(Failure::Output(error))),
            };
        }
    };
    gaussform_bnn::set_threads(args.threads.map_or(0, NonZeroUsize::get));
    ended(match &args.command {
        Command::Train(options) => train::run(options),
        Command::Predict(options) => predict::run(options),
        Command::Evaluate(options) => evaluate::run(options),
        Command::Calibrate(options) => calibrate::run(options),
        Command::Export(options) => export::run(options),
        Command::Completions(options) => documents::completions(options),
        Command::Man(options) => documents::man(options),
    })
}

/// The exit code of a command that has ended, whose failure is told on standard error.
fn ended(done: Result<(), Failure>) -> ExitCode {
    match done {
        // Whoever read the output has seen enough.
        Ok(()) | Err(Failure::Unheard) => ExitCode::SUCCESS,
        Err(failure) => {
            let (said, code) = match &failure {
                Failure::Interrupted { .. } | Failure::NotBegun => {
                    ("\x1b[1;33minterrupted:\x1b[0m", interrupt::INTERRUPTED)
                }
                _ => ("\x1b[1;31merror:\x1b[0m", 2),
            };
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(anstream::stderr(), "{said} {failure}");
            ExitCode::from(code)
        }
    }
}
