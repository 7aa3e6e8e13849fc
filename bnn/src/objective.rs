//! The variational bound of any chain and any likelihood.
//!
//! ```text
//! ELBO = Σ_n w_n E_q log p(y_n | x_n) − KL(q(weights) ‖ p(weights)) − divergence of gates
//! ```
//!
//! A batch of n rows stands for `total` rows, and its likelihood counts `total`/n times.

use std::ops::Add;

use burn::tensor::Tensor;

use crate::layer::{LinearOutput, PassError};
use crate::model::Examples;
use crate::network::Network;
use crate::prior::{Divergence, Form};
use crate::signal::{Pass, Signal};

/// The two terms of the bound, in nats.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The expected log likelihood of the whole data set, or its unbiased estimate from a batch, of
    /// shape \[1\].
    pub expected_log_likelihood: Tensor<1>,
    /// The divergence of the posterior from the prior: that of the weights, and with
    /// [`GateDivergence`](crate::layer::GateDivergence) that of the gates of the whole data set, or its
    /// unbiased estimate from a batch.
    pub divergence: Divergence,
}

impl Bound {
    /// The evidence lower bound, E log p − KL (Jankowiak, Eq. 4).
    #[must_use]
    pub fn elbo(&self) -> Tensor<1> {
        self.expected_log_likelihood.clone() - self.divergence.value.clone()
    }
}

/// The bound for a data set of `total` rows, from all of them or from a batch, whose expected log
/// likelihood then counts `total`/n times.
///
/// It is exact for one hidden layer, a known input, the exact rule and a Normal likelihood. What
/// `x` goes through otherwise decides what it approximates.
///
/// # Errors
///
/// [`PassError`], if an activation or a prior fails.
pub fn bound(
    network: &Network,
    x: Signal<2>,
    y: Tensor<2>,
    total: usize,
    pass: &mut Pass,
) -> Result<Bound, PassError> {
    bound_of(network, Examples { x, y, doubt: None, weights: None }, total, pass)
}

/// [`bound`] of rows that may have weights: the likelihood of a row counts as often as its weight says.
pub(crate) fn bound_of(
    network: &Network,
    rows: Examples,
    total: usize,
    pass: &mut Pass,
) -> Result<Bound, PassError> {
    // The network is borrowed: its weights stay what they are.
    pass.hold_weights();
    let bound = bound_of_held(network, rows, total, pass);
    pass.release_weights();
    bound
}

fn bound_of_held(
    network: &Network,
    rows: Examples,
    total: usize,
    pass: &mut Pass,
) -> Result<Bound, PassError> {
    let scale = total as f64 / rows.y.dims()[0] as f64;
    let OfRows { expected: likelihood, latent } = of_rows(network, rows, scale, pass)?;
    // Eq. 11 of Haußmann et al. approximates.
    let latent = latent.map(|value| Divergence { value, form: Form::Fitted });
    let weights = network.chain().divergence(pass)?;
    let divergence = weights
        .into_iter()
        .chain(latent)
        .reduce(Add::add)
        .unwrap_or_else(|| Divergence { value: likelihood.zeros_like(), form: Form::Closed });
    Ok(Bound { expected_log_likelihood: likelihood, divergence })
}

/// The terms of the bound that rows have, each times a factor, in nats and of shape \[1\].
pub(crate) struct OfRows {
    /// The expected log likelihood.
    pub(crate) expected: Tensor<1>,
    /// The divergence of the gates, if the network has it.
    pub(crate) latent: Option<Tensor<1>>,
}

/// The terms of these rows, each times `scale`.
pub(crate) fn of_rows(
    network: &Network,
    rows: Examples,
    scale: f64,
    pass: &mut Pass,
) -> Result<OfRows, PassError> {
    let Examples { x, y, doubt, weights } = rows;
    let means = means_of(network, &x);
    pass.want_latent();
    let output = network.output(x, pass);
    // Taken before `expected`, whose second pass would count the gates once more.
    let latent = pass.take_latent().map(|sum| sum.mul_scalar(scale));
    let rows = expected(network, in_doubt(output?, doubt), means, y, pass)?;
    Ok(OfRows { expected: weighted(rows, weights).sum().mul_scalar(scale), latent })
}

/// The outputs with more variance from below.
fn in_doubt(output: LinearOutput, doubt: Option<Tensor<2>>) -> LinearOutput {
    let below = match (output.below, doubt) {
        (Some(below), Some(doubt)) => Some(below + doubt),
        (below, doubt) => below.or(doubt),
    };
    LinearOutput { below, ..output }
}

/// The inputs without their variances, if the variances can be integrated out by a second pass. They cannot in a
/// network that draws samples, which draws from them too.
fn means_of(network: &Network, x: &Signal<2>) -> Option<Signal<2>> {
    let told = x.variance.is_some() && !network.blueprint().samples();
    told.then(|| Signal::known(x.mean.clone()))
}

/// E log p(y | x) of each row, in nats and of shape \[n, 1\]. `means` are the inputs without their variances, if the
/// variances are to be integrated out.
fn expected(
    network: &Network,
    output: LinearOutput,
    means: Option<Signal<2>>,
    y: Tensor<2>,
    pass: &mut Pass,
) -> Result<Tensor<2>, PassError> {
    let likelihood = network.likelihood();
    let means = means.filter(|_| likelihood.integrates_inputs(&output));
    let (Some(means), Some(whole)) = (means, output.variance()) else {
        return likelihood.expected(&output, y, pass);
    };
    let known = network.output(means, pass)?;
    let doubt = match known.variance() {
        Some(known) => (whole - known).clamp_min(0.0),
        None => whole,
    };
    likelihood.expected_in_doubt(output, doubt, y, pass)
}

/// E log p(y | x) of each row, in nats and of shape \[n, 1\].
pub(crate) fn expected_of(
    network: &Network,
    x: Signal<2>,
    y: Tensor<2>,
    doubt: Option<Tensor<2>>,
    pass: &mut Pass,
) -> Result<Tensor<2>, PassError> {
    let means = means_of(network, &x);
    let output = network.output(x, pass)?;
    expected(network, in_doubt(output, doubt), means, y, pass)
}

/// The numbers of rows, each times the weight of its row.
pub(crate) fn weighted(rows: Tensor<2>, weights: Option<Tensor<2>>) -> Tensor<2> {
    match weights {
        Some(weights) => rows * weights,
        None => rows,
    }
}
