//! Means and full covariances of the units of one layer, carried from layer to layer.

mod affine;
mod doubt;
mod layers;
mod state;

pub(crate) use doubt::outputs;
pub(crate) use layers::Layers;
pub(crate) use state::State;

use crate::layer::PassError;

/// Why the layers of a network have no covariances.
pub(crate) enum CovarianceError {
    /// The kind of a layer that has no rule for them, and its place.
    Layer { place: String, kind: &'static str },
    /// The numbers of a layer cannot be read.
    Pass(PassError),
}

impl From<PassError> for CovarianceError {
    fn from(error: PassError) -> Self {
        Self::Pass(error)
    }
}
