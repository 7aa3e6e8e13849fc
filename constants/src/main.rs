//! Writes the constant tables of the runtime.
//!
//! With `--check` it writes nothing and fails if a file is not what it would write.

use std::process::ExitCode;

use gaussform_constants::{COMMAND, File, files};

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]
fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let check = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => false,
        (Some("--check"), None) => true,
        _ => {
            eprintln!("usage: {COMMAND} [-- --check]");
            return ExitCode::from(2);
        }
    };
    let mut differing = false;
    for file in files() {
        let path = file.path.display();
        if file.is_current() {
            println!("{path}: unchanged");
        } else if check {
            differing = true;
            println!("{path}: differs");
        } else if let Err(error) = write(&file) {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        } else {
            println!("{path}: written");
        }
    }
    if differing {
        eprintln!("`{COMMAND}` mends this.");
        return ExitCode::from(1);
    }
    ExitCode::SUCCESS
}

fn write(file: &File) -> std::io::Result<()> {
    if let Some(folder) = file.path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&file.path, &file.text)
}
