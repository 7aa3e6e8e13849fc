//! The variational bound of Eq. 4 in closed form: nothing is sampled.

use std::f64::consts::TAU;

use burn::tensor::Tensor;

use crate::kernel::Kernel;
use crate::moments_op::MomentsError;
use crate::network::{Inputs, Network, OutputMoments};

/// The expected log likelihood in nats of targets `y`, shape \[N, 1\], under a Normal likelihood
/// of precision β (Eq. 7), of shape \[1\]:
/// −½ β Σ \[(y − ŷ)² + var_AB\] + ½ N (log β − log 2π).
#[must_use]
pub fn expected_log_likelihood(
    output: OutputMoments,
    y: Tensor<2>,
    log_beta: Tensor<1>,
) -> Tensor<1> {
    let count = y.dims()[0] as f64;
    let squares = (y - output.mean).powi_scalar(2) + output.from_hidden + output.from_output;
    let weighted = squares.sum() * log_beta.clone().exp();
    (log_beta - TAU.ln()).mul_scalar(0.5 * count) - weighted.mul_scalar(0.5)
}

/// The two halves of the bound, in nats, each of shape \[1\].
#[derive(Clone, Debug)]
pub struct Bound {
    /// The expected log likelihood of the whole data set, or its unbiased estimate from a batch.
    pub expected_log_likelihood: Tensor<1>,
    /// KL(q(A) ‖ p(A)) + KL(q(B) ‖ p(B)).
    pub kl: Tensor<1>,
}

impl Bound {
    /// The evidence lower bound of Eq. 4.
    #[must_use]
    pub fn elbo(&self) -> Tensor<1> {
        self.expected_log_likelihood.clone() - self.kl.clone()
    }
}

/// The bound for a data set of `total` rows, from all of them or from a batch.
///
/// A batch of n rows stands for the whole: its expected log likelihood counts `total`/n times.
///
/// # Errors
///
/// [`MomentsError`], if the moments of the activation cannot be taken.
pub fn bound<A: Kernel>(
    network: &Network<A>,
    inputs: &Inputs,
    y: Tensor<2>,
    total: usize,
) -> Result<Bound, MomentsError> {
    let scale = total as f64 / y.dims()[0] as f64;
    let output = network.output_moments(inputs)?;
    let likelihood = expected_log_likelihood(output, y, network.log_beta());
    let (parameters, prior) = (network.parameters(), network.config().prior);
    Ok(Bound {
        expected_log_likelihood: likelihood.mul_scalar(scale),
        kl: parameters.hidden.kl(prior.hidden) + parameters.output.kl(prior.output),
    })
}
