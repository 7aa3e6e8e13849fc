//! Printing kernels as a module of WGSL, in single precision.
//!
//! A module is functions alone, without entry points or bindings: a program puts its own behind them. It starts
//! with what the kernels call of the prelude (`prelude/`), with numbers from the runtime's tables for single precision.
//!
//! WGSL lets a compiler fuse and reorder operations, and take it for granted that no number is NaN or infinite.
//! So sums that need their rounding errors pass through an operation on bits that compilers do not see through
//! (`gsf_rounded`), quotients and roots are corrected, and what is valid is decided by bits.

mod interface;
mod language;
mod moving;
mod number;
mod pieces;
mod prelude;
mod range;
mod routine;
mod script;
mod single_pieces;
mod table;
mod tables;

use gaussform_runtime::kernel::SafeRange;
use gaussform_symbolic::Activation;

use crate::comment::formulas;
use crate::kernel::{Kernel, KernelError};
use crate::plan;
use crate::source::check_name;
use routine::Functions;
use script::Scripts;
use table::Tabulated;

/// The kernel of an activation that a module has: the sum over the pieces of a table.
///
/// # Errors
///
/// If the activation has too high a degree for a kernel.
pub fn kernel(activation: &Activation) -> Result<Kernel, KernelError> {
    Kernel::with_table(activation)
}

/// Why an activation cannot be called so in WGSL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is not one of WGSL.
    #[error(
        "`{0}` is no name of a function in WGSL here: those start with a letter, and `_` after it"
    )]
    Reserved(String),
    /// The name would meet those of the module.
    #[error("`{0}` starts as the module's own names do: `gaussform`, `gsf`")]
    Own(String),
}

/// A module with the functions of some [`kernel`]s.
///
/// ```
/// use gaussform_codegen::wgsl;
/// use gaussform_symbolic::Activation;
///
/// let relu = wgsl::kernel(&Activation::parse("relu(x) = max(0, x)")?)?;
/// let module = wgsl::text(&[relu])?;
/// assert!(module.contains("fn relu_moments(gamma: f32, xi2: f32) -> gaussform_moments"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If an activation has a name that cannot be used in WGSL.
///
/// # Panics
///
/// If a kernel is formulas with parameters, or of a degree above 3.
pub fn text(kernels: &[Kernel]) -> Result<String, NameError> {
    for kernel in kernels {
        check_name(&kernel.activation().name, NameError::Reserved, NameError::Own)?;
    }
    let mut functions = String::new();
    for kernel in kernels {
        let text = match Scripts::of(kernel) {
            Some(scripts) => scripts.text(),
            None => Functions { kernel }.text(),
        };
        functions += &format!("{}\n{text}", comment(&about(kernel)));
    }
    let prelude = prelude::needed(kernels, &functions);
    Ok(format!("{}\n{prelude}{}\n", introduction(kernels), functions.trim_end()))
}

/// The comment at the head of a module: its activations, and an example of a call.
fn introduction(kernels: &[Kernel]) -> String {
    let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.activation().name).collect();
    let first = kernels.first().map(Kernel::activation);
    let arguments: String = first.map_or_else(String::new, |activation| {
        activation.parameters.iter().map(|p| format!(", {}", p.name)).collect()
    });
    let text = include_str!("prelude/introduction.txt")
        .replace("@names@", &names.join(", "))
        .replace("@name@", names.first().unwrap_or(&"g"))
        .replace("@arguments@", &arguments);
    comment(text.trim_end())
}

/// The definition, the formulas of the moments where they are short, and for which inputs the functions are right.
fn about(kernel: &Kernel) -> String {
    let activation: &Activation = kernel.activation();
    let mut parts = vec![
        format!("`{}`, for u ~ N(γ, ξ²):", activation.name),
        formulas(activation, plan::is_formulas(activation)),
    ];
    let SafeRange { size, least, most } = match Scripts::of(kernel) {
        Some(_) => kernel.safe_range::<f32>(),
        None => Tabulated::new(kernel).range(),
    };
    parts.push(format!(
        "Right for |gamma| <= 2^{size} and 2^{least} <= xi2 <= 2^{most}, and for xi2 = 0."
    ));
    parts.join("\n\n")
}

/// Text as a comment.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}").trim_end().to_owned() + "\n").collect()
}
