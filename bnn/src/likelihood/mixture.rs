//! The predictive distribution of real targets from the outputs of one row: a mixture of Normals for each target.
//!
//! ```text
//! y = f + noise:  Σ_k w_k N(m, v + σ_k²)        noise by input, log variance ℓ ~ N(a, w):  ℓ = a + z√w at 19 nodes z
//! ```
//!
//! The nodes are those of the trapezoidal rule for a standard Normal, half a standard deviation apart.

use burn::tensor::Tensor;

use super::Likelihood;
use crate::distribution::Component;
use crate::layer::{PassError, read};

/// The variance of the noise that a prediction has at most where it depends on the input, in units of the variance of
/// the target. Far from all rows ℓ is known to some standard deviations, and E e^ℓ may be 10⁹ or infinite there.
const MOST: f64 = 100.0;

/// Distance and number of the nodes over ℓ, on either side of its mean, in standard deviations.
const STEP: f64 = 0.5;
const NODES: i32 = 9;

/// Nodes and weights over ℓ, in standard deviations from its mean, and the largest value of e^ℓ.
pub(crate) fn noise_nodes() -> (Vec<(f64, f64)>, f64) {
    let at = |i: i32| STEP * f64::from(i);
    let density = |z: f64| (-0.5 * z * z).exp();
    let sum: f64 = (-NODES..=NODES).map(|i| density(at(i))).sum();
    ((-NODES..=NODES).map(|i| (at(i), density(at(i)) / sum)).collect(), MOST)
}

/// The outputs of one row: means, and variances in their two parts.
#[derive(Clone, Copy)]
pub(crate) struct RowOutputs<'a> {
    pub(crate) mean: &'a [f64],
    pub(crate) below: &'a [f64],
    pub(crate) last: &'a [f64],
    /// The covariances of all outputs, if they were asked for.
    pub(crate) covariance: Option<&'a [f64]>,
}

/// The noise that a likelihood of real targets adds to its outputs, as numbers on the host.
pub(crate) enum Noise {
    /// A mixture of variances for each target, as pairs of weight and variance.
    Mixture(Vec<Vec<(f64, f64)>>),
    /// e^ℓ, ℓ an output of its own for each target.
    ByInput,
    /// Counts whose log rate is the output and this constant.
    Counts(f64),
}

impl Likelihood {
    /// The noise of the targets; none for classes.
    pub(crate) fn noise(&self) -> Result<Option<Noise>, PassError> {
        let constant = |log_precision: Tensor<1>| {
            let variances = read(log_precision)?;
            let one = |l: &f64| vec![(1.0, (-l).exp())];
            Ok::<_, PassError>(Some(Noise::Mixture(variances.iter().map(one).collect())))
        };
        Ok(match self {
            Self::Normal(p) => constant(p.log_precision())?,
            Self::Censored(p) => constant(p.log_precision())?,
            Self::StudentT(p) => Some(Noise::Mixture(p.mixture()?)),
            Self::NormalPerInput(_) => Some(Noise::ByInput),
            Self::Poisson(p) => {
                Some(Noise::Counts(read(p.log_rate())?.first().copied().unwrap_or_default()))
            }
            Self::Categorical(_) | Self::Bernoulli(_) | Self::Probit(_) => None,
        })
    }
}

impl Noise {
    /// The mean variance of the noise of target `j` of `targets`, in standardised units.
    pub(crate) fn mean(&self, row: RowOutputs<'_>, j: usize, targets: usize) -> f64 {
        self.parts(row, j, targets, 1.0).iter().map(|part| part.weight * part.noise).sum()
    }

    /// The mixture of target `j` of `targets`, whose weights add up to `weight`, in standardised units. Of counts it is that
    /// of the log rate.
    pub(crate) fn parts(
        &self,
        row: RowOutputs<'_>,
        j: usize,
        targets: usize,
        weight: f64,
    ) -> Vec<Component> {
        let (mean, below, last) = (row.mean[j], row.below[j], row.last[j]);
        match self {
            Self::Mixture(variances) => {
                let part = |(share, noise): &(f64, f64)| Component {
                    weight: weight * share,
                    mean,
                    below,
                    last,
                    noise: *noise,
                };
                variances[j].iter().map(part).collect()
            }
            Self::Counts(constant) => {
                vec![Component { weight, mean: mean + constant, below, last, noise: 0.0 }]
            }
            Self::ByInput => {
                let l = targets + j;
                let (a, w) = (row.mean[l], row.below[l] + row.last[l]);
                // Given ℓ, f is Normal with a shifted mean and less variance.
                let c = row.covariance.map_or(0.0, |c| c[j * 2 * targets + l]);
                let (shift, less) = if w > 0.0 { (c / w.sqrt(), c * c / w) } else { (0.0, 0.0) };
                let nodes = if w > 0.0 { noise_nodes().0 } else { vec![(0.0, 1.0)] };
                let part = |(z, share): (f64, f64)| Component {
                    weight: weight * share,
                    mean: mean + shift * z,
                    below: (below - less).max(0.0),
                    last,
                    noise: (a + w.sqrt() * z).exp().min(MOST),
                };
                nodes.into_iter().map(part).collect()
            }
        }
    }
}
