//! `gaussform emit`: code for another project.

use gaussform_codegen::Kernel;
use gaussform_codegen::rust::{self, Options};

use crate::args::{Emit, Target};
use crate::report::{Complaint, Document, Failure};
use crate::{Outcome, output, source};

pub(crate) fn run(args: &Emit) -> Result<Outcome, Failure> {
    let mut activations = source::activations(&args.subject)?;
    if let Some(name) = &args.name {
        rename(&mut activations, name)?;
    }
    let kernels = activations.iter().map(Kernel::new).collect::<Result<Vec<_>, _>>()?;
    let code = match args.target {
        Target::Rust => rust::file(&kernels, &Options::default()),
    };
    output::deliver(&code, args.out.as_deref())?;
    Ok(Outcome::Done)
}

fn rename(activations: &mut [gaussform_symbolic::Activation], name: &str) -> Result<(), Failure> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let document = Document::new("--name", name);
    if !starts || name.contains(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let message = format!("`{name}` is not a name");
        let help = "a name is made of the letters a to z, digits and `_`, as in `hard_swish`";
        return Err(document.whole(Complaint::new(message, help)));
    }
    match activations {
        [only] => only.name = name.to_owned(),
        _ => {
            let message = format!("one name for {} activations", activations.len());
            let help = "leave `--name` out, or name the activation that is meant";
            return Err(document.whole(Complaint::new(message, help)));
        }
    }
    Ok(())
}
