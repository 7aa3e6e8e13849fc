//! Likelihoods: E_q log p(y | f) from the outputs f of a network, and what they predict.

mod categorical;
mod censored;
mod doubt;
mod gamma;
mod linear;
mod mixture;
mod normal;
mod per_input;
mod poisson;
mod probit;
mod softmax;
pub(crate) mod student;

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

pub use categorical::{Categorical, CategoricalForm};
pub use censored::Censored;
pub(crate) use mixture::{Noise, RowOutputs, noise_nodes};
pub use normal::{NoiseRule, Normal};
pub use per_input::NormalPerInput;
pub use poisson::Poisson;
pub use probit::Probit;
pub use softmax::SoftmaxMoments;
pub use student::StudentT;

use crate::data::Targets;
use crate::layer::{LinearOutput, PassError};
use crate::posterior::Start;
use crate::signal::Pass;

/// The kind of a network's likelihood, with the settings that it has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LikelihoodKind {
    /// Real targets with noise of one precision for each.
    Normal {
        /// Number of targets.
        targets: usize,
        /// The rule by which the precision is found.
        noise: NoiseRule,
    },
    /// Real targets with noise that depends on the input; two outputs for each.
    NormalPerInput {
        /// Number of targets.
        targets: usize,
    },
    /// Real targets with heavy-tailed noise: Student's t, whose degrees of freedom are learned.
    StudentT {
        /// Number of targets.
        targets: usize,
    },
    /// One real target, of which rows may know an interval only, as [`Table::censored`](crate::Table) says.
    Censored,
    /// Counts 0, 1, 2, …, their rate the exponential of one output.
    Poisson,
    /// Classes, an output for each.
    Categorical {
        /// Number of classes, ≥ 2.
        classes: usize,
        /// The form of the expectation.
        form: CategoricalForm,
    },
    /// Two classes by the logistic function of one output (Jankowiak, Eq. 39, for
    /// [`CategoricalForm::Taylor2`]).
    Bernoulli {
        /// The form of the expectation.
        form: CategoricalForm,
    },
    /// Two classes by the Normal distribution function of one output.
    Probit,
}

impl LikelihoodKind {
    /// Real targets with one precision each, which is learned with the weights.
    #[must_use]
    pub fn normal(targets: usize) -> Self {
        Self::Normal { targets, noise: NoiseRule::Gradient }
    }

    /// Classes with the exact expectation for independent outputs.
    #[must_use]
    pub fn categorical(classes: usize) -> Self {
        Self::Categorical { classes, form: CategoricalForm::Exact }
    }

    /// Number of outputs of a network with this likelihood.
    #[must_use]
    pub fn outputs(self) -> usize {
        match self {
            Self::Normal { targets, .. } | Self::StudentT { targets } => targets,
            Self::NormalPerInput { targets } => 2 * targets,
            Self::Categorical { classes, .. } => classes,
            Self::Bernoulli { .. } | Self::Probit | Self::Censored | Self::Poisson => 1,
        }
    }

    /// Number of columns of the targets. There is one for each real target. There is one for each class, with a 1
    /// where an example belongs and 0 elsewhere, or a single column of 0 and 1 for two classes.
    #[must_use]
    pub fn target_columns(self) -> usize {
        match self {
            Self::Normal { targets, .. }
            | Self::NormalPerInput { targets }
            | Self::StudentT { targets } => targets,
            Self::Categorical { classes, .. } => classes,
            Self::Bernoulli { .. } | Self::Probit | Self::Censored | Self::Poisson => 1,
        }
    }

    /// Number of classes; none for real targets.
    #[must_use]
    pub fn classes(self) -> Option<usize> {
        match self {
            Self::Normal { .. }
            | Self::NormalPerInput { .. }
            | Self::StudentT { .. }
            | Self::Censored
            | Self::Poisson => None,
            Self::Categorical { classes, .. } => Some(classes),
            Self::Bernoulli { .. } | Self::Probit => Some(2),
        }
    }

