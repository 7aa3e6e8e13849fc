//! Printing kernels as a header of C, or of CUDA.
//!
//! A header is one file of `static inline` functions that needs nothing but the standard library of C99 (or C++11). It
//! starts with the prelude, which is written in C (`prelude/`): types and operations. The primitives that are called follow,
//! printed from what was recorded of the runtime (`primitive`), and what an activation adds, printed from what was
//! recorded of the sum or of its formulas.
//!
//! In C each function is there for `double`; for numbers with a wide exponent, as the runtime's is; and, for arrays, for
//! vectors of doubles (`block`). On a card it is there for `double`, and for `float` up to degree 3: a
//! compiler of CUDA would take minutes for the others.

mod block;
mod interface;
mod language;
mod names;
mod pieces;
mod primitive;
mod routine;
mod script;
mod source;
mod table;
mod word;

use gaussform_symbolic::Activation;

pub use names::NameError;

use crate::comment::formulas;
use crate::kernel::Kernel;
use crate::source::check_name;
use language::NumberKind;
use routine::Functions;
use script::Scripts;

/// The language that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// C99, which is C++ too.
    C,
    /// CUDA C++: the same functions for host and device, and kernels for arrays.
    Cuda,
}

/// A header with the functions of some kernels.
///
/// # Errors
///
/// If an activation has a name that cannot be used in C.
pub fn text(kernels: &[Kernel], dialect: Dialect) -> Result<String, NameError> {
    for kernel in kernels {
        check_name(&kernel.activation().name, NameError::Reserved, NameError::Own)?;
    }
    let activations: Vec<&Activation> = kernels.iter().map(Kernel::activation).collect();
    let mut text = introduction(&activations, dialect);
    text.push_str(include_str!("prelude/head.h"));
    text.push('\n');
    let prelude = prelude(dialect);
    // A header has only the pieces that it calls, so a version is told by all of them.
    let version = [prelude.as_str(), &primitive::all(dialect)].concat();
    let different = "headers of different versions";
    text.push_str(&once("GAUSSFORM_PRELUDE", &prelude, &version, different));
    let bodies: Vec<String> = kernels.iter().map(|kernel| activation(kernel, dialect)).collect();
    let callers: Vec<&str> = bodies.iter().map(String::as_str).collect();
    text.push_str(&primitive::called_by(&callers, dialect));
    text.push('\n');
    for (kernel, body) in kernels.iter().zip(&bodies) {
        let name = &kernel.activation().name;
        let guard = format!("GAUSSFORM_ACTIVATION_{name}");
        let what = format!("different activations called `{name}`");
        text.push_str(&once(&guard, body, body, &what));
    }
    text.push_str(include_str!("prelude/foot.h"));
    Ok(text)
}

/// Text that counts once in a program, and an error where one that differs in `version` has taken its place.
fn once(guard: &str, text: &str, version: &str, what: &str) -> String {
    let text = text.trim_end();
    let mark = format!("0x{:08x}", fingerprint(version.trim_end()));
    format!(
        "#ifndef {guard}\n#define {guard} {mark}\n\n{text}\n\n#elif {guard} != {mark}\n\
         #error \"gaussform: {what} in one program\"\n#endif\n\n"
    )
}

/// A number that differs where texts do (Fowler, Noll and Vo).
fn fingerprint(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Types and operations, which all else is written in.
fn prelude(dialect: Dialect) -> String {
    let function = match dialect {
        Dialect::C => "#define GSF_FN static inline",
        Dialect::Cuda => include_str!("prelude/cuda.h"),
    };
    let (wide, card) = match dialect {
        Dialect::C => (include_str!("prelude/wide.h"), ""),
        Dialect::Cuda => ("", include_str!("prelude/card.h")),
    };
    let definitions = source::definitions::<f64>();
    let types = include_str!("prelude/types.h");
    let in_lanes = primitive::in_lanes_alone(&primitive::of_kind(types, NumberKind::Lanes));
    let types = primitive::for_all_numbers(types, dialect);
    let lanes = include_str!("prelude/lanes.h").trim_end();
    let lanes = match dialect {
        Dialect::C => format!("{lanes}\n\n{in_lanes}"),
        Dialect::Cuda => String::new(),
    };
    let parts = [
        function,
        "#define GSF_INFINITY ((double)INFINITY)\n#define GSF_NAN ((double)NAN)",
        &definitions,
        include_str!("prelude/base.h"),
        wide,
        &types,
        include_str!("prelude/word.h"),
        include_str!("prelude/triple.h"),
        include_str!("prelude/input.h"),
        &lanes,
        card,
    ]
    .map(str::trim_end);
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// The functions of one activation.
fn activation(kernel: &Kernel, dialect: Dialect) -> String {
    let activation = kernel.activation();
    let prefix = format!("gsf_{}", activation.name);
    let mut text = comment(&about(kernel));
    text.push('\n');
    let functions = Functions { kernel, prefix: prefix.clone(), dialect };
    let on_card = match dialect {
        Dialect::C => None,
        Dialect::Cuda => on_card(kernel, &functions, prefix),
    };
    let has_single = on_card.is_some();
    text.push_str(&on_card.unwrap_or_else(|| functions.text()));
    text.push_str(&interface::text(activation, dialect, has_single));
    text
}

/// The functions for cards, in both precisions; nothing if the function has many knots or a high degree.
fn on_card(kernel: &Kernel, functions: &Functions<'_>, prefix: String) -> Option<String> {
    if let Some(scripts) = Scripts::of(kernel, prefix.clone()) {
        return Some(functions.value_alone() + &scripts.text());
    }
    if kernel.table().is_some() {
        return functions.on_card();
    }
    // Formulas would be there in double precision alone.
    let kernel = Kernel::with_table(kernel.activation()).ok()?;
    Functions { kernel: &kernel, prefix, dialect: Dialect::Cuda }.on_card()
}

/// The definition, and the formulas of the moments where the kernel has these.
fn about(kernel: &Kernel) -> String {
    let activation = kernel.activation();
    let formulas = formulas(activation, kernel.table().is_none());
    format!("`{}`, for u ~ N(γ, ξ²):\n\n{formulas}", activation.name)
}

/// The comment at the head of a header: its activations, and an example of a call.
fn introduction(activations: &[&Activation], dialect: Dialect) -> String {
    let template = match dialect {
        Dialect::C => include_str!("prelude/introduction.txt"),
        Dialect::Cuda => include_str!("prelude/introduction_cuda.txt"),
    };
    let names: Vec<&str> = activations.iter().map(|a| a.name.as_str()).collect();
    let arguments = activations.first().map_or_else(String::new, |a| {
        let names = a.parameters.iter().map(|p| names::parameter(&p.name, &a.name));
        names.map(|name| format!(", {name}")).collect()
    });
    let first = names.first().copied().unwrap_or("g");
    let text = template.replace("@names@", &names.join(", "));
    let text = text.replace("@name@", first).replace("@arguments@", &arguments);
    comment(text.trim_end()) + "\n"
}

/// Text as a comment.
fn comment(text: &str) -> String {
    // The text must not end the comment that it stands in.
    let text = text.replace("*/", "* /").replace("/*", "/ *");
    let mut lines = text.lines();
    let mut comment = format!("/* {}\n", lines.next().unwrap_or_default());
    for line in lines {
        comment.push_str(format!("   {line}").trim_end());
        comment.push('\n');
    }
    comment.truncate(comment.trim_end().len());
    comment + " */\n"
}
