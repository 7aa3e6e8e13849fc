//! The calibration of a model, which its notes keep.

use std::collections::BTreeMap;

use gaussform_bnn::{ClassCalibration, NormalCalibration, Prediction, Targets};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The key of the calibration in a model's notes.
const KEY: &str = "calibration";

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Calibration {
    Numbers(NormalCalibration),
    Classes(ClassCalibration),
}

impl Calibration {
    /// The calibration that the truth of some rows gives their prediction; none if that is of another kind of target.
    pub(crate) fn fit(prediction: &Prediction, y: &Targets) -> Result<Option<Self>, Failure> {
        Ok(match (prediction, y) {
            (Prediction::Real(p), Targets::Real(y)) => {
                Some(Self::Numbers(NormalCalibration::fit(p, y)?))
            }
            (Prediction::Classes(p), Targets::Classes { labels, .. }) => {
                Some(Self::Classes(ClassCalibration::fit(p, labels)?))
            }
            _ => None,
        })
    }

    /// The note that keeps it.
    pub(crate) fn notes(&self) -> BTreeMap<String, String> {
        // A structure of numbers has no reason to fail.
        BTreeMap::from([(KEY.to_owned(), serde_json::to_string(self).unwrap_or_default())])
    }

    /// The calibration among the notes of a model, if it was calibrated; the error of the JSON reader if the note is
    /// damaged.
    pub(crate) fn from_notes(
        notes: &BTreeMap<String, String>,
    ) -> Result<Option<Self>, serde_json::Error> {
        notes.get(KEY).map(|note| serde_json::from_str(note)).transpose()
    }

    /// The prediction with the model's calibration applied.
    pub(crate) fn scaled(&self, prediction: &Prediction) -> Result<Prediction, Failure> {
        Ok(match (self, prediction) {
            (Self::Numbers(c), Prediction::Real(p)) => Prediction::Real(c.scaled(p)?),
            (Self::Classes(c), Prediction::Classes(p)) => Prediction::Classes(c.scaled(p)?),
            _ => prediction.clone(),
        })
    }
}
