//! Models that were trained from different seeds, asked together (Lakshminarayanan et al. 2017, "Simple and Scalable
//! Predictive Uncertainty Estimation using Deep Ensembles").
//!
//! ```text
//! p(y) = 1/K Σ p_k(y)        of each row: moments, quantiles and densities are those of the mixture
//! ```

use std::num::NonZeroUsize;

use crate::blueprint::Blueprint;
use crate::data::{Matrix, TargetScale};
use crate::model::{Model, ModelError};
use crate::prediction::Prediction;

/// One model, or several for the same data.
#[derive(Clone, Debug)]
pub struct Ensemble {
    pub(crate) members: Vec<Model>,
}

/// Why models make no ensemble.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// There is no model.
    #[error("an ensemble has at least one member")]
    Empty,
    /// A member is of other data, or of another network.
    #[error(
        "member {member} differs from the first one in its {part}: train all of them on the same table, from different seeds"
    )]
    Different {
        /// The number of the member, from 0.
        member: usize,
        /// The part of the member that differs from the first member's.
        part: &'static str,
    },
}

impl From<Model> for Ensemble {
    fn from(model: Model) -> Self {
        Self { members: vec![model] }
    }
}

impl Ensemble {
    /// The ensemble of these models.
    ///
    /// # Errors
    ///
    /// [`EnsembleError`], if there is none, or one has another blueprint or other scales than the first.
    pub fn new(members: Vec<Model>) -> Result<Self, EnsembleError> {
        let first = members.first().ok_or(EnsembleError::Empty)?;
        for (member, model) in members.iter().enumerate() {
            let differs = [
                ("layers", model.network().blueprint() != first.network().blueprint()),
                ("inputs", model.inputs() != first.inputs()),
                ("targets", model.targets() != first.targets()),
            ];
            if let Some((part, _)) = differs.into_iter().find(|(_, differs)| *differs) {
                return Err(EnsembleError::Different { member, part });
            }
        }
        Ok(Self { members })
    }

    /// The blueprint that all members share.
    #[must_use]
    pub fn blueprint(&self) -> &Blueprint {
        // There is at least one.
        self.members[0].network().blueprint()
    }

    /// The units of the targets, or the names of the classes.
    #[must_use]
    pub fn targets(&self) -> &TargetScale {
        self.members[0].targets()
    }

    /// The ensemble whose members go through their networks so often, as [`Model::with_passes`] has it.
    #[must_use]
    pub fn with_passes(self, passes: NonZeroUsize) -> Self {
        Self { members: self.members.into_iter().map(|m| m.with_passes(passes)).collect() }
    }

    /// The members, at least one.
    #[must_use]
    pub fn members(&self) -> &[Model] {
        &self.members
    }

    /// The predictive distribution for each row of `x`: the mixture of the members' distributions, with equal
    /// weights.
    ///
    /// # Errors
    ///
    /// [`ModelError`] in the cases of [`Model::predict`].
    pub fn predict(&self, x: &Matrix) -> Result<Prediction, ModelError> {
        self.predict_noisy(x, None)
    }

    /// The predictive distribution for inputs that were measured with noise of the variances `x_variance`, of the shape
    /// of `x`.
    ///
    /// # Errors
    ///
    /// [`ModelError`] in the cases of [`Model::predict_noisy`].
    pub fn predict_noisy(
        &self,
        x: &Matrix,
        x_variance: Option<&Matrix>,
    ) -> Result<Prediction, ModelError> {
        let all: Result<Vec<_>, _> =
            self.members.iter().map(|m| m.predict_noisy(x, x_variance)).collect();
        Ok(Prediction::mixture(all?))
    }
}
