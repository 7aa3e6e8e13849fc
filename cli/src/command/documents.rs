//! `gaussform completions` and `man`: scripts for shells, and manual pages.

use clap::builder::PossibleValuesParser;
use gaussform_symbolic::similar;

use crate::args::{Args, Completions, Man};
use crate::report::{Blamed as _, Complaint, Document, Failure, Outcome};
use crate::{library, output};

pub(crate) fn completions(args: &Completions) -> Result<Outcome, Failure> {
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

pub(crate) fn man(args: &Man) -> Result<Outcome, Failure> {
    let mut command = Args::described();
    command.build();
    if let Some(page) = &args.page {
        command = page_of(&command, page)?;
    }
    let mut roff = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut roff);
    rendered.map_err(|error| Failure::bug(format!("no manual page: {error}")))?;
    // What stands behind the options begins with examples, and has no title of its own.
    let page = String::from_utf8_lossy(&roff).replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    output::deliver(&page, None)?;
    Ok(Outcome::Done)
}

/// The description of one command.
fn page_of(whole: &clap::Command, name: &str) -> Result<clap::Command, Failure> {
    if let Some(command) = whole.find_subcommand(name) {
        return Ok(command.clone());
    }
    let names: Vec<&str> = whole.get_subcommands().map(clap::Command::get_name).collect();
    let help = match similar(name, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the commands are {}", names.join(", ")),
    };
    let complaint = Complaint::new(format!("no command is called `{name}`"), help);
    Err(Document::new("COMMAND", name).whole(complaint))
}
