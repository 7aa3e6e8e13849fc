//! Layers on jointly Normal signals x ~ N(m, C + diag(d)) (Wu et al. 2019, 3.1).
//!
//! ```text
//! linear, weights of mean M and covariances S_j into output j
//!                 E y = mM + E b        C′ = Mᵀ(C + diag(d))M        d′_j = mᵀS_j m + tr S_j (C + diag(d)) + Var b_j
//! activation      E g(u), and C′ = Cov(g(u_i), g(u_j)) by the kernels of pairs; d′ = 0
//! noise           d′ = d + its variance
//! ```
//!
//! Of independent pre-activations (C = 0) the activations are independent too, and only their variances are computed.
//! Covariances with what a residual sum began with go through a linear layer by M, and through an activation by
//! Cov(x, g(u)) = Cov(x, u) E\[g′(u)\] (Stein's lemma).

use burn::tensor::Tensor;
use burn::tensor::activation::sigmoid;

use super::linear::{plus, with_one};
use super::{Activation, Linear, LinearOutput, Noise, PassError, Rule};
use crate::joint_signal::{JointSignal, diagonal, sum};
use crate::operation::{Joint, Map, joint};
use crate::posterior::{FullCovariance, Weight};
use crate::signal::{Pass, Signal, WeightUse};

/// The outputs of a linear layer, with what its weights add to their variance in two parts.
struct Parts {
    mean: Tensor<2>,
    /// Mᵀ(C + diag(d))M.
    covariance: Option<Tensor<3>>,
    /// tr S (C + diag(d)).
    of_inputs: Option<Tensor<2>>,
    /// mᵀS m + Var b.
    own: Option<Tensor<2>>,
    begun: Vec<Option<Tensor<3>>>,
}

impl Linear {
    /// A signal of \[n, inputs\] to one of \[n, outputs\].
    pub(crate) fn joint(&self, x: JointSignal, pass: &mut Pass) -> JointSignal {
        let Parts { mean, covariance, of_inputs, own, begun } = self.parts(x, pass);
        JointSignal { mean, covariance, own: sum(of_inputs, own), begun }
    }

    /// The outputs of [`joint`](Self::joint) with their variance in two parts: from the layers below and from these
    /// weights. Their covariances come with them, if `covariance`.
    pub(crate) fn joint_output(
        &self,
        x: JointSignal,
        covariance: bool,
        pass: &mut Pass,
    ) -> LinearOutput {
        let Parts { mean, covariance: between, of_inputs, own, .. } = self.parts(x, pass);
        // A sum with signs, which rounding may take below 0.
        let below = between.as_ref().map(|c| diagonal(c).clamp_min(0.0));
        let covariance = between.filter(|_| covariance);
        LinearOutput { mean, below: sum(below, of_inputs), own, covariance }
    }

    fn parts(&self, x: JointSignal, pass: &mut Pass) -> Parts {
        let [_, inputs] = x.mean.dims();
        let is_drawn = pass.weights != WeightUse::Moments;
        let (weight, bias) = match is_drawn {
            true => (self.weight.numbers(pass), self.bias.as_ref().map(|b| b.numbers(pass))),
            false => (self.weight.mean(), self.bias.as_ref().map(|b| b.mean())),
        };
        let m = match self.joint_bias {
            true => with_one(Signal::known(x.mean.clone())).mean,
            false => x.mean.clone(),
        };
        let mean = plus(m.clone().matmul(weight.clone()), bias.map(Tensor::unsqueeze));
        // The bias is known to vary with no input.
        let weight = if self.joint_bias { weight.narrow(0, 0, inputs) } else { weight };
        let covariance = between(&x, &weight);
        let of = |cross: &Option<Tensor<3>>| cross.clone().map(|c| times(c, &weight));
        let begun = x.begun.iter().map(of).collect();
        // Weights that are numbers add no variance of their own.
        if is_drawn {
            return Parts { mean, covariance, of_inputs: None, own: None, begun };
        }
        let (of_inputs, own) = match &self.weight {
            Weight::Full(q) => (along_covariance(q, &x), Some(q.variance_along(m))),
            weight => {
                let s2 = weight.variance_in(pass);
                let along = |v: Tensor<2>| s2.clone().map(|s2| v.matmul(s2));
                (x.variance().and_then(along), along(m.square()))
            }
        };
        let bias_variance = self.bias.as_ref().and_then(|b| b.variance_in(pass));
        let own = own.map(|own| plus(own, bias_variance.map(Tensor::unsqueeze)));
        Parts { mean, covariance, of_inputs, own, begun }
    }
}

