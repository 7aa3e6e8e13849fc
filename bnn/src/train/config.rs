//! Settings of training: optimiser, schedule, batches, warm-up, early stopping and checkpoints.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use burn::optim::{LBFGSConfig, LineSearchFn, ModuleOptimizer};

use super::adam::Adam;
use crate::blueprint::Blueprint;
use crate::likelihood::LikelihoodKind;

/// The method that maximises the bound over the parameters.
#[derive(Clone)]
pub enum Optimizer {
    /// Any optimiser of Burn's, with any clipping of gradients.
    Gradient(ModuleOptimizer),
    /// L-BFGS on all rows at once, for objectives that sample nothing (Roth and Pernkopf, 4.2).
    Lbfgs(LBFGSConfig),
}

impl Optimizer {
    /// Adam with the defaults of Burn, but ε = 10⁻⁸.
    #[must_use]
    pub fn adam() -> Self {
        Self::Gradient(Adam::new(1e-8).into())
    }

    /// L-BFGS with a line search by the strong Wolfe conditions; an epoch is one call of it.
    #[must_use]
    pub fn lbfgs() -> Self {
        let line_search = LineSearchFn::StrongWolfe;
        Self::Lbfgs(LBFGSConfig::new().with_line_search_fn(line_search).with_history_size(20))
    }
}

impl From<ModuleOptimizer> for Optimizer {
    fn from(optimizer: ModuleOptimizer) -> Self {
        Self::Gradient(optimizer)
    }
}

impl Debug for Optimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gradient(_) => "Gradient",
            Self::Lbfgs(_) => "Lbfgs",
        })
    }
}

/// The step size during training: its ratio to the first step size, as a function of the share of training in \[0,
/// 1\] that is done.
#[derive(Clone)]
pub enum Schedule {
    /// 1 throughout.
    Constant,
    /// From 1 to 0 along half a cosine.
    Cosine,
    /// From 1 to 0 along a line.
    Linear,
    /// Any function of the share that is done.
    Custom(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
}

impl Schedule {
    pub(crate) fn at(&self, done: f64) -> f64 {
        match self {
            Self::Constant => 1.0,
            Self::Cosine => 0.5 * (1.0 + (std::f64::consts::PI * done).cos()),
            Self::Linear => 1.0 - done,
            Self::Custom(f) => f(done),
        }
    }
}

impl Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Constant => "Constant",
            Self::Cosine => "Cosine",
            Self::Linear => "Linear",
            Self::Custom(_) => "Custom",
        })
    }
}

/// The rule by which training stops before its last epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStopping {
    /// The share of the rows, in (0, 1), that validate and do not train. The seed draws them.
    pub share: f64,
    /// Number of epochs without a better log likelihood of the validation rows after which training stops, ≥ 1. The
    /// best network is kept, not the last.
    pub patience: usize,
}

/// The file of checkpoints and how often one is written. A run that `progress` breaks off writes one too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The file, which is replaced whole. Its folder is made if it is missing.
    pub path: PathBuf,
    /// How often a checkpoint is written.
    pub every: Every,
    /// Texts that each checkpoint has besides the weights. [`Model::load`](crate::Model::load) gives them back, as the notes of any
    /// model.
    pub notes: BTreeMap<String, String>,
}

/// An interval between epochs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// After so many epochs, ≥ 1.
    Epochs(usize),
    /// After the first epoch that ends so long after the last time, or after the beginning.
    Time(Duration),
}

/// Settings of training.
///
/// The defaults did best in test log-likelihood on random splits of the yacht data, and no worse than others on the sets
/// energy and concrete. Another seed drew these splits than any whose results are reported. They partition the same rows,
/// so that rows which test in reported splits took part in the choice.
#[derive(Clone, Debug)]
pub struct TrainConfig {
    /// Number of passes through the data, at least 1.
    pub epochs: usize,
    /// Number of rows of a batch, at least 1. L-BFGS takes all rows at once, and so does a batch that is larger than
    /// the data.
    pub batch: usize,
    /// The method that maximises the bound.
    pub optimizer: Optimizer,
    /// The step size at the start, > 0.
    pub learning_rate: f64,
    /// The step size during training. L-BFGS keeps the first one.
    pub schedule: Schedule,
    /// The share of training, in \[0, 1\], over which the weight of the KL term rises from 0 to 1.
    /// Without it the prior switches off hidden units before the data has found a use for them.
    pub warm_up: f64,
    /// λ > 0: the factor of the likelihood (Roth and Pernkopf, 3.3). With 1 the objective is the bound.
    pub likelihood_weight: f64,
    /// The rule for an early stop; without it training goes on to the last epoch.
    pub early_stopping: Option<EarlyStopping>,
    /// The checkpoints; without it none are written.
    pub checkpoint: Option<Checkpoint>,
    /// The seed of batches, samples and validation rows.
    pub seed: u64,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            epochs: 3000,
            batch: 1024,
            optimizer: Optimizer::adam(),
            learning_rate: 0.03,
            schedule: Schedule::Cosine,
            warm_up: 0.6,
            likelihood_weight: 1.0,
            early_stopping: None,
            checkpoint: None,
            seed: 0,
        }
    }
}

impl TrainConfig {
    /// The defaults for this network: where the noise depends on the input a step size of 0.01, or of 0.003 if weights
    /// have full covariances, else those of [`TrainConfig::default`].
    ///
    /// By larger steps such a noise can grow without bound.
    #[must_use]
    pub fn suited_to(blueprint: &Blueprint) -> Self {
        let learning_rate = match blueprint.likelihood {
            LikelihoodKind::NormalPerInput { .. } if blueprint.has_full_covariances() => 0.003,
            LikelihoodKind::NormalPerInput { .. } => 0.01,
            _ => return Self::default(),
        };
        Self { learning_rate, ..Self::default() }
    }

    /// The default for L-BFGS: no batches, a step size of 1, no warm-up.
    #[must_use]
    pub fn lbfgs(epochs: usize) -> Self {
        Self {
            epochs,
            optimizer: Optimizer::lbfgs(),
            learning_rate: 1.0,
            schedule: Schedule::Constant,
            warm_up: 0.0,
            ..Self::default()
        }
    }

    /// The first field outside its domain, its value, and the values that it may have.
    pub(crate) fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        let above = "a finite number above 0";
        // What is not set is in its domain.
        let stopping = self.early_stopping.unwrap_or(EarlyStopping { share: 0.5, patience: 1 });
        let every = match self.checkpoint.as_ref().map(|c| c.every) {
            Some(Every::Epochs(epochs)) => epochs,
            Some(Every::Time(_)) | None => 1,
        };
        let checks = [
            ("epochs", self.epochs as f64, "at least 1", self.epochs > 0),
            ("batch", self.batch as f64, "at least 1", self.batch > 0),
            ("learning_rate", self.learning_rate, above, positive(self.learning_rate)),
            ("warm_up", self.warm_up, "between 0 and 1", (0.0..=1.0).contains(&self.warm_up)),
            ("likelihood_weight", self.likelihood_weight, above, positive(self.likelihood_weight)),
            (
                "early_stopping.share",
                stopping.share,
                "between 0 and 1, both excluded",
                stopping.share > 0.0 && stopping.share < 1.0,
            ),
            (
                "early_stopping.patience",
                stopping.patience as f64,
                "at least 1",
                stopping.patience > 0,
            ),
            ("checkpoint.every", every as f64, "at least 1", every > 0),
        ];
        checks
            .into_iter()
            .find(|c| !c.3)
            .map(|(field, value, expected, _)| (field, value, expected))
    }
}
