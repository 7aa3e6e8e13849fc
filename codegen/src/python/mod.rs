//! Printing a kernel as a Python module over arrays: NumPy, JAX or PyTorch.
//!
//! One printer for all of them. The primitives that a kernel calls are printed from what was recorded of the
//! runtime (`primitive`), and formulas likewise (`body`). What leads arrays through them stands in `prelude`,
//! written against an array library named `xp`; a [`Target`] has its own spelling of that name, and
//! files for what the libraries do differently. Tables of numbers come from the runtime.
//!
//! Two correlated pre-activations are a module of their own (`pair`).
//!
//! A kernel that is a table has its numbers as lists (`table`), and the sum over pieces; up to degree 3 without parameters the sum is
//! printed as it was recorded (`script`).

mod body;
mod language;
mod layout;
mod library;
mod names;
mod number;
mod pair;
mod prelude;
mod primitive;
mod routine;
mod script;
mod signature;
mod table;
mod tables;
mod text;

pub use pair::{PairReason, PairRefusal, pair_module};

use gaussform_runtime::kernel::SafeRange;

use crate::comment::formulas;
use crate::kernel::Kernel;
use crate::table::Table;
use prelude::Part;
use primitive::Primitives;
use script::Scripts;
use table::Tabulated;

/// The library that a module computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// NumPy arrays, computed in double precision.
    Numpy,
    /// JAX arrays, with rules for derivatives in both modes.
    Jax,
    /// PyTorch tensors, with an `autograd.Function`.
    PyTorch,
}

/// Why there is no module for an activation that has a kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PythonError {
    /// The name of a parameter cannot be that of an argument.
    #[error(
        "the parameter `{name}` of `{activation}` begins with an underscore, as names of the module do; give it another name"
    )]
    Name {
        /// The parameter.
        name: String,
        /// The activation.
        activation: String,
    },
}

impl Target {
    /// The name of the array library.
    fn library(self) -> &'static str {
        match self {
            Self::Numpy => "np",
            Self::Jax => "jnp",
            Self::PyTorch => "torch",
        }
    }

    /// Whether there is single precision besides double. Such a target records what is done with arrays, so that their values cannot
    /// decide which code runs.
    fn has_single(self) -> bool {
        self != Self::Numpy
    }
}

/// The module of one activation.
///
/// ```
/// use gaussform_codegen::Kernel;
/// use gaussform_codegen::python::{self, Target};
/// use gaussform_symbolic::Activation;
///
/// let relu = Kernel::new(&Activation::parse("relu(x) = max(0, x)")?)?;
/// let module = python::module(&relu, Target::Numpy)?;
/// assert!(module.contains("def moments(gamma: ArrayLike, xi2: ArrayLike)"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A parameter whose name is a keyword or a builtin of Python, or a name of the module, is an argument with an underscore behind it.
///
/// # Errors
///
/// If the name of a parameter begins with an underscore.
pub fn module(kernel: &Kernel, target: Target) -> Result<String, PythonError> {
    let renamed = names::with_arguments(kernel)?;
    Ok(text_of(renamed.as_ref().unwrap_or(kernel), target))
}

/// The module of a kernel whose parameters have names of arguments.
fn text_of(kernel: &Kernel, target: Target) -> String {
    let activation = kernel.activation();
    let mut head = target.text(Part::Head, activation);
    // Words are split for single precision with `ctypes`, in `prelude/pieces/words.py`.
    if kernel.table().is_some() && target.has_single() && Scripts::of(kernel, target).is_none() {
        head.insert_str(0, "import ctypes\n");
    }
    let mut sections = vec![documentation(kernel, target), head];
    if !activation.parameters.is_empty() {
        let names: Vec<String> =
            activation.parameters.iter().map(|p| format!("\"{}\"", p.name)).collect();
        let comma = if names.len() == 1 { "," } else { "" };
        sections.push(layout::statement(0, &format!("PARAMETERS = ({}{comma})", names.join(", "))));
    }
    // Two empty lines before a function, one before a constant.
    let gap = |text: &str| if text.starts_with("def") { "\n\n" } else { "\n" };
    let code = code(kernel, target);
    let trimmed = code.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n\n\n");
    format!("{}{}{trimmed}\n", sections.join("\n"), gap(&trimmed))
}

