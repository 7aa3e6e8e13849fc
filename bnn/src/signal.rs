//! Signals between layers: mean and variance of independent Normal numbers, or known numbers.

use std::collections::BTreeMap;
use std::ops::Add;
use std::sync::{Arc, Mutex, PoisonError};

use burn::module::ParamId;
use burn::tensor::{DType, Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

#[cfg(feature = "wgpu")]
use crate::operation::card;
use crate::random::Random;
use crate::ziggurat;

/// For every element a mean and a variance, or a mean alone where the value is known.
///
/// The second moment is never stored: the variance is what the kernels give without cancellation.
/// The first axis counts examples. Elements are taken to be independent given the example.
#[derive(Clone, Debug)]
pub struct Signal<const D: usize> {
    /// The means.
    pub mean: Tensor<D>,
    /// The variances ≥ 0, of the same shape; `None` where the values are known.
    pub variance: Option<Tensor<D>>,
}

impl<const D: usize> Signal<D> {
    /// Known values: inputs without noise, or samples.
    #[must_use]
    pub fn known(mean: Tensor<D>) -> Self {
        Self { mean, variance: None }
    }

    /// Independent Normal numbers, such as noisy measurements; both of the same shape.
    #[must_use]
    pub fn normal(mean: Tensor<D>, variance: Tensor<D>) -> Self {
        Self { mean, variance: Some(variance) }
    }

    /// Applies `f` to the means and to the variances. `f` must neither add nor scale, so that it changes both alike.
    #[must_use]
    pub fn map<const E: usize>(self, f: impl Fn(Tensor<D>) -> Tensor<E>) -> Signal<E> {
        Signal { mean: f(self.mean), variance: self.variance.map(f) }
    }

    /// The elements of the signal in another shape with as many elements.
    #[must_use]
    pub fn reshape<const E: usize>(self, shape: [usize; E]) -> Signal<E> {
        self.map(|t| t.reshape(shape))
    }

    /// The sum of two independent signals of the same shape.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let variance = match (self.variance, other.variance) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self { mean: self.mean + other.mean, variance }
    }

    /// Whether the values are known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.variance.is_none()
    }
}

/// How the weights of a network enter a pass through it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightUse {
    /// By their moments: nothing is sampled unless a layer says so.
    #[default]
    Moments,
    /// Drawn from the posterior, once for all examples of the pass (Bayes by backprop).
    Drawn,
    /// At their means, as those of a plain network.
    Means,
}

/// One pass through a network: where its randomness comes from, and how weights enter it.
///
/// The weights that are drawn depend on the seed and not on the examples. So a pass with [`WeightUse::Drawn`] is a
/// function: a sample of the posterior over functions.
#[derive(Clone, Debug)]
pub struct Pass {
    /// How weights enter.
    pub weights: WeightUse,
    random: Random,
    /// The draws of weights that the pass shares with others, and how many of them it has had.
    shared: Option<(Arc<Draws>, usize)>,
    /// Where the numbers that are drawn for each row come from, if not from `random`.
    of_rows: Option<Random>,
    /// The terms of the divergence from latent variables of the examples, in nats; none unless a bound collects them.
    latent: Option<Vec<Tensor<1>>>,
    /// Moments of the weights of each parameter, each of shape \[weights\]; none unless the weights are held.
    held: Option<BTreeMap<(ParamId, OfWeights), Tensor<1>>>,
}

/// The moment of weights N(m, s²) that is computed once while the weights are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OfWeights {
    /// s².
    Variance,
    /// m² + s².
    SecondMoment,
}

impl Pass {
    /// A pass whose samples, if it takes any, come from the `index`-th stream of `seed`.
    #[must_use]
    pub fn new(weights: WeightUse, seed: u64, index: u64) -> Self {
        let random = Random::stream(seed, index);
        Self { weights, random, shared: None, of_rows: None, latent: None, held: None }
    }

    /// A pass by moments. Layers that sample do so from seed 0.
    #[must_use]
    pub fn moments() -> Self {
        Self::new(WeightUse::Moments, 0, 0)
    }

