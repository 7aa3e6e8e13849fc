//! The Python files that modules are put together from.

use std::collections::BTreeSet;

use gaussform_symbolic::Activation;

use super::{Target, signature};

/// A part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Results,
    Arguments,
    Interface,
    Pair,
    PairIntegral,
    PairResults,
    PairInterface,
}

/// Functions of libraries that compute at once, in loops of Python.
const EAGER: &str = include_str!("eager_functions.py");
/// Functions of libraries that may trace: then no code sees the values of an array.
const TRACED: &str = include_str!("traced_functions.py");

/// Functions that are the same for all libraries.
const SHARED: &[&str] = &[
    include_str!("functions.py"),
    include_str!("pieces/words.py"),
    include_str!("pieces/moving.py"),
    include_str!("pieces/walk.py"),
    include_str!("pieces/nodes.py"),
    include_str!("pieces/curved.py"),
    include_str!("pieces/sum.py"),
    include_str!("pieces/jump.py"),
    include_str!("pieces/common.py"),
    include_str!("pieces/value.py"),
    include_str!("pieces/at_zero_variance.py"),
];

impl Target {
    fn source(self, part: Part) -> &'static str {
        match (part, self) {
            (Part::Head, Self::Numpy) => include_str!("numpy_head.py"),
            (Part::Head, Self::Jax) => include_str!("jax_head.py"),
            (Part::Head, Self::PyTorch) => include_str!("pytorch_head.py"),
            (Part::Results, _) => include_str!("results.py"),
            (Part::Arguments, Self::Numpy) => include_str!("numpy_arguments.py"),
            (Part::Arguments, Self::Jax) => include_str!("jax_arguments.py"),
            (Part::Arguments, Self::PyTorch) => include_str!("pytorch_arguments.py"),
            (Part::Interface, Self::Numpy) => include_str!("numpy_api.py"),
            (Part::Interface, Self::Jax) => {
                concat!(include_str!("jax_api.py"), "\n\n", include_str!("traced_api.py"))
            }
            (Part::Interface, Self::PyTorch) => {
                concat!(include_str!("pytorch_api.py"), "\n\n", include_str!("traced_api.py"))
            }
            (Part::Pair, _) => include_str!("pair/pair.py"),
            (Part::PairIntegral, Self::Numpy) => include_str!("pair/numpy_integral.py"),
            (Part::PairIntegral, Self::Jax) => include_str!("pair/jax_integral.py"),
            (Part::PairIntegral, Self::PyTorch) => include_str!("pair/pytorch_integral.py"),
            (Part::PairResults, _) => include_str!("pair/results.py"),
            (Part::PairInterface, Self::Numpy) => include_str!("pair/numpy_api.py"),
            (Part::PairInterface, Self::Jax) => include_str!("pair/jax_api.py"),
            (Part::PairInterface, Self::PyTorch) => include_str!("pair/pytorch_api.py"),
        }
    }

    /// The functions that some texts call, directly or not. `is_given`: the numbers of a table are known.
    pub(super) fn functions(self, is_given: bool, callers: &[String]) -> Vec<String> {
        let own = match self {
            Self::Numpy => [include_str!("numpy_functions.py"), EAGER].as_slice(),
            Self::Jax => &[include_str!("jax_functions.py"), TRACED],
            Self::PyTorch => &[include_str!("pytorch_functions.py"), EAGER, TRACED],
        };
        let numbers = match is_given {
            true => include_str!("pieces/numbers.py"),
            false => include_str!("pieces/rules.py"),
        };
        let texts = own.iter().chain([&numbers]).chain(SHARED);
        let texts: Vec<String> = texts.map(|text| self.spelled(text.trim())).collect();
        let text = texts.join("\n\n\n");
        // Two empty lines stand between functions and nowhere else.
        let all: Vec<&str> = text.split("\n\n\n").collect();
        let mut called = vec![false; all.len()];
        let mut open: Vec<&str> = callers.iter().map(String::as_str).collect();
        while let Some(caller) = open.pop() {
            let names: BTreeSet<&str> = names(caller).collect();
            for (function, is_called) in all.iter().zip(&mut called) {
                if !*is_called && defined(function).is_some_and(|name| names.contains(name)) {
                    *is_called = true;
                    open.push(function);
                }
            }
        }
        all.into_iter().zip(called).filter(|(_, is)| *is).map(|(text, _)| text.to_owned()).collect()
    }

    /// A part in the spelling of the target, for the parameters of an activation.
    pub(super) fn text(self, part: Part, activation: &Activation) -> String {
        signature::filled(&self.spelled(self.source(part)), activation, self)
    }

    /// A text with the names of the array library in it.
    pub(super) fn spelled(self, text: &str) -> String {
        let array = match self {
            Self::Numpy => "np.ndarray",
            Self::Jax => "jax.Array",
            Self::PyTorch => "Tensor",
        };
        let text = text.replace("xp.", &format!("{}.", self.library())).replace("ARRAY", array);
        match self {
            // No compiler stands between NumPy and the machine.
            Self::Numpy => without_call(&text, "_rounded"),
            Self::Jax => text,
            Self::PyTorch => text.replace("ArrayLike", "Tensor").replace(".astype(", ".to("),
        }
    }
}

/// The name of a function.
fn defined(function: &str) -> Option<&str> {
    function.strip_prefix("def ")?.split('(').next()
}

/// The names of a text, without what stands before a point.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

/// A text without the calls of a function that returns its argument.
fn without_call(text: &str, name: &str) -> String {
    let Some(start) = text.find(&format!("{name}(")) else { return text.to_owned() };
    let inside = start + name.len() + 1;
    let mut depth = 1usize;
    let length = text[inside..].find(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let end = inside + length.expect("brackets are balanced");
    let argument = &text[inside..end];
    // Parentheses stay where the argument is a sum or product beside something else.
    let alone = text[..start].ends_with(['=', '(', ' ']) && text[..start].trim_end().ends_with('=');
    let argument = if argument.contains(' ') && !(alone && text[end + 1..].starts_with('\n')) {
        format!("({argument})")
    } else {
        argument.to_owned()
    };
    format!("{}{}", &text[..start], without_call(&format!("{argument}{}", &text[end + 1..]), name))
}