/// All behind the imports, in order.
fn code(kernel: &Kernel, target: Target) -> Vec<String> {
    let activation = kernel.activation();
    let interface = [Part::Results, Part::Arguments, Part::Interface];
    let interface = interface.map(|part| target.text(part, activation));
    let spelled = |kernels: Vec<String>| -> Vec<String> {
        kernels.iter().map(|text| target.spelled(text)).collect()
    };
    if let Some(scripts) = Scripts::of(kernel, target) {
        let kernels = spelled(scripts.kernels());
        let callers = [&interface[..], &kernels].concat();
        let functions = target.functions(false, &callers);
        return [functions, vec![scripts.constants()], kernels, interface.to_vec()].concat();
    }
    let table = kernel.table().map(Table::unscaled);
    let tabulated = table.as_deref().map(|table| Tabulated { kernel, table, target });
    let kernels = spelled(match &tabulated {
        Some(tabulated) => tabulated.kernels(),
        None => formulas_of(kernel, target),
    });
    let is_given = kernel.numbers().is_some();
    let mut callers = [&interface[..], &kernels].concat();
    let functions = target.functions(is_given, &callers);
    let primitives = Primitives::of(target, &[&functions[..], &kernels].concat());
    let (text, precisions) = (target.spelled(&primitives.text()), precisions(target, &primitives));
    // These read nothing of a precision themselves.
    callers.extend([text.clone(), precisions.clone()]);
    let mut code = target.functions(is_given, &callers);
    code.push(text);
    code.extend(tabulated.iter().map(Tabulated::constants));
    code.push(precisions);
    code.retain(|text| !text.is_empty());
    [code, kernels, interface.to_vec()].concat()
}

/// The kernels of formulas.
fn formulas_of(kernel: &Kernel, target: Target) -> Vec<String> {
    let mut kernels = vec![
        routine::value(kernel, target),
        routine::routine(kernel, target, "_moments_kernel", kernel.moments()),
        routine::routine(kernel, target, "_gradients_kernel", kernel.gradient()),
    ];
    if !kernel.activation().parameters.is_empty() {
        kernels.push(routine::routine(kernel, target, "_parameters_kernel", kernel.parameters()));
    }
    kernels
}

/// The precisions that the target has.
fn precisions(target: Target, primitives: &Primitives) -> String {
    let library = target.library();
    let dtype = |bits: u32| target.has_single().then(|| format!("{library}.float{bits}"));
    let double = tables::precision::<f64>("_F64", dtype(64), primitives, 0);
    let single = match target.has_single() {
        true => tables::precision::<f32>("_F32", dtype(32), primitives, 1),
        false => String::new(),
    };
    format!("{double}{single}")
}

/// The docstring of the module.
fn documentation(kernel: &Kernel, target: Target) -> String {
    let activation = kernel.activation();
    let formulas = about(kernel);
    let range = range(kernel, target);
    let usage = signature::usage(activation, target);
    format!(
        "\"\"\"The activation `{}` and its Gaussian moments, u ~ N(γ, ξ²).\n\n{formulas}\n\n\
         {range}\n\nExample:\n\n{usage}\"\"\"\n",
        activation.name
    )
}

/// The definition, and the formulas of the moments where the kernel has these.
fn about(kernel: &Kernel) -> String {
    let text = formulas(kernel.activation(), kernel.table().is_none());
    text.lines()
        .map(|line| format!("    {line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The range of γ and ξ² in which results are right, as a caller reads it.
fn range(kernel: &Kernel, target: Target) -> String {
    let limits = |range: SafeRange| {
        let [least, most, size] = [-range.least, range.most, range.size]
            .map(|exponent| (f64::from(exponent) * std::f64::consts::LOG10_2).floor());
        format!("1e-{least:.0} <= xi2 <= 1e{most:.0}, abs(gamma) <= 1e{size:.0}")
    };
    let double = limits(kernel.safe_range::<f64>());
    let rest = "xi2 = 0 gives the limits for xi -> 0; xi2 < 0, NaN and infinities give NaN.\n\
                The scheme keeps its accuracy for";
    if target.has_single() {
        let single = limits(kernel.safe_range::<f32>());
        format!("{rest}\n\n    float64: {double}\n    float32: {single}\n\nand for xi2 = 0.")
    } else {
        format!(
            "float32 in, float32 out; everything is computed in double precision.\n{rest}\n\n    \
             {double}\n\nand for xi2 = 0."
        )
    }
}
