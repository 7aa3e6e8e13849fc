//! Posteriors over the weights of a layer: none, independent, or with full covariances. A layer takes any of them.

mod full;
mod mean_field;

use std::f64::consts::{E, PI};

use burn::module::{Module, Param, ParamId};
use burn::tensor::{DType, Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

pub use full::FullCovariance;
pub use mean_field::MeanField;

use crate::random::Random;
use crate::signal::{OfWeights, Pass, WeightUse};

/// ½ log 2πe, the entropy of a standard Normal number.
pub(crate) fn unit_entropy() -> f64 {
    0.5 * (2.0 * PI * E).ln()
}

/// A parameter moved by these numbers, in rows.
pub(crate) fn shifted<const D: usize>(
    parameter: Param<Tensor<D>>,
    by: Vec<f64>,
) -> Param<Tensor<D>> {
    parameter.map(|old| {
        let (device, dtype, learned) = (old.device(), old.dtype(), old.is_require_grad());
        let by = Tensor::from_data(TensorData::new(by, old.dims()), (&device, dtype));
        // A parameter is a leaf: the sum must not bring the graph of the old one.
        (old.detach() + by).detach().set_require_grad(learned)
    })
}

/// The kind of posterior of a layer's weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PosteriorKind {
    /// Independent Normal weights.
    #[default]
    MeanField,
    /// A full covariance of the weights into each unit. Only linear layers can have it.
    Full,
    /// Weights without uncertainty, without a prior: those of a plain network.
    Point,
    /// Weights without uncertainty, without a prior, that training leaves as they are.
    Fixed,
}

/// Weights without uncertainty.
#[derive(Module, Debug)]
pub struct Point<const D: usize> {
    pub(crate) mean: Param<Tensor<D>>,
}

/// The posterior of one tensor of weights.
#[derive(Module, Debug)]
pub enum Weight<const D: usize> {
    /// Independent Normal weights.
    MeanField(MeanField<D>),
    /// A full covariance for each column of a matrix.
    Full(FullCovariance),
    /// No uncertainty.
    Point(Point<D>),
}

/// Means and variances of weights, of shape \[weights\].
#[derive(Clone, Debug)]
pub struct Marginals {
    /// The means.
    pub mean: Tensor<1>,
    /// The variances > 0.
    pub variance: Tensor<1>,
}

/// The weights of one parameter, for a divergence.
#[derive(Debug)]
pub(crate) struct Group {
    parameter: ParamId,
    pub(crate) marginals: Marginals,
    /// Number of weights that belong together, one after the other: those from one input of a linear layer, and all weights
    /// of a bias or a convolution.
    pub(crate) together: usize,
}

impl Group {
    /// m² + s² of each weight, of shape \[weights\].
    pub(crate) fn second_moment(&self, pass: &mut Pass) -> Tensor<1> {
        let Marginals { mean, variance } = &self.marginals;
        let compute = || mean.clone().square() + variance.clone();
        pass.of_weights(self.parameter, OfWeights::SecondMoment, compute)
    }
}

/// Independent Normal weights of one tensor, by the two parameters of their posterior, each with its number and its values
/// of shape \[weights\].
pub(crate) struct Independent {
    pub(crate) mean: (ParamId, Tensor<1>),
    pub(crate) log_sd: (ParamId, Tensor<1>),
}

/// The initial numbers of parameters: device, type and random generator.
pub(crate) struct Start<'a> {
    pub(crate) device: &'a Device,
    pub(crate) dtype: DType,
    pub(crate) random: &'a mut Random,
}

impl Start<'_> {
    fn tensor<const D: usize>(&self, values: Vec<f64>, dims: [usize; D]) -> Tensor<D> {
        Tensor::from_data(TensorData::new(values, dims), (self.device, self.dtype))
    }

    /// Weights whose means are drawn from N(0, `spread`²), with the first standard deviation `sd` > 0.
    pub(crate) fn weight<const D: usize>(
        &mut self,
        kind: PosteriorKind,
        dims: [usize; D],
        spread: f64,
        sd: f64,
    ) -> Weight<D> {
        let count = dims.iter().product::<usize>();
        let mean = (0..count)
            // Without a spread nothing is drawn, and later weights get the same numbers.
            .map(|_| if spread > 0.0 { spread * self.random.normal() } else { 0.0 })
            .collect();
        let mean = self.tensor(mean, dims);
        match kind {
            PosteriorKind::Point => Weight::Point(Point { mean: Param::from_tensor(mean) }),
            PosteriorKind::Fixed => {
                let mean = Param::from_tensor(mean).set_require_grad(false);
                Weight::Point(Point { mean })
            }
            _ => {
                let log_sd = self.tensor(vec![sd.ln(); count], dims);
                Weight::MeanField(MeanField::new(mean, log_sd))
            }
        }
    }

    /// A matrix of weights in which each column has a full covariance, which is diagonal at first.
    pub(crate) fn full<const D: usize>(
        &mut self,
        [inputs, units]: [usize; 2],
        bias: bool,
        spread: f64,
        sd: f64,
    ) -> Weight<D> {
        let last = if bias { inputs - 1 } else { inputs };
        let draw = |i| if i < last * units { spread * self.random.normal() } else { 0.0 };
        let mean = (0..inputs * units).map(draw).collect();
        let mut factor = vec![0.0; units * inputs * inputs];
        for unit in factor.chunks_exact_mut(inputs * inputs) {
            for i in 0..inputs {
                unit[i * (inputs + 1)] = sd.ln();
            }
        }
        let mean = self.tensor(mean, [inputs, units]);
        Weight::Full(FullCovariance::new(mean, self.tensor(factor, [units, inputs, inputs])))
    }
}

