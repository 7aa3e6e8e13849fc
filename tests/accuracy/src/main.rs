//! The measurements of the suite, as tables and pictures:
//!
//! - `cargo run -p gaussform-accuracy --release -- table`: the largest errors, in brackets those at
//!   points where a result is near the ends of the range, if they are larger;
//! - `… -- places ULP [NAME]`: where errors are above a bound, for the activations whose names begin so;
//! - `… -- textbook`: where the closed forms fail that are usually programmed;
//! - `… -- condition`: how much the sum behind the variance of straight functions can amplify errors;
//! - `… -- plots DIR`: errors as SVG.

mod condition;
mod plots;
mod table;
mod textbook;

use std::path::Path;
use std::process::ExitCode;

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "it is a command")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["table"] => table::rows(|row| println!("{row}")),
        ["places", bound, ref name @ ..] if name.len() < 2 => match bound.parse() {
            Ok(bound) => table::places(bound, name.first().unwrap_or(&""), |line| print!("{line}")),
            Err(_) => {
                eprintln!("{bound}: a number of ulp, such as 8");
                return ExitCode::from(2);
            }
        },
        ["textbook"] => println!("{}", textbook::report()),
        ["condition"] => println!("{}", condition::report()),
        ["plots", folder] => {
            if let Err(error) = plots::write(Path::new(folder)) {
                eprintln!("{folder}: {error}");
                return ExitCode::FAILURE;
            }
        }
        _ => {
            eprintln!(
                "usage: gaussform-accuracy table | places ULP [NAME] | textbook | condition | plots DIR\n\
                 GAUSSFORM_SWEEP=n takes n times the points for all but `textbook`"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
