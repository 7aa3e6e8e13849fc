//! Printing a kernel as a Python module over arrays: NumPy, JAX or PyTorch.
//!
//! One printer for all of them. The primitives that a kernel calls are printed from what was recorded of the
//! runtime (`primitive`). What leads arrays through them stands in `prelude`, one Python file for each need,
//! written against an array library named `xp`; a [`Target`] has its own spelling of that name, and
//! files for what the libraries do differently. Tables of numbers come from the runtime.
//!
//! Two correlated pre-activations are a module of their own (`pair`).
//!
//! A kernel that is a table has its numbers as lists (`table`), and the sum over pieces.

mod block;
mod body;
mod language;
mod layout;
mod lines;
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

pub use pair::{PairReason, PairRefusal, pair_module};

use gaussform_runtime::kernel::SafeRange;
use gaussform_symbolic::render;

use crate::ir::{Block, Expr, Stmt, Word};
use crate::kernel::Kernel;
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
    #[error("the parameter `{name}` of `{activation}` {reason}; give it another name")]
    Name {
        /// The parameter.
        name: String,
        /// The activation.
        activation: String,
        /// The reason why the name cannot be used.
        reason: &'static str,
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

    /// Whether there is single precision besides double.
    fn has_single(self) -> bool {
        self != Self::Numpy
    }

    /// Whether the values of arrays can decide which code runs.
    fn skips(self) -> bool {
        self == Self::Numpy
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
/// # Errors
///
/// If the name of a parameter is a keyword or a builtin of Python, or a name of the module.
pub fn module(kernel: &Kernel, target: Target) -> Result<String, PythonError> {
    let activation = kernel.activation();
    for parameter in &activation.parameters {
        if let Some(reason) = names::refusal(&parameter.name) {
            return Err(PythonError::Name {
                name: parameter.name.to_string(),
                activation: activation.name.clone(),
                reason,
            });
        }
    }
    let mut head = target.text(Part::Head, activation);
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
    if let Some(scripts) = Scripts::of(kernel, target) {
        let part = |part: Part| target.text(part, activation);
        let mut functions: Vec<String> = script::PARTS.into_iter().map(part).collect();
        functions.retain(|text| !text.is_empty());
        functions.push(scripts.constants());
        functions.extend(scripts.kernels().into_iter().map(|text| target.spelled(&text)));
        functions.extend([Part::Results, Part::Arguments, Part::Interface].map(part));
        let trimmed = functions.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n\n\n");
        return Ok(format!("{}{}{trimmed}\n", sections.join("\n"), gap(&trimmed)));
    }
    let tabulated = kernel.table().map(|table| Tabulated { kernel, table, target });
    let mut parts = parts(kernel, target);
    parts.extend(tabulated.iter().flat_map(Tabulated::parts));
    let part = |part: Part| target.text(part, activation);
    let mut functions: Vec<String> = parts.into_iter().map(part).collect();
    let kernels = match &tabulated {
        Some(tabulated) => tabulated.kernels(),
        None => formulas_of(kernel, target),
    };
    let callers: Vec<String> = functions.iter().chain(&kernels).cloned().collect();
    let primitives = Primitives::of(target, &callers);
    functions.push(target.spelled(&primitives.text()));
    if let Some(tabulated) = &tabulated {
        functions.push(tabulated.constants());
    }
    functions.push(constants(target, kernel.table().is_some(), &primitives));
    functions.extend(kernels.into_iter().map(|text| target.spelled(&text)));
    functions.extend([Part::Results, Part::Arguments, Part::Interface].map(part));
    let trimmed = functions.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n\n\n");
    Ok(format!("{}{}{trimmed}\n", sections.join("\n"), gap(&trimmed)))
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

/// The constants of the precisions that the target has.
fn constants(target: Target, is_table: bool, primitives: &Primitives) -> String {
    let library = target.library();
    let dtype = |bits: u32| target.has_single().then(|| format!("{library}.float{bits}"));
    let fields = |precision: usize| primitives.fields(precision);
    let double = tables::precision::<f64>("_F64", dtype(64).as_deref(), is_table, fields(0));
    let single = match target.has_single() {
        true => tables::precision::<f32>("_F32", dtype(32).as_deref(), is_table, fields(1)),
        false => String::new(),
    };
    format!("{double}{single}")
}

/// The parts of the prelude that a kernel calls, in order.
fn parts(kernel: &Kernel, target: Target) -> Vec<Part> {
    let (knots, is_table) = (kernel.knots().len(), kernel.table().is_some());
    let has_bounded = !is_table && knots > 1;
    let routines = [kernel.moments(), kernel.gradient(), kernel.parameters()];
    let is_given = kernel.numbers().is_some();
    let mut blocks: Vec<&Block> = if is_given { Vec::new() } else { vec![kernel.value()] };
    for routine in routines.into_iter().filter(|_| !is_given) {
        blocks.push(&routine.function.block);
        blocks.extend(routine.on_knots.iter().map(|limit| &limit.block));
    }
    let any = |kind: &dyn Fn(&Expr) -> bool| {
        blocks.iter().any(|block| block.any(&|s| matches!(s, Stmt::Let(_, expr) if kind(expr))))
    };
    let around = any(&|expr| matches!(expr, Expr::Polynomial(Some(_), _)));
    let polynomial = around || any(&|expr| matches!(expr, Expr::Polynomial(..)));
    let words = !kernel.activation().parameters.is_empty();
    let is_computed = |knot: &Word| !matches!(knot, Word::Constant(_) | Word::Parameter(_));
    let computed = kernel.knots().iter().any(is_computed);
    let wanted = [
        (Part::Support, target.has_single()),
        (Part::Operations, knots > 0 || is_table),
        (Part::Pick, target.has_single()),
        (Part::Quadrature, is_table),
        (Part::Lift, words && target.has_single()),
        (Part::Words, words),
        (Part::Triples, computed),
        (Part::Polynomial, polynomial),
        (Part::Around, around),
        (Part::Place, knots > 0 || is_given),
        (Part::Pole, any(&|expr| matches!(expr, Expr::Pole(..)))),
        (Part::Edges, knots > 0 && !is_table),
        (Part::Ends, has_bounded),
        (Part::Powers, has_bounded),
        (Part::Where, knots > 0 || is_table),
        (Part::Finish, true),
    ];
    wanted.into_iter().filter_map(|(part, is_wanted)| is_wanted.then_some(part)).collect()
}

/// The docstring of the module.
fn documentation(kernel: &Kernel, target: Target) -> String {
    let activation = kernel.activation();
    let formulas = formulas(kernel);
    let range = range(kernel, target);
    let usage = signature::usage(activation, target);
    format!(
        "\"\"\"The activation `{}` and its Gaussian moments, u ~ N(γ, ξ²).\n\n{formulas}\n\n\
         {range}\n\nExample:\n\n{usage}\"\"\"\n",
        activation.name
    )
}

/// The definition, and the mean and the variance where the kernel has formulas for them.
fn formulas(kernel: &Kernel) -> String {
    let activation = kernel.activation();
    let mut formulas = vec![render::text::definitions(&[("g", &activation.function)])];
    if kernel.table().is_none() {
        let derivations = [activation.moment(1), activation.variance()];
        formulas.extend(derivations.iter().flatten().map(render::text::equation));
    }
    let text = formulas.join("\n\n");
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

/// A block of a function.
#[cfg(test)]
pub(crate) fn printed(block: &Block, knots: &[Word], target: Target) -> String {
    let mut body = body::Body::new(target, knots, "gamma", "def f(p, gamma, xi2, theta0):");
    body.words(&[block]);
    body.places();
    let results = body.block(block);
    body.line(&format!("return ({})", results.join(", ")));
    body.finish()
}
