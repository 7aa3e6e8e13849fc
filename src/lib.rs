//! Exact Gaussian expectations of piecewise-polynomial activations.
//!
//! For a Normal pre-activation u ~ N(γ, ξ²) and an activation g, the mean E\[g(u)\], the
//! second moment, the variance and their gradients: derived exactly, proved, and compiled to
//! kernels that stay accurate in the tails. The library of activations is in
//! [`activations`](mod@activations); [`activation`] declares your own, and
//! [`activations`](macro@activations) those of a module.
//!
//! # Features
//!
//! - `library`, on by default: [`activations`](mod@activations). Without it, only what you declare is compiled.
//! - `splines`, `approximations`: more of the library, whose kernels are large.
//! - `parallel`: `gaussform::parallel`, large slices on several cores. It needs `std`.
//! - `pairs`: `gaussform::pair`, two correlated pre-activations, and `gaussform::kernel`, the kernels of infinitely
//!   wide networks. They allocate.
//! - `serde`: the types of activations are `Serialize` and `Deserialize`, as the values of their parameters by name.
//!   Reading goes through `new`, so that values outside of the declared domain are an error.
//!
//! # An activation of your own
//!
//! ```
//! use gaussform::Activation;
//!
//! #[gaussform::activation]
//! pub fn hard_swish(x: f64) -> f64 {
//!     x * (x + 3.0).clamp(0.0, 6.0) / 6.0
//! }
//!
//! let m = HardSwish.moments_grad(0.5, 2.0);
//! assert!(m.variance > 0.0 && m.dmean_dgamma > 0.0);
//! // The function itself is still there.
//! assert_eq!(hard_swish(3.0), HardSwish.value(3.0));
//! ```
//!
//! # Two correlated pre-activations
//!
//! `gaussform::pair` takes any two compiled types. It is a module of functions and no macro, since a macro would see
//! the names of the types and not what they were declared as; the formulas are printed by
//! `gaussform inspect relu --joint hard_tanh`.
//!
//! ```
//! use gaussform::activations::{HardTanh, Relu};
//! use gaussform::pair::{self, Inputs};
//!
//! let at = Inputs { gamma: 0.5, xi2: 2.0, gamma_h: 0.0, xi2_h: 1.0, cov: -0.3 };
//! at.check()?;
//! let m = pair::moments(&Relu, &HardTanh, at);
//! assert!(m.covariance < 0.0 && m.dcovariance_dcov > 0.0);
//! # Ok::<(), pair::InvalidLaw>(())
//! ```
#![no_std]

mod attribute;
#[cfg(doctest)]
mod book;

pub use attribute::{activation, activations};
#[cfg(feature = "library")]
pub use gaussform_generated as activations;
pub use gaussform_runtime::{
    Activation, DomainError, Float, LogMoments, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut,
    Moments, MomentsGrad, MomentsGradMut, ParameterGrad, ParameterGradMut, Piecewise, conditional,
    hessian, include_activations,
};

#[cfg(feature = "pairs")]
pub use gaussform_runtime::{infinite as kernel, pair};

#[cfg(feature = "parallel")]
pub use gaussform_runtime::parallel;

/// The runtime that generated code calls; not for direct use.
#[doc(hidden)]
pub use gaussform_runtime as runtime;
