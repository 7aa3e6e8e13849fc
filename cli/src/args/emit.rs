//! `gaussform emit` on the command line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::Subject;

pub(super) const HELP: &str = "\
Examples:
  gaussform emit 'relu6(x + 3) * x / 6' --target rust --name hard_swish
  gaussform emit relu --target c --out relu.h
  gaussform emit 'prelu(x; a) = max(0, x) + a * min(0, x)' \\
    --target pytorch --out prelu.py
  gaussform emit --file activations.gf --target rust-crate --out activations.rs

  Two activations, and their covariance for correlated pre-activations:
  gaussform emit relu --joint hard_tanh --target rust --out pair.rs
  gaussform emit relu --joint hard_tanh --target c --out relu_hard_tanh.h
  gaussform emit relu --joint hard_tanh --target c-library \\
    --out relu_hard_tanh.rs
  gaussform emit relu --joint hard_tanh --target jax --out relu_hard_tanh.py";

#[derive(Debug, clap::Args)]
pub(crate) struct Emit {
    #[command(flatten)]
    pub(crate) subject: Subject,

    /// The language to write
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) target: Target,

    /// Write the function `pair_moments` too, for this second activation h of a second pre-activation:
    /// E[g(u) h(w)], Cov(g(u), h(w)) and its derivatives. `rust`, `rust-crate`, `c` and `c-library` have it; `numpy`, `jax` and
    /// `pytorch` have the covariance and its derivatives of functions that are straight between their knots
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub(crate) joint: Option<String>,

    /// Name the activation (`g` for a bare expression otherwise)
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Write to FILE, all of it or nothing; without it, or with `-`, to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// One file of Rust that needs no crate
    Rust,
    /// Rust on the crate gaussform, with its vectors
    RustCrate,
    /// A header of C99 that needs nothing but the standard library, also for C++; with `--joint` one for a library
    C,
    /// For `--joint`: the library of that header as one file of Rust, which `rustc` makes a static library of
    CLibrary,
    /// CUDA C++: the functions of a C header for the host and the device, and kernels for arrays
    Cuda,
    /// A module of WGSL in single precision, for graphics cards
    Wgsl,
    /// A Python module on NumPy
    Numpy,
    /// A Python module on JAX, with rules for derivatives
    Jax,
    /// A Python module on PyTorch, with rules for derivatives
    Pytorch,
}
