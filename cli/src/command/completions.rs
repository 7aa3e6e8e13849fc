//! `gaussform completions`: scripts for shells.

use clap::builder::PossibleValuesParser;

use crate::args::{Args, Completions};
use crate::report::{Failure, Outcome};
use crate::{library, output};

pub(crate) fn run(args: &Completions) -> Result<Outcome, Failure> {
    let library = library::library()?;
    // An expression may be anything, but the names of the library can be completed.
    let names = PossibleValuesParser::new(library.into_keys());
    let mut command = Args::described().mut_subcommands(|command| {
        let names = names.clone();
        command.mut_args(|arg| match arg.get_id().as_str() {
            "expression" => arg.value_parser(names.clone()),
            _ => arg,
        })
    });
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "gaussform", &mut script);
    output::deliver(&String::from_utf8_lossy(&script), None)?;
    Ok(Outcome::Done)
}
