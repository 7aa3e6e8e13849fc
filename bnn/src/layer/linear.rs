//! The linear layer y = xW + b: moments of y for Normal weights and independent inputs.
//!
//! With a mean-field posterior, weights N(m, s²) and an input of mean x and variance v
//! (Roth and Pernkopf, Eq. 7 to 9; Haußmann et al., Eq. 9; Jankowiak, Eq. 8):
//!
//! ```text
//! mean = x·m + m_b        variance = x²·s² + v·(s² + m²) + s_b²
//! ```
//!
//! With full covariances the first term is ‖Lᵀx‖², x having a 1 at its end for the bias. Each term is a product of matrices. No
//! term of the variance is negative, so that it has only the rounding errors of the products.

use burn::module::Module;
use burn::tensor::Tensor;

use super::{Earlier, divergence};
use crate::operation::{MomentsError, product};
use crate::posterior::Weight;
use crate::prior::{Divergence, Prior};
use crate::signal::{Pass, Signal, WeightUse};

/// y = xW + b with Normal weights.
#[derive(Module, Debug)]
pub struct Linear {
    /// W, of shape \[inputs, outputs\]; \[inputs + 1, outputs\] if its covariances are full and there
    /// is a bias.
    pub(crate) weight: Weight<2>,
    /// b, of shape \[outputs\].
    pub(crate) bias: Option<Weight<1>>,
    pub(crate) earlier: Vec<Earlier>,
    #[module(skip)]
    pub(crate) joint_bias: bool,
    #[module(skip)]
    pub(crate) prior: Prior,
}

/// The outputs of a last layer, with the variance in its two parts.
#[derive(Clone, Debug)]
pub struct LinearOutput {
    /// The means, of shape \[n, outputs\].
    pub mean: Tensor<2>,
    /// The variance that the layers before bring, of that shape.
    pub below: Option<Tensor<2>>,
    /// The variance that the weights of this layer add, of that shape.
    pub own: Option<Tensor<2>>,
    /// The covariances, of shape \[n, outputs, outputs\], if they were asked for.
    pub covariance: Option<Tensor<3>>,
}

impl LinearOutput {
    /// The whole variance; none if the outputs are known.
    #[must_use]
    pub fn variance(&self) -> Option<Tensor<2>> {
        match (&self.below, &self.own) {
            (Some(a), Some(b)) => Some(a.clone() + b.clone()),
            (a, b) => a.clone().or(b.clone()),
        }
    }
}

impl Linear {
    /// The layer with these weights, [`Weight::Full`] of which has the bias as its last row.
    #[must_use]
    pub fn new(weight: Weight<2>, bias: Option<Weight<1>>, prior: Prior) -> Self {
        let joint_bias = matches!(weight, Weight::Full(_));
        Self { weight, bias, earlier: Vec::new(), joint_bias, prior }
    }

    /// The posterior of W.
    #[must_use]
    pub fn weight(&self) -> &Weight<2> {
        &self.weight
    }

    /// The posterior of b, unless it is part of W or there is none.
    #[must_use]
    pub fn bias(&self) -> Option<&Weight<1>> {
        self.bias.as_ref()
    }

    /// A signal of shape \[n, inputs\] to one of shape \[n, outputs\].
    #[must_use]
    pub fn forward(&self, x: Signal<2>, pass: &mut Pass) -> Signal<2> {
        let output = self.output(x, false, pass);
        Signal { variance: output.variance(), mean: output.mean }
    }

    /// The outputs of [`forward`](Self::forward) with their variance in two parts: from the layers below and from
    /// these weights. Their covariances, of shape \[n, outputs, outputs\], come with them, if `covariance`.
    #[must_use]
    pub fn output(&self, x: Signal<2>, covariance: bool, pass: &mut Pass) -> LinearOutput {
        let x = if self.joint_bias { with_one(x) } else { x };
        if pass.weights == WeightUse::Moments {
            return self.by_moments(x, covariance, pass);
        }
        let w = self.weight.numbers(pass);
        let bias = self.bias.as_ref().map(|b| b.numbers(pass).unsqueeze::<2>());
        // Weights that are numbers add no variance of their own.
        let own = None;
        let covariance = x.variance.clone().filter(|_| covariance).map(|v| between(w.clone(), v));
        let below = x.variance.map(|v| product(v, w.clone().powi_scalar(2)));
        let mean = plus(product(x.mean, w), bias);
        LinearOutput { mean, below, own, covariance }
    }

