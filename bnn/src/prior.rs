//! Priors over weights, and KL(q ‖ p) = −entropy(q) − E_q log p of a posterior q from them.

use std::f64::consts::TAU;
use std::ops::Add;
use std::sync::Arc;

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;
use gaussform_generated::Abs;
use serde::{Deserialize, Serialize};

use crate::operation::{MomentRule, MomentsError, pair};
use crate::posterior::{Group, Marginals, unit_entropy};
use crate::signal::Pass;

/// The prior of every weight of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prior {
    /// N(0, 1/α).
    Normal {
        /// α > 0.
        precision: f64,
    },
    /// The density e^(−|w|/b) / 2b (Roth and Pernkopf, Eq. 16, whose γ is b).
    Laplace {
        /// b > 0; the variance is 2b².
        scale: f64,
    },
    /// The improper density 1/|w| (Kingma et al. 2015), with the fit of Molchanov et al. 2017 for the divergence.
    LogUniform,
    /// share · N(0, wide²) + (1 − share) · N(0, narrow²) (Blundell et al. 2015).
    ScaleMixture {
        /// The share of the wide Normal, in \[0, 1\].
        share: f64,
        /// The standard deviation of the wide Normal, > 0.
        wide: f64,
        /// The standard deviation of the narrow Normal, > 0.
        narrow: f64,
    },
    /// N(0, s) with s the most probable variance of the layer under an inverse Gamma prior
    /// (Wu et al. 2019, Eq. 11 to 13).
    EmpiricalBayes {
        /// The shape of the inverse Gamma, > 0.
        shape: f64,
        /// The scale of the inverse Gamma, > 0.
        scale: f64,
    },
    /// N(0, s) for the weights from each input of a linear layer, with s the most probable variance of these weights under an
    /// inverse Gamma prior: automatic relevance determination (MacKay 1994; Neal 1996). The weights from an input that says
    /// nothing become small together. A bias has one variance, and so has a convolution.
    ///
    /// The prior of s counts as 2 · `shape` weights do.
    Relevance {
        /// The shape of the inverse Gamma, > 0.
        shape: f64,
        /// The scale of the inverse Gamma, > 0.
        scale: f64,
    },
    /// The posterior that earlier data left, a Normal for each weight. The layer keeps it.
    Earlier,
}

impl Default for Prior {
    fn default() -> Self {
        Self::Normal { precision: 10.0 }
    }
}

/// The way a divergence was computed, from the best to the least exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// In closed form, exactly.
    Closed,
    /// By a published fit or approximation, to its error.
    Fitted,
    /// By one sample, without bias.
    Sampled,
}

/// A divergence KL(q ‖ p) in nats.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The divergence in nats, of shape \[1\].
    pub value: Tensor<1>,
    /// The way the divergence was computed.
    pub form: Form,
}

impl Add for Divergence {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, form: self.form.max(other.form) }
    }
}

impl Prior {
    /// The first field outside its domain, with its value.
    pub(crate) fn problem(self) -> Option<(&'static str, f64)> {
        let fields = match self {
            Self::Normal { precision } => vec![("prior.precision", precision)],
            Self::Laplace { scale } => vec![("prior.scale", scale)],
            Self::ScaleMixture { share, wide, narrow } => {
                if !(0.0..=1.0).contains(&share) {
                    return Some(("prior.share", share));
                }
                vec![("prior.wide", wide), ("prior.narrow", narrow)]
            }
            Self::EmpiricalBayes { shape, scale } | Self::Relevance { shape, scale } => {
                vec![("prior.shape", shape), ("prior.scale", scale)]
            }
            Self::LogUniform | Self::Earlier => vec![],
        };
        fields.into_iter().find(|(_, value)| !(*value > 0.0 && value.is_finite()))
    }

    /// −E_q log p of weights with these means and variances, in nats. Priors that are independent for each weight
    /// need nothing else of q, whatever its covariance.
    ///
    /// `earlier` are the marginals of [`Prior::Earlier`], group by group.
    pub(crate) fn cross_entropy(
        self,
        groups: &[Group],
        earlier: &[Marginals],
        pass: &mut Pass,
    ) -> Result<Option<Divergence>, MomentsError> {
        // All groups of the layer share one variance, so that they are summed before it is chosen.
        if let Self::EmpiricalBayes { shape, scale } = self {
            let squares = groups.iter().map(|group| group.second_moment(pass).sum());
            let count: usize = groups.iter().map(|group| group.marginals.mean.dims()[0]).sum();
            return Ok(squares.reduce(Add::add).map(|squares| Divergence {
                value: empirical_bayes(squares, count as f64, shape, scale),
                form: Form::Closed,
            }));
        }
        let mut total: Option<Divergence> = None;
        for (i, group) in groups.iter().enumerate() {
            let term = self.cross_entropy_of(group, earlier.get(i), pass)?;
            total = match (total, term) {
                (Some(total), Some(term)) => Some(total + term),
                (total, term) => total.or(term),
            };
        }
        Ok(total)
    }

