//! Maximising the bound with Adam.

use std::f64::consts::PI;

use burn::optim::{AdamConfig, GradientsParams};
use burn::tensor::{Int, Tensor};

use crate::kernel::Kernel;
use crate::matrix::Matrix;
use crate::network::{Inputs, Network, NetworkError};
use crate::objective::bound;
use crate::random::Random;

/// How to train.
///
/// The defaults did best in test log-likelihood on random splits of the yacht data, drawn by
/// another seed than any that results are reported on, and no worse than others on the sets
/// energy and concrete.
#[derive(Clone, Debug)]
pub struct TrainConfig {
    /// How often to go through the data, at least 1.
    pub epochs: usize,
    /// How many rows make a batch; at least 1. All rows at once if there are no more, and then
    /// training has no randomness left: the objective is exact.
    pub batch: usize,
    /// Adam's step size at the start; it falls to 0 along half a cosine.
    pub learning_rate: f64,
    /// The share of training, in \[0, 1\], over which the weight of the KL term rises from 0 to 1.
    /// Without it the prior switches off hidden units before the data has found a use for them.
    pub warm_up: f64,
    /// The seed of the batches.
    pub seed: u64,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self { epochs: 3000, batch: 1024, learning_rate: 0.03, warm_up: 0.6, seed: 0 }
    }
}

/// Where training stands after an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// How many epochs are done.
    pub epoch: usize,
    /// How many there will be.
    pub epochs: usize,
    /// The evidence lower bound of the data set in nats, its KL term in full; with several
    /// batches the mean of their estimates.
    pub elbo: f64,
}

/// Why training failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A field of [`TrainConfig`] is outside its domain.
    #[error("`{field}` is {value}, but must be {expected}")]
    Config {
        /// The field's name.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// The bound became infinite or NaN.
    #[error("training diverged in epoch {epoch}: the bound is {elbo}; try a lower learning rate")]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        /// The bound.
        elbo: f64,
    },
    /// The data does not fit the network.
    #[error(transparent)]
    Network(#[from] NetworkError),
}

/// Trains `network` on inputs `x` and targets `y`, and calls `progress` after each epoch.
///
/// The same network, data and configuration give the same result, bit for bit.
///
/// # Errors
///
/// [`TrainError`], if the configuration is outside its domain, the data does not fit the network
/// or is not finite, or the bound stops being finite.
pub fn train<A: Kernel>(
    network: Network<A>,
    x: &Matrix,
    y: &[f64],
    config: &TrainConfig,
    mut progress: impl FnMut(Progress),
) -> Result<Network<A>, TrainError> {
    validate(config)?;
    let total = x.rows();
    // Checked and moved to tensors once; batches are picked from these.
    let everything = Batch::new(&network, x, y)?;
    let size = config.batch.min(total);
    let steps = config.epochs * total.div_ceil(size);

    let mut network = network;
    let mut random = Random::new(config.seed);
    let mut adam = AdamConfig::new().with_epsilon(1e-8).init();
    let mut step = 0;
    for epoch in 1..=config.epochs {
        let batches = if size == total {
            vec![everything.clone()]
        } else {
            let order = random.permutation(total);
            order.chunks(size).map(|rows| everything.select(rows)).collect()
        };
        let mut elbo = 0.0;
        let count = batches.len() as f64;
        for batch in batches {
            let done = step as f64 / steps as f64;
            let bound =
                bound(&network, &batch.inputs, batch.y, total).map_err(NetworkError::from)?;
            let full: f64 = bound.elbo().inner().into_scalar();
            elbo += full / count;
            let weight = if done < config.warm_up { done / config.warm_up } else { 1.0 };
            // Per row, so that Adam's epsilon and the step size mean the same for any data set.
            let loss = (bound.kl.mul_scalar(weight) - bound.expected_log_likelihood)
                .div_scalar(total as f64);
            let parameters = network.parameters().clone();
            let gradients = GradientsParams::from_grads(loss.backward(), &parameters);
            let rate = config.learning_rate * 0.5 * (1.0 + (PI * done).cos());
            network = network.with_parameters(adam.step(rate, parameters, gradients));
            step += 1;
        }
        if !elbo.is_finite() {
            return Err(TrainError::Diverged { epoch, elbo });
        }
        progress(Progress { epoch, epochs: config.epochs, elbo });
    }
    Ok(network)
}

/// Rows on their way through the network.
#[derive(Clone)]
struct Batch {
    inputs: Inputs,
    y: Tensor<2>,
}

impl Batch {
    fn new<A: Kernel>(network: &Network<A>, x: &Matrix, y: &[f64]) -> Result<Self, NetworkError> {
        Ok(Self { inputs: network.inputs(x)?, y: network.targets(y, x.rows())? })
    }

    fn select(&self, rows: &[usize]) -> Self {
        let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
        let rows = Tensor::<1, Int>::from_data(rows.as_slice(), &self.y.device());
        Self { inputs: self.inputs.select(&rows), y: self.y.clone().select(0, rows) }
    }
}

fn validate(config: &TrainConfig) -> Result<(), TrainError> {
    let outside = |field, value, expected| Err(TrainError::Config { field, value, expected });
    if config.epochs == 0 {
        return outside("epochs", 0.0, "at least 1");
    }
    if config.batch == 0 {
        return outside("batch", 0.0, "at least 1");
    }
    if !(config.learning_rate > 0.0 && config.learning_rate.is_finite()) {
        return outside("learning_rate", config.learning_rate, "a finite number above 0");
    }
    if !(0.0..=1.0).contains(&config.warm_up) {
        return outside("warm_up", config.warm_up, "between 0 and 1");
    }
    Ok(())
}