    fn by_moments(&self, x: Signal<2>, covariance: bool, pass: &mut Pass) -> LinearOutput {
        let m = self.weight.mean();
        let s2 = match (&self.weight, &x.variance) {
            // The covariances say all of a known input.
            (Weight::Full(_), None) => None,
            _ => self.weight.variance_in(pass),
        };
        let bias = self.bias.as_ref().map(|b| b.mean().unsqueeze::<2>());
        let own = match (&self.weight, &s2) {
            (Weight::Full(q), _) => Some(q.variance_along(x.mean.clone())),
            (_, Some(s2)) => Some(product(x.mean.clone().powi_scalar(2), s2.clone())),
            (_, None) => None,
        };
        let bias_variance = self.bias.as_ref().and_then(|b| b.variance_in(pass));
        let own = own.map(|own| plus(own, bias_variance.map(Tensor::unsqueeze)));
        let covariance = match (&x.variance, covariance) {
            (Some(v), true) => Some(between(m.clone(), v.clone())),
            _ => None,
        };
        let below = x.variance.map(|v| product(v, self.weight.second_moment_in(pass)));
        LinearOutput { mean: plus(product(x.mean, m), bias), below, own, covariance }
    }

    /// KL from the prior; none if the weights have no uncertainty.
    ///
    /// # Errors
    ///
    /// [`MomentsError`], if a moment of the prior cannot be taken.
    pub fn divergence(&self, pass: &mut Pass) -> Result<Option<Divergence>, MomentsError> {
        divergence(&self.weight, self.bias.as_ref(), self.prior, &self.earlier, pass)
    }

    /// The layer with these numbers, one for each output, added to the means of its bias; as it is without a bias.
    pub(crate) fn with_bias_shifted(mut self, by: &[f64]) -> Self {
        self.bias = self.bias.map(|bias| bias.shifted(by.to_vec()));
        if self.joint_bias {
            let [inputs, outputs] = self.weight.dims();
            let mut all = vec![0.0; (inputs - 1) * outputs];
            all.extend(by);
            self.weight = self.weight.shifted(all);
        }
        self
    }

    /// The layer with its posterior as the prior for the next data.
    #[must_use]
    pub(crate) fn carried_over(mut self) -> Self {
        let weight = Earlier::of(&self.weight);
        self.earlier = weight.into_iter().chain(self.bias.as_ref().and_then(Earlier::of)).collect();
        self.prior = Prior::Earlier;
        self
    }
}

/// Cov(y_j, y_k) = Σ m_j m_k v for j ≠ k, of shape \[n, outputs, outputs\]; weights of different
/// outputs are independent, so the layer adds nothing between them. The diagonal is without what
/// the layer adds.
fn between(m: Tensor<2>, v: Tensor<2>) -> Tensor<3> {
    let ([inputs, outputs], [n, _]) = (m.dims(), v.dims());
    let left = v.reshape([n, 1, inputs]) * m.clone().transpose().reshape([1, outputs, inputs]);
    left.matmul(m.reshape([1, inputs, outputs]).repeat_dim(0, n))
}

pub(super) fn plus(x: Tensor<2>, row: Option<Tensor<2>>) -> Tensor<2> {
    match row {
        Some(row) => x + row,
        None => x,
    }
}

pub(super) fn with_one(x: Signal<2>) -> Signal<2> {
    let [n, _] = x.mean.dims();
    let place = (&x.mean.device(), x.mean.dtype());
    let one = Tensor::<2>::ones([n, 1], place);
    let zero = Tensor::<2>::zeros([n, 1], place);
    Signal {
        mean: Tensor::cat(vec![x.mean, one], 1),
        variance: x.variance.map(|v| Tensor::cat(vec![v, zero], 1)),
    }
}
