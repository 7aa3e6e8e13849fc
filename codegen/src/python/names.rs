//! Names of the language as names of Python.

/// Keywords, and names that have a meaning at their place.
const KEYWORDS: [&str; 39] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
    "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
    "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return",
    "self", "try", "type", "while", "with", "yield",
];

/// Builtin functions and types that short names may hide.
const BUILTINS: [&str; 71] = [
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "slice",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "zip",
];

/// Names that the functions of a module have for their own arguments and variables.
const OWN: [&str; 19] = [
    "arrays",
    "d_mean",
    "d_variance",
    "dtype",
    "functools",
    "gamma",
    "grad",
    "inputs",
    "jax",
    "jnp",
    "math",
    "moments",
    "np",
    "pulled",
    "rows",
    "slopes",
    "tensors",
    "torch",
    "xi2",
];

/// The reason why a parameter cannot be an argument of a Python function, if there is one.
pub(super) fn refusal(name: &str) -> Option<&'static str> {
    let is_dunder = name.starts_with('_');
    if KEYWORDS.contains(&name) {
        Some("is a keyword of Python")
    } else if BUILTINS.contains(&name) || matches!(name, "staticmethod" | "vars") {
        Some("is a builtin of Python")
    } else if OWN.contains(&name) || is_dunder || matches!(name, "x" | "mean" | "variance") {
        Some("is a name of the module")
    } else {
        None
    }
}

/// The name of an input of a primitive, which may be a keyword of Python.
pub(super) fn primitive_input(name: &str) -> String {
    let mark = if KEYWORDS.contains(&name) { "_" } else { "" };
    format!("{name}{mark}")
}
