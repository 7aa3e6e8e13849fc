//! From exact moments to accurate kernels.
//!
//! [`Kernel::new`] chooses the form of an activation's moments: formulas in a small IR ([`ir`]), or a table of numbers, over whose pieces
//! the runtime sums. A kernel is run ([`Kernel::moments_grad`]), its formulas are counted ([`Operations`]), and it is printed.
//! [`rust`] prints the IR and the table; the attribute macro, the build script ([`Config`]) and the command line all print through it, so
//! they produce the same code. [`c`], [`wgsl`] and [`python`] print records: of the runtime's sum for tables, of the IR for formulas.
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
mod comment;
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
mod range;
mod record;
pub mod recorded;
mod rounding;
mod run;
pub mod rust;
mod script;
mod source;
mod table;
mod tail;
pub mod wgsl;
mod xi_term;

pub use accuracy::{ACCURACY, ACCURACY_CURVED, ACCURACY_OF_SLOPE, ACCURACY_UNCUT};
pub use config::{BuildError, Config, Mistake, Problem, Stale};
pub use dynamic::{Dynamic, DynamicError};
pub use fixed::Fixed;
pub use kernel::{Kernel, KernelError, Routine};
pub use operations::{Cost, Operations};
pub use quantity::{Moment, Quantity, Variable};
pub use table::{Center, Numbers, Table};
