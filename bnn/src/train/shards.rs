//! The gradient of the loss over a large batch, in shards of its rows.
//!
//! ```text
//! loss = Σ over shards  −λ E log p(y of the shard)/rows  +  warm-up · KL/rows
//! ```
//!
//! Each shard goes forward and backward on a graph of its own, and so does the divergence. What the weights share is
//! computed once: the variances s² and second moments m² + s² of independent weights are leaves of every graph. With G₁ and
//! G₂ the sums of their gradients over all graphs,
//!
//! ```text
//! ∂/∂m += 2 m G₂        ∂/∂log s += 2 s² (G₁ + G₂)
//! ```
//!
//! The shards depend on the network and the rows alone, and gradients are summed in the order of the shards. So no bit
//! depends on the number of threads.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

use super::{Estimate, OptimiserStep, Slope, TrainError};
use crate::layer::PassError;
use crate::network::Network;
use crate::objective::{OfRows, of_rows};
use crate::operation::{MomentsError, Scalar};
use crate::posterior::Independent;
use crate::random::Random;
use crate::signal::{Draws, OfWeights, Pass};
use crate::threads::{each, each_of, shares};

/// A shard has at least so many rows: its gradients are as many numbers as there are weights, and have to be added.
const ROWS: usize = 256;
/// A shard has at least so many numbers before layers, so that a small network is not cut into graphs that take longer to
/// build than to compute.
const NUMBERS: usize = 50_000;
/// So many shards are computed before their gradients are added, which bounds the memory that these take.
const AT_ONCE: usize = 32;
/// A chunk of weights for one thread.
const CHUNK: usize = 1 << 15;

/// The shards of a batch of `rows` rows.
pub(super) fn shards(network: &Network, rows: usize) -> Vec<Range<usize>> {
    let least = ROWS.max(NUMBERS / network.chain().numbers().max(1));
    shares(rows, rows / least)
}

const MOMENTS: [OfWeights; 2] = [OfWeights::Variance, OfWeights::SecondMoment];

/// A part of the loss with a graph of its own.
enum LossPart {
    /// The likelihood of rows: those of a shard, and the number of the shard.
    Rows(Range<usize>, usize),
    Divergence,
}

/// The gradient in a parameter, or, with the parameter of log s, that in a moment of its weights.
type GradientKey = (ParamId, Option<OfWeights>);

/// The factor of a parameter's gradient, and the sums that it multiplies.
type Factored<'a, T> = (Cow<'a, [T]>, Vec<&'a [T]>);

/// The results of one graph: gradients, and its part of the loss and of the bound.
struct Graph {
    gradients: GradientsParams,
    /// Parts of G₁ and G₂.
    of_moments: Vec<(GradientKey, FlexTensor)>,
    loss: f64,
    elbo: f64,
}

