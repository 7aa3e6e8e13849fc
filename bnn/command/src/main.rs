//! The `gaussform-bnn` command: a table in, a model out; a model and a table in, predictions out.
//!
//! Every command checks all of its input and makes its whole answer before it writes any of it.

mod args;
mod encoding;
mod evaluate;
mod failure;
mod output;
mod picture;
mod predict;
mod table;
mod train;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.command {
        Command::Train(options) => train::run(options),
        Command::Predict(options) => predict::run(options),
        Command::Evaluate(options) => evaluate::run(options),
    };
    match done {
        // Whoever read the output has seen enough.
        Ok(()) | Err(Failure::Unheard) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::from(2)
        }
    }
}