    /// A pass through the network whose weights are drawn by `seed`.
    #[must_use]
    pub fn drawn(seed: u64) -> Self {
        Self::new(WeightUse::Drawn, seed, 0)
    }

    /// From here on weights have the draws of all passes that share `draws`.
    pub(crate) fn share_draws(&mut self, draws: Arc<Draws>) {
        self.shared = Some((draws, 0));
    }

    /// From here on the numbers that are drawn for each row come from `random`.
    pub(crate) fn draw_rows_from(&mut self, random: Random) {
        self.of_rows = Some(random);
    }

    /// From here on layers tell what their latent variables add to the divergence.
    pub(crate) fn want_latent(&mut self) {
        self.latent = Some(Vec::new());
    }

    pub(crate) fn wants_latent(&self) -> bool {
        self.latent.is_some()
    }

    pub(crate) fn add_latent(&mut self, term: Tensor<1>) {
        self.latent.get_or_insert_default().push(term);
    }

    /// The sum of the divergences of latent variables, in nats and of shape \[1\]. From then on none are collected.
    pub(crate) fn take_latent(&mut self) -> Option<Tensor<1>> {
        self.latent.take()?.into_iter().reduce(Add::add)
    }

    /// From here on no weight changes, so that its moments are computed once for all who need them.
    pub(crate) fn hold_weights(&mut self) {
        self.held = Some(BTreeMap::new());
    }

    /// Weights may change again.
    pub(crate) fn release_weights(&mut self) {
        self.held = None;
    }

    /// The moment `what` of the weights of `parameter`, of shape \[weights\]. It is computed at most once while
    /// weights are held.
    pub(crate) fn of_weights(
        &mut self,
        parameter: ParamId,
        what: OfWeights,
        compute: impl FnOnce() -> Tensor<1>,
    ) -> Tensor<1> {
        match &mut self.held {
            Some(held) => held.entry((parameter, what)).or_insert_with(compute).clone(),
            None => compute(),
        }
    }

    /// Standard Normal numbers of this shape, for weights.
    pub(crate) fn normal<const D: usize>(
        &mut self,
        dims: [usize; D],
        place: (&Device, DType),
    ) -> Tensor<D> {
        let Some((draws, had)) = &mut self.shared else {
            return normal(&mut self.random, dims, place);
        };
        *had += 1;
        draws.number(*had, dims.iter().product(), place).reshape(dims)
    }

    /// Standard Normal numbers of this shape, whose first axis counts rows.
    pub(crate) fn normal_by_row<const D: usize>(
        &mut self,
        dims: [usize; D],
        place: (&Device, DType),
    ) -> Tensor<D> {
        normal(self.of_rows.as_mut().unwrap_or(&mut self.random), dims, place)
    }
}

/// The draws of weights for the parts of a batch, in the order in which each part asks for them.
#[derive(Debug)]
pub(crate) struct Draws(Mutex<(Random, Vec<Tensor<1>>)>);

impl Draws {
    pub(crate) fn new(random: Random) -> Arc<Self> {
        Arc::new(Self(Mutex::new((random, Vec::new()))))
    }

    /// The draw of this number, counted from 1, which has `count` numbers. Whoever asks first makes it.
    fn number(&self, number: usize, count: usize, place: (&Device, DType)) -> Tensor<1> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (random, drawn) = &mut *held;
        // Every part asks in the same order, so that at most the next one is missing.
        if drawn.len() < number {
            drawn.push(normal(random, [count], place));
        }
        drawn[number - 1].clone()
    }
}

/// Standard Normal numbers of this shape. On a card they are drawn there.
fn normal<const D: usize>(
    random: &mut Random,
    dims: [usize; D],
    (device, dtype): (&Device, DType),
) -> Tensor<D> {
    #[cfg(feature = "wgpu")]
    if dtype == DType::F32
        && let Some(drawn) = card::normals(Tensor::empty(dims, (device, dtype)), || random.bits())
    {
        return drawn;
    }
    let mut values = vec![0.0; dims.iter().product()];
    ziggurat::fill(random, &mut values);
    Tensor::from_data(TensorData::new(values, dims), (device, dtype))
}