/// Mᵀ(C + diag(d))M, of shape \[n, outputs, outputs\].
fn between(x: &JointSignal, m: &Tensor<2>) -> Option<Tensor<3>> {
    let left = match (&x.covariance, &x.own) {
        (None, None) => return None,
        (None, Some(d)) => {
            let [n, inputs] = d.dims();
            // A diagonal matrix scales columns: the first of the two products is none.
            m.clone().transpose().unsqueeze::<3>() * d.clone().reshape([n, 1, inputs])
        }
        _ => times(x.whole()?, m).transpose(),
    };
    Some(times(left, m))
}

/// A product of each matrix, of shape \[n, rows, inputs\], with one matrix of shape \[inputs, outputs\].
fn times(a: Tensor<3>, m: &Tensor<2>) -> Tensor<3> {
    let ([n, rows, inputs], [_, outputs]) = (a.dims(), m.dims());
    // One product of two matrices takes less time than n of them.
    a.reshape([n * rows, inputs]).matmul(m.clone()).reshape([n, rows, outputs])
}

/// tr S_j (C + diag(d)), of shape \[n, outputs\]; S without the bias, which is known to be 1.
fn along_covariance(q: &FullCovariance, x: &JointSignal) -> Option<Tensor<2>> {
    let [n, inputs] = x.mean.dims();
    if x.covariance.is_none() {
        let v = x.own.clone()?;
        return Some(v.matmul(q.variance().narrow(0, 0, inputs)));
    }
    let l = q.cholesky().narrow(1, 0, inputs);
    let [outputs, ..] = l.dims();
    let s = l.clone().matmul(l.transpose()).reshape([outputs, inputs * inputs]);
    Some(x.whole()?.reshape([n, inputs * inputs]).matmul(s.transpose()))
}

impl Activation {
    /// The signal of g(u), of the shape of `x`.
    pub(crate) fn joint(&self, x: JointSignal) -> Result<JointSignal, PassError> {
        if x.covariance.is_none() && x.begun.iter().all(Option::is_none) {
            let begun = x.begun.clone();
            let y = self.forward(x.apart())?;
            return Ok(JointSignal { begun, ..JointSignal::of(y) });
        }
        let map = match (self.rule(), self.function().slopes()) {
            (Rule::Gated { sharpness }, Some(slopes)) => return Ok(gated(x, sharpness, slopes)),
            (Rule::Exact, _) => Map::Exact,
            (Rule::Linearised | Rule::Gated { .. }, _) => Map::Linearised,
        };
        let [n, units] = x.mean.dims();
        let place = (&x.mean.clone().inner().device(), x.mean.dtype());
        let covariance = x.covariance.unwrap_or_else(|| Tensor::zeros([n, units, units], place));
        let own = x.own.unwrap_or_else(|| Tensor::zeros([n, units], place));
        let Joint { mean, slope, covariance } = joint(self.bound()?, map, x.mean, covariance, own)?;
        let begun = sloped(x.begun, &slope);
        Ok(JointSignal { mean, covariance: Some(covariance), own: None, begun })
    }
}

/// Covariances of shape \[n, units there, units here\] times the slopes here.
fn sloped(begun: Vec<Option<Tensor<3>>>, slope: &Tensor<2>) -> Vec<Option<Tensor<3>>> {
    let [n, units] = slope.dims();
    let of = |c: Tensor<3>| c * slope.clone().reshape([n, 1, units]);
    begun.into_iter().map(|cross| cross.map(of)).collect()
}

/// The gates of VBP, one of its own for each unit: c ∈ {left, right}, the latter with probability p = σ(sharpness · m),
/// independent of u: Cov(c u_i, c u_j) = E\[c_i\] E\[c_j\] Cov(u_i, u_j), and Var\[c\] (v + m²) more on the diagonal.
fn gated(x: JointSignal, sharpness: f64, [left, right]: [f64; 2]) -> JointSignal {
    let [n, units] = x.mean.dims();
    let p = sigmoid(x.mean.clone().mul_scalar(sharpness));
    let slope = p.clone().mul_scalar(right - left).add_scalar(left);
    let spread = (p.clone() * p.neg().add_scalar(1.0)).mul_scalar((right - left).powi(2));
    let squares = sum(x.variance(), Some(x.mean.clone().square()));
    let of_gates = squares.map(|squares| spread * squares);
    let (here, there) =
        (slope.clone().reshape([n, 1, units]), slope.clone().reshape([n, units, 1]));
    JointSignal {
        covariance: x.covariance.map(|c| c * here * there),
        own: sum(x.own.map(|d| d * slope.clone().square()), of_gates),
        begun: sloped(x.begun, &slope),
        mean: slope * x.mean,
    }
}

impl Noise {
    /// The signal with the noise added, of the shape of `x`.
    pub(crate) fn joint(&self, x: JointSignal) -> JointSignal {
        let noise = x.mean.zeros_like().add_scalar(self.variance());
        JointSignal { own: sum(x.own, Some(noise)), ..x }
    }
}
