//! Whether the units of a layer are independent or jointly Normal, and the layers that carry covariances.

use serde::{Deserialize, Serialize};

use super::{Blueprint, BlueprintError, LayerSpec};
use crate::function::Function;

/// How the units of a layer vary together, given the input.
///
/// From the second hidden layer on units are correlated, since they share the units below; noisy inputs correlate
/// those of the first too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariances {
    /// Each has a variance, and all are taken to be independent.
    #[default]
    Independent,
    /// All covariances are carried from layer to layer, in training and in predictions (Wu et al. 2019, 3.1). A layer
    /// of n units computes n²/2 of them for each row, and a step of training takes up to nine matrices of n² numbers a row.
    Full,
}

impl Covariances {
    pub(super) fn is_independent(&self) -> bool {
        *self == Self::Independent
    }
}

impl Blueprint {
    /// Sets how the units of all layers vary together.
    ///
    /// ```
    /// use gaussform_bnn::{Covariances, Function, LikelihoodKind, Network, method};
    /// use gaussform::activations::HardTanh;
    ///
    /// let g = Function::new("hard_tanh", HardTanh);
    /// let nnvi = method::nnvi(13, &[50, 50], LikelihoodKind::normal(1), &g);
    /// let network = Network::new(&nnvi.with_covariances(Covariances::Full), 0)?;
    /// # Ok::<(), gaussform_bnn::BlueprintError>(())
    /// ```
    #[must_use]
    pub fn with_covariances(self, covariances: Covariances) -> Self {
        Self { covariances, ..self }
    }

    /// Whether every layer carries the covariances that the blueprint asks for.
    pub(crate) fn check_covariances(&self) -> Result<(), BlueprintError> {
        match self.covariances {
            Covariances::Independent => Ok(()),
            Covariances::Full => check(&self.layers, ""),
        }
    }
}

fn check(layers: &[LayerSpec<Function>], before: &str) -> Result<(), BlueprintError> {
    for (i, layer) in layers.iter().enumerate() {
        let place = format!("{before}layer {i}");
        let kind = match layer {
            LayerSpec::Convolution { .. } => "a convolution",
            LayerSpec::MaxPool { .. } | LayerSpec::MeanPool { .. } => "a pool",
            LayerSpec::Sample => "a sample",
            LayerSpec::Activation { function, .. } if !function.start().is_empty() => {
                "an activation that learns its parameters"
            }
            LayerSpec::Residual { layers } => {
                check(layers, &format!("{place}, "))?;
                continue;
            }
            _ => continue,
        };
        return Err(BlueprintError::Parts {
            place,
            problem: format!("{kind} with full covariances"),
            help: "use `Covariances::Independent`, or linear layers, activations without learned parameters, noise, \
                   flattening and residual sums alone",
        });
    }
    Ok(())
}