impl OptimiserStep<'_> {
    /// The gradient by shards, for a network on Flex.
    pub(super) fn by_shards<T: Scalar>(
        &self,
        network: &Network,
        shards: Vec<Range<usize>>,
    ) -> Result<Slope, TrainError> {
        let held = held::<T>(network)?;
        let parts = shards.into_iter().enumerate().map(|(i, rows)| LossPart::Rows(rows, i));
        let parts: Vec<LossPart> = parts.chain([LossPart::Divergence]).collect();
        let draws = Draws::new(Random::stream(!self.config.seed, self.step as u64));
        let mut sums = Sums::<T>::default();
        let mut parts = parts.into_iter();
        loop {
            let some: Vec<LossPart> = parts.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let graphs = each(some, |part| self.graph(network, &held, &draws, part));
            sums.add(network, graphs.into_iter().collect::<Result<_, _>>()?)?;
        }
        sums.finish(network, &held)
    }

    fn graph(
        &self,
        network: &Network,
        held: &[Held],
        draws: &Arc<Draws>,
        part: LossPart,
    ) -> Result<Graph, TrainError> {
        // Graphs run backward at once on several threads, hence share no node.
        let network = network.clone().map(&mut Leaves);
        let leaves: Vec<_> = held.iter().map(Held::leaves).collect();
        // A seed of this step, whose streams are those of the shards.
        let seed = Random::stream(!self.config.seed, self.step as u64).bits();
        let mut pass = Pass::new(network.blueprint().weights, !self.config.seed, self.step as u64);
        pass.hold_weights();
        for (held, leaves) in held.iter().zip(&leaves) {
            for (what, leaf) in MOMENTS.into_iter().zip(leaves) {
                // The pass takes the leaf for what it would compute of the weights.
                pass.of_weights(held.log_sd, what, || leaf.clone());
            }
        }
        let total = self.total as f64;
        let (loss, elbo) = match part {
            LossPart::Rows(rows, number) => {
                // Sampled weights are the same for all rows of a step; what is drawn by row has a
                // stream of its shard, whichever thread computes it.
                pass.share_draws(draws.clone());
                pass.draw_rows_from(Random::stream(seed, number as u64));
                let rows = self.batch.within(rows);
                // By the rows of the whole batch, so that the parts of the shards add up.
                let scale = total / self.batch.rows() as f64;
                let OfRows { expected, latent } = of_rows(&network, rows, scale, &mut pass)?;
                let mut elbo: f64 = expected.clone().inner().into_scalar();
                let mut loss = expected.mul_scalar(-self.config.likelihood_weight);
                if let Some(latent) = latent {
                    elbo -= latent.clone().inner().into_scalar::<f64>();
                    loss = loss + latent.mul_scalar(self.warmth);
                }
                (Some(loss), elbo)
            }
            LossPart::Divergence => match network.chain().divergence(&mut pass)? {
                Some(divergence) => {
                    let value: f64 = divergence.value.clone().inner().into_scalar();
                    (Some(divergence.value.mul_scalar(self.warmth)), -value)
                }
                None => (None, 0.0),
            },
        };
        let Some(loss) = loss else {
            let gradients = GradientsParams::new();
            return Ok(Graph { gradients, of_moments: Vec::new(), loss: 0.0, elbo });
        };
        let loss = loss.div_scalar(total);
        let value: f64 = loss.clone().inner().into_scalar();
        let mut gradients = loss.backward();
        let mut of_moments = Vec::new();
        for (held, leaves) in held.iter().zip(leaves) {
            for (what, leaf) in MOMENTS.into_iter().zip(leaves) {
                if let Some(gradient) = leaf.grad_remove(&mut gradients) {
                    of_moments.push(((held.log_sd, Some(what)), flex(gradient)?));
                }
            }
        }
        let gradients = GradientsParams::from_grads(gradients, &network);
        Ok(Graph { gradients, of_moments, loss: value, elbo })
    }
}

/// Independent weights with what all graphs share of them.
struct Held {
    mean: ParamId,
    log_sd: ParamId,
    means: FlexTensor,
    /// s² and m² + s².
    moments: [FlexTensor; 2],
}

impl Held {
    /// The moments as leaves of a graph.
    fn leaves(&self) -> [Tensor<1>; 2] {
        let leaf = |t: &FlexTensor| Tensor::from_primitive::<Flex>(t.clone());
        [0, 1].map(|i| leaf(&self.moments[i]).autodiff().require_grad())
    }
}

fn held<T: Scalar>(network: &Network) -> Result<Vec<Held>, TrainError> {
    let all: Result<Vec<_>, PassError> = network
        .chain()
        .independent_weights()
        .into_iter()
        .map(|Independent { mean: (mean, means), log_sd: (log_sd, logs) }| {
            Ok((mean, log_sd, flex(means.inner())?, flex(logs.inner())?))
        })
        .collect();
    let all = all?;
    let views: Vec<_> = all.iter().map(|(.., m, l)| (T::view(m), T::view(l))).collect();
    let mut both: Vec<_> =
        views.iter().map(|(m, _)| [vec![T::ZERO; m.len()], vec![T::ZERO; m.len()]]).collect();
    let mut parts = Vec::new();
    for ((m, l), [variance, second]) in views.iter().zip(&mut both) {
        let inputs = m.chunks(CHUNK).zip(l.chunks(CHUNK));
        parts.extend(inputs.zip(variance.chunks_mut(CHUNK).zip(second.chunks_mut(CHUNK))));
    }
    let numbers = views.iter().map(|(m, _)| m.len()).sum();
    each_of(numbers, parts, |((m, l), (variance, second))| {
        for i in 0..m.len() {
            variance[i] = (l[i] + l[i]).exponential();
            second[i] = m[i] * m[i] + variance[i];
        }
    });
    drop(views);
    let hold = |((mean, log_sd, means, _), both): ((_, _, _, FlexTensor), [Vec<T>; 2])| Held {
        mean,
        log_sd,
        means,
        moments: both.map(T::tensor),
    };
    Ok(all.into_iter().zip(both).map(hold).collect())
}