    pub(crate) fn build(self, start: &mut Start<'_>) -> Likelihood {
        match self {
            Self::Normal { targets, noise } => {
                Likelihood::Normal(Normal::new(targets, noise, start))
            }
            Self::NormalPerInput { .. } => Likelihood::NormalPerInput(NormalPerInput),
            Self::StudentT { targets } => Likelihood::StudentT(StudentT::new(targets, start)),
            Self::Censored => Likelihood::Censored(Censored::new(start)),
            Self::Poisson => Likelihood::Poisson(Poisson::new(start)),
            Self::Categorical { classes, form } => {
                Likelihood::Categorical(Categorical::of_classes(form, classes))
            }
            Self::Bernoulli { form } => Likelihood::Bernoulli(Categorical::new(form, true)),
            Self::Probit => Likelihood::Probit(Probit),
        }
    }
}

/// The likelihood of a network, with the parameters that it learns.
#[derive(Module, Debug)]
pub enum Likelihood {
    /// Real targets.
    Normal(Normal),
    /// Real targets, noise by input.
    NormalPerInput(NormalPerInput),
    /// Real targets, heavy-tailed noise.
    StudentT(StudentT),
    /// A real target that may be censored.
    Censored(Censored),
    /// Counts.
    Poisson(Poisson),
    /// Classes.
    Categorical(Categorical),
    /// Two classes.
    Bernoulli(Categorical),
    /// Two classes.
    Probit(Probit),
}

impl Likelihood {
    /// E_q log p(y | f) of each row, in nats, of shape \[n, 1\].
    ///
    /// `f` are the outputs, `y` the targets, of shape
    /// \[n, [`target_columns`](LikelihoodKind::target_columns)\]; of [`Censored`] they are the two ends of an interval. Where
    /// the expectation is not closed, [`StudentT`] and the forms of [`CategoricalForm`] say what stands for it.
    ///
    /// # Errors
    ///
    /// [`PassError::Read`], if what is computed on the host cannot be read from its device.
    pub fn expected(
        &self,
        f: &LinearOutput,
        y: Tensor<2>,
        pass: &mut Pass,
    ) -> Result<Tensor<2>, PassError> {
        Ok(match self {
            Self::Normal(p) => p.expected(f, y),
            Self::NormalPerInput(p) => p.expected(f, y),
            Self::StudentT(p) => p.expected(f, y),
            Self::Censored(p) => p.expected(f, y)?,
            Self::Poisson(p) => p.expected(f, y),
            Self::Categorical(p) | Self::Bernoulli(p) => p.expected(f, y, pass)?,
            Self::Probit(p) => p.expected(f, y),
        })
    }

    /// Whether the likelihood uses the covariances of the outputs.
    #[must_use]
    pub fn wants_covariance(&self) -> bool {
        match self {
            Self::NormalPerInput(_) => true,
            Self::Categorical(p) => p.wants_covariance(),
            _ => false,
        }
    }

    /// Whether the scale of its noise is learned, and is noise alone.
    pub(crate) fn learns_scale(&self) -> bool {
        match self {
            Self::Normal(p) => !matches!(p.rule(), NoiseRule::Fixed { .. }),
            Self::NormalPerInput(_) | Self::StudentT(_) => true,
            _ => false,
        }
    }

    /// The likelihood whose precisions β are divided by these factors, one for each target; as it is if it has none.
    pub(crate) fn with_noise_scaled(self, factors: &[f64]) -> Self {
        match self {
            Self::Normal(p) => Self::Normal(p.scaled(factors)),
            Self::StudentT(p) => Self::StudentT(p.scaled(factors)),
            other => other,
        }
    }

    /// The likelihood with initial parameters that fit these targets, which are in the units of the network.
    pub(crate) fn started(self, y: &Targets) -> Self {
        match (self, y) {
            (Self::Poisson(p), Targets::Real(y)) => {
                Self::Poisson(p.started(y.values().iter().copied()))
            }
            (other, _) => other,
        }
    }

    /// The outputs that predictions are made of. For two classes with known covariances they are the difference of
    /// the two logits, of shape \[n, 1\].
    pub(crate) fn deciding(&self, f: LinearOutput) -> LinearOutput {
        match self {
            Self::Categorical(_) => categorical::difference(&f).unwrap_or(f),
            _ => f,
        }
    }
}
