//! Numerics for the kernels that gaussform generates, and the trait that they implement.
//!
//! Nothing here knows an activation: a generated kernel brings the coefficients of its
//! pieces and finds here the numbers that every Gaussian moment is made of. The crate is
//! `no_std`, allocates nothing and depends on no platform's elementary functions, so that the
//! same input gives the same bits on every machine. The batched methods use the vectors that the
//! machine has. The feature `parallel` adds several cores, and needs `std`. The feature `pairs` adds two correlated
//! pre-activations and kernels of wide networks, and allocates. The feature `serde` lets generated types be written and read.
#![no_std]

#[cfg(feature = "pairs")]
extern crate alloc;

mod accuracy;
mod activation;
mod batch;
pub mod conditional;
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "those of vectors"))]
mod constants;
mod float;
pub mod hessian;
#[cfg(feature = "pairs")]
pub mod infinite;
pub mod kernel;
mod lanes;
mod order;
#[cfg(feature = "pairs")]
pub mod pair;
#[cfg(feature = "parallel")]
pub mod parallel;
mod piecewise;
mod precision;
mod safe_range;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod serialize;
mod slices;
#[cfg(feature = "source")]
pub mod source;
mod tabulated;
mod typed;

pub use activation::{Activation, DomainError};
pub use float::Float;
#[doc(hidden)]
pub use kernel::plan;
pub use kernel::quantities::log::{LogMoments, LogMomentsGrad, LogMomentsGradMut, LogMomentsMut};
pub use kernel::quantities::moments::{
    Moments, MomentsGrad, MomentsGradMut, ParameterGrad, ParameterGradMut,
};
pub use piecewise::Piecewise;

/// Includes what a build script compiled from a file of declarations.
///
/// With `gaussform_codegen::Config::new().compile(&["activations.gf"])` in `build.rs`,
/// `include_activations!("activations")` brings the types into scope.
#[macro_export]
macro_rules! include_activations {
    ($stem:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $stem, ".rs"));
    };
}

/// The implementations of serde for a generated type: none without the feature `serde`.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! serialize {
    ($($tokens:tt)*) => {};
}
