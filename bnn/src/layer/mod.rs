//! Layers as Burn modules. Each maps the mean and variance of its input to those of its output, and some have a
//! divergence from a prior.

mod activation;
mod convolution;
mod gate;
mod joint;
mod linear;
mod noise;
mod pooling;

pub use activation::{Activation, Rule};
pub use convolution::{Conv1d, Conv2d, ConvShape};
pub use gate::GateDivergence;
pub use linear::{Linear, LinearOutput};
pub use noise::{Noise, Sample};
pub use pooling::{MaxPool, MeanPool};

use burn::module::{Module, Param};
use burn::tensor::Tensor;

use crate::function::FunctionError;
use crate::operation::MomentsError;
use crate::posterior::{Group, Marginals, Weight};
use crate::prior::{Divergence, Form, Prior};
use crate::signal::Pass;

/// Why a pass through a network failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// The moments of an activation could not be taken.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// A learned parameter of an activation has left its domain.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A layer carries no covariances, and the network asks for them.
    #[error(
        "a convolution, a pool or a sample carries no covariances; `Covariances::Independent` takes variances through \
         every layer"
    )]
    Covariances,
    /// A result could not be read back from its device.
    #[error("a tensor cannot be read back: {0}")]
    Read(String),
}

/// The numbers of a tensor, row by row.
pub(crate) fn read<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f64>, PassError> {
    let data = tensor.try_into_data().map_err(|e| PassError::Read(e.to_string()))?;
    data.try_into_vec_as::<f64>().map_err(|e| PassError::Read(format!("{e:?}")))
}

/// The marginals of a posterior that earlier data left, as the prior of further data: means and variances, which
/// training leaves as they are.
#[derive(Module, Debug)]
pub struct Earlier {
    mean: Param<Tensor<1>>,
    variance: Param<Tensor<1>>,
}

impl Earlier {
    /// The marginals of `weight`, outside any graph.
    pub(crate) fn of<const D: usize>(weight: &Weight<D>) -> Option<Self> {
        let keep = |t: Tensor<1>| Param::from_tensor(t.detach()).set_require_grad(false);
        let Marginals { mean, variance } = weight.marginals()?;
        Some(Self { mean: keep(mean), variance: keep(variance) })
    }

    fn marginals(&self) -> Marginals {
        Marginals { mean: self.mean.val(), variance: self.variance.val() }
    }
}

/// KL of the posterior of a layer's weight and bias from the prior, in nats; none if no weight has uncertainty.
fn divergence<const D: usize>(
    weight: &Weight<D>,
    bias: Option<&Weight<1>>,
    prior: Prior,
    earlier: &[Earlier],
    pass: &mut Pass,
) -> Result<Option<Divergence>, MomentsError> {
    let of_bias = bias.and_then(|bias| bias.group(pass));
    let groups: Vec<Group> = weight.group(pass).into_iter().chain(of_bias).collect();
    let entropy = [weight.entropy(), bias.and_then(Weight::entropy)].into_iter().flatten();
    let Some(entropy) = entropy.reduce(std::ops::Add::add) else { return Ok(None) };
    let earlier: Vec<Marginals> = earlier.iter().map(Earlier::marginals).collect();
    let cross = prior.cross_entropy(&groups, &earlier, pass)?;
    Ok(cross.map(|cross| cross + Divergence { value: entropy.neg(), form: Form::Closed }))
}
