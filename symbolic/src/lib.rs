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
//!
//! A [`Knot`] is a rational number, an irrational root of a polynomial, or a place that moves with
//! parameters. Where the order of knots does not follow from what is declared of the parameters, the
//! [`Error`] says what would decide it, and [`Activation::cases`] derives every case:
//!
//! ```
//! use gaussform_symbolic::{Activation, Library};
//!
//! let bowl = Activation::parse("|x^2 - 2|")?;
//! assert!(bowl.function.knots().iter().all(|knot| knot.rational().is_none()));
//!
//! let clip = Activation::parse("clip(x; a < b) = clamp(x, a, b)")?;
//! assert_eq!(clip.function.knots().len(), 2);
//!
//! let cases = Activation::cases("tent(x; a) = |x - a| + |x|", &Library::new())?;
//! let conditions: Vec<String> = cases.iter().map(|case| case.conditions[0].to_string()).collect();
//! assert_eq!(conditions, ["a <= 0", "a > 0"]);
//! # Ok::<(), gaussform_symbolic::Error>(())
//! ```

mod activation;
mod assumption;
mod cases;
mod declaration;
pub mod derivation;
mod domain;
mod error;
pub mod exact;
pub mod grammar;
mod joint;
mod lower;
pub mod moment;
mod parameter;
mod parts;
mod piecewise;
pub mod polynomial;
mod read;
mod regime;
pub mod render;
mod similar;

pub use activation::Activation;
pub use cases::{Case, Condition, Sign};
pub use derivation::Derivation;
pub use domain::Knot;
pub use error::{Error, ErrorKind, Limit, Span};
pub use lower::Library;
pub use parameter::{Parameter, Relation};
pub use parts::Parts;
pub use piecewise::{ModulusForm, Piecewise, SignForm};
pub use regime::{Difference, Regime};
pub use similar::similar;