/// Every parameter as a leaf of a new graph.
struct Leaves;

impl ModuleMapper for Leaves {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(Tensor::detach)
    }
}

/// Sums over graphs, in their order.
struct Sums<T> {
    gradients: BTreeMap<GradientKey, Vec<T>>,
    loss: f64,
    elbo: f64,
}

impl<T> Default for Sums<T> {
    fn default() -> Self {
        Self { gradients: BTreeMap::new(), loss: 0.0, elbo: 0.0 }
    }
}

impl<T: Scalar> Sums<T> {
    fn add(&mut self, network: &Network, graphs: Vec<Graph>) -> Result<(), TrainError> {
        let mut gradients = Vec::new();
        let mut terms: BTreeMap<GradientKey, Vec<FlexTensor>> = BTreeMap::new();
        for graph in graphs {
            self.loss += graph.loss;
            self.elbo += graph.elbo;
            gradients.push(graph.gradients);
            for (place, term) in graph.of_moments {
                terms.entry(place).or_default().push(term);
            }
        }
        let mut gather = Gather { gradients, terms, failure: None };
        network.visit(&mut gather);
        if let Some(failure) = gather.failure {
            return Err(failure.into());
        }
        let terms: BTreeMap<_, Vec<_>> = gather
            .terms
            .iter()
            .map(|(place, all)| (*place, all.iter().map(T::view).collect()))
            .collect();
        for (place, all) in &terms {
            let length = all.first().map_or(0, |term| term.len());
            self.gradients.entry(*place).or_default().resize(length, T::ZERO);
        }
        let sums =
            self.gradients.iter_mut().filter_map(|(place, sum)| Some((sum, terms.get(place)?)));
        let sums = chunks(sums);
        each_of(length(&sums), sums, |(sum, from, all)| {
            for term in all {
                add(sum, &term[from..from + sum.len()]);
            }
        });
        Ok(())
    }

    /// The gradient in the parameters themselves.
    fn finish(mut self, network: &Network, held: &[Held]) -> Result<Slope, TrainError> {
        // For each parameter of independent weights the factor, and the sums that it multiplies.
        let mut take = |held: &Held| {
            MOMENTS
                .map(|what| self.gradients.remove(&(held.log_sd, Some(what))).unwrap_or_default())
        };
        let of_moments: Vec<[Vec<T>; 2]> = held.iter().map(&mut take).collect();
        let mut chains: BTreeMap<GradientKey, Factored<'_, T>> = BTreeMap::new();
        for (held, both) in held.iter().zip(&of_moments) {
            let [variance, second] = both.each_ref().map(|sum| &sum[..]);
            let of_log_sd = (T::view(&held.moments[0]), vec![variance, second]);
            chains.insert((held.log_sd, None), of_log_sd);
            chains.insert((held.mean, None), (T::view(&held.means), vec![second]));
        }
        // Weights without a gradient get none rather than zeros, as from a single graph.
        chains.retain(|_, (_, all)| all.iter().any(|of| !of.is_empty()));
        for (place, (factor, _)) in &chains {
            self.gradients.entry(*place).or_default().resize(factor.len(), T::ZERO);
        }
        let sums = self.gradients.iter_mut();
        let sums = sums.filter_map(|(place, sum)| Some((sum, chains.get(place)?)));
        let sums = chunks(sums);
        each_of(length(&sums), sums, |(sum, from, (factor, all))| {
            let to = from + sum.len();
            for of in all.iter().filter(|of| !of.is_empty()) {
                for ((sum, factor), of) in sum.iter_mut().zip(&factor[from..to]).zip(&of[from..to])
                {
                    *sum += (*factor + *factor) * *of;
                }
            }
        });
        drop(chains);
        let mut spread = Spread { sums: self.gradients, out: GradientsParams::new() };
        network.visit(&mut spread);
        let [loss, elbo] = [self.loss, self.elbo].map(Estimate::Known);
        Ok(Slope { gradients: spread.out, loss, elbo })
    }
}