impl<const D: usize> Weight<D> {
    /// The means of the weights.
    #[must_use]
    pub fn mean(&self) -> Tensor<D> {
        match self {
            Self::MeanField(q) => q.mean(),
            Self::Point(q) => q.mean.val(),
            Self::Full(q) => q.mean().reshape(self.dims()),
        }
    }

    /// The posterior whose means are moved by these numbers, in rows.
    pub(crate) fn shifted(self, by: Vec<f64>) -> Self {
        match self {
            Self::MeanField(q) => Self::MeanField(MeanField { mean: shifted(q.mean, by), ..q }),
            Self::Full(q) => Self::Full(FullCovariance { mean: shifted(q.mean, by), ..q }),
            Self::Point(q) => Self::Point(Point { mean: shifted(q.mean, by) }),
        }
    }

    /// The marginal variances of the weights; none without uncertainty.
    #[must_use]
    pub fn variance(&self) -> Option<Tensor<D>> {
        match self {
            Self::MeanField(q) => Some(q.variance()),
            Self::Point(_) => None,
            Self::Full(q) => Some(q.variance().reshape(self.dims())),
        }
    }

    /// The marginal variances, computed once while `pass` holds the weights.
    pub(crate) fn variance_in(&self, pass: &mut Pass) -> Option<Tensor<D>> {
        Some(self.group(pass)?.marginals.variance.reshape(self.dims()))
    }

    /// E w² = m² + s² of the weights, computed once while `pass` holds the weights.
    pub(crate) fn second_moment_in(&self, pass: &mut Pass) -> Tensor<D> {
        match self.group(pass) {
            Some(group) => group.second_moment(pass).reshape(self.dims()),
            None => self.mean().square(),
        }
    }

    /// The weights for a divergence; none without uncertainty.
    pub(crate) fn group(&self, pass: &mut Pass) -> Option<Group> {
        let (parameter, variance): (_, &dyn Fn() -> Tensor<1>) = match self {
            // The pass keeps moments under the parameter of the variance, as shards do.
            Self::MeanField(q) => (q.log_sd.id, &|| q.variance().flatten(0, D - 1)),
            Self::Full(q) => (q.factor.id, &|| q.variance().flatten(0, 1)),
            Self::Point(_) => return None,
        };
        let variance = pass.of_weights(parameter, OfWeights::Variance, variance);
        let marginals = Marginals { mean: self.mean().flatten(0, D - 1), variance };
        let dims = self.dims();
        let together = if D == 2 { dims[D - 1] } else { dims.iter().product() };
        Some(Group { parameter, marginals, together })
    }

    /// The weights, if they are independent.
    pub(crate) fn independent(&self) -> Option<Independent> {
        let Self::MeanField(q) = self else { return None };
        let of = |p: &Param<Tensor<D>>| (p.id, p.val().flatten(0, D - 1));
        Some(Independent { mean: of(&q.mean), log_sd: of(&q.log_sd) })
    }

    /// The shape of the means.
    #[must_use]
    pub fn dims(&self) -> [usize; D] {
        match self {
            Self::MeanField(q) => q.mean.val().dims(),
            Self::Point(q) => q.mean.val().dims(),
            Self::Full(q) => {
                let dims = q.mean.val().dims();
                // Full covariances stand in matrices only.
                std::array::from_fn(|i| dims.get(i).copied().unwrap_or(1))
            }
        }
    }

    /// The weights as numbers: drawn by `pass`, or their means.
    pub(crate) fn numbers(&self, pass: &mut Pass) -> Tensor<D> {
        let mean = self.mean();
        if pass.weights != WeightUse::Drawn {
            return mean;
        }
        let (device, dtype) = (mean.device(), mean.dtype());
        match self {
            Self::MeanField(q) => {
                let epsilon = pass.normal(mean.dims(), (&device, dtype));
                mean + q.log_sd().exp() * epsilon
            }
            Self::Point(_) => mean,
            Self::Full(q) => {
                let [inputs, units] = q.mean().dims();
                let epsilon = pass.normal([units, inputs, 1], (&device, dtype));
                q.at(epsilon).reshape(self.dims())
            }
        }
    }

    /// Means and variances of the weights, of shape \[weights\]; none without uncertainty.
    #[must_use]
    pub fn marginals(&self) -> Option<Marginals> {
        let variance = self.variance()?;
        Some(Marginals {
            mean: self.mean().flatten(0, D - 1),
            variance: variance.flatten(0, D - 1),
        })
    }

    /// The differential entropy of the posterior in nats, of shape \[1\]; none without uncertainty.
    #[must_use]
    pub fn entropy(&self) -> Option<Tensor<1>> {
        let count = self.dims().iter().product::<usize>() as f64;
        let log_sd = match self {
            Self::MeanField(q) => q.log_sd().sum(),
            Self::Full(q) => q.log_determinant(),
            Self::Point(_) => return None,
        };
        Some(log_sd.add_scalar(count * unit_entropy()))
    }
}
