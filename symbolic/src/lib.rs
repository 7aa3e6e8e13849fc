//! Exact derivation of Gaussian expectations of piecewise polynomials.
//!
//! Data flows one way: text → [`grammar`] (syntax tree) → [`Piecewise`] (normal form) →
//! [`Derivation`] ([`moment`](Activation::moment) with its trace and certificate) → [`render`].
//! Everything is exact: no float, no IO.
//!
//! ```
//! use gaussform_symbolic::{Activation, render};
//!
//! let relu = Activation::parse("max(0, x)")?;
//! let mean = relu.moment(1)?;
//! assert!(mean.replay().is_ok());
//! assert!(mean.certificates().is_ok());
//! println!("{}", render::text::equation(&mean));
//! # Ok::<(), gaussform_symbolic::Error>(())
//! ```

mod activation;
mod assumption;
mod cases;
pub mod derivation;
mod domain;
mod error;
pub mod exact;
pub mod grammar;
mod lower;
pub mod moment;
mod parameter;
mod piecewise;
pub mod polynomial;
mod regime;
pub mod render;

pub use activation::Activation;
pub use cases::{Case, Condition, Sign};
pub use derivation::Derivation;
pub use error::{Error, ErrorKind, Limit, Span};
pub use lower::Library;
pub use parameter::{Parameter, Relation};
pub use piecewise::{Knot, ModulusForm, Piecewise, SignForm};
pub use regime::{Difference, Regime};
