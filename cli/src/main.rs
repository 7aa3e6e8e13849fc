//! The `gaussform` command: closed forms of Gaussian expectations, derived, checked,
//! evaluated and written out as code.
//!
//! Every command makes its whole answer before it prints any of it, so an error leaves
//! standard output empty. Exit codes: 0 for success, 1 if a check fails, 2 for wrong input.

mod args;
mod cases;
mod command;
mod knots;
mod library;
mod monte_carlo;
mod number;
mod output;
mod parameters;
mod points;
mod report;
mod source;
mod style;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use args::{Args, Command};
use report::Failure;

/// How a command ended that was asked for something meaningful.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    Refuted,
}

fn main() -> ExitCode {
    let args = match Args::read() {
        Ok(args) => args,
        Err(error) => {
            // Nothing is left to say if the terminal is gone.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match guarded(|| run(&args.command)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Refuted) => ExitCode::from(1),
        Err(failure) => {
            failure.print();
            ExitCode::from(2)
        }
    }
}

/// A bug that panics is reported like any failure; `RUST_BACKTRACE=1` shows where it is.
fn guarded(run: impl FnOnce() -> Result<Outcome, Failure>) -> Result<Outcome, Failure> {
    if std::env::var_os("RUST_BACKTRACE").is_none_or(|value| value == "0") {
        std::panic::set_hook(Box::new(|_| {}));
    }
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Err(Failure::bug(text.unwrap_or("no message")))
    })
}

fn run(command: &Command) -> Result<Outcome, Failure> {
    match command {
        Command::Inspect(args) => command::inspect::run(args),
        Command::Eval(args) => command::eval::run(args),
        Command::Plot(args) => command::plot::run(args),
        Command::Emit(args) => command::emit::run(args),
        Command::Verify(args) => command::verify::run(args),
        Command::List(args) => command::list::run(args),
    }
}
