//! What an activation must be to stand in a network.

use std::fmt::Debug;

use gaussform_runtime::Activation;

/// An activation with kernels in both precisions, as every declared one has.
///
/// A tensor's precision is known when it runs, not when it is compiled; hence both. The trait
/// is implemented for whatever qualifies and is never implemented by hand.
pub trait Kernel:
    Activation<f32> + Activation<f64> + Clone + Debug + Send + Sync + 'static
{
}

impl<A> Kernel for A where
    A: Activation<f32> + Activation<f64> + Clone + Debug + Send + Sync + 'static
{
}
