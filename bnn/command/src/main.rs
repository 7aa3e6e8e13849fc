//! The `gaussform-bnn` command, whose parts are the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    gaussform_bnn_cli::run()
}
