//! A Bayesian neural network on the yacht data, trained without sampling a single weight.
//!
//!     cargo run --release --example yacht
//!
//! Declares an activation, trains a network of it on random splits of the data, reports the test
//! error and log-likelihood beside ridge regression, and draws predictions against the truth.

mod arguments;
mod experiment;
mod figure;
mod report;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use experiment::Failure;

/// The activation. Any function of this kind will do: another `if`, `x.clamp(0.0, 6.0)`, `x * x`.
#[gaussform::activation]
pub fn relu(x: f64) -> f64 {
    if x > 0.0 { x } else { 0.0 }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to do if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    // What can be known to fail is known before the training, not after it.
    figure::check(&arguments.out)?;
    let sets = arguments
        .data
        .iter()
        .map(|dir| experiment::Set::load(dir, arguments))
        .collect::<Result<Vec<_>, _>>()?;
    let results = experiment::run(&sets, arguments)?;
    if let Some(result) = results.first() {
        figure::write(&arguments.out, result)?;
    }
    // All or nothing: the report is printed when everything has succeeded.
    let report = report::report(&results, arguments);
    match io::stdout().write_all(report.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
