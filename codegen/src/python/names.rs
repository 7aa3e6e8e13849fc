//! Names of the language as names of Python.

use super::PythonError;
use crate::kernel::Kernel;
use crate::source::has_word;

/// Keywords, and names that have a meaning at their place.
const KEYWORDS: &str = "\
    False None True and as assert async await break case class continue def del elif else except \
    finally for from global if import in is lambda match nonlocal not or pass raise return self \
    try type while with yield";

/// Builtin functions and types that short names may hide.
const BUILTINS: &str = "\
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod \
    compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter \
    float format frozenset getattr globals hasattr hash help hex id input int isinstance \
    issubclass iter len license list locals map max memoryview min next object oct open ord pow \
    print property quit range repr reversed round set slice sorted staticmethod str sum super \
    tuple vars zip";

/// Names that the functions of a module have for their own arguments and variables.
const OWN: &str = "\
    arrays d_mean d_variance dtype functools gamma grad inputs jax jnp math mean moments np \
    pulled rows slopes tensors torch variance x xi2";

/// Whether Python or the module has the name.
fn is_taken(name: &str) -> bool {
    [KEYWORDS, BUILTINS, OWN].iter().any(|words| has_word(words, name))
}

/// The kernel with parameters that have names of arguments, unless its own are: a name that is taken gets an underscore, as Python's
/// style guide (PEP 8) advises.
pub(super) fn with_arguments(kernel: &Kernel) -> Result<Option<Kernel>, PythonError> {
    let activation = kernel.activation();
    let names = || activation.parameters.iter().map(|p| &*p.name);
    if let Some(name) = names().find(|name| name.starts_with('_')) {
        let (name, activation) = (name.to_owned(), activation.name.clone());
        return Err(PythonError::Name { name, activation });
    }
    if !names().any(is_taken) {
        return Ok(None);
    }
    let renamed = activation.with_parameter_names(|name| {
        let mut argument = name.to_owned();
        // With underscores it may meet the name of another parameter.
        while is_taken(&argument) || argument != name && names().any(|other| other == argument) {
            argument.push('_');
        }
        argument
    });
    // A kernel may be a table although `new` would choose formulas.
    let make = if kernel.table().is_some() { Kernel::with_table } else { Kernel::new };
    Ok(Some(make(&renamed).expect("names make no difference to the degree")))
}

/// The name of an input of a primitive, which may be a keyword of Python.
pub(super) fn primitive_input(name: &str) -> String {
    let mark = if has_word(KEYWORDS, name) { "_" } else { "" };
    format!("{name}{mark}")
}
