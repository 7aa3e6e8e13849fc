//! Classes by the softmax of the outputs: E log p(y | f) = m_y − E log Σ eᶠ for f ~ N(m, v), exactly or by one of the
//! published approximations.
//!
//! Exact is the integral of `softmax`, with an error below 1e-9. The other forms are named with their paper and their
//! bias in [`CategoricalForm`].

use burn::module::Module;
use burn::tensor::Tensor;
use burn::tensor::activation::softmax;
use serde::{Deserialize, Serialize};

use super::linear::Linear;
use super::softmax::Expected;
#[cfg(feature = "wgpu")]
use super::softmax::card::OnCard;
use crate::layer::{LinearOutput, PassError, read};
use crate::signal::Pass;

/// The form of E log Σ eᶠ, for independent outputs f ~ N(m, v).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CategoricalForm {
    /// By one integral over a Gumbel number ([`SoftmaxMoments`](super::SoftmaxMoments)), without bound or sample.
    ///
    /// Two classes are one Normal number, the difference of the outputs, and the covariance of the outputs enters. More
    /// classes take the outputs to be independent. On a card the integral is a kernel in single precision, for up to 64
    /// classes, with an error of some 1e-6; elsewhere it runs on the host in f64, whatever the device is.
    #[default]
    Exact,
    /// log Σ eᵐ + ½ Σ v p (1 − p) with p the softmax of m (Roth and Pernkopf, Eq. 13; Haußmann et al.
    /// 2.7). Closest to the truth up to a standard deviation of about 1; neither bound.
    Delta,
    /// log Σ eᵐ (1 + ½ v) (Jankowiak, Eq. 38; Eq. 39 for two classes). Rewards variance from a
    /// standard deviation of about 2 on, where it lies below the truth.
    Taylor2,
    /// log Σ e^(m + v/2), by Jensen: the objective stays a bound.
    Jensen,
    /// ½ Σ a² v + log Σ e^(m + (1 − 2a) v/2) at a good a (Knowles and Minka 2011): a tighter bound.
    Tilted,
    /// By samples of the outputs, without bias (Jankowiak, Eq. 41).
    Sampled {
        /// Number of samples for each example, ≥ 1.
        samples: usize,
    },
    /// By samples, with [`Taylor2`](Self::Taylor2) as a control variate (Jankowiak, Eq. 40). Less
    /// variance; the logarithm of the second mean leaves a bias of the order of 1/samples.
    ControlVariate {
        /// Number of samples for each example, ≥ 1.
        samples: usize,
    },
}

/// Classes: p(y = k | f) = e^(f_k) / Σ e^(f_j). A single output f stands for the pair (0, f).
#[derive(Module, Debug)]
pub struct Categorical {
    #[module(skip)]
    form: CategoricalForm,
    #[module(skip)]
    single: bool,
    #[module(skip)]
    pair: bool,
}

impl Categorical {
    /// Classes with one output each, or two classes by one output if `single`.
    #[must_use]
    pub fn new(form: CategoricalForm, single: bool) -> Self {
        Self { form, single, pair: false }
    }

    /// The likelihood of `classes` classes by the softmax of as many outputs.
    pub(super) fn of_classes(form: CategoricalForm, classes: usize) -> Self {
        Self { form, single: false, pair: classes == 2 }
    }

    /// Whether one output decides between two classes.
    pub(crate) fn is_single(&self) -> bool {
        self.single
    }

    /// Whether the covariances of the outputs enter the expectation.
    pub(crate) fn wants_covariance(&self) -> bool {
        self.pair && self.form == CategoricalForm::Exact
    }

    /// E log p(y | f) = m_y − E log Σ eᶠ of each row in nats, of shape \[n, 1\]. `y` has a 1 in the column of each
    /// example's class, or is the one column of 0 and 1 for one output.
    ///
    /// # Errors
    ///
    /// [`PassError::Read`], if the exact form cannot read the outputs from their device.
    pub fn expected(
        &self,
        f: &LinearOutput,
        y: Tensor<2>,
        pass: &mut Pass,
    ) -> Result<Tensor<2>, PassError> {
        let both = |one: Tensor<2>| Tensor::cat(vec![one.clone().neg().add_scalar(1.0), one], 1);
        if self.form == CategoricalForm::Exact {
            let difference = difference(f);
            let (f, y) = match &difference {
                // f₁ − f₀ is the logit of the second class.
                Some(d) => (d, y.narrow(1, 1, 1)),
                None => (f, y),
            };
            // One output stands for two classes, and so does the difference of two.
            let single = f.mean.dims()[1] == 1;
            let (m, v) = pair_if(single, f);
            let y = if single { both(y) } else { y };
            return match v {
                Some(v) => exact(m, v, y),
                None => Ok((m.clone() * y).sum_dim(1) - log_sum_exp(m)),
            };
        }
        let (m, v) = pair_if(self.single, f);
        let y = if self.single { both(y) } else { y };
        let normaliser = match v {
            Some(v) => self.normaliser(m.clone(), v, pass),
            None => log_sum_exp(m.clone()),
        };
        Ok((m * y).sum_dim(1) - normaliser)
    }

