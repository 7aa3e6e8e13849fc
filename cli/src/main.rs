//! The `gaussform` command: closed forms of Gaussian expectations, derived, checked,
//! evaluated and written out as code.
//!
//! Every command makes its whole answer before it prints any of it, or checks all of its input, so
//! an error leaves standard output empty. `gaussform --help` lists the exit codes.

mod args;
mod cases;
mod command;
mod higher;
mod knots;
mod library;
mod monte_carlo;
mod number;
mod output;
mod parameters;
mod points;
mod progress;
mod report;
mod source;
mod style;

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use args::{Args, Command};
use report::{Failure, Outcome};

fn main() -> ExitCode {
    // Before the arguments are read, because errors in them are coloured too.
    style::choose(Args::color());
    let args = match Args::read() {
        Ok(args) => args,
        Err(error) => {
            return ExitCode::from(match error.print() {
                Ok(()) => u8::try_from(error.exit_code()).unwrap_or(2),
                Err(unwritten) if unwritten.kind() == ErrorKind::BrokenPipe => {
                    Failure::unheard().code()
                }
                Err(unwritten) => {
                    let failure =
                        Failure::plain(format!("cannot write to standard output: {unwritten}"));
                    failure.print();
                    failure.code()
                }
            });
        }
    };
    match guarded(|| run(&args)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Refuted) => ExitCode::from(1),
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.code())
        }
    }
}

/// A bug that panics is reported like any failure; `RUST_BACKTRACE=1` shows where it is.
fn guarded(run: impl FnOnce() -> Result<Outcome, Failure>) -> Result<Outcome, Failure> {
    if std::env::var_os("RUST_BACKTRACE").is_none_or(|value| value == "0") {
        // Otherwise the panic would be printed before the report of it.
        std::panic::set_hook(Box::new(|_| {}));
    }
    // After a panic nothing is used but its message, so no broken state is seen.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Err(Failure::bug(text.unwrap_or("no message")))
    })
}

fn run(args: &Args) -> Result<Outcome, Failure> {
    match &args.command {
        Command::Inspect(inspect) => command::inspect::run(inspect, args.quiet),
        Command::Eval(eval) => command::eval::run(eval, args.quiet),
        Command::Kernel(kernel) => command::kernel::run(kernel, args.quiet),
        Command::Plot(plot) => command::plot::run(plot, args.quiet),
        Command::Emit(emit) => command::emit::run(emit),
        Command::Verify(verify) => command::verify::run(verify, args.quiet),
        Command::List(list) => command::list::run(list),
        Command::Completions(completions) => command::documents::completions(completions),
        Command::Man(man) => command::documents::man(man),
    }
}
