//! The activation layer: E g(u) and Var g(u) for each u ~ N(m, v) of a signal, by one of three rules.
//!
//! ```text
//! exact        E[g(u)], Var g(u)                        the kernels
//! linearised   g(m), g′(m)² v                           the first order in v
//! gated        E[c] m, E[c²] v + Var[c] m²              c a slope of g, the right one with probability σ(C m)
//! ```
//!
//! The exact ones have the accuracy that the kernel promises. The others are exact for functions that they take in place of g: a
//! line through g(m), and a slope that does not depend on u.

use std::sync::Arc;

use burn::module::{Module, Param};
use burn::tensor::activation::sigmoid;
use burn::tensor::{DType, Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::PassError;
use crate::function::{Bound, Function};
use crate::operation::{MomentRule, pair, values};
use crate::signal::Signal;

/// How an activation g maps a Normal number u ~ N(m, v) to the mean and variance of g(u).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// E\[g(u)\] and Var g(u), by the kernels (Jankowiak, Eq. 9; Roth and Pernkopf, Eq. 10 and 11).
    #[default]
    Exact,
    /// g(m) and g′(m)² v: VBP with C → ∞, for any g. A kink or jump that m lies on exactly has
    /// slope ½ of both sides or none.
    Linearised,
    /// The gate of VBP for a finite C (Haußmann et al., Eq. 9 and appendix B.1): g(u) = c·u with c
    /// the slope on the right with probability σ(C·m), and that on the left otherwise. For functions
    /// with g(t·u) = t·g(u), t > 0, only.
    Gated {
        /// C > 0.
        sharpness: f64,
    },
}

/// An activation g applied to each element of a signal, with its learned parameters, if it has any.
#[derive(Module, Debug)]
pub struct Activation {
    pub(crate) parameters: Option<Param<Tensor<1>>>,
    #[module(skip)]
    function: Function,
    #[module(skip)]
    rule: Rule,
}

impl Activation {
    /// The layer of `function`, its learned parameters on this device.
    #[must_use]
    pub fn new(function: Function, rule: Rule, (device, dtype): (&Device, DType)) -> Self {
        let start = function.start().to_vec();
        let parameters = (!start.is_empty()).then(|| {
            let length = start.len();
            let data = TensorData::new(start, [length]);
            Param::from_tensor(Tensor::from_data(data, (device, dtype)))
        });
        Self { parameters, function, rule }
    }

    /// The activation g.
    #[must_use]
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The learned parameters, if there are any.
    #[must_use]
    pub fn parameters(&self) -> Option<Tensor<1>> {
        self.parameters.as_ref().map(Param::val)
    }

    /// How the layer takes the mean and variance of g(u).
    #[must_use]
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The activation with the present values of its learned parameters.
    pub(crate) fn bound(&self) -> Result<Arc<dyn Bound>, PassError> {
        let Some(theta) = self.parameters() else { return Ok(self.function.bound().clone()) };
        let numbers = theta.to_data().try_into_vec_as::<f64>();
        let numbers = numbers.map_err(|e| PassError::Read(format!("{e:?}")))?;
        Ok(self.function.at(&numbers)?)
    }

    /// The signal of the mean and variance of g(u), of the shape of `x`.
    ///
    /// # Errors
    ///
    /// [`PassError`], if a learned parameter has left its domain, or the moments cannot be taken.
    pub fn forward<const D: usize>(&self, x: Signal<D>) -> Result<Signal<D>, PassError> {
        let (bound, theta) = (self.bound()?, self.parameters());
        let Some(variance) = x.variance else {
            return Ok(Signal::known(values(bound, x.mean, theta)?));
        };
        let step = match (self.rule, self.function.slopes()) {
            (Rule::Gated { sharpness }, Some(slopes)) => {
                return Ok(gated(x.mean, variance, sharpness, slopes));
            }
            (Rule::Exact, _) => MomentRule::Moments,
            // A blueprint refuses gates for a function without two slopes; a layer by itself takes
            // their limit for C → ∞.
            (Rule::Linearised | Rule::Gated { .. }, _) => MomentRule::Linearised,
        };
        let (mean, variance) = pair(bound, step, x.mean, variance, theta)?;
        Ok(Signal::normal(mean, variance))
    }
}

/// The moments of c u for c ∈ {left, right}, the latter with probability σ(C m), independent of u ~ N(m, v).
fn gated<const D: usize>(
    m: Tensor<D>,
    v: Tensor<D>,
    sharpness: f64,
    [left, right]: [f64; 2],
) -> Signal<D> {
    let p = sigmoid(m.clone().mul_scalar(sharpness));
    let slope = p.clone().mul_scalar(right - left).add_scalar(left);
    let spread = (p.clone() * p.neg().add_scalar(1.0)).mul_scalar((right - left).powi(2));
    let second = slope.clone().powi_scalar(2) + spread.clone();
    let variance = second * v + spread * m.clone().powi_scalar(2);
    Signal::normal(slope * m, variance)
}