/// All vectors in chunks, each with its place in the vector and with what stands beside the vector.
fn chunks<'a, T, B: Copy>(
    all: impl Iterator<Item = (&'a mut Vec<T>, B)>,
) -> Vec<(&'a mut [T], usize, B)> {
    let of = |(vector, beside): (&'a mut Vec<T>, B)| {
        let places = (0..).step_by(CHUNK);
        vector.chunks_mut(CHUNK).zip(places).map(move |(chunk, from)| (chunk, from, beside))
    };
    all.flat_map(of).collect()
}

fn length<T, B>(chunks: &[(&mut [T], usize, B)]) -> usize {
    chunks.iter().map(|(chunk, ..)| chunk.len()).sum()
}

fn add<T: Scalar>(sum: &mut [T], term: &[T]) {
    sum.iter_mut().zip(term).for_each(|(sum, term)| *sum += *term);
}

/// Gathers the gradients of all graphs by parameter.
struct Gather {
    gradients: Vec<GradientsParams>,
    terms: BTreeMap<GradientKey, Vec<FlexTensor>>,
    failure: Option<PassError>,
}

impl ModuleVisitor for Gather {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        for gradients in &mut self.gradients {
            let Some(gradient) = gradients.remove::<D>(param.id) else { continue };
            match flex(gradient) {
                Ok(gradient) => self.terms.entry((param.id, None)).or_default().push(gradient),
                Err(failure) => self.failure = Some(failure),
            }
        }
    }
}

/// Gives each parameter its sum as a tensor.
struct Spread<T> {
    sums: BTreeMap<GradientKey, Vec<T>>,
    out: GradientsParams,
}

impl<T: Scalar> ModuleVisitor for Spread<T> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let sum = self.sums.remove(&(param.id, None));
        if let Some(sum) = sum.filter(|_| param.val().is_require_grad()) {
            let sum = Tensor::<1>::from_primitive::<Flex>(T::tensor(sum));
            self.out.register(param.id, sum.reshape(param.val().dims()));
        }
    }
}

