//! From exact moments to accurate kernels.
//!
//! [`Kernel::new`] lowers an activation's moments to a small IR ([`ir`]) in the scheme that keeps
//! floating point right everywhere; the IR is counted ([`Operations`]), run
//! ([`Kernel::moments_grad`]) and printed ([`rust`], [`c`], [`wgsl`]). The attribute macro, the build script
//! ([`Config`]) and the command line all print through [`rust`], so they produce the same code.
//! [`python`] prints the same IR as a module for NumPy, JAX or PyTorch. C and WGSL are printed from a record of it.
//!
//! ```
//! use gaussform_codegen::Kernel;
//! use gaussform_symbolic::Activation;
//!
//! let relu = Kernel::new(&Activation::parse("relu(x) = max(0, x)")?)?;
//! let m = relu.moments_grad(&[], -37.0_f64, 1.0);
//! assert!(m.mean > 0.0 && m.variance > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accuracy;
mod builder;
pub mod c;
mod config;
mod division;
mod dynamic;
mod fixed;
mod given;
mod interpret;
pub mod ir;
mod kernel;
mod limits;
mod moments;
mod operations;
mod pair;
mod plan;
pub mod python;
mod quantity;
mod quotient;
mod record;
pub mod recorded;
mod rounding;
mod run;
pub mod rust;
mod scaled;
mod script;
mod source;
mod table;
mod tail;
pub mod wgsl;

pub use accuracy::{ACCURACY, ACCURACY_CURVED, ACCURACY_OF_SLOPE, ACCURACY_UNCUT};
pub use config::{BuildError, Config, Mistake, Problem, Stale};
pub use dynamic::{Dynamic, DynamicError};
pub use fixed::Fixed;
pub use kernel::{Kernel, KernelError, Routine};
pub use operations::{Operations, RegimeCost};
pub use quantity::{Moment, Quantity, Variable};
pub use table::{Center, Numbers, Table};
