//! The layers of each crate, from the lowest one up.

use crate::arrows::ROOT;

/// A crate with its layers.
pub(crate) struct Crate {
    /// The folder of its sources.
    pub(crate) folder: &'static str,
    /// From the lowest one up.
    pub(crate) layers: &'static [Layer],
    /// Arrows that run up all the same.
    pub(crate) exceptions: &'static [Exception],
}

/// Modules of one height, each with the files inside of it that have no entry of their own.
pub(crate) enum Layer {
    /// They do not import from each other.
    Of(&'static [&'static str]),
    /// They cannot be without each other, for a reason.
    Mutual(&'static [&'static str], &'static str),
}

impl Layer {
    pub(crate) fn modules(&self) -> &'static [&'static str] {
        match self {
            Self::Of(modules) => modules,
            Self::Mutual(modules, reason) => {
                assert!(!reason.is_empty(), "{modules:?} share a layer for a reason");
                modules
            }
        }
    }
}

/// A module that imports from one above, for a reason.
pub(crate) struct Exception {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
    pub(crate) why: &'static str,
}

use Layer::{Mutual, Of};

const SEAL: &str = "`Float` is sealed: a bound of it is what lets `T: Float` alone use vectors";

pub(crate) const CRATES: &[Crate] = &[
    Crate {
        folder: "runtime/src",
        layers: &[
            // Floats.
            Of(&["constants"]),
            Of(&["precision"]),
            Mutual(
                &["accuracy", "float"],
                "a float has the accuracy of its own digits, an accuracy computes with floats",
            ),
            Of(&["usual"]),
            // Vectors.
            Of(&["lanes"]),
            // Numerics.
            Of(&[
                "kernel/facts",
                "kernel/number",
                "kernel/place",
                "kernel/support",
                "kernel/triple",
                "kernel/version",
            ]),
            Of(&["kernel/pair", "kernel/word"]),
            Of(&["kernel/deviation", "kernel/polynomial"]),
            Of(&["kernel/exponential"]),
            Of(&["kernel/edge"]),
            Of(&["kernel/high", "kernel/strip"]),
            Of(&["kernel/tails"]),
            Of(&["kernel/powers", "kernel/precise", "kernel/quadrature"]),
            Of(&["kernel/narrow", "kernel/sight"]),
            Of(&["kernel/sum"]),
            Of(&["kernel/pieces", "kernel/record", "kernel/regime"]),
            // Kernels.
            Of(&["kernel"]),
            Of(&["plan"]),
            Of(&["quantities"]),
            Of(&["kernel/single"]),
            Of(&["kernel/logarithm"]),
            Of(&["piecewise"]),
            Of(&["conditional"]),
            // Slices.
            Of(&["order"]),
            Of(&["tabulated"]),
            Of(&["batch"]),
            Of(&["program", "tabulated/slices"]),
            // What users see.
            Of(&["activation"]),
            Of(&["hessian"]),
            Of(&["pair", "parallel", "serialize", "source"]),
            Of(&["infinite"]),
            Of(&[ROOT]),
        ],
        exceptions: &[
            Exception { from: "float", to: "lanes/dispatch", why: SEAL },
            Exception { from: "float", to: "tabulated/slices", why: SEAL },
        ],
    },
    Crate {
        folder: "symbolic/src",
        layers: &[
            Of(&["exact", "similar"]),
            Of(&["polynomial"]),
            Of(&["assumption", "error"]),
            Of(&["grammar"]),
            Of(&["parameter"]),
            Of(&["domain"]),
            Of(&["moment", "piecewise"]),
            Of(&["derivation", "regime"]),
            Of(&["render"]),
            Mutual(&["activation", "lower"], "the body of an activation may call activations"),
            Of(&["cases", "declaration"]),
            Of(&["parts"]),
            Of(&[ROOT]),
        ],
        exceptions: &[],
    },
    Crate {
        folder: "codegen/src",
        layers: &[
            Of(&["accuracy", "record", "rounding"]),
            Of(&["ir", "quantity"]),
            Of(&["builder", "cancellation", "given", "print", "quotient"]),
            Of(&["scaled", "table"]),
            Of(&["plan", "tail"]),
            Of(&["moments/parts"]),
            Of(&["boundary"]),
            Of(&["moments"]),
            Of(&["limits"]),
            Of(&["kernel"]),
            Of(&["script"]),
            Of(&["c", "operations", "program", "python", "rust", "wgsl"]),
            Of(&["fixed"]),
            Of(&["dynamic"]),
            Of(&["config", "pair"]),
            Of(&[ROOT]),
        ],
        exceptions: &[],
    },
    Crate {
        folder: "macros/src",
        layers: &[
            Of(&["facade", "place"]),
            Of(&["number", "signature"]),
            Of(&["relation"]),
            Of(&["domain"]),
            Of(&["attribute"]),
            Mutual(
                &["block", "body", "call", "condition", "item", "matching", "scope", "unsupported"],
                "expressions hold expressions, and names in them stand for items that hold expressions",
            ),
            Of(&["declaration"]),
            Of(&["expand"]),
            Of(&["module"]),
            Of(&[ROOT]),
        ],
        exceptions: &[],
    },
    Crate {
        folder: "cli/src",
        layers: &[
            Of(&["interrupt", "knots", "progress", "style", "width"]),
            Of(&["args", "report"]),
            Of(&["cases", "library", "number", "output"]),
            Of(&["parameters"]),
            Of(&["source"]),
            Of(&["higher", "monte_carlo", "points"]),
            Of(&["command"]),
            Of(&[ROOT]),
        ],
        exceptions: &[],
    },
];
