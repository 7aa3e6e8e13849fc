//! The papers' experiments: each subcommand repeats one and writes a folder; `table` prints the tables of
//! such folders.

mod args;
mod calibration;
mod estimate;
mod failure;
mod fast_prediction;
mod gradient_variance;
mod images;
mod picture;
mod published;
mod record;
mod sine;
mod table;
mod tensor;
mod training;
mod uci;
mod vae;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.command {
        Command::Uci(options) => uci::run(options),
        Command::Images(options) => images::run(options),
        Command::Online(options) => images::run(&options.images()),
        Command::Calibration(options) => calibration::run(options),
        Command::FastPrediction(options) => fast_prediction::run(options),
        Command::Sine(options) => sine::run(options),
        Command::GradientVariance(options) => gradient_variance::run(options),
        Command::Vae(options) => vae::run(options),
        Command::Table(options) => table::run(options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {failure}");
            ExitCode::from(2)
        }
    }
}
