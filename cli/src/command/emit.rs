//! `gaussform emit`: code for another project.

use gaussform_codegen::Kernel;
use gaussform_codegen::c::{self, Dialect};
use gaussform_codegen::python::{self, PairRefusal};
use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::wgsl;

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
        Target::Rust => rust::standalone(distinct(types(&kernels)?)?),
        Target::RustCrate => rust::file(distinct(types(&kernels)?)?, &Options::default()),
        Target::C => c::text(&kernels, Dialect::C).map_err(another_name)?,
        Target::CLibrary => unreachable!("refused"),
        Target::Cuda => c::text(&kernels, Dialect::Cuda).map_err(another_name)?,
        Target::Wgsl => wgsl::text(&kernels).map_err(another_name)?,
        Target::Numpy | Target::Jax | Target::Pytorch => {
            module(&kernels, python_target(args.target).expect("one of Python"))?
        }
    };
    output::deliver(&code, args.out.as_deref())?;
    Ok(Outcome::Done)
}

/// Two activations, with a function for correlated pre-activations.
fn pair(args: &Emit, joint: &str) -> Result<String, Failure> {
    if !FOR_PAIRS.contains(&args.target) {
        let message =
            "the covariance of two pre-activations is emitted as Rust, for C and for Python alone";
        let help = "write `--target rust`, which needs no crate, `--target rust-crate`, `--target c`, \
                    or `--target numpy`, `jax` or `pytorch`";
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
    let is_python = python_target(args.target).is_some();
    if !is_python && rust::type_name(&g.name) == rust::type_name(&h.name) && g != h {
        let message = format!("both types would be called `{}`", rust::type_name(&h.name));
        return Err(Complaint::new(message, "give the first another name with `--name`").into());
    }
    let kernels = [Kernel::new(&g)?, Kernel::new(&h)?];
    if let Some(target) = python_target(args.target) {
        let [g, h] = &kernels;
        return python::pair_module(g, h, target).map_err(|error| refused(error, args, joint));
    }
    let [g, h] = types(&kernels)? else { unreachable!("two") };
    Ok(match args.target {
        Target::Rust => rust::standalone_pair(g, h),
        Target::C => rust::library(g, h).header,
        Target::CLibrary => rust::library(g, h).source,
        _ => rust::pair(g, h, &Options::default()),
    })
}

/// The targets that two pre-activations have.
const FOR_PAIRS: [Target; 7] = [
    Target::Rust,
    Target::RustCrate,
    Target::C,
    Target::CLibrary,
    Target::Numpy,
    Target::Jax,
    Target::Pytorch,
];

/// The library of a Python module.
fn python_target(target: Target) -> Option<python::Target> {
    match target {
        Target::Numpy => Some(python::Target::Numpy),
        Target::Jax => Some(python::Target::Jax),
        Target::Pytorch => Some(python::Target::PyTorch),
        _ => None,
    }
}

/// The refusal of one of two functions, at the text that has it.
fn refused(refusal: PairRefusal, args: &Emit, joint: &str) -> Failure {
    let complaint = Complaint::new(refusal.reason.to_string(), refusal.reason.help());
    let document = match (refusal.function, &args.subject.expression) {
        (1, _) => Document::new("--joint", joint),
        (_, Some(text)) if text != "-" => Document::new("expression", text),
        _ => return complaint.into(),
    };
    document.whole(complaint)
}

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

/// Kernels of different activations whose types have different names.
fn distinct(kernels: &[Kernel]) -> Result<&[Kernel], Failure> {
    let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.activation().name).collect();
    let pairs = (1..names.len()).flat_map(|i| (0..i).map(move |j| (j, i)));
    let mut pairs = pairs.map(|(j, i)| [names[j], names[i]]);
    match pairs.find(|[first, second]| rust::type_name(first) == rust::type_name(second)) {
        Some([first, second]) => {
            let taken = rust::type_name(first);
            let message = format!("the types of `{first}` and `{second}` would both be `{taken}`");
            Err(Complaint::new(message, "give one of them another name in the declarations").into())
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
        let message = match name {
            "" => "the name is empty".to_owned(),
            name => format!("`{name}` is not a name"),
        };
        let help = "a name is made of ASCII letters, digits and `_`, and begins with no digit, as in `hard_swish`";
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
