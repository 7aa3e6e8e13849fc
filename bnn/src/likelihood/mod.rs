//! Likelihoods: E_q log p(y | f) from the outputs f of a network, and what they predict.

mod categorical;
mod mixture;
mod normal;
mod per_input;
mod probit;

use burn::module::Module;
use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

pub use categorical::{Categorical, CategoricalForm};
pub(crate) use mixture::{Noise, RowOutputs, noise_nodes};
pub use normal::{NoiseRule, Normal};
pub use per_input::NormalPerInput;
pub use probit::Probit;

use crate::layer::LinearOutput;
use crate::posterior::Start;
use crate::signal::Pass;

/// Which likelihood a network has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LikelihoodKind {
    /// Real targets with noise of one precision for each.
    Normal {
        /// How many targets.
        targets: usize,
        /// How the precision is come by.
        noise: NoiseRule,
    },
    /// Real targets with noise that depends on the input; two outputs for each.
    NormalPerInput {
        /// How many targets.
        targets: usize,
    },
    /// Classes, an output for each.
    Categorical {
        /// How many classes, ≥ 2.
        classes: usize,
        /// How the expectation is come by.
        form: CategoricalForm,
    },
    /// Two classes by the logistic function of one output (Jankowiak, Eq. 39, for
    /// [`CategoricalForm::Taylor2`]).
    Bernoulli {
        /// How the expectation is come by.
        form: CategoricalForm,
    },
    /// Two classes by the Normal distribution function of one output.
    Probit,
}

impl LikelihoodKind {
    /// Real targets, a precision for each, learned with the weights.
    #[must_use]
    pub fn normal(targets: usize) -> Self {
        Self::Normal { targets, noise: NoiseRule::Gradient }
    }

    /// Classes, by the second-order form of Roth and Pernkopf and of Haußmann et al.
    #[must_use]
    pub fn categorical(classes: usize) -> Self {
        Self::Categorical { classes, form: CategoricalForm::Delta }
    }

    /// How many outputs the network has for it.
    #[must_use]
    pub fn outputs(self) -> usize {
        match self {
            Self::Normal { targets, .. } => targets,
            Self::NormalPerInput { targets } => 2 * targets,
            Self::Categorical { classes, .. } => classes,
            Self::Bernoulli { .. } | Self::Probit => 1,
        }
    }

    /// How many columns the targets have: one for each real target; one for each class, 1 where an
    /// example belongs and 0 elsewhere; a single column of 0 and 1 for two classes.
    #[must_use]
    pub fn target_columns(self) -> usize {
        match self {
            Self::Normal { targets, .. } | Self::NormalPerInput { targets } => targets,
            Self::Categorical { classes, .. } => classes,
            Self::Bernoulli { .. } | Self::Probit => 1,
        }
    }

    /// How many classes it tells apart; none for real targets.
    #[must_use]
    pub fn classes(self) -> Option<usize> {
        match self {
            Self::Normal { .. } | Self::NormalPerInput { .. } => None,
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
            Self::Categorical { form, .. } => {
                Likelihood::Categorical(Categorical::new(form, false))
            }
            Self::Bernoulli { form } => Likelihood::Bernoulli(Categorical::new(form, true)),
            Self::Probit => Likelihood::Probit(Probit),
        }
    }
}

/// The likelihood of a network, with what it learns.
#[derive(Module, Debug)]
pub enum Likelihood {
    /// Real targets.
    Normal(Normal),
    /// Real targets, noise by input.
    NormalPerInput(NormalPerInput),
    /// Classes.
    Categorical(Categorical),
    /// Two classes.
    Bernoulli(Categorical),
    /// Two classes.
    Probit(Probit),
}

impl Likelihood {
    /// Σ E_q log p(y | f) over the rows, in nats, of shape \[1\].
    ///
    /// `f` are the outputs, `y` the targets, of shape
    /// \[n, [`target_columns`](LikelihoodKind::target_columns)\].
    #[must_use]
    pub fn expected(&self, f: &LinearOutput, y: Tensor<2>, pass: &mut Pass) -> Tensor<1> {
        match self {
            Self::Normal(p) => p.expected(f, y),
            Self::NormalPerInput(p) => p.expected(f, y),
            Self::Categorical(p) | Self::Bernoulli(p) => p.expected(f, y, pass),
            Self::Probit(p) => p.expected(f, y),
        }
    }

    /// Whether it wants the covariances of the outputs.
    #[must_use]
    pub fn wants_covariance(&self) -> bool {
        matches!(self, Self::NormalPerInput(_))
    }
}