    /// E log Σ eᶠ for each row, of shape \[n, 1\], by a form that is not exact.
    fn normaliser(&self, m: Tensor<2>, v: Tensor<2>, pass: &mut Pass) -> Tensor<2> {
        match self.form {
            // The exact form does not come here: `expected` has returned before.
            CategoricalForm::Exact | CategoricalForm::Delta => {
                let p = softmax(m.clone(), 1);
                let curvature = p.clone() * p.neg().add_scalar(1.0);
                log_sum_exp(m) + (v * curvature).sum_dim(1).mul_scalar(0.5)
            }
            CategoricalForm::Taylor2 => taylor(m, v),
            CategoricalForm::Jensen => log_sum_exp(m + v.mul_scalar(0.5)),
            CategoricalForm::Tilted => tilted(m, v),
            CategoricalForm::Sampled { samples } => {
                let mut total = m.zeros_like().sum_dim(1);
                for _ in 0..samples {
                    total = total + log_sum_exp(m.clone() + deviation(&v, pass));
                }
                total.div_scalar(samples as f64)
            }
            CategoricalForm::ControlVariate { samples } => {
                let mut sampled = m.zeros_like().sum_dim(1);
                let mut second = m.zeros_like();
                for _ in 0..samples {
                    // Both means are of the same samples, so that most of their noise cancels.
                    let d = deviation(&v, pass);
                    sampled = sampled + log_sum_exp(m.clone() + d.clone());
                    second = second + d.clone() + d.powi_scalar(2).mul_scalar(0.5);
                }
                let count = samples as f64;
                let control = taylor_of(m.clone(), second.div_scalar(count).add_scalar(1.0));
                taylor(m, v) + sampled.div_scalar(count) - control
            }
        }
    }
}

/// The difference f₁ − f₀ of two outputs whose covariances are known. Two classes depend on nothing else.
pub(super) fn difference(f: &LinearOutput) -> Option<LinearOutput> {
    let covariance = f.covariance.as_ref().filter(|_| f.mean.dims()[1] == 2)?;
    let n = f.mean.dims()[0];
    let between = covariance.clone().narrow(1, 0, 1).narrow(2, 1, 1).reshape([n, 1]);
    let sum = |v: &Tensor<2>| v.clone().sum_dim(1);
    Some(LinearOutput {
        mean: f.mean.clone().narrow(1, 1, 1) - f.mean.clone().narrow(1, 0, 1),
        below: f.below.as_ref().map(|v| (sum(v) - between.mul_scalar(2.0)).clamp_min(0.0)),
        own: f.own.as_ref().map(sum),
        covariance: None,
    })
}

/// Means and variances of the outputs; of the pair (0, f) if there is a `single` one.
fn pair_if(single: bool, f: &LinearOutput) -> (Tensor<2>, Option<Tensor<2>>) {
    let (m, v) = (f.mean.clone(), f.variance());
    if !single {
        return (m, v);
    }
    let with_zero = |t: Tensor<2>| Tensor::cat(vec![t.zeros_like(), t], 1);
    (with_zero(m), v.map(with_zero))
}

/// Σ y E log softmax of each row, of shape \[n, 1\].
fn exact(m: Tensor<2>, v: Tensor<2>, y: Tensor<2>) -> Result<Tensor<2>, PassError> {
    #[cfg(feature = "wgpu")]
    if let Some(OnCard { value, d_mean, d_variance }) = OnCard::of(&m, &v, &y) {
        return Ok(Linear::on_device(value)
            .with_slope(m, d_mean)
            .with_slope(v, d_variance)
            .finish());
    }
    let k = m.dims()[1];
    let [mean, variance, y] = [m.clone(), v.clone(), y].map(|t| read(t.detach()));
    let Expected { value, d_mean, d_variance } = Expected::of(k, &mean?, &variance?, &y?);
    Ok(Linear::new(value, &m).with(m, d_mean, k).with(v, d_variance, k).finish())
}

/// √v ε with ε ~ N(0, 1), of the shape of `v`.
fn deviation(v: &Tensor<2>, pass: &mut Pass) -> Tensor<2> {
    let place = (&v.device(), v.dtype());
    // The root of 0 has an infinite derivative.
    v.clone().clamp_min(1e-30).sqrt() * pass.normal_by_row(v.dims(), place)
}

fn taylor(m: Tensor<2>, v: Tensor<2>) -> Tensor<2> {
    taylor_of(m, v.mul_scalar(0.5).add_scalar(1.0))
}

/// log Σ eᵐ c for c > 0.
fn taylor_of(m: Tensor<2>, c: Tensor<2>) -> Tensor<2> {
    log_sum_exp(m + c.log())
}

/// ½ Σ a² v + log Σ e^(m + (1 − 2a) v/2), of shape \[n, 1\]. Every a gives a bound. A few steps of the fixed point
/// for a, outside the graph, give a good one.
fn tilted(m: Tensor<2>, v: Tensor<2>) -> Tensor<2> {
    let (m0, v0) = (m.clone().detach(), v.clone().detach());
    let shifted = |a: Tensor<2>, m: Tensor<2>, v: Tensor<2>| {
        m + a.mul_scalar(-2.0).add_scalar(1.0) * v.mul_scalar(0.5)
    };
    let mut a = softmax(m0.clone(), 1);
    for _ in 0..20 {
        let next = softmax(shifted(a.clone(), m0.clone(), v0.clone()), 1);
        // Half of a step: whole steps may swing about the fixed point.
        a = (a + next).mul_scalar(0.5);
    }
    let quadratic = (a.clone().powi_scalar(2) * v.clone()).sum_dim(1).mul_scalar(0.5);
    quadratic + log_sum_exp(shifted(a, m, v))
}

/// log Σ eˣ along the columns, of shape \[n, 1\].
fn log_sum_exp(x: Tensor<2>) -> Tensor<2> {
    // The largest cancels in the value and in the gradient, so that no graph needs it.
    let most = x.clone().detach().max_dim(1);
    (x - most.clone()).exp().sum_dim(1).log() + most
}
