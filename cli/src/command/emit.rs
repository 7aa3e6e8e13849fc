//! `gaussform emit`: code for another project.

use gaussform_codegen::Kernel;
use gaussform_codegen::c::{self, Dialect};
use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{python, wgsl};

use crate::args::{Emit, Target};
use crate::report::{Blamed as _, Complaint, Document, Failure, Outcome};
use crate::{output, source};

pub(crate) fn run(args: &Emit) -> Result<Outcome, Failure> {
    if let Some(joint) = &args.joint {
        output::deliver(&pair(args, joint)?, args.out.as_deref())?;
        return Ok(Outcome::Done);
    }
    let mut activations = source::activations(&args.subject)?;
    if let Some(name) = &args.name {
        rename(&mut activations, name)?;
    }
    let kernel = match args.target {
        Target::Wgsl => wgsl::kernel,
        _ => Kernel::new,
    };
    if args.target == Target::CLibrary {
        let message = "a library for C is made for two pre-activations";
        let help = "write `--target c`, a header that needs no library, or give `--joint` too";
        return Err(Complaint::new(message, help).into());
    }
    let kernels: Vec<Kernel> = activations.iter().map(kernel).collect::<Result<_, _>>()?;
    let code = match args.target {
        Target::Rust => rust::standalone(types(&kernels)?),
        Target::RustCrate => rust::file(types(&kernels)?, &Options::default()),
        Target::C => c::text(&kernels, Dialect::C).map_err(another_name)?,
        Target::CLibrary => unreachable!("refused"),
        Target::Cuda => c::text(&kernels, Dialect::Cuda).map_err(another_name)?,
        Target::Wgsl => wgsl::text(&kernels).map_err(another_name)?,
        Target::Numpy => module(&kernels, python::Target::Numpy)?,
        Target::Jax => module(&kernels, python::Target::Jax)?,
        Target::Pytorch => module(&kernels, python::Target::PyTorch)?,
    };
    output::deliver(&code, args.out.as_deref())?;
    Ok(Outcome::Done)
}

/// Two activations, with a function for correlated pre-activations.
fn pair(args: &Emit, joint: &str) -> Result<String, Failure> {
    if !FOR_PAIRS.contains(&args.target) {
        let message = "the covariance of two pre-activations is emitted as Rust and for C alone";
        let help =
            "write `--target rust`, which needs no crate, `--target rust-crate`, or `--target c`";
        return Err(Complaint::new(message, help).into());
    }
    let [mut g, mut h] = source::pair(&args.subject, joint)?;
    // Every bare expression is called g.
    if h.name == "g" && g.function != h.function {
        h.name = "h".to_owned();
    }
    if let Some(name) = &args.name {
        rename(std::slice::from_mut(&mut g), name)?;
    }
    if rust::type_name(&g.name) == rust::type_name(&h.name) && g != h {
        let message = format!("both types would be called `{}`", rust::type_name(&h.name));
        return Err(Complaint::new(message, "give the first another name with `--name`").into());
    }
    let kernels = [Kernel::new(&g)?, Kernel::new(&h)?];
    let [g, h] = types(&kernels)? else { unreachable!("two") };
    Ok(match args.target {
        Target::Rust => rust::standalone_pair(g, h),
        Target::C => rust::library(g, h).header,
        Target::CLibrary => rust::library(g, h).source,
        _ => rust::pair(g, h, &Options::default()),
    })
}

/// The targets that two pre-activations have.
const FOR_PAIRS: [Target; 4] = [Target::Rust, Target::RustCrate, Target::C, Target::CLibrary];

/// Advice for a name that the language takes and the target does not.
const ANOTHER_NAME: &str = "give it another name, for one activation with `--name`";

/// Kernels whose names can be types of Rust.
fn types(kernels: &[Kernel]) -> Result<&[Kernel], Failure> {
    let mut names = kernels.iter().map(|kernel| &*kernel.activation().name);
    match names.find(|name| !rust::is_type_name(name)) {
        Some(name) => {
            let taken = rust::type_name(name);
            let message = format!("`{name}` cannot be a type: `{taken}` is taken in Rust");
            Err(Complaint::new(message, ANOTHER_NAME).into())
        }
        None => Ok(kernels),
    }
}

/// The error for a name that the target does not take.
fn another_name(error: impl std::error::Error) -> Failure {
    Complaint::new(error.to_string(), ANOTHER_NAME).into()
}

/// A Python module, which holds one activation.
fn module(kernels: &[Kernel], target: python::Target) -> Result<String, Failure> {
    let [kernel] = kernels else {
        let message = format!("one Python module for {} activations", kernels.len());
        let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.activation().name).collect();
        let help = format!("name the one that is meant: {}", names.join(", "));
        return Err(Complaint::new(message, help).into());
    };
    Ok(python::module(kernel, target)?)
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