fn flex<const D: usize>(tensor: Tensor<D>) -> Result<FlexTensor, PassError> {
    let backend = |e| MomentsError::Backend(format!("{e:?}"));
    Ok(tensor.try_into_primitive::<Flex>().map_err(backend)?)
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use burn::module::{ModuleVisitor, Param};
    use burn::optim::GradientsParams;
    use gaussform_generated::{Prelu, Relu};

    use super::*;
    use crate::blueprint::{Blueprint, LayerSpec, Precision};
    use crate::data::{Matrix, Table};
    use crate::function::Function;
    use crate::likelihood::LikelihoodKind;
    use crate::method;
    use crate::model::Model;
    use crate::posterior::PosteriorKind;
    use crate::prior::Prior;
    use crate::train::TrainConfig;

    const ROWS: usize = 11;

    fn relu() -> Function {
        Function::new("relu", Relu)
    }

    fn data(inputs: usize, classes: Option<usize>) -> Table {
        let mut random = Random::new(5);
        let mut normal = |n: usize| (0..n).map(|_| random.normal()).collect::<Vec<f64>>();
        let x = Matrix::new(inputs, normal(ROWS * inputs)).unwrap();
        let table = match classes {
            None => Table::regression(x, &normal(ROWS)).unwrap(),
            Some(k) => {
                let names = (0..k).map(|i| i.to_string()).collect();
                Table::classes(x, (0..ROWS).map(|i| i % k).collect(), names).unwrap()
            }
        };
        let weights = (0..ROWS).map(|i| 1.0 + (i % 3) as f64).collect();
        table.with_weights(weights).unwrap()
    }

    /// All gradients of a network, in the order of its parameters.
    struct Numbers(GradientsParams, Vec<f64>);

    impl ModuleVisitor for Numbers {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.0.remove::<D>(param.id) {
                self.1.extend(gradient.into_data().try_into_vec_as::<f64>().unwrap());
            }
        }
    }

    fn numbers(network: &Network, slope: Slope) -> Vec<f64> {
        let values = Estimate::read(vec![slope.loss, slope.elbo]).unwrap();
        let mut all = Numbers(slope.gradients, values);
        network.visit(&mut all);
        all.1
    }

    fn by(blueprint: &Blueprint, shards: Option<Vec<Range<usize>>>) -> Vec<f64> {
        let blueprint =
            Blueprint { precision: Precision::Double, initial_sd: 0.3, ..blueprint.clone() };
        let table = data(blueprint.columns(), blueprint.likelihood.classes());
        let model = Model::new(&blueprint, &table, 1).unwrap();
        let batch = model.examples(&table).unwrap();
        let config = TrainConfig { likelihood_weight: 1.3, seed: 7, ..TrainConfig::default() };
        let task =
            OptimiserStep { batch: &batch, total: 3 * ROWS, warmth: 0.6, config: &config, step: 2 };
        let network = &model.network;
        let slope = match shards {
            Some(shards) => task.by_shards::<f64>(network, shards).unwrap(),
            None => task.slope(network).unwrap(),
        };
        numbers(network, slope)
    }

    fn near(blueprint: &Blueprint) {
        let whole = by(blueprint, None);
        for shards in [shares(ROWS, 1), vec![0..4, 4..5, 5..ROWS], shares(ROWS, ROWS)] {
            let found = by(blueprint, Some(shards));
            assert_eq!(found.len(), whole.len());
            for (i, (a, b)) in found.iter().zip(&whole).enumerate() {
                assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "number {i}: {a} against {b}");
            }
        }
    }

    /// The graph of the whole batch is the oracle.
    #[test]
    fn shards_have_the_gradient_of_the_batch() {
        let likelihood = LikelihoodKind::normal(1);
        let prelu = Function::learned("prelu", &[0.25], |p| Prelu::new(p[0])).unwrap();
        near(&method::cf(2, 5, 1, &relu()));
        near(&method::cf_full(2, 5, 1, &relu()));
        near(&method::dvi(2, &[4, 3], 1, &relu()));
        near(&method::dvi_full(2, &[4, 3], 1, &relu()));
        near(&method::nnvi(2, &[4], likelihood, &prelu).with_every_prior(Prior::LogUniform));
        near(&method::nnvi(2, &[4], LikelihoodKind::categorical(3), &relu()));
        near(&method::vbp(2, &[4], likelihood, &relu()).with_gate_divergence(10.0));
        near(&method::nnvi(2, &[4], likelihood, &relu()).with_posterior(PosteriorKind::Point));
        let image = Blueprint::new(&[1, 4, 4], LikelihoodKind::categorical(2))
            .convolution(2, &[3, 3], &[1, 1])
            .activation(relu())
            .layer(LayerSpec::Flatten)
            .linear(2);
        near(&image);
        let inner = Blueprint::new(&[2], likelihood).linear(2).activation(relu());
        let sum = LayerSpec::Residual { layers: inner.layers };
        near(&Blueprint::new(&[2], likelihood).layer(sum).linear(1));
        // Weights that are drawn are those of the batch, in every shard.
        near(&Blueprint {
            weights: crate::signal::WeightUse::Drawn,
            ..method::nnvi(2, &[4], likelihood, &relu())
        });
    }

    /// Samples for rows differ from shard to shard, and a seed fixes them.
    #[test]
    fn samples_are_those_of_the_shard() {
        let sampled = method::varout(2, &[4], LikelihoodKind::normal(1), &relu());
        let thirds = || Some(vec![0..4, 4..8, 8..ROWS]);
        assert_eq!(by(&sampled, thirds()), by(&sampled, thirds()));
        assert_ne!(by(&sampled, thirds()), by(&sampled, Some(vec![0..3, 3..8, 8..ROWS])));
    }
}
