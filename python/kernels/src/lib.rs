//! Kernels behind one pointer.
//!
//! A declaration with values of its parameters is computed by the compiled type of the library that is the same function, if it is one of
//! its activations, or else by the numbers of its pieces ([`Dynamic`]). Both take slices of either precision and a [`Quantity`]. This is a
//! crate of its own since the compiled types take minutes to build, and the bindings change more often.

mod quantity;
mod slices;

use std::sync::{Arc, LazyLock};

use gaussform_codegen::{Dynamic, DynamicError, Kernel, KernelError};
use gaussform_runtime::Activation as Moments;
use gaussform_symbolic::{Activation, Library};

pub use quantity::Quantity;
pub use slices::{Kernels, Scalar, Slices};

/// The activations of the library, in the order of their declarations.
pub static ACTIVATIONS: LazyLock<Vec<Activation>> = LazyLock::new(|| {
    Activation::parse_file(gaussform_generated::DECLARATIONS, &Library::new())
        .expect("the library is compiled from the same text")
});

/// The activations of the library by name, for declarations that call them.
pub static LIBRARY: LazyLock<Library> =
    LazyLock::new(|| ACTIVATIONS.iter().map(|g| (g.name.clone(), g.clone())).collect());

/// Why a declaration with values of its parameters has no kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// The values do not fit.
    Values(DynamicError),
    /// There is no kernel.
    Kernel(KernelError),
}

impl std::fmt::Display for BindError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Values(error) => error.fmt(f),
            Self::Kernel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BindError {}

/// Kernels of a declaration with values of its parameters.
#[derive(Clone)]
pub struct Bound {
    /// The kernels.
    pub kernels: Arc<dyn Kernels>,
    /// Whether they are those of a compiled type.
    pub is_compiled: bool,
}

/// The kernels of a declaration with values of its parameters, in the order of the declaration.
///
/// # Errors
///
/// If the values do not fit the declaration, or its degree is too high for a kernel.
pub fn bind(activation: &Activation, values: &[f64]) -> Result<Bound, BindError> {
    if let Some(kernels) = twin(activation).and_then(|twin| compiled(&twin.name, values)) {
        return Ok(Bound { kernels, is_compiled: true });
    }
    let dynamic = Dynamic::new(activation, values).map_err(BindError::Values)?;
    let kernels: Arc<dyn Kernels> = match values {
        [] => shared(dynamic),
        values => {
            let kernel = Kernel::new(activation).map_err(BindError::Kernel)?;
            Arc::new(slices::Declared { dynamic, kernel, values: values.to_vec() })
        }
    };
    Ok(Bound { kernels, is_compiled: false })
}

/// The activation of the library that is the same function of the same parameters, whatever it is called.
#[must_use]
pub fn twin(activation: &Activation) -> Option<&'static Activation> {
    let names = |g: &Activation| g.parameters.iter().map(|p| p.name.clone()).collect::<Vec<_>>();
    ACTIVATIONS.iter().find(|g| g.function == activation.function && names(g) == names(activation))
}

fn shared<A>(kernel: A) -> Arc<dyn Kernels>
where
    A: Moments<f32> + Moments<f64> + Send + Sync + 'static,
{
    Arc::new(slices::Own(kernel))
}

include!(concat!(env!("OUT_DIR"), "/compiled.rs"));

#[cfg(test)]
mod tests {
    use gaussform_symbolic::{Activation, Library};

    use super::bind;

    #[test]
    fn the_activations_of_the_library_are_compiled() {
        let text = include_str!("../../../generated/activations.gf");
        for activation in &Activation::parse_file(text, &Library::new()).expect("the library") {
            let witness = activation.witness();
            let value = |p: &gaussform_symbolic::Parameter| {
                let symbol = gaussform_symbolic::polynomial::Symbol::Parameter(p.name.clone());
                num_traits::ToPrimitive::to_f64(&witness[&symbol]).expect("a small rational")
            };
            let values: Vec<f64> = activation.parameters.iter().map(value).collect();
            let bound = bind(activation, &values).expect("the witness satisfies the declaration");
            assert!(bound.is_compiled, "{}", activation.name);
        }
    }
}