    /// −E_q log p of one group of weights, in nats and of shape \[1\], for priors that are independent of other
    /// groups.
    fn cross_entropy_of(
        self,
        group: &Group,
        earlier: Option<&Marginals>,
        pass: &mut Pass,
    ) -> Result<Option<Divergence>, MomentsError> {
        let q = &group.marginals;
        let count = q.mean.dims()[0] as f64;
        let constant = 0.5 * TAU.ln();
        let (value, form) = match self {
            Self::Normal { precision } => {
                let value = group.second_moment(pass).sum().mul_scalar(0.5 * precision);
                (value.add_scalar(count * (constant - 0.5 * precision.ln())), Form::Closed)
            }
            Self::Laplace { scale } => {
                let (mean, variance) = (q.mean.clone(), q.variance.clone());
                let (absolute, _) = pair(Arc::new(Abs), MomentRule::Moments, mean, variance, None)?;
                let value = absolute.sum().div_scalar(scale);
                (value.add_scalar(count * (2.0 * scale).ln()), Form::Closed)
            }
            Self::LogUniform => (log_uniform(q).add_scalar(count * unit_entropy()), Form::Fitted),
            Self::ScaleMixture { share, wide, narrow } => {
                let mean = q.mean.clone();
                let place = (&mean.device(), mean.dtype());
                let epsilon = pass.normal(mean.dims(), place);
                let w = mean + q.variance.clone().sqrt() * epsilon;
                let value = mixture(w, share, wide, narrow).sum();
                (value.add_scalar(count * constant), Form::Sampled)
            }
            Self::Earlier => {
                let Some(p) = earlier else { return Ok(None) };
                let away = (q.mean.clone() - p.mean.clone()).powi_scalar(2);
                let value =
                    (away + q.variance.clone()) / p.variance.clone() + p.variance.clone().log();
                (value.sum().mul_scalar(0.5).add_scalar(count * constant), Form::Closed)
            }
            Self::Relevance { shape, scale } => {
                let (together, count) = (group.together, q.mean.dims()[0]);
                let squares = group.second_moment(pass).reshape([count / together, together]);
                let squares = squares.sum_dim(1).flatten(0, 1);
                (empirical_bayes(squares, together as f64, shape, scale).sum(), Form::Closed)
            }
            Self::EmpiricalBayes { .. } => return Ok(None),
        };
        Ok(Some(Divergence { value, form }))
    }
}

/// −E log p(w | s) − log p(s) at the most probable s, for groups of `count` weights with these sums of E w².
fn empirical_bayes(squares: Tensor<1>, count: f64, shape: f64, scale: f64) -> Tensor<1> {
    let s = squares.clone().add_scalar(2.0 * scale).div_scalar(count + 2.0 * shape + 2.0);
    let log_s = s.clone().log();
    let weights = log_s.clone().mul_scalar(0.5 * count) + squares.div(s.clone()).mul_scalar(0.5);
    let hyper = log_s.mul_scalar(shape + 1.0) + s.recip().mul_scalar(scale);
    let constant = libm::lgamma(shape) - shape * scale.ln() + 0.5 * count * TAU.ln();
    (weights + hyper).add_scalar(constant)
}

/// KL + log s, summed, by Molchanov, Ashukha and Vetrov 2017, Eq. 14, with α = s²/m²; the constant
/// is such that it tends to 0 for α → ∞.
fn log_uniform(q: &Marginals) -> Tensor<1> {
    const K: [f64; 3] = [0.63576, 1.87320, 1.48695];
    // Far below any weight that matters; it keeps log 0 away.
    let squares = q.mean.clone().powi_scalar(2).clamp_min(1e-30);
    let log_alpha = q.variance.clone().log() - squares.clone().log();
    let fit = sigmoid(log_alpha.mul_scalar(K[2]).add_scalar(K[1])).mul_scalar(-K[0]);
    let kl = fit.add_scalar(K[0]) + (squares / q.variance.clone()).log1p().mul_scalar(0.5);
    (kl + q.variance.clone().log().mul_scalar(0.5)).sum()
}

/// −log p(w) of the scale mixture, without ½ log 2π.
fn mixture(w: Tensor<1>, share: f64, wide: f64, narrow: f64) -> Tensor<1> {
    let squares = w.powi_scalar(2);
    let term = |share: f64, sd: f64| {
        // A share of 0 would bring a logarithm of −∞ into the graph.
        squares.clone().mul_scalar(-0.5 / (sd * sd)).add_scalar((share / sd).max(1e-300).ln())
    };
    let (a, b) = (term(share, wide), term(1.0 - share, narrow));
    let most = a.clone().max_pair(b.clone());
    let sum = (a - most.clone()).exp() + (b - most.clone()).exp();
    (sum.log() + most).neg()
}
