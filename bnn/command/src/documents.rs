//! The commands `completions` and `man`.

use clap::CommandFactory;

use crate::args::{Args, Completions, Man};
use crate::failure::Failure;
use crate::output::deliver;

pub(crate) fn completions(options: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Args::command(), "gaussform-bnn", &mut script);
    deliver(&String::from_utf8_lossy(&script), None)
}

pub(crate) fn man(options: &Man) -> Result<(), Failure> {
    let mut command = Args::command();
    command.build();
    if let Some(page) = &options.page {
        let names: Vec<_> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
        command = command.find_subcommand(page).cloned().ok_or_else(|| {
            let problem = format!("no command is called `{page}`");
            Failure::options(problem, format!("the commands are {}", names.join(", ")))
        })?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(Failure::Output)?;
    // What stands behind the options begins with examples, and has no title of its own.
    let page = String::from_utf8_lossy(&page).replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
    deliver(&page, None)
}
